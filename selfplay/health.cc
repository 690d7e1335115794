#include "selfplay/health.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "env/base/error.h"
#include "eval/statistics.h"

namespace pahtum {
namespace {

using nlohmann::json;

HealthAction action_of_rule(const std::string& rule) noexcept {
  if (rule == "rollback") return HealthAction::kRollback;
  return rule == "stop" ? HealthAction::kStop : HealthAction::kWarn;
}

// The middle of the values, the upper one of two; there must be one.
double median(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

// JSON has no number for what is not finite.
json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

}  // namespace

Schema describe(HealthConfig& config) {
  const std::vector<std::string> rules = {"warn", "stop", "rollback"};
  Schema schema(
      "health",
      "What is watched while a run trains, and what happens when a limit is passed. Every finding is logged "
      "and stands in the metrics. `warn`: go on. `stop`: end the run with an error; what the learner failed "
      "on is in `failed-batch.ckpt`. `rollback`: go back to the newest good checkpoint with a lower learning "
      "rate, and stop when that is used up.");
  schema
      .text("on_non_finite", &config.on_non_finite, {"stop", "rollback"},
            "When the loss, the gradient or an output of the network is not a finite number.")
      .text("on_gradient", &config.on_gradient, rules, "When the norm of the gradient explodes.")
      .real(
          "gradient_ratio", &config.gradient_ratio, 1.0, 1e12, "",
          "Largest norm of a step's gradient, before clipping, as a multiple of the median of the 128 steps "
          "before; the first 32 steps are not compared.")
      .real("gradient_limit", &config.gradient_limit, 1e-6, 1e12, "",
            "Largest norm of a step's gradient before clipping, whatever those before were.")
      .text("on_entropy", &config.on_entropy, rules, "When the policy collapses to single moves.")
      .real("search_entropy", &config.search_entropy, 0.0, 5.0, "nats",
            "Least mean entropy of an iteration's policy targets that come from a search, not from an exact "
            "solution; 0 allows any.")
      .real("output_entropy", &config.output_entropy, 0.0, 1.0, "",
            "Least mean entropy of the network's policy in the learner's samples, as a share of the largest "
            "that their legal moves allow; 0 allows any.")
      .text("on_one_sided", &config.on_one_sided, rules, "When one colour wins nearly every game.")
      .real("one_sided_share", &config.one_sided_share, 0.5, 1.0, "",
            "Largest share of an iteration's decisive games that one colour wins. It is passed when the low "
            "end of the share's 95 % interval is above; 1 allows any.")
      .text("on_repeated", &config.on_repeated, rules, "When self-play repeats itself.")
      .real("distinct_share", &config.distinct_share, 0.0, 1.0, "",
            "Least share of an iteration's games that no other game in the replay window equals; 0 allows "
            "any.")
      .integer("fewest_games", &config.fewest_games, 1, 10'000'000, "games",
               "An iteration with fewer games (for `one_sided_share` fewer decisive ones) is not judged by "
               "them.")
      .text("on_stall", &config.on_stall, {"warn", "stop"}, "When self-play produces nothing any more.")
      .real("stall_seconds", &config.stall_seconds, 0.02, 1e7, "seconds",
            "Longest time in which self-play finishes no evaluation, no move and no game.")
      .real("rollback_factor", &config.rollback_factor, 0.001, 1.0, "",
            "Each rollback multiplies the learning rate of all steps to come with this.")
      .integer("max_rollbacks", &config.max_rollbacks, 0, 1000, "rollbacks",
               "Rollbacks of the whole run; where one more is called for, the run stops.");
  return schema;
}

bool rolls_back(const HealthConfig& config) noexcept {
  const auto rules = {&config.on_non_finite, &config.on_gradient, &config.on_entropy, &config.on_one_sided,
                      &config.on_repeated};
  return std::ranges::any_of(rules, [](const std::string* rule) { return *rule == "rollback"; });
}

std::string_view to_text(HealthKind kind) noexcept {
  switch (kind) {
    case HealthKind::kNonFinite:
      return "non_finite";
    case HealthKind::kGradient:
      return "gradient";
    case HealthKind::kEntropy:
      return "entropy";
    case HealthKind::kOneSided:
      return "one_sided";
    case HealthKind::kRepeated:
      return "repeated";
    case HealthKind::kStall:
      break;
  }
  return "stall";
}

std::string_view to_text(HealthAction action) noexcept {
  if (action == HealthAction::kRollback) return "rollback";
  return action == HealthAction::kStop ? "stop" : "warn";
}

HealthMonitor HealthMonitor::from_json(const HealthConfig& config, const json& state,
                                       const std::string& source) {
  HealthMonitor monitor(config);
  if (state.is_null()) return monitor;
  bool sound = false;
  try {
    for (const json& norm : state.at("gradient_norms")) monitor.norms_.push_back(norm.get<double>());
    monitor.gradient_noted_ = state.at("gradient_noted").get<bool>();
    monitor.rollbacks_ = state.at("rollbacks").get<std::int64_t>();
    monitor.learning_rate_factor_ = state.at("learning_rate_factor").get<double>();
    monitor.findings_ = state.at("findings");
    sound =
        monitor.norms_.size() <= kNorms &&
        std::ranges::all_of(monitor.norms_, [](double norm) { return std::isfinite(norm) && norm >= 0; }) &&
        monitor.rollbacks_ >= 0 && monitor.learning_rate_factor_ > 0 && monitor.learning_rate_factor_ <= 1 &&
        monitor.findings_.is_array() &&
        std::ranges::all_of(monitor.findings_, [](const json& finding) { return finding.is_object(); });
  } catch (const json::exception&) {
    sound = false;
  }
  if (!sound) {
    throw request_error(
        source, "its state of `health` is broken: gradient_norms must be up to " + std::to_string(kNorms) +
                    " numbers that are not negative, gradient_noted true or false, rollbacks at least "
                    "0, learning_rate_factor above 0 and at most 1, findings a list of objects");
  }
  return monitor;
}

json HealthMonitor::to_json() const {
  return json{{"gradient_norms", norms_},
              {"gradient_noted", gradient_noted_},
              {"rollbacks", rollbacks_},
              {"learning_rate_factor", learning_rate_factor_},
              {"findings", findings_}};
}

HealthFinding HealthMonitor::non_finite(const std::string& what, bool of_games) const {
  HealthFinding finding{HealthKind::kNonFinite, action_of_rule(config_.on_non_finite), what};
  finding.value = finding.limit = std::nan("");
  finding.of_games = of_games;
  return finding;
}

std::optional<HealthFinding> HealthMonitor::observe_step(const Losses& losses) {
  const double norm = losses.gradient_norm;
  HealthFinding finding{HealthKind::kGradient, action_of_rule(config_.on_gradient), "", norm};
  if (norm > config_.gradient_limit) {
    finding.limit = config_.gradient_limit;
    finding.what = fmt::format("the gradient's norm is {:.4g}; health.gradient_limit allows {:.4g}", norm,
                               config_.gradient_limit);
  } else if (norms_.size() >= kFewestNorms) {
    const double usual = median(norms_);
    finding.limit = usual * config_.gradient_ratio;
    // A usual norm of 0 has no multiples to compare with.
    if (usual > 0 && norm > finding.limit) {
      finding.what = fmt::format(
          "the gradient's norm is {:.4g}, {:.4g} times the median {:.4g} of the {} steps before; "
          "health.gradient_ratio allows {:.4g}",
          norm, norm / usual, usual, norms_.size(), config_.gradient_ratio);
    }
  }
  norms_.push_back(norm);
  if (norms_.size() > kNorms) norms_.pop_front();
  if (finding.what.empty()) return std::nullopt;
  if (finding.action == HealthAction::kWarn && std::exchange(gradient_noted_, true)) return std::nullopt;
  return finding;
}

std::vector<HealthFinding> HealthMonitor::observe_iteration(const json& row) {
  gradient_noted_ = false;
  std::vector<HealthFinding> findings;
  const auto add = [&](HealthKind kind, const std::string& rule, std::string what, double value, double limit,
                       bool of_games) {
    findings.push_back({kind, action_of_rule(rule), std::move(what), value, limit, of_games});
  };
  const auto require_entropy = [&](const char* field, double least, fmt::format_string<double, double> what,
                                   bool of_games) {
    if (!row.contains(field)) return;
    const double entropy = row.at(field).get<double>();
    if (!(entropy < least)) return;
    add(HealthKind::kEntropy, config_.on_entropy, fmt::vformat(what, fmt::make_format_args(entropy, least)),
        entropy, least, of_games);
  };
  require_entropy("output_entropy", config_.output_entropy,
                  "the network's policy has {:.4g} of the entropy that its legal moves allow; "
                  "health.output_entropy asks for {:.4g}",
                  false);
  const auto white = row.value("white_wins", std::int64_t{0});
  const auto black = row.value("black_wins", std::int64_t{0});
  const std::int64_t decisive = white + black;
  const std::int64_t games = decisive + row.value("draws", std::int64_t{0});
  if (games < config_.fewest_games) return findings;

  require_entropy("search_entropy", config_.search_entropy,
                  "the search's policy targets have a mean entropy of {:.4g} nats; health.search_entropy "
                  "asks for {:.4g}",
                  true);
  if (decisive >= config_.fewest_games) {
    const Estimate share = share_estimate(std::max(white, black), decisive);
    if (share.low > config_.one_sided_share) {
      add(HealthKind::kOneSided, config_.on_one_sided,
          fmt::format("{} won {} of {} decisive games, {:.1f} % or more with 95 % certainty; "
                      "health.one_sided_share allows {:.1f} %",
                      white > black ? "White" : "Black", std::max(white, black), decisive, 100 * share.low,
                      100 * config_.one_sided_share),
          share.value, config_.one_sided_share, true);
    }
  }
  const double repeated = row.value("duplicate_games", 0.0);
  if (repeated > 1.0 - config_.distinct_share) {
    add(HealthKind::kRepeated, config_.on_repeated,
        fmt::format(
            "only {:.1f} % of {} games were not played before; health.distinct_share asks for {:.1f} %",
            100 * (1.0 - repeated), games, 100 * config_.distinct_share),
        1.0 - repeated, config_.distinct_share, true);
  }
  return findings;
}

std::optional<HealthFinding> HealthMonitor::observe_progress(const SelfplayProgress& progress,
                                                             double seconds) {
  const std::int64_t produced = progress.games + progress.moves + progress.evaluations;
  stalled_ = std::exchange(produced_, produced) == produced ? stalled_ + std::min(seconds, kLongestPoll) : 0;
  if (stalled_ < config_.stall_seconds) return std::nullopt;
  HealthFinding finding{HealthKind::kStall, action_of_rule(config_.on_stall), "", stalled_,
                        config_.stall_seconds};
  finding.what = fmt::format(
      "self-play has finished no evaluation, no move and no game for {:.4g} s; health.stall_seconds allows "
      "{:.4g}. It waits for {} of {} games, and has {} workers playing, {} evaluations and {} moves done",
      stalled_, config_.stall_seconds, std::max<std::int64_t>(0, progress.wanted_games - progress.games),
      progress.wanted_games, progress.workers, progress.evaluations, progress.moves);
  stalled_ = 0;
  return finding;
}

void HealthMonitor::record(const HealthFinding& finding, std::int64_t iteration, std::int64_t step,
                           std::optional<std::int64_t> target) {
  json entry{{"kind", to_text(finding.kind)},
             {"action", to_text(finding.action)},
             {"iteration", iteration},
             {"step", step},
             {"value", number(finding.value)},
             {"limit", number(finding.limit)},
             {"what", finding.what}};
  if (target) entry["target"] = *target;
  findings_.push_back(std::move(entry));
}

void HealthMonitor::go_on_after(const HealthMonitor& failed) {
  rollbacks_ = failed.rollbacks_ + 1;
  learning_rate_factor_ = failed.learning_rate_factor_ * config_.rollback_factor;
  findings_ = failed.findings_;
}

}  // namespace pahtum
