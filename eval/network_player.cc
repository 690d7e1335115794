#include "eval/network_player.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "env/base/error.h"
#include "eval/player_spec.h"
#include "search/batch_search.h"
#include "search/legal_priors.h"

namespace pahtum {
namespace {

// Bounds the memory of a search by time, at 72 bytes and a prior for every move each.
constexpr std::int64_t kMostTimedSimulations = 2'000'000;

SearchLimits solver_limits(const ThinkLimits& limits) noexcept {
  return {.seconds = limits.seconds_left(), .nodes = 0, .stop = limits.stop};
}

Value solved_value(int result, Objective objective) noexcept {
  return Value(static_cast<float>(objective == Objective::kMargin ? margin_utility(result) : result));
}

// The policy over the legal moves, in their order.
std::vector<float> legal_policy(const Position& position, const Evaluation& evaluation) {
  std::vector<float> priors(static_cast<std::size_t>(legal_count(position)));
  legal_priors(position, evaluation.policy, priors);
  return priors;
}

}  // namespace

NetworkPlayer::NetworkPlayer(PlayerInfo info, std::unique_ptr<Evaluator> evaluator,
                             const NetworkSearch& search, std::uint64_t seed)
    : info_(std::move(info)),
      evaluator_(std::move(evaluator)),
      search_(search),
      seed_(seed),
      solver_(info_.exact > 0 ? std::make_unique<Solver>() : nullptr) {
  if (!search_.seconds) return;
  search_.config.root = "puct";
  search_.config.simulations = kMostTimedSimulations;
}

void NetworkPlayer::choose(std::span<const Turn> turns, std::span<Move> moves) {
  for (const Turn& turn : turns) require_size(turn.position);
  if (search_.policy_only) {
    choose_by_policy(turns, moves);
  } else if (search_.seconds) {
    choose_by_time(turns, moves);
  } else {
    choose_by_search(turns, moves, SearchTree::kNoDeadline);
  }
}

std::vector<Wdl> NetworkPlayer::expectations(std::span<const Position> positions) {
  for (const Position& position : positions) require_size(position);
  std::vector<Wdl> results;
  results.reserve(positions.size());
  for (const Evaluation& evaluation : evaluate(positions)) results.push_back(evaluation.wdl);
  return results;
}

void NetworkPlayer::require_size(const Position& position) const {
  if (position.size == info_.game->size) return;
  const std::string size = std::to_string(int{position.size});
  throw request_error(
      player_subject(info_.spec),
      "its network plays " + to_text(*info_.game) + ", not a position of " + size + "×" + size + " squares");
}

std::vector<Evaluation> NetworkPlayer::evaluate(std::span<const Position> positions) {
  std::vector<Evaluation> evaluations(positions.size());
  evaluator_->evaluate(positions, evaluations);
  return evaluations;
}

void NetworkPlayer::choose_by_policy(std::span<const Turn> turns, std::span<Move> moves) {
  std::vector<Position> positions;
  positions.reserve(turns.size());
  for (const Turn& turn : turns) positions.push_back(turn.position);
  const std::vector<Evaluation> evaluations = evaluate(positions);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const auto probability = [&](Move move) {
      return evaluations[k].policy[static_cast<std::size_t>(move.index())];
    };
    moves[k] = std::ranges::max(candidates(positions[k]), {}, probability);
  }
}

std::vector<Move> NetworkPlayer::candidates(const Position& position) {
  if (position.empty_count() <= info_.exact) {
    return solver_
        ->solve(position, {.objective = info_.game->result, .moves = SolvedMoves::kAllBest, .limits = {}})
        .best;
  }
  std::vector<Move> moves;
  for_each_legal(position, [&](Move move) { moves.push_back(move); });
  return moves;
}

Analysis NetworkPlayer::analyse(const Turn& turn, const ThinkLimits& limits) {
  const auto started = ThinkLimits::Clock::now();
  require_size(turn.position);
  ThinkLimits bounds = limits;
  if (!limits.given_for_simulations() && search_.seconds) {
    bounds.deadline = started + thinking_time(*search_.seconds);
  }
  const Evaluation own = evaluate({&turn.position, 1}).front();
  Analysis analysis =
      search_.policy_only ? analyse_policy(turn.position, bounds, own) : analyse_search(turn, bounds, own);
  analysis.wdl = own.wdl;
  if (analysis.exact) {
    explain_solution(turn.position, bounds, analysis);
  } else {
    analysis.margin = static_cast<double>(own.margin);
  }
  analysis.seconds = thinking_seconds(started);
  return analysis;
}

Analysis NetworkPlayer::analyse_policy(const Position& position, const ThinkLimits& limits,
                                       const Evaluation& own) {
  Analysis analysis;
  const std::vector<float> priors = legal_policy(position, own);
  std::size_t k = 0;
  for_each_legal(position, [&](Move move) {
    MoveAnalysis& entry = analysis.moves.emplace_back();
    entry.move = move;
    entry.prior = static_cast<double>(priors[k++]);
  });
  analysis.value = own.wdl.value();
  if (position.empty_count() <= info_.exact) {
    const Solution solution = solver_->solve(
        position,
        {.objective = info_.game->result, .moves = SolvedMoves::kAllBest, .limits = solver_limits(limits)});
    analysis.exact = solution.exact;
    if (solution.exact) {
      analysis.value = solved_value(solution.lower, info_.game->result);
      for (const Move best : solution.best) {
        std::ranges::find(analysis.moves, best, &MoveAnalysis::move)->value = analysis.value;
      }
    }
  }
  // Those known to be best come first; as in choose(), the first of equal ones plays.
  std::ranges::stable_sort(analysis.moves, [](const MoveAnalysis& a, const MoveAnalysis& b) {
    return std::pair(a.value.has_value(), *a.prior) > std::pair(b.value.has_value(), *b.prior);
  });
  analysis.move = analysis.moves.front().move;
  analysis.variation = {analysis.move};
  return analysis;
}

Analysis NetworkPlayer::analyse_search(const Turn& turn, const ThinkLimits& limits, const Evaluation& own) {
  const Position& position = turn.position;
  SearchConfig config = search_.config;
  const bool open_ended = limits.deadline || limits.infinite;
  if (open_ended) {
    config.root = "puct";
    config.simulations = kMostTimedSimulations;
  }
  if (limits.simulations) config.simulations = std::min(*limits.simulations, kMostTimedSimulations);
  SearchTree tree(config, info_.game->result);
  tree.use_solver(solver_.get());
  tree.reset(position);
  tree.begin_move(std::nullopt);
  const SearchTree::End end(limits.deadline.value_or(SearchTree::kNoDeadline), limits.stop);
  for (Position leaf; tree.next_leaf(leaf, end);) {
    // Every move changes the position, so this is the root.
    tree.receive(leaf == position ? own : evaluate({&leaf, 1}).front());
  }

  Random random(seed_, Stream::kPlayer, turn.game, static_cast<std::uint32_t>(turn.ply));
  Analysis analysis;
  analysis.move = tree.choose(0.0, random);
  const std::vector<float> priors = legal_policy(position, own);
  std::size_t k = 0;
  for (const RootMove& move : tree.root_moves()) {
    MoveAnalysis& entry = analysis.moves.emplace_back();
    entry.move = move.move;
    entry.prior = static_cast<double>(priors[k++]);
    entry.visits = move.visits;
    if (move.visits > 0 || move.exact()) entry.value = move.value;
  }
  std::ranges::stable_sort(analysis.moves, [&](const MoveAnalysis& a, const MoveAnalysis& b) {
    return std::tuple(a.move == analysis.move, a.visits, *a.prior) >
           std::tuple(b.move == analysis.move, b.visits, *b.prior);
  });
  analysis.value = tree.root_value();
  analysis.exact = tree.root_proven();
  analysis.simulations = tree.root_visits();
  analysis.variation = tree.variation(analysis.move, kMoveIndices);
  return analysis;
}

void NetworkPlayer::explain_solution(const Position& position, const ThinkLimits& limits,
                                     Analysis& analysis) {
  // Squares that the solver does at once even where the search has proven larger positions.
  constexpr int kQuick = 16;
  constexpr double kMostSeconds = 0.2;
  if (solver_ == nullptr || position.empty_count() > std::max(info_.exact, kQuick)) return;
  SearchLimits bounds = solver_limits(limits);
  bounds.seconds = bounds.seconds > 0.0 ? std::min(bounds.seconds, kMostSeconds) : kMostSeconds;
  const Solution points = solver_->solve(
      position, {.objective = Objective::kMargin, .moves = SolvedMoves::kOneBest, .limits = bounds});
  if (points.exact) analysis.margin = points.lower;
  const Position next = after(position, analysis.move);
  if (next.over() || limits.stopped()) return;
  bounds.seconds = limits.deadline ? std::min(limits.seconds_left(), kMostSeconds) : kMostSeconds;
  const std::vector<Move> line = solver_->principal_variation(next, info_.game->result, kMoveIndices, bounds);
  if (line.size() + 1 <= analysis.variation.size()) return;
  analysis.variation = {analysis.move};
  analysis.variation.insert(analysis.variation.end(), line.begin(), line.end());
}

void NetworkPlayer::choose_by_time(std::span<const Turn> turns, std::span<Move> moves) {
  for (std::size_t k = 0; k < turns.size(); ++k) {
    choose_by_search(turns.subspan(k, 1), moves.subspan(k, 1),
                     SearchTree::Clock::now() + thinking_time(*search_.seconds));
  }
}

void NetworkPlayer::choose_by_search(std::span<const Turn> turns, std::span<Move> moves,
                                     SearchTree::Clock::time_point deadline) {
  while (trees_.size() < turns.size()) {
    trees_.emplace_back(search_.config, info_.game->result).use_solver(solver_.get());
  }
  std::vector<SearchTree*> searched;
  searched.reserve(turns.size());
  for (std::size_t k = 0; k < turns.size(); ++k) {
    trees_[k].reset(turns[k].position);
    trees_[k].begin_move(std::nullopt);
    searched.push_back(&trees_[k]);
  }
  run_searches(searched, *evaluator_, deadline);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    Random random(seed_, Stream::kPlayer, turns[k].game, static_cast<std::uint32_t>(turns[k].ply));
    moves[k] = trees_[k].choose(0.0, random);
  }
}

}  // namespace pahtum
