#include <iostream>
#include <memory>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/interrupt.h"
#include "eval/results_json.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

struct Options {
  std::string first, second;
  std::int64_t pairs = 100;
  std::uint64_t seed = 1;
  bool json = false;
  RulesOptions rules;
  InferenceCliOptions inference;
};

int match(const Options& options) {
  EvaluationPlan plan;
  plan.player = options.first;
  plan.against = {options.second};
  plan.match.game = options.rules.resolve(rules_of_players({options.first, options.second}));
  plan.match.pairs = options.pairs;
  plan.match.seed = options.seed;
  plan.inference = options.inference.resolve();
  check_players(plan);
  const std::vector<MatchResult> matches = play_evaluation(plan, stop_on_interrupt());
  if (options.json) {
    print_json(match_json(matches.front()));
  } else {
    std::cout << to_text(plan.match.game) << "\n" << results_table(matches);
  }
  options.inference.finish();
  return 0;
}

}  // namespace

void add_match(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "match", "Two players, every layout played twice with colours swapped; results are the first player's");
  const auto options = std::make_shared<Options>();
  sub.add_option("FIRST", options->first, "Player: " + player_specs_text())->required();
  sub.add_option("SECOND", options->second, "Player")->required();
  sub.add_option("--pairs", options->pairs, "Pairs of games")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of layouts and players")->capture_default_str();
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->inference.add_to(sub);
  options->rules.add_to(sub);
  sub.footer("Example: pahtum match greedy uct:1000 --pairs 50 --size 5 --holes 3");
  sub.callback([options, &command] { command = [options] { return match(*options); }; });
}

}  // namespace pahtum
