#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pahtum {

// In `play` and `engine` networks end their games perfectly from so many empty squares on, unless told
// otherwise.
inline constexpr std::int64_t kExactInPlay = 12;

// Somebody to play against where nobody was named.
struct DefaultPlayer {
  std::string spec;
  std::string why;  // for people: "the newest run"
};

// Folders of shipped and own networks that are there: PAHTUM_MODELS alone where that is set and not empty,
// else `models` in the current folder, and `models` in the folder of the program and in those above it,
// nearest first, up to two (build/pahtum lies one below the project's root).
[[nodiscard]] std::vector<std::filesystem::path> models_folders();

// The default opponents, best first: the networks of models_folders() — in the first folder that holds any —
// by the learner steps they were trained for, most first; the newest run; and last, always, the strongest
// player without a network, which answers within a second. A file of models/, or of a folder in it, that
// cannot be read is passed over with a warning in the log. The first one that plays the rules wanted is the
// opponent.
[[nodiscard]] std::vector<DefaultPlayer> default_players();

// The first of default_players(): for programs that choose no rules.
[[nodiscard]] std::string default_spec();

}  // namespace pahtum
