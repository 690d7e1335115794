#pragma once

#include <optional>
#include <string_view>

namespace pahtum {

// Whether output for people is coloured: `auto` asks the terminal.
enum class ColorChoice { kAuto, kAlways, kNever };

// "auto", "always", "never"; nothing for another word.
[[nodiscard]] std::optional<ColorChoice> color_choice_named(std::string_view name) noexcept;

// With kAuto: standard output is a terminal, NO_COLOR is unset or empty (https://no-color.org), and TERM is
// neither unset nor "dumb".
[[nodiscard]] bool wants_color(ColorChoice choice = ColorChoice::kAuto);

// Standard input and standard output are both terminals: there is a person to ask.
[[nodiscard]] bool is_interactive();

// Characters in a line of standard output: the terminal's width, at least 20; 80 where it is no terminal or
// does not say.
[[nodiscard]] int terminal_width();

// The terminal understands the escape codes that move the cursor: TERM is neither unset nor "dumb".
[[nodiscard]] bool moves_cursor();

}  // namespace pahtum
