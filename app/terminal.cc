#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace pahtum {

std::optional<ColorChoice> color_choice_named(std::string_view name) noexcept {
  if (name == "auto") return ColorChoice::kAuto;
  if (name == "always") return ColorChoice::kAlways;
  if (name == "never") return ColorChoice::kNever;
  return std::nullopt;
}

bool wants_color(ColorChoice choice) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* refused = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0') && moves_cursor();
}

bool is_interactive() {
  return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
}

int terminal_width() {
  constexpr int kUsual = 80;
  constexpr int kLeast = 20;
  struct winsize size {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::max<int>(size.ws_col, kLeast);
}

bool moves_cursor() {
  const char* name = std::getenv("TERM");
  return name != nullptr && *name != '\0' && std::string_view(name) != "dumb";
}

}  // namespace pahtum
