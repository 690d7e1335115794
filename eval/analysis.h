#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "env/position.h"
#include "search/evaluator.h"

namespace pahtum {

// A decision a player is asked for. `game` and `ply` key its random numbers, so that neither the order of
// games nor their grouping into batches changes a choice.
struct Turn {
  Position position;       // not over
  std::uint64_t game = 0;  // number of the game within the match
  int ply = 0;             // moves made so far in it
};

// What bounds one decision. Those that are given stand in place of the limits in a player's SPEC; without any
// the SPEC's hold. The first to be reached ends the search, with the best move found so far.
//
// A limit that a player has no use for does not count: `depth` is alpha-beta's, and random, greedy and
// charles have use for none.
struct ThinkLimits {
  using Clock = std::chrono::steady_clock;
  static constexpr double kLeastSeconds = 0.001;  // of any decision, whatever is left

  std::optional<Clock::time_point> deadline;
  std::optional<std::int64_t> simulations;  // or rollouts, or nodes of alpha-beta
  std::optional<int> depth;                 // plies, of alpha-beta
  bool infinite = false;                    // only `stop` ends it; a proven position ends it too
  // Set by another thread, ends the search at once whatever else holds. Must outlive the call; may be null.
  const std::atomic<bool>* stop = nullptr;

  [[nodiscard]] bool given() const noexcept { return given_for_simulations() || depth; }
  // One that a search by simulations has a use for.
  [[nodiscard]] bool given_for_simulations() const noexcept { return deadline || simulations || infinite; }
  [[nodiscard]] bool stopped() const noexcept {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
  }
  // Until the deadline, at least a thousandth so that 0 stays free to mean "no limit"; 0 without one.
  [[nodiscard]] double seconds_left() const noexcept {
    if (!deadline) return 0.0;
    return std::max(kLeastSeconds, std::chrono::duration<double>(*deadline - Clock::now()).count());
  }
};

[[nodiscard]] inline ThinkLimits::Clock::duration thinking_time(double seconds) noexcept {
  return std::chrono::duration_cast<ThinkLimits::Clock::duration>(std::chrono::duration<double>(seconds));
}
[[nodiscard]] inline double thinking_seconds(ThinkLimits::Clock::time_point started) noexcept {
  return std::chrono::duration<double>(ThinkLimits::Clock::now() - started).count();
}

// What a player thinks of one legal move.
struct MoveAnalysis {
  Move move;
  std::optional<double> prior;   // of its network's policy, over the legal moves
  std::int64_t visits = 0;       // simulations through it; 0 where the player counts none
  std::optional<Value> value;    // expected result for the side to move after playing it
  std::optional<double> margin;  // points after it, where they are known exactly
  // Of alpha-beta's evaluation, in its own units, where nothing else is known.
  std::optional<double> line_score;
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

// That of a player who knows nothing but its move.
[[nodiscard]] inline Analysis only_move(Move move) {
  Analysis analysis;
  analysis.move = move;
  analysis.moves.emplace_back().move = move;
  analysis.variation = {move};
  return analysis;
}

}  // namespace pahtum
