#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <utility>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/interrupt.h"
#include "app/run_report.h"
#include "env/base/error.h"
#include "env/base/files.h"
#include "eval/rating.h"
#include "eval/report.h"
#include "eval/results_json.h"
#include "eval/results_text.h"
#include "selfplay/run_directory.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kAnchor = "random";
constexpr std::int64_t kPairs = 50;
// What the checkpoints of a run are measured against when the user names nobody.
const std::vector<std::string> kLadder = {kAnchor, "greedy", "charles", "uct:1000", "uct:10000"};

struct Options {
  std::vector<std::string> players;
  std::string run, anchor = kAnchor;
  bool json = false;
  MatchCliOptions match;
  RulesOptions rules;
  InferenceCliOptions inference;
};

// The pool: the players named, and behind them the checkpoints of a run, oldest first.
struct Pool {
  PoolPlan plan;
  std::vector<fs::path> checkpoints;
};

// Players named all meet one another; checkpoints meet these, and not each other.
Pool make_pool(const Options& options) {
  Pool pool;
  pool.plan.players = options.players;
  if (pool.plan.players.empty() && !options.run.empty()) pool.plan.players = kLadder;
  if (std::ranges::find(pool.plan.players, options.anchor) == pool.plan.players.end()) {
    pool.plan.players.insert(pool.plan.players.begin(), options.anchor);
  }
  const std::size_t named = pool.plan.players.size();
  if (!options.run.empty()) pool.checkpoints = RunDirectory(options.run).checkpoint_paths();
  for (const fs::path& path : pool.checkpoints) pool.plan.players.push_back("net:" + path.string());
  if (pool.plan.players.size() < 2) {
    throw request_error("rate", "a pool needs at least two players; name another beside " + options.anchor);
  }
  const std::set<std::string> different(pool.plan.players.begin(), pool.plan.players.end());
  if (different.size() < pool.plan.players.size()) {
    throw request_error("rate", "a player is named twice; name everybody once");
  }
  for (std::size_t first = 0; first < pool.plan.players.size(); ++first) {
    for (std::size_t second = 0; second < std::min(first, named); ++second) {
      pool.plan.meetings.emplace_back(first, second);
    }
  }
  return pool;
}

Json ratings_json(const PoolRatings& ratings, std::span<const MatchResult> matches) {
  Json players = Json::array();
  for (const PlayerRating& player : ratings.players) {
    players.push_back({{"player", player.name},
                       {"elo", player.elo},
                       {"elo_low", player.low},
                       {"elo_high", player.high},
                       {"wins", player.results.wins},
                       {"draws", player.results.draws},
                       {"losses", player.results.losses},
                       {"score", player.results.score()}});
  }
  Json list = Json::array();
  for (const MatchResult& match : matches) list.push_back(match_json(match));
  return {{"anchor", ratings.players[ratings.anchor].name},
          {"players", std::move(players)},
          {"white_advantage", ratings.white_advantage.value},
          {"white_advantage_low", ratings.white_advantage.low},
          {"white_advantage_high", ratings.white_advantage.high},
          {"white_wins", ratings.white.wins},
          {"draws", ratings.white.draws},
          {"black_wins", ratings.white.losses},
          {"superiority", ratings.superiority},
          {"matches", std::move(list)}};
}

// Strongest first; the last column says how likely a player is stronger than the one below it.
std::string ratings_text(const PoolRatings& ratings) {
  std::vector<std::size_t> order(ratings.players.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t k) { return ratings.players[k].elo; });
  std::vector<std::vector<std::string>> rows = {
      {"player", "Elo", "95 % interval", "games", "score", "W / D / L", "above the next"}};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const PlayerRating& player = ratings.players[order[place]];
    const bool last = place + 1 == order.size();
    rows.push_back({player.name, elo_text(player.elo), elo_text(player.low) + " .. " + elo_text(player.high),
                    std::to_string(player.results.games()), percent_text(player.results.score()),
                    results_text(player.results),
                    last ? "" : percent_text(ratings.superiority[order[place]][order[place + 1]])});
  }
  const auto games = static_cast<double>(std::max<std::int64_t>(1, ratings.white.games()));
  return table_text(rows) +
         fmt::format(
             "White's first move is worth {} Elo ({} .. {}); of all games White won {}, {} were drawn\n",
             elo_text(ratings.white_advantage.value), elo_text(ratings.white_advantage.low),
             elo_text(ratings.white_advantage.high),
             percent_text(static_cast<double>(ratings.white.wins) / games),
             percent_text(static_cast<double>(ratings.white.draws) / games));
}

// Puts the rating curve and the pool into the run's report.
void update_report(const fs::path& run, const Pool& pool, const PoolRatings& ratings, ReportPool rated) {
  ReportData report = report_of_run(run);
  report.pool = std::move(rated);
  report.rating_curve.clear();
  const std::size_t named = pool.plan.players.size() - pool.checkpoints.size();
  for (std::size_t k = 0; k < pool.checkpoints.size(); ++k) {
    const PlayerRating& rating = ratings.players[named + k];
    const ReportTarget target = report_target(rating.name, pool.checkpoints[k], report.metrics);
    report.rating_curve.push_back({.checkpoint = pool.checkpoints[k].string(),
                                   .iteration = target.iteration.value_or(0),
                                   .step = target.step.value_or(0),
                                   .games = target.games.value_or(0),
                                   .seconds = target.training_seconds.value_or(0),
                                   .elo = rating.elo,
                                   .low = rating.low,
                                   .high = rating.high});
  }
  write_file_atomically(run / "report.json", to_json_text(report));
  write_file_atomically(report_path(run), html_report(report));
}

int rate(const Options& options) {
  if (!options.run.empty()) RunDirectory(options.run).require_run();
  Pool pool = make_pool(options);
  pool.plan.match = options.match.resolve(options.rules.resolve(rules_of_players(pool.plan.players)), kPairs);
  pool.plan.inference = options.inference.resolve();
  check_players(pool.plan);
  const std::vector<MatchResult> matches = play_pool(pool.plan, stop_on_interrupt());
  const std::vector<PoolMatch> pairings = pool_matches(pool.plan.players, matches);
  const PoolRatings ratings = rate_players(pool.plan.players, pairings, options.anchor);
  if (!options.run.empty()) {
    update_report(options.run, pool, ratings, report_pool(ratings, pairings, matches));
  }
  if (options.json) {
    print_json(ratings_json(ratings, matches));
  } else {
    std::cout << to_text(pool.plan.match.game) << "\n" << ratings_text(ratings);
    if (!options.run.empty()) std::cout << "report: " << report_path(options.run).string() << "\n";
  }
  options.inference.finish();
  return 0;
}

}  // namespace

void add_rate(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "rate", "Rates players, or the checkpoints of a run, by one model over all their games");
  const auto options = std::make_shared<Options>();
  sub.add_option("SPEC", options->players, "Players, who all meet one another: " + player_specs_text());
  sub.add_option("--run", options->run,
                 "A run whose kept checkpoints all meet the players (without any: random, greedy, charles, "
                 "uct:1000 and uct:10000); its report then shows the curve of their ratings");
  sub.add_option("--anchor", options->anchor, "The player that is 0 Elo; added when it is not named")
      ->capture_default_str();
  options->match.add_to(sub);
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->inference.add_to(sub);
  options->rules.add_to(sub);
  sub.footer(
      "Examples: pahtum rate random greedy charles uct:1000 --pairs 100\n"
      "          pahtum rate --run runs/quick-1");
  sub.callback([options, &command] { command = [options] { return rate(*options); }; });
}

}  // namespace pahtum
