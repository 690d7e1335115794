#include <spdlog/fmt/fmt.h>

#include <iostream>
#include <memory>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/interrupt.h"
#include "app/oracle_work.h"
#include "eval/results_json.h"
#include "eval/results_text.h"
#include "model/checkpoint.h"
#include "model/network_file.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnGames = "own";  // --oracle without a file

struct EvaluateOptions {
  std::string target;
  std::vector<std::string> against = {"random", "greedy", "charles", "uct:10000"};
  std::int64_t pairs = 100;
  std::optional<std::int64_t> simulations;
  std::optional<double> seconds;
  std::int64_t exact = 0;
  std::string oracle;  // a data set, kOwnGames, or empty: no comparison
  std::uint64_t seed = 1;
  std::string report;
  bool policy = false;
  bool json = false;
  InferenceCliOptions inference;
};

// Where the report goes: where the user says, else into a run that has none yet (its training was interrupted
// during the evaluation), else nowhere. A report is never replaced unasked.
std::optional<fs::path> report_folder(const EvaluateOptions& options) {
  if (!options.report.empty()) return options.report;
  if (fs::is_directory(options.target) && !fs::exists(evaluation_path(options.target))) return options.target;
  return std::nullopt;
}

// As in compare_with_truth().
std::string choice_of(const EvaluateOptions& options) {
  if (options.policy) return "policy";
  if (options.seconds) return fmt::format("time={}", *options.seconds);
  return options.simulations ? "sims=" + std::to_string(*options.simulations) : "";
}

OracleData oracle_data(const EvaluateOptions& options, const EvaluationPlan& plan,
                       const fs::path& checkpoint) {
  if (options.oracle != kOwnGames) {
    OracleData data = load_oracle_data(options.oracle);
    require_game(make_player(plan.player, {})->info(), data.game);
    return data;
  }
  OracleRequest request;
  request.game = plan.match.game;
  // By time these games would take hours; whose they are matters more than how well they are played.
  request.players = {options.seconds ? network_spec(checkpoint, "", options.exact) : plan.player};
  request.empty = examined_empty_squares(request.game, request.opening_plies);
  request.seed = options.seed;
  request.inference = plan.inference;
  request.accept_fewer = true;
  return make_oracle_data(request);
}

int evaluate(const EvaluateOptions& options) {
  EvaluationRecord record{
      .target = options.target, .checkpoint = resolve_checkpoint_with_warnings(options.target), .plan = {}};
  EvaluationPlan& plan = record.plan;
  plan.player = network_spec(record.checkpoint, choice_of(options), options.exact);
  plan.against = options.against;
  plan.match.game = load_network_file(record.checkpoint).manifest.game;
  plan.match.pairs = options.pairs;
  plan.match.seed = options.seed;
  plan.inference = options.inference.resolve();
  check_players(plan);
  if (!options.oracle.empty()) {
    std::vector<std::string> choices = {"policy"};
    if (!options.policy) choices.push_back(choice_of(options));
    compare_with_truth(record, oracle_data(options, plan, record.checkpoint), choices, options.exact);
  }
  record.matches = play_evaluation(plan, stop_on_interrupt());

  const auto folder = report_folder(options);
  if (folder) write_evaluation(*folder, record);
  if (options.json) {
    print_json(evaluate_json(options.target, record.matches, record.oracle));
    options.inference.finish();
    return 0;
  }
  std::cout << to_text(plan.match.game) << "\n" << results_table(record.matches);
  std::cout << oracle_tables(record.oracle);
  if (folder) std::cout << "report: " << report_path(*folder).string() << "\n";
  options.inference.finish();
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("evaluate", "Measures a trained agent against other players");
  const auto options = std::make_shared<EvaluateOptions>();
  sub.add_option("TARGET", options->target,
                 "Checkpoint file, exported network, or run directory for its newest checkpoint")
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
  CLI::Option* seconds =
      sub.add_option("--time", options->seconds, "Seconds a move instead of a number of simulations")
          ->check(CLI::Range(0.001, 86'400.0))
          ->excludes(simulations);
  sub.add_option("--exact", options->exact, "Solve positions with at most so many empty squares; 0: none")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{24}))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of layouts and players")->capture_default_str();
  sub.add_option(
      "--report", options->report,
      "Folder for report.html, report.json, evaluation.json and games.txt; without it they go into a run "
      "directory that has none yet");
  sub.add_flag("--policy", options->policy, "The policy's first choice, without search")
      ->excludes(simulations)
      ->excludes(seconds);
  sub.add_flag(
      std::string("--oracle{") + kOwnGames + "}", options->oracle,
      "Compare with perfect play, without and with search: on positions of the agent's own games, solved "
      "now, or on a data set of `pahtum oracle make` (--oracle=FILE)");
  options->inference.add_to(sub);
  sub.add_flag("--json", options->json, "Print one JSON document");
  sub.footer("Example: pahtum evaluate runs/quick-1 --against greedy --pairs 200");
  sub.callback([options, &command] { command = [options] { return evaluate(*options); }; });
}

}  // namespace pahtum
