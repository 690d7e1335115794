#pragma once

#include <cstdint>
#include <vector>

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// UCT with random rollouts (Kocsis and Szepesvári 2006): Q + (1/√2)·√(2 ln N / n) with results in [0, 1], one
// node added by each rollout, the most visited move, a fresh tree for each choice. One thread at a time;
// memory is kept between choices and bounded by the simulations.
class UctSearch {
 public:
  explicit UctSearch(std::int64_t simulations) : simulations_(simulations) {}

  // `position` is not over. Ties between most visited moves go to the better mean, then to the first.
  [[nodiscard]] Move choose(const Position& position, Random& random);

 private:
  struct Node {
    std::int32_t first_child = -1;  // children of a node lie side by side; −1: not made yet
    std::int32_t visits = 0;
    float wins = 0.0f;  // results for the player who made `move`: 1, ½ or 0 each
    std::int16_t children = 0;
    std::int16_t untried = 0;  // children not yet visited; they are tried in their (shuffled) order
    Move move;
    Color player = Color::kWhite;
  };

  void make_children(std::size_t index, const Position& position, Random& random);
  [[nodiscard]] std::size_t select(std::size_t index) const;

  std::int64_t simulations_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> path_;
};

// Plays uniformly random moves to the end; the result for White: 1, ½ or 0.
[[nodiscard]] float random_rollout(Position position, Random& random);

}  // namespace pahtum
