#include "selfplay/training_events.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace pahtum {
namespace {

constexpr std::pair<const char*, const char*> kTags[] = {
    // place in the row, tag
    {"/iteration", "run/iteration"},
    {"/seconds", "run/seconds"},
    {"/replay_games", "run/replay_games"},
    {"/resident_mib", "run/resident_mib"},
    {"/peak_resident_mib", "run/peak_resident_mib"},
    {"/allocated_mib", "run/allocated_mib"},
    {"/threads", "run/threads"},
    {"/open_files", "run/open_files"},
    {"/step", "learner/step"},
    {"/learn_seconds", "learner/seconds"},
    {"/gradient_norm", "learner/gradient_norm"},
    {"/learning_rate", "learner/learning_rate"},
    {"/loss/total", "loss/total"},
    {"/loss/policy", "loss/policy"},
    {"/loss/value", "loss/value"},
    {"/loss/margin", "loss/margin"},
    {"/loss/ownership", "loss/ownership"},
    {"/loss/search_value", "loss/search_value"},
    {"/loss/reply", "loss/reply"},
    {"/loss/runs", "loss/runs"},
    {"/loss/policy_entropy", "loss/policy_entropy"},
    {"/output_entropy", "learner/output_entropy"},
    {"/policy_accuracy", "accuracy/policy"},
    {"/value_accuracy", "accuracy/value"},
    {"/positions", "selfplay/positions"},
    {"/solved_positions", "selfplay/solved_positions"},
    {"/selfplay_seconds", "selfplay/seconds"},
    {"/games_per_second", "selfplay/games_per_second"},
    {"/moves_per_second", "selfplay/moves_per_second"},
    {"/evaluations_per_second", "selfplay/evaluations_per_second"},
    {"/evaluations_per_game", "selfplay/evaluations_per_game"},
    {"/mean_batch", "selfplay/mean_batch"},
    {"/duplicate_games", "selfplay/duplicate_games"},
    {"/search_entropy", "selfplay/search_entropy"},
    {"/white_wins", "results/white_wins"},
    {"/draws", "results/draws"},
    {"/black_wins", "results/black_wins"},
    {"/mean_margin", "results/mean_margin"},
    {"/match/score", "match/score"},
    {"/match/score_low", "match/score_low"},
    {"/match/score_high", "match/score_high"},
    {"/oracle/policy/all/outcome_errors", "oracle/policy_outcome_errors"},
    {"/oracle/policy/all/best_margin", "oracle/policy_best_margin"},
    {"/oracle/policy/all/mean_margin_loss", "oracle/policy_mean_margin_loss"},
    {"/oracle/policy/all/value_brier", "oracle/policy_value_brier"},
    {"/oracle/search/all/outcome_errors", "oracle/search_outcome_errors"},
    {"/oracle/search/all/best_margin", "oracle/search_best_margin"},
    {"/oracle/search/all/mean_margin_loss", "oracle/search_mean_margin_loss"},
};

double entropy(std::span<const std::uint16_t> weights) {
  double sum = 0;
  double products = 0;  // Σ w · ln w, so that the entropy of w / Σ w is ln Σ w − products / Σ w
  for (const std::uint16_t weight : weights) {
    if (weight == 0) continue;
    sum += weight;
    products += weight * std::log(weight);
  }
  return sum > 0 ? std::max(0.0, std::log(sum) - products / sum) : 0.0;
}

}  // namespace

void GameHistograms::add(const GameRecord& game) {
  Position position = game.start;
  std::span<const std::uint16_t> policy = game.policy;
  for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
    if (is_sample(game.origins[ply])) {
      const auto moves = static_cast<std::size_t>(legal_count(position));
      root_values_.add(game.root_values[ply]);
      const double nats = entropy(policy.first(moves));
      entropies_.add(nats);
      if (game.origins[ply] == MoveOrigin::kSearched) {
        ++searched_;
        searched_entropy_ += nats;
      }
      policy = policy.subspan(moves);
    }
    apply(position, game.moves[ply]);
  }
  margins_.add(position.white_margin());
}

std::vector<EventValue> GameHistograms::values() const {
  std::vector<EventValue> values;
  const std::pair<const char*, const Histogram*> all[] = {{"results/margin", &margins_},
                                                          {"selfplay/root_value", &root_values_},
                                                          {"selfplay/policy_entropy", &entropies_}};
  for (const auto& [tag, histogram] : all) {
    if (histogram->count() > 0) values.push_back({tag, *histogram});
  }
  return values;
}

std::optional<double> GameHistograms::search_entropy() const noexcept {
  if (searched_ == 0) return std::nullopt;
  return searched_entropy_ / static_cast<double>(searched_);
}

std::vector<EventValue> scalar_events(const nlohmann::json& row) {
  std::vector<EventValue> values;
  for (const auto& [place, tag] : kTags) {
    const nlohmann::json::json_pointer pointer(place);
    if (!row.contains(pointer) || row.at(pointer).is_null()) continue;
    values.push_back({tag, static_cast<float>(row.at(pointer).get<double>())});
  }
  return values;
}

}  // namespace pahtum
