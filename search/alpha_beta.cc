#include "search/alpha_beta.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "search/greedy.h"

namespace pahtum {
namespace {

using Clock = std::chrono::steady_clock;

// The solver's mean time for the outcome of random positions of twenty live squares, and by how much it grows
// with each square more (docs/solver.md). A search may take this part of the time that a move has.
constexpr double kSecondsForTwenty = 0.003;
constexpr double kGrowth = 2.35;
constexpr double kSolverShare = 0.5;

}  // namespace

AlphaBeta::AlphaBeta(const AlphaBetaLimits& limits, std::shared_ptr<const LineEvaluation> evaluation,
                     const LineSearch::Options& options)
    : limits_(limits),
      evaluation_(std::move(evaluation)),
      keeps_evaluation_(evaluation_ != nullptr),
      search_(options),
      solver_(kSolverBytes) {
  assert((limits.depth > 0) + (limits.seconds > 0.0) + (limits.nodes > 0) == 1);
  // The shipped tables take tens of milliseconds, once in a program: not out of the first move's time.
  if (limits.seconds > 0.0 && !keeps_evaluation_) evaluation_ = LineEvaluation::of(kRunPoints, kMaxSize);
}

bool AlphaBeta::is_worth_solving(const Position& position, double seconds) const noexcept {
  if (position.empty_count() <= kExactEmpty) return true;
  if (seconds == 0.0) return false;
  return kSecondsForTwenty * std::pow(kGrowth, search_.live_count() - 20) <= seconds;
}

AlphaBeta::Choice AlphaBeta::search(const Position& position, const AlphaBetaLimits& wanted) {
  const auto started = Clock::now();
  if (!keeps_evaluation_ && (size_ != position.size || run_points_ != position.run_points)) {
    size_ = position.size;
    run_points_ = position.run_points;
    evaluation_ = LineEvaluation::of(run_points_, size_);
  }
  LineSearch::Limits limits{.nodes = wanted.nodes, .stop = wanted.stop};
  if (wanted.seconds > 0.0) {
    constexpr double kLongTime = 1e8;  // seconds; more would overflow the clock
    limits.deadline = started + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(std::min(wanted.seconds, kLongTime)));
  }
  search_.start(position, evaluation_, limits);
  Choice choice;
  choice.move = search_.found().best;
  if (is_worth_solving(position, wanted.seconds)) {
    const bool for_margin = position.empty_count() <= kExactEmpty;
    const Solution solution = solver_.solve(
        position, {.objective = for_margin ? Objective::kMargin : Objective::kOutcome,
                   .moves = SolvedMoves::kOneBest,
                   .limits = {.seconds = kSolverShare * wanted.seconds, .nodes = 0, .stop = wanted.stop}});
    choice.nodes = solution.nodes;
    if (solution.exact && for_margin) choice.margin = solution.lower;
    // In a lost position all moves are alike to the solver, and not to an opponent who errs.
    if (solution.exact && (for_margin || solution.lower >= 0)) {
      choice.move = solution.best.front();
      choice.exact = true;
      choice.value = std::clamp(solution.lower, -1, 1);
      return choice;
    }
    choice.exact = solution.exact;
  }
  while (!search_.found().whole && (wanted.depth == 0 || search_.found().depth < wanted.depth)) {
    if (!search_.deepen()) break;
  }
  choice.move = search_.found().best;
  choice.depth = search_.found().depth;
  choice.value = choice.exact ? -1 : search_.found().value;
  choice.nodes += search_.nodes();
  return choice;
}

std::vector<Move> AlphaBeta::variation(const Position& position, int plies, const AlphaBetaLimits& limits) {
  if (position.empty_count() > kExactEmpty) return {};
  return solver_.principal_variation(position, Objective::kMargin, plies,
                                     {.seconds = limits.seconds, .nodes = 0, .stop = limits.stop});
}

Move AlphaBeta::choose(const Position& position, Random& random) {
  if (position.phase == Phase::kPlacing || position.phase == Phase::kOpening) {
    return greedy_move(position, random);
  }
  return search(position).move;
}

}  // namespace pahtum
