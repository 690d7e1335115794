#include <iostream>
#include <memory>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/interrupt.h"
#include "eval/results_json.h"
#include "eval/results_text.h"
#include "model/checkpoint.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string target;
  std::vector<std::string> against = {"random", "greedy", "uct:10000"};
  std::int64_t pairs = 100;
  std::optional<std::int64_t> simulations;
  std::int64_t exact = 0;
  std::uint64_t seed = 1;
  std::string report;
  bool policy = false;
  bool json = false;
  InferenceCliOptions inference;
};

// Where the report goes: where the user says, else into a run that has none yet (its training was interrupted
// during the evaluation), else nowhere. A report is never replaced unasked.
std::optional<fs::path> report_folder(const Options& options) {
  if (!options.report.empty()) return options.report;
  if (fs::is_directory(options.target) && !fs::exists(evaluation_path(options.target))) return options.target;
  return std::nullopt;
}

int evaluate(const Options& options) {
  const fs::path checkpoint = resolve_checkpoint_with_warnings(options.target);
  EvaluationPlan plan;
  plan.player = "net:" + checkpoint.string() + (options.policy ? ",policy" : "");
  if (options.simulations) plan.player += ",sims=" + std::to_string(*options.simulations);
  if (options.exact > 0) plan.player += ",exact=" + std::to_string(options.exact);
  plan.against = options.against;
  plan.match.game = load_checkpoint(checkpoint).manifest.game;
  plan.match.pairs = options.pairs;
  plan.match.seed = options.seed;
  plan.inference = options.inference.resolve();
  check_players(plan);
  const std::vector<MatchResult> matches = play_evaluation(plan, stop_on_interrupt());

  const auto folder = report_folder(options);
  if (folder) write_evaluation(*folder, options.target, checkpoint, matches);
  if (options.json) {
    print_json(evaluate_json(options.target, matches));
    options.inference.finish();
    return 0;
  }
  std::cout << to_text(plan.match.game) << "\n" << results_table(matches);
  if (folder) std::cout << "report: " << report_path(*folder).string() << "\n";
  options.inference.finish();
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("evaluate", "Measures a trained agent against other players");
  const auto options = std::make_shared<Options>();
  sub.add_option("TARGET", options->target, "Checkpoint file, or run directory for its newest checkpoint")
      ->required();
  sub.add_option("--against", options->against, "Opponent, may be repeated: " + player_specs_text())
      ->allow_extra_args(false)
      ->take_all()
      ->capture_default_str();
  sub.add_option("--pairs", options->pairs, "Pairs of games against each opponent")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  CLI::Option* simulations =
      sub.add_option("--sims", options->simulations, "Search simulations a move; without it as in training")
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}));
  sub.add_option("--exact", options->exact, "Solve positions with at most so many empty squares; 0: none")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{24}))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of layouts and players")->capture_default_str();
  sub.add_option(
      "--report", options->report,
      "Folder for evaluation.json and report.html; without it they go into a run directory that has "
      "none yet");
  sub.add_flag("--policy", options->policy, "The policy's first choice, without search")
      ->excludes(simulations);
  options->inference.add_to(sub);
  sub.add_flag("--json", options->json, "Print one JSON document");
  sub.footer("Example: pahtum evaluate runs/quick-1 --against greedy --pairs 200");
  sub.callback([options, &command] { command = [options] { return evaluate(*options); }; });
}

}  // namespace pahtum
