#include "selfplay/iteration_metrics.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "eval/results_json.h"

namespace pahtum {
namespace {

using nlohmann::json;

double per(double amount, double seconds) {
  return seconds > 0 ? amount / seconds : 0.0;
}

}  // namespace

void IterationMetrics::add_selfplay(const SelfplayCounters& counters, double seconds) {
  selfplay_seconds_ += seconds;
  played_games_ += counters.games;
  moves_ += counters.moves;
  evaluations_ += counters.evaluations;
  batches_ += counters.batches;
}

void IterationMetrics::add_game(const GameRecord& game) {
  const int margin = game.position().white_margin();
  ++finished_;
  margin_ += margin;
  positions_ += game.samples();
  solved_ += game.solved();
  white_wins_ += margin > 0 ? 1 : 0;
  draws_ += margin == 0 ? 1 : 0;
  black_wins_ += margin < 0 ? 1 : 0;
  histograms_.add(game);
}

void IterationMetrics::add_losses(const Losses& losses, double learning_rate) {
  ++steps_;
  sums_.total += losses.total;
  sums_.policy += losses.policy;
  sums_.value += losses.value;
  sums_.margin += losses.margin;
  sums_.ownership += losses.ownership;
  sums_.search_value += losses.search_value;
  sums_.reply += losses.reply;
  sums_.runs += losses.runs;
  sums_.policy_entropy += losses.policy_entropy;
  sums_.output_entropy += losses.output_entropy;
  sums_.policy_accuracy += losses.policy_accuracy;
  sums_.value_accuracy += losses.value_accuracy;
  sums_.gradient_norm += losses.gradient_norm;
  learning_rate_ = learning_rate;
}

void IterationMetrics::add_match(const std::string& against, const MatchResult& result) {
  match_ = json{{"against", against},
                {"score", result.total.score()},
                {"score_low", result.score_low},
                {"score_high", result.score_high}};
}

void IterationMetrics::add_oracle(const std::string& choice, const OracleScore& score) {
  json scores = oracle_json(score);
  scores.erase("player");  // a path, which says no more than the row's iteration
  oracle_[choice] = std::move(scores);
}

double IterationMetrics::mean_loss() const noexcept {
  return sums_.total / static_cast<double>(std::max<std::int64_t>(1, steps_));
}

json IterationMetrics::row(const IterationPosition& position) const {
  json row{
      {"iteration", position.iteration},
      {"step", position.step},
      {"games", position.games},
      {"positions", positions_},
      {"solved_positions", solved_},
      {"seconds", position.seconds},
      {"selfplay_seconds", selfplay_seconds_},
      {"learn_seconds", learn_seconds_},
      {"games_per_second", per(static_cast<double>(played_games_), selfplay_seconds_)},
      {"moves_per_second", per(static_cast<double>(moves_), selfplay_seconds_)},
      {"evaluations_per_second", per(static_cast<double>(evaluations_), selfplay_seconds_)},
      {"evaluations_per_game", per(static_cast<double>(evaluations_), static_cast<double>(played_games_))},
      {"mean_batch", per(static_cast<double>(evaluations_), static_cast<double>(batches_))},
      {"duplicate_games", per(static_cast<double>(duplicates_), static_cast<double>(finished_))},
      {"white_wins", white_wins_},
      {"draws", draws_},
      {"black_wins", black_wins_},
      {"mean_margin", per(static_cast<double>(margin_), static_cast<double>(finished_))},
      {"replay_games", position.replay_games},
      {"resident_mib", position.usage.resident_bytes >> 20},
      {"peak_resident_mib", position.usage.peak_resident_bytes >> 20},
      {"allocated_mib", position.usage.allocated_bytes >> 20},
      {"threads", position.usage.threads},
      {"open_files", position.usage.open_files}};
  if (const auto entropy = histograms_.search_entropy()) row["search_entropy"] = *entropy;
  if (steps_ > 0) {
    const auto mean = [&](double sum) { return sum / static_cast<double>(steps_); };
    row["loss"] = json{{"total", mean(sums_.total)},         {"policy", mean(sums_.policy)},
                       {"value", mean(sums_.value)},         {"margin", mean(sums_.margin)},
                       {"ownership", mean(sums_.ownership)}, {"policy_entropy", mean(sums_.policy_entropy)}};
    if (sums_.search_value > 0) row["loss"]["search_value"] = mean(sums_.search_value);
    if (sums_.reply > 0) row["loss"]["reply"] = mean(sums_.reply);
    if (sums_.runs > 0) row["loss"]["runs"] = mean(sums_.runs);
    row["output_entropy"] = mean(sums_.output_entropy);
    row["policy_accuracy"] = mean(sums_.policy_accuracy);
    row["value_accuracy"] = mean(sums_.value_accuracy);
    row["gradient_norm"] = mean(sums_.gradient_norm);
    row["learning_rate"] = learning_rate_;
  }
  if (!match_.is_null()) row["match"] = match_;
  if (!gate_.is_null()) row["gate"] = gate_;
  if (!oracle_.is_null()) row["oracle"] = oracle_;
  if (!health_.empty()) row["health"] = health_;
  return row;
}

json IterationMetrics::state() const {
  return json{{"selfplay_seconds", selfplay_seconds_},
              {"learn_seconds", learn_seconds_},
              {"played_games", played_games_},
              {"moves", moves_},
              {"evaluations", evaluations_},
              {"batches", batches_},
              {"duplicates", duplicates_},
              {"steps", steps_},
              {"learning_rate", learning_rate_},
              {"match", match_},
              {"gate", gate_},
              {"oracle", oracle_},
              {"health", health_},
              {"losses",
               {sums_.total, sums_.policy, sums_.value, sums_.margin, sums_.ownership, sums_.policy_entropy,
                sums_.policy_accuracy, sums_.value_accuracy, sums_.gradient_norm, sums_.output_entropy,
                sums_.search_value, sums_.reply, sums_.runs}}};
}

void IterationMetrics::restore(const json& state) {
  constexpr std::size_t kOldestLosses = 10;
  *this = {};
  state.at("selfplay_seconds").get_to(selfplay_seconds_);
  state.at("learn_seconds").get_to(learn_seconds_);
  state.at("played_games").get_to(played_games_);
  state.at("moves").get_to(moves_);
  state.at("evaluations").get_to(evaluations_);
  state.at("batches").get_to(batches_);
  state.at("duplicates").get_to(duplicates_);
  state.at("steps").get_to(steps_);
  state.at("learning_rate").get_to(learning_rate_);
  match_ = state.at("match");
  gate_ = state.at("gate");
  if (state.contains("oracle")) oracle_ = state.at("oracle");  // not in those of before it was there
  health_ = state.at("health");
  const json& losses = state.at("losses");
  std::size_t next = 0;
  for (double* sum :
       {&sums_.total, &sums_.policy, &sums_.value, &sums_.margin, &sums_.ownership, &sums_.policy_entropy,
        &sums_.policy_accuracy, &sums_.value_accuracy, &sums_.gradient_norm, &sums_.output_entropy,
        &sums_.search_value, &sums_.reply, &sums_.runs}) {
    if (next == losses.size() && next >= kOldestLosses) break;  // saved before the others were there
    losses.at(next++).get_to(*sum);
  }
}

std::string iteration_line(const json& row, std::int64_t iterations) {
  std::string line =
      fmt::format("iteration {}/{} · {} games · {:.1f} games/s · {:.0f} evaluations/s",
                  row["iteration"].get<std::int64_t>(), iterations, row["games"].get<std::int64_t>(),
                  row["games_per_second"].get<double>(), row["evaluations_per_second"].get<double>());
  if (row.contains("loss")) {
    line += fmt::format(" · loss {:.3f} (policy {:.3f}, value {:.3f})", row["loss"]["total"].get<double>(),
                        row["loss"]["policy"].get<double>(), row["loss"]["value"].get<double>());
  }
  if (row.contains("match")) {
    line += fmt::format(" · {:.0f} % against {}", 100 * row["match"]["score"].get<double>(),
                        row["match"]["against"].get<std::string>());
  }
  for (const char* choice : {"policy", "search"}) {
    const json::json_pointer errors("/oracle/" + std::string(choice) + "/all/outcome_errors");
    if (!row.contains(errors) || !row.at(errors).is_number()) continue;
    line += fmt::format(" · {} gives away {:.1f} %", choice, 100 * row.at(errors).get<double>());
  }
  if (row.contains("gate")) {
    const json& gate = row["gate"];
    line +=
        fmt::format(" · {} with {:.0f} % in {} pairs against iteration {}",
                    gate["accepted"].get<bool>() ? "accepted" : "rejected", 100 * gate["score"].get<double>(),
                    gate["pairs"].get<std::int64_t>(), gate["against"].get<std::int64_t>());
  }
  return line;
}

}  // namespace pahtum
