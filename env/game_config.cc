#include "env/game_config.h"

#include "env/base/error.h"

namespace pahtum {

Schema describe(GameConfig& config) {
  Schema schema("game", "The rules of the game.");
  schema.integer("size", &config.size, kMinSize, kMaxSize, "squares", "Ranks and files of the board.")
      .required()
      .integer("holes", &config.holes, 0, kMaxSquares - 1, "squares",
               "Holes drawn at random, without replacement, before each game. They must leave an even number "
               "of squares unless `unequal_stones` is true.")
      .required()
      .boolean("unequal_stones", &config.unequal_stones,
               "Allow an odd number of squares: White then has the first and the last move.");
  return schema;
}

void validate(const GameConfig& config) {
  if (config.size < kMinSize || config.size > kMaxSize) {
    throw request_error("game.size", std::to_string(config.size) + " is not the size of a board; use " +
                                         std::to_string(kMinSize) + " to " + std::to_string(kMaxSize));
  }
  const std::int64_t squares = config.size * config.size;
  if (config.holes < 0) {
    throw request_error("game.holes", std::to_string(config.holes) + " holes; use 0 or more");
  }
  if (config.holes > squares - 2) {
    throw request_error("game.holes", std::to_string(config.holes) + " holes leave fewer than two of the " +
                                          std::to_string(squares) + " squares; use at most " +
                                          std::to_string(squares - 2));
  }
  if ((squares - config.holes) % 2 != 0 && !config.unequal_stones) {
    throw request_error("game.holes",
                        std::to_string(config.holes) + " holes leave an odd number of squares (" +
                            std::to_string(squares - config.holes) + " of " + std::to_string(squares) +
                            "); use an " + (squares % 2 == 0 ? "even" : "odd") +
                            " number of holes, or set unequal_stones: true");
  }
}

Position start_position(const GameConfig& config, std::uint64_t seed, Stream stream, std::uint64_t index,
                        std::uint32_t sub) noexcept {
  Position position;
  position.size = static_cast<std::uint8_t>(config.size);
  const auto squares = static_cast<std::uint32_t>(config.size * config.size);
  const auto holes = static_cast<std::uint32_t>(config.holes);
  const auto bit_of = [&](std::uint32_t number) {
    return square_bit(
        square_at(static_cast<int>(number) / position.size, static_cast<int>(number) % position.size));
  };
  Random random(seed, stream, index, sub);
  // Floyd's sampling (Bentley and Floyd 1987): every set of `holes` squares is equally likely.
  for (std::uint32_t last = squares - holes; last < squares; ++last) {
    const Bitboard drawn = bit_of(random.below(last + 1));
    position.holes |= (position.holes & drawn) == 0 ? drawn : bit_of(last);
  }
  return position;
}

std::string to_text(const GameConfig& config) {
  const std::string size = std::to_string(config.size);
  return size + "×" + size + ", " + std::to_string(config.holes) + " random holes";
}

}  // namespace pahtum
