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

PlayerContext context_of(const PoolPlan& plan) {
  return {.seed = plan.match.seed, .inference = plan.inference};
}

void check_player(const std::string& spec, const PlayerContext& context, const GameConfig& game) {
  require_game(make_player(spec, context)->info(), game);
}

std::string pairs_text(const MatchConfig& match) {
  return (match.sprt ? "at most " : "") + std::to_string(match.pairs);
}

MatchResult play_shown(const std::string& first, const std::string& second, const MatchConfig& match,
                       const PlayerContext& context, const std::atomic<bool>& stop, Progress& progress) {
  const auto show = [&](std::int64_t games) {
    progress.update(fmt::format("{}/{}{} games, {} against {}", games, match.sprt ? "at most " : "",
                                2 * match.pairs, first, second));
  };
  MatchResult result = play_match([&] { return make_player(first, context); },
                                  [&] { return make_player(second, context); }, match, &stop, show);
  result.first = first;
  result.second = second;
  return result;
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

void MatchCliOptions::add_to(CLI::App& app) {
  app.add_option("--pairs", pairs_, fmt::format("Pairs of games of a match; {} unless said", kPairs))
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app.add_option("--opening-plies", opening_plies_,
                 "Random moves before the players take over, the same in both games of a pair")
      ->check(CLI::Range(0, 60))
      ->capture_default_str();
  app.add_option("--seed", seed_, "Seed of layouts, openings and players")->capture_default_str();
  app.add_option("--threads", threads_, "Threads that play; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

MatchConfig MatchCliOptions::resolve(const GameConfig& game, std::int64_t pairs) const {
  MatchConfig match;
  match.game = game;
  match.pairs = pairs_.value_or(pairs);
  match.seed = seed_;
  match.opening_plies = opening_plies_;
  match.threads = threads_;
  return match;
}

void check_players(const EvaluationPlan& plan) {
  check_player(plan.player, context_of(plan), plan.match.game);
  for (const std::string& spec : plan.against) check_player(spec, context_of(plan), plan.match.game);
}

void check_players(const PoolPlan& plan) {
  for (const std::string& spec : plan.players) check_player(spec, context_of(plan), plan.match.game);
}

std::vector<MatchResult> play_evaluation(const EvaluationPlan& plan, const std::atomic<bool>& stop) {
  std::vector<MatchResult> matches;
  Progress progress;
  for (const std::string& opponent : plan.against) {
    progress.line(fmt::format("{} pairs against {}", pairs_text(plan.match), opponent));
    matches.push_back(play_shown(plan.player, opponent, plan.match, context_of(plan), stop, progress));
  }
  return matches;
}

std::vector<MatchResult> play_pool(const PoolPlan& plan, const std::atomic<bool>& stop) {
  std::vector<MatchResult> matches;
  Progress progress;
  for (const auto& [first, second] : plan.meetings) {
    progress.line(fmt::format("match {} of {}: {} pairs, {} against {}", matches.size() + 1,
                              plan.meetings.size(), pairs_text(plan.match), plan.players[first],
                              plan.players[second]));
    MatchConfig match = plan.match;
    // Matches on the same layouts would depend on each other, which no interval could see.
    match.first_layout += matches.size() * static_cast<std::uint64_t>(match.pairs);
    matches.push_back(
        play_shown(plan.players[first], plan.players[second], match, context_of(plan), stop, progress));
  }
  return matches;
}

void write_evaluation(const fs::path& folder, const std::string& target, const fs::path& checkpoint,
                      const std::vector<MatchResult>& matches) {
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
  write_file_atomically(evaluation_path(folder), evaluate_json(target, matches).dump(2) + "\n");
}

fs::path evaluation_path(const fs::path& folder) {
  return folder / "evaluation.json";
}

fs::path report_path(const fs::path& folder) {
  return folder / "report.html";
}

}  // namespace pahtum
