#include "eval/network_player.h"

#include <optional>
#include <utility>

#include "env/base/error.h"
#include "eval/player_spec.h"
#include "search/batch_search.h"

namespace pahtum {

NetworkPlayer::NetworkPlayer(PlayerInfo info, std::unique_ptr<Evaluator> evaluator,
                             const SearchConfig& search, bool policy_only, std::uint64_t seed)
    : info_(std::move(info)),
      evaluator_(std::move(evaluator)),
      search_(search),
      policy_only_(policy_only),
      seed_(seed) {}

void NetworkPlayer::choose(std::span<const Turn> turns, std::span<Move> moves) {
  for (const Turn& turn : turns) require_size(turn.position);
  policy_only_ ? choose_by_policy(turns, moves) : choose_by_search(turns, moves);
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
    float best = -1.0f;
    for_each_legal(positions[k], [&](Move move) {
      const float probability = evaluations[k].policy[static_cast<std::size_t>(move.index())];
      if (probability > best) {
        best = probability;
        moves[k] = move;
      }
    });
  }
}

void NetworkPlayer::choose_by_search(std::span<const Turn> turns, std::span<Move> moves) {
  while (trees_.size() < turns.size()) trees_.emplace_back(search_, info_.game->result);
  std::vector<SearchTree*> searched;
  searched.reserve(turns.size());
  for (std::size_t k = 0; k < turns.size(); ++k) {
    trees_[k].reset(turns[k].position);
    trees_[k].begin_move(std::nullopt);
    searched.push_back(&trees_[k]);
  }
  run_searches(searched, *evaluator_);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    Random random(seed_, Stream::kPlayer, turns[k].game, static_cast<std::uint32_t>(turns[k].ply));
    moves[k] = choose_move(trees_[k].root_moves(), 0.0, random);
  }
}

}  // namespace pahtum
