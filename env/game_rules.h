#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/game_config.h"
#include "env/position.h"

namespace pahtum {

// A GameConfig made ready to start games from: checked, layouts parsed, weights summed. Immutable; may be
// shared by threads.
class GameRules {
 public:
  // Throws what validate() throws.
  explicit GameRules(const GameConfig& config);

  [[nodiscard]] const GameConfig& config() const noexcept { return config_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(config_.size); }

  // A swap of colours can come up in these games.
  [[nodiscard]] bool has_swap() const noexcept;
  // The rules know more than placing stones on given holes: placing holes, or a swap. By the kind of rules,
  // not by the number of holes.
  [[nodiscard]] bool has_phases() const noexcept;
  // Actions of a move: the n² squares, and the swap as action n² where the rules have it.
  [[nodiscard]] int actions() const noexcept { return size() * size() + (has_swap() ? 1 : 0); }
  // The square of each action but the swap, by action: n² of them.
  [[nodiscard]] std::span<const Bitboard> action_squares() const noexcept;
  // Channels of an observation, see observation.h.
  [[nodiscard]] int channels() const noexcept;
  // Moves of the longest game, placed holes and the swap included, and of the shortest.
  [[nodiscard]] int longest_game() const noexcept;
  [[nodiscard]] int shortest_game() const noexcept;
  // Points of every line of eight squares by these rules' table.
  [[nodiscard]] const LinePoints& line_points() const noexcept { return line_points_; }
  // Points of a set of stones by that table.
  [[nodiscard]] int points(Bitboard stones) const noexcept {
    // With constant weights most of the sum folds away.
    return usual_points_ ? pahtum::points(stones, window_weights(kRunPoints))
                         : pahtum::points(stones, weights_);
  }

  // The start of game number `index`: number of holes, then layout or holes without replacement, drawn from
  // the counter-based stream; each layout equally likely. White is to move, or who places the first hole. A
  // pure function of rules and arguments; `sub` (24 bits) is the environment's number.
  [[nodiscard]] Position start(std::uint64_t seed, Stream stream, std::uint64_t index,
                               std::uint32_t sub = 0) const noexcept;

  // The holes of that start, where the players place none.
  [[nodiscard]] Bitboard start_holes(std::uint64_t seed, Stream stream, std::uint64_t index,
                                     std::uint32_t sub = 0) const noexcept;

 private:
  [[nodiscard]] int draw_count(Random& random) const noexcept;
  [[nodiscard]] Bitboard draw_layout(int holes, Random& random) const noexcept;
  // Fewest and most holes that are on the board when a game starts.
  [[nodiscard]] std::pair<int, int> given_holes() const noexcept;

  GameConfig config_;
  LinePoints line_points_;
  WindowWeights weights_;
  bool usual_points_;
  std::vector<Bitboard> layouts_;
  std::vector<double> cumulative_;  // weights of the numbers of holes, summed up; empty for a single number
};

// Both rules show the same boards and offer the same actions: a network made for one can play the other.
[[nodiscard]] bool same_interface(const GameConfig& first, const GameConfig& second);

// GameRules(config).start(…) for a single game. Throws what validate() throws.
[[nodiscard]] Position start_position(const GameConfig& config, std::uint64_t seed, Stream stream,
                                      std::uint64_t index, std::uint32_t sub = 0);

}  // namespace pahtum
