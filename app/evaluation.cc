#include "app/evaluation.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <system_error>
#include <utility>

#include "env/base/error.h"
#include "env/base/files.h"
#include "eval/report.h"
#include "eval/results_json.h"
#include "eval/results_text.h"
#include "model/checkpoint.h"
#include "selfplay/progress.h"
#include "selfplay/run_directory.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

PlayerContext context_of(const EvaluationPlan& plan) {
  return {.seed = plan.match.seed, .inference = plan.inference, .simulations = plan.simulations};
}

std::vector<std::pair<std::string, std::string>> facts_of(const Manifest& manifest) {
  return {{"Game", to_text(manifest.game)},
          {"Network", to_text(manifest.network)},
          {"Search", std::to_string(manifest.search.simulations) + " simulations a move in training"},
          {"Iterations", std::to_string(manifest.iteration)},
          {"Learner steps", std::to_string(manifest.step)},
          {"Version", manifest.project_version}};
}

// The rows of the run a checkpoint lies in (RUN/checkpoints/NNNNNN.ckpt); none when it lies elsewhere.
std::vector<nlohmann::json> metrics_around(const fs::path& checkpoint) {
  const fs::path folder = fs::absolute(checkpoint).parent_path();
  if (folder.filename() != "checkpoints") return {};
  return read_metrics(RunDirectory(folder.parent_path()).metrics_path());
}

}  // namespace

GameConfig rules_of_players(const std::vector<std::string>& specs) {
  std::optional<GameConfig> rules;
  for (const std::string& spec : specs) {
    const auto player = make_player(spec, {});
    if (!rules) rules = player->info().game;
  }
  return rules.value_or(GameConfig{});
}

void check_players(const EvaluationPlan& plan) {
  const PlayerContext context = context_of(plan);
  const auto check = [&](const std::string& spec) {
    require_game(make_player(spec, context)->info(), plan.match.game);
  };
  check(plan.player);
  for (const std::string& spec : plan.against) check(spec);
}

std::vector<MatchResult> play_evaluation(const EvaluationPlan& plan, const std::atomic<bool>& stop) {
  const PlayerContext context = context_of(plan);
  std::vector<MatchResult> matches;
  Progress progress;
  for (const std::string& opponent : plan.against) {
    progress.line(fmt::format("{} pairs against {}", plan.match.pairs, opponent));
    const auto show = [&](std::int64_t games) {
      progress.update(fmt::format("{}/{} games against {}", games, 2 * plan.match.pairs, opponent));
    };
    MatchResult result = play_match([&] { return make_player(plan.player, context); },
                                    [&] { return make_player(opponent, context); }, plan.match, &stop, show);
    result.first = plan.player;
    result.second = opponent;
    matches.push_back(std::move(result));
  }
  return matches;
}

void write_evaluation(const fs::path& folder, const std::string& target, const fs::path& checkpoint,
                      const std::vector<MatchResult>& matches, const std::vector<OracleScore>& oracle) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw failure(folder.string(), "cannot be created: " + error.message());
  const Manifest manifest = load_checkpoint(checkpoint).manifest;
  ReportInput report;
  report.title = "PahTum agent " + target;
  report.facts = facts_of(manifest);
  report.metrics = metrics_around(checkpoint);
  report.matches = matches;
  report.config = manifest.config;
  write_file_atomically(report_path(folder), html_report(report));
  write_file_atomically(evaluation_path(folder), evaluate_json(target, matches, oracle).dump(2) + "\n");
}

fs::path evaluation_path(const fs::path& folder) {
  return folder / "evaluation.json";
}

fs::path report_path(const fs::path& folder) {
  return folder / "report.html";
}

}  // namespace pahtum
