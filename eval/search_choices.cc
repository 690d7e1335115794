#include "eval/search_choices.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "search/greedy.h"

namespace pahtum {
namespace {

Value outcome_value(int points) noexcept {
  return Value(outcome_of(Margin{points}));
}

}  // namespace

Analysis UctChoice::analyse(const Position& position, Random& random, const ThinkLimits& limits) {
  UctSearch::Limits bounds{
      .simulations = limits.simulations, .deadline = limits.deadline, .stop = limits.stop};
  if (!limits.given_for_simulations()) bounds.simulations = simulations_;
  if (legal_count(position) == 1) bounds.simulations = 1;
  const UctSearch::Result found = search_.search(position, random, bounds);
  Analysis analysis;
  analysis.move = found.move;
  analysis.simulations = found.rollouts;
  double sum = 0.0;
  for (const UctSearch::MoveResult& move : found.moves) {
    const double value = 2.0 * move.mean - 1.0;
    sum += value * static_cast<double>(move.visits);
    MoveAnalysis& entry = analysis.moves.emplace_back();
    entry.move = move.move;
    entry.visits = move.visits;
    entry.value = Value(static_cast<float>(value));
  }
  analysis.value = Value(static_cast<float>(sum / static_cast<double>(found.rollouts)));
  analysis.variation = {found.move};
  return analysis;
}

Analysis AlphaBetaChoice::analyse(const Position& position, Random& random, const ThinkLimits& limits) {
  if (position.phase == Phase::kPlacing || position.phase == Phase::kOpening) {
    return only_move(greedy_move(position, random));
  }
  AlphaBetaLimits bounds = limits_;
  if (limits.given()) {
    bounds = {.depth = limits.depth.value_or(0),
              .seconds = limits.seconds_left(),
              .nodes = static_cast<std::uint64_t>(limits.simulations.value_or(0)),
              .stop = nullptr};
  }
  bounds.stop = limits.stop;
  const AlphaBeta::Choice found = search_.search(position, bounds);
  Analysis analysis = only_move(found.move);
  analysis.exact = found.exact;
  analysis.depth = found.depth;
  analysis.simulations = static_cast<std::int64_t>(found.nodes);
  if (found.exact) {
    analysis.value = Value(static_cast<float>(found.value));
    analysis.moves.front().value = analysis.value;
    if (found.margin) analysis.margin = *found.margin;
    bounds.seconds = limits.seconds_left();
    std::vector<Move> line = search_.variation(position, kMaxSquares, bounds);
    if (!line.empty() && line.front() == found.move) analysis.variation = std::move(line);
  } else {
    analysis.moves.front().line_score = found.value;
  }
  return analysis;
}

Move SolverChoice::operator()(const Position& position, Random& random) {
  if (position.empty_count() > most_empty_) return greedy_move(position, random);
  return solver_
      .solve(position, {.objective = Objective::kMargin, .moves = SolvedMoves::kOneBest, .limits = {}})
      .best.front();
}

Analysis SolverChoice::analyse(const Position& position, Random& random, const ThinkLimits& limits) {
  if (position.empty_count() > most_empty_) return only_move(greedy_move(position, random));
  SolveRequest request{.objective = Objective::kMargin, .moves = SolvedMoves::kOneBest, .limits = {}};
  const auto set_limits = [&] {
    request.limits.seconds = limits.seconds_left();
    request.limits.stop = limits.stop;
  };
  set_limits();
  const Solution solution = solver_.solve(position, request);
  if (solution.best.empty()) return only_move(greedy_move(position, random));
  Analysis analysis = only_move(solution.best.front());
  analysis.simulations = static_cast<std::int64_t>(solution.nodes);
  if (!solution.exact) return analysis;
  analysis.exact = true;
  analysis.margin = solution.lower;
  analysis.value = outcome_value(solution.lower);
  analysis.moves.front().value = analysis.value;
  set_limits();
  analysis.variation = solver_.principal_variation(position, request.objective, kMaxSquares, request.limits);
  if (analysis.variation.empty()) analysis.variation = {analysis.move};
  request.moves = SolvedMoves::kEveryValue;
  set_limits();
  Solution every = solver_.solve(position, request);
  if (!every.exact) return analysis;
  analysis.simulations += static_cast<std::int64_t>(every.nodes);
  std::ranges::stable_sort(every.moves, [&](const auto& a, const auto& b) {
    return std::pair(a.second, a.first == analysis.move) > std::pair(b.second, b.first == analysis.move);
  });
  analysis.moves.clear();
  for (const auto& [move, points] : every.moves) {
    MoveAnalysis& entry = analysis.moves.emplace_back();
    entry.move = move;
    entry.value = outcome_value(points);
    entry.margin = points;
  }
  return analysis;
}

}  // namespace pahtum
