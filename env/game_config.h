#pragma once

#include <cstdint>
#include <string>

#include "env/base/random.h"
#include "env/base/schema.h"
#include "env/position.h"

namespace pahtum {

// The rules a game is played by: the `game` section of a configuration.
struct GameConfig {
  std::int64_t size = 7;
  std::int64_t holes = 5;
  bool unequal_stones = false;

  friend bool operator==(const GameConfig&, const GameConfig&) = default;
};

[[nodiscard]] Schema describe(GameConfig& config);

// Throws a kRequest Error naming the key (`game.holes`) when the rules make no game: a size or a number of
// holes out of range, or an odd number of squares left without `unequal_stones`.
void validate(const GameConfig& config);

// The start of game number `index`: holes drawn without replacement from the counter-based stream, each
// layout equally likely; White to move. A pure function of its arguments; `sub` (24 bits) is the
// environment's number. `config` must have passed validate().
[[nodiscard]] Position start_position(const GameConfig& config, std::uint64_t seed, Stream stream,
                                      std::uint64_t index, std::uint32_t sub = 0) noexcept;

// One line for people: "7×7, 5 random holes".
[[nodiscard]] std::string to_text(const GameConfig& config);

}  // namespace pahtum
