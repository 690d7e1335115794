#pragma once

#include <cstddef>
#include <cstdint>

#include "env/base/random.h"
#include "env/position.h"
#include "search/rollout.h"
#include "search/uct_tree.h"

namespace pahtum {

// Monte Carlo tree search with random rollouts and UCB1 (Kocsis and Szepesvári, "Bandit Based Monte-Carlo
// Planning", ECML 2006): the move with the highest Q + (1/√2) · √(2 ln N / n), with Q the mean result in
// [0, 1] (loss 0, draw ½, win 1) for the player to move; moves not yet tried come first, in random order.
// Each rollout tries one move for the first time, or ends in a finished game. Every choice starts from an
// empty tree; only the memory is kept. One thread at a time per object.
class UctSearch {
 public:
  // simulations ≥ 1 rollouts a move.
  explicit UctSearch(std::int64_t simulations);

  // The most visited move after all rollouts; of several the one with the better mean, and a random one of
  // those. `position` is not over. With one legal move nothing is searched.
  [[nodiscard]] Move choose(const Position& position, Random& random);

  // Bytes held for the tree, kept between calls.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return tree_.memory_bytes(); }

 private:
  template <class Board>
  void simulate(Board board, RandomWords& words);

  std::int64_t simulations_;
  UctTree tree_;
  FilledBoards filled_;
};

}  // namespace pahtum
