#include "eval/network_player.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "env/base/error.h"
#include "eval/player_spec.h"
#include "search/batch_search.h"

namespace pahtum {
namespace {

// Bounds the memory of a search by time, at 72 bytes and a prior for every move each.
constexpr std::int64_t kMostTimedSimulations = 2'000'000;

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

void NetworkPlayer::choose_by_time(std::span<const Turn> turns, std::span<Move> moves) {
  const auto budget = std::chrono::duration_cast<SearchTree::Clock::duration>(
      std::chrono::duration<double>(*search_.seconds));
  for (std::size_t k = 0; k < turns.size(); ++k) {
    choose_by_search(turns.subspan(k, 1), moves.subspan(k, 1), SearchTree::Clock::now() + budget);
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
