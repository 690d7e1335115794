#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

  // When a search ends: the first of these. kMostTreeBytes end it, too.
  struct Limits {
    using Clock = std::chrono::steady_clock;
    std::optional<std::int64_t> simulations;
    std::optional<Clock::time_point> deadline;
    const std::atomic<bool>* stop = nullptr;  // set by another thread; null: none
  };
  // Room for searches that a number of rollouts does not bound is set aside before they begin.
  static constexpr std::size_t kMostTreeBytes = std::size_t{1} << 30;

  struct MoveResult {
    Move move;
    std::int64_t visits = 0;
    double mean = 0.0;  // in [0, 1], for the player to move
  };
  struct Result {
    Move move;                      // of choose()
    std::vector<MoveResult> moves;  // the most visited first
    std::int64_t rollouts = 0;
  };
  // The same search with other limits, and what it found. At least one rollout is made.
  [[nodiscard]] Result search(const Position& position, Random& random, const Limits& limits);

  // Bytes held for the tree, kept between calls.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return tree_.memory_bytes(); }

 private:
  template <class Board>
  std::int64_t simulate(Board root, RandomWords& words, const Limits& limits);
  std::int64_t run(const Position& position, Random& random, const Limits& limits);

  std::int64_t simulations_;
  UctTree tree_;
  FilledBoards filled_;
};

}  // namespace pahtum
