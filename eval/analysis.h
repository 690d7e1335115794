#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "env/position.h"
#include "search/evaluator.h"

namespace pahtum {

// What bounds one decision. Those that are given stand in place of the limits in a player's SPEC; without any
// the SPEC's hold. The first to be reached ends the search, with the best move found so far.
struct ThinkLimits {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  std::optional<std::int64_t> simulations;  // or rollouts, or nodes of alpha-beta
  std::optional<int> depth;                 // plies, of alpha-beta
  bool infinite = false;                    // only `stop` ends it; a proven position ends it too
  // Set by another thread, ends the search at once whatever else holds. Must outlive the call; may be null.
  const std::atomic<bool>* stop = nullptr;

  [[nodiscard]] bool given() const noexcept { return deadline || simulations || depth || infinite; }
};

// What a player thinks of one legal move.
struct MoveAnalysis {
  Move move;
  std::optional<double> prior;  // of its network's policy, over the legal moves
  std::int64_t visits = 0;      // simulations through it; 0 where the player counts none
  std::optional<Value> value;   // expected result for the side to move after playing it
  std::optional<double>
      line_score;  // of alpha-beta's evaluation, in its own units, where nothing else is known
};

// What a player thinks of a position and what it plays there. Everything is for the side to move. Fields that
// a player does not know stay empty.
struct Analysis {
  Move move;                        // what it plays
  std::vector<MoveAnalysis> moves;  // best first; at least `move`
  std::optional<Value> value;       // expected result of the position
  std::optional<Wdl> wdl;           // what its network expects without search
  std::optional<double> margin;     // points: exact where `exact`, else its network's expectation
  bool exact = false;               // the position is solved: `value` and every best move are the truth
  std::vector<Move> variation;      // `move` first, then best play as the player sees it
  std::int64_t simulations = 0;     // or rollouts, or nodes
  int depth = 0;                    // of alpha-beta: plies looked ahead in full
  double seconds = 0.0;
};

}  // namespace pahtum
