#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/interrupt.h"
#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/text.h"
#include "eval/match_games.h"
#include "eval/results_json.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

// A test of a few Elo takes thousands of pairs.
constexpr std::int64_t kPairsOfTest = 2000;

struct MatchOptions {
  std::string first, second;
  std::string sprt, sprt_limit = "none";
  std::string games;
  bool json = false;
  MatchCliOptions match;
  RulesOptions rules;
  InferenceCliOptions inference;
};

double parse_elo(std::string_view text, const std::string& whole) {
  const auto value = parse_number<double>(text);
  if (!value) throw request_error("--sprt", "`" + whole + "` is not ELO0,ELO1, such as 0,20");
  return *value;
}

// "ELO0,ELO1"
SprtConfig parse_sprt(const std::string& text, const std::string& limit) {
  const std::size_t comma = std::min(text.find(','), text.size());
  SprtConfig sprt;
  sprt.elo0 = parse_elo(std::string_view(text).substr(0, comma), text);
  sprt.elo1 = parse_elo(std::string_view(text).substr(std::min(comma + 1, text.size())), text);
  if (limit == "accept") sprt.at_limit = SprtVerdict::kAccept;
  if (limit == "reject") sprt.at_limit = SprtVerdict::kReject;
  try {
    validate(sprt);
  } catch (const Error& error) {
    throw request_error("--sprt", error.message());
  }
  return sprt;
}

int match(const MatchOptions& options) {
  EvaluationPlan plan;
  plan.player = options.first;
  plan.against = {options.second};
  const bool tests = !options.sprt.empty();
  plan.match = options.match.resolve(options.rules.resolve(rules_of_players({options.first, options.second})),
                                     tests ? kPairsOfTest : MatchCliOptions::kPairs);
  if (tests) plan.match.sprt = parse_sprt(options.sprt, options.sprt_limit);
  plan.inference = options.inference.resolve();
  check_players(plan);
  const std::vector<MatchResult> matches = play_evaluation(plan, stop_on_interrupt());
  if (!options.games.empty()) {
    write_file_atomically(options.games, games_text(matches.front(), plan.match));
  }
  if (options.json) {
    print_json(match_json(matches.front()));
  } else {
    std::cout << to_text(plan.match.game) << "\n" << match_text(matches.front());
  }
  options.inference.finish();
  return 0;
}

}  // namespace

void add_match(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "match", "Two players, every layout played twice with colours swapped; results are the first player's");
  const auto options = std::make_shared<MatchOptions>();
  sub.add_option("FIRST", options->first, "Player: " + player_specs_text())->required();
  sub.add_option("SECOND", options->second, "Player")->required();
  options->match.add_to(sub);
  CLI::Option* sprt = sub.add_option(
      "--sprt", options->sprt,
      "ELO0,ELO1: stop as soon as a sequential test knows which of the two Elo differences the first player "
      "has, each wrongly at most one time in twenty; --pairs is the limit, 2000 unless said");
  sub.add_option("--sprt-limit", options->sprt_limit,
                 "What counts when the test knows nothing at the limit: accept, reject or none")
      ->check(CLI::IsMember({"accept", "reject", "none"}))
      ->needs(sprt)
      ->capture_default_str();
  sub.add_option("--games", options->games, "File for the games as text, one a line (pahtum games reads it)");
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->inference.add_to(sub);
  options->rules.add_to(sub);
  sub.footer(
      "Examples: pahtum match greedy uct:1000 --pairs 50 --size 5 --holes 3\n"
      "          pahtum match net:runs/quick-2 net:runs/quick-1 --sprt 0,30 --sprt-limit reject");
  sub.callback([options, &command] { command = [options] { return match(*options); }; });
}

}  // namespace pahtum
