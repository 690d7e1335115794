#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/random.h"
#include "env/base/schema.h"
#include "env/position.h"

namespace pahtum {

// How the holes come to the board.
enum class HoleMode : std::uint8_t {
  kRandom,   // drawn before the game, or a fixed layout
  kPlaced,   // by the players, alternately; Black places the last one, then White starts
  kCentre,   // one in the centre of an odd board, the others placed as in kPlaced
  kOpening,  // White places all of them and a first stone in a row, then Black may swap
};

// What a game is played for.
enum class Objective : std::uint8_t {
  kOutcome,  // to win: by how much does not matter
  kMargin,   // for points
};

[[nodiscard]] std::string_view objective_name(Objective objective) noexcept;  // "outcome", "margin"
[[nodiscard]] std::optional<Objective> objective_named(std::string_view name) noexcept;

// The number of holes of a game, or several numbers with weights: each game draws one.
class HoleCounts {
 public:
  struct Choice {
    int holes = 0;
    double weight = 1.0;  // positive; relative to the others
    friend bool operator==(const Choice&, const Choice&) = default;
  };

  // NOLINTNEXTLINE(google-explicit-constructor): a number is the usual case
  HoleCounts(int holes) : choices_{{holes, 1.0}} {}
  // validate() says whether the choices are sound.
  HoleCounts(std::initializer_list<Choice> choices) : choices_(choices) {}

  // "5", "3,5,7" or "3:1,5:2" (number:weight). Throws a kRequest Error without a subject for anything else:
  // no number, a number twice or above 62, a weight that is not a positive finite number.
  [[nodiscard]] static HoleCounts parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  [[nodiscard]] std::span<const Choice> choices() const noexcept { return choices_; }
  [[nodiscard]] int most() const noexcept;
  [[nodiscard]] int fewest() const noexcept;

  friend bool operator==(const HoleCounts&, const HoleCounts&) = default;

 private:
  HoleCounts() = default;
  std::vector<Choice> choices_;
};

// The rules a game is played by: the `game` section of a configuration.
struct GameConfig {
  std::int64_t size = 7;
  HoleCounts holes = 5;
  bool unequal_stones = false;
  HoleMode hole_mode = HoleMode::kRandom;
  // Fixed layouts, one drawn for each game; empty: holes as `holes` and `hole_mode` say. Each is a list of
  // squares ("c4,d4") or a board ("7/7/7/2xx3/7/7/7").
  std::vector<std::string> layouts = {};
  bool swap = false;  // pie rule: after the first stone the other player may swap colours
  Objective result = Objective::kOutcome;
  RunPoints run_points = kRunPoints;

  friend bool operator==(const GameConfig&, const GameConfig&) = default;
};

[[nodiscard]] Schema describe(GameConfig& config);

// Throws a kRequest Error naming the key (`game.holes`) when the rules make no game: a size or a number of
// holes out of range, an odd number of squares left without `unequal_stones`, a layout that is none, a centre
// on an even board, and so on.
void validate(const GameConfig& config);

// Replaces every layout "@FILE" by the lines of that file, relative to `folder`; empty lines and what follows
// a `#` are skipped. Throws a kRequest Error naming the file when it cannot be read or holds no layout.
void expand_layout_files(GameConfig& config, const std::filesystem::path& folder);

// The holes of one layout of an n×n board: squares separated by commas, or ranks from the top separated by
// slashes, with digits for empty squares and `x` for holes. Throws a kRequest Error naming the layout when it
// is neither, names a square twice, or has stones.
[[nodiscard]] Bitboard parse_layout(std::string_view text, int size);

// "random", "placed", "centre", "opening", and back (empty: no such mode).
[[nodiscard]] std::string_view hole_mode_name(HoleMode mode) noexcept;
inline constexpr std::initializer_list<HoleMode> kHoleModes = {HoleMode::kRandom, HoleMode::kPlaced,
                                                               HoleMode::kCentre, HoleMode::kOpening};

// Eight numbers separated by commas, the points of runs of 1 to 8 squares, each 0 … 10000. Throws a kRequest
// Error without a subject otherwise.
inline constexpr int kMostRunPoints = 10'000;
[[nodiscard]] RunPoints parse_run_points(std::string_view text);
[[nodiscard]] std::string to_text(const RunPoints& run_points);

// One line for people: "7×7, 5 random holes".
[[nodiscard]] std::string to_text(const GameConfig& config);

}  // namespace pahtum
