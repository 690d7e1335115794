#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <numeric>
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

constexpr std::int64_t kPairs = 50;
// What the checkpoints of a run are measured against when the user names nobody.
const std::vector<std::string> kLadder = {kRatingAnchor, "greedy", "charles", "uct:1000", "uct:10000"};

struct RateOptions {
  std::vector<std::string> players;
  std::vector<std::string> runs;
  std::string anchor = kRatingAnchor;
  bool all_pairs = false;
  bool json = false;
  MatchCliOptions match;
  RulesOptions rules;
  InferenceCliOptions inference;
};

// A checkpoint of --run in the pool.
struct RunPoint {
  std::string run;
  ReportTarget target;
};

// The players named, and behind them the checkpoints of the runs, oldest first.
struct Pool {
  PoolPlan plan;
  std::string anchor;
  std::vector<RunPoint> points;

  [[nodiscard]] std::size_t named() const noexcept { return plan.players.size() - points.size(); }
};

void add_run(Pool& pool, const std::string& run) {
  const RunDirectory directory(run);
  directory.require_run();
  const auto metrics = read_metrics(directory.metrics_path());
  const std::size_t before = pool.points.size();
  for (const fs::path& path : directory.checkpoint_paths()) {
    const std::string player = "net:" + path.string();
    try {
      pool.points.push_back({run, report_target(player, path, metrics)});
      pool.plan.players.push_back(player);
    } catch (const Error& error) {
      spdlog::warn("left out: {}", error.what());
    }
  }
  if (pool.points.size() == before) {
    throw request_error(run, "holds no whole checkpoint; a run has them in checkpoints/NNNNNN.ckpt");
  }
}

// Players named all meet one another; checkpoints meet these, and each other where the user says so.
Pool make_pool(const RateOptions& options) {
  Pool pool;
  std::vector<std::string>& players = pool.plan.players;
  for (const std::string& spec : options.players) players.push_back(settled(spec));
  if (players.empty() && !options.runs.empty()) players = kLadder;
  pool.anchor = settled(options.anchor);
  auto anchor = std::ranges::find(players, pool.anchor);
  if (anchor == players.end()) anchor = players.insert(players.begin(), pool.anchor);
  const auto anchor_place = static_cast<std::size_t>(anchor - players.begin());
  for (const std::string& run : options.runs) add_run(pool, run);
  if (players.size() < 2) {
    throw request_error("rate", "a pool needs at least two players; name another beside " + options.anchor);
  }
  std::set<std::string> different;
  for (const std::string& player : players) {
    if (!different.insert(player).second) {
      throw request_error("rate", player + " is named twice; name everybody once");
    }
  }
  // Everybody's first meeting is with the anchor: whatever is played when the pool is stopped can be rated.
  std::vector<std::size_t> order(players.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(anchor_place),
              order.begin() + static_cast<std::ptrdiff_t>(anchor_place) + 1);
  for (std::size_t place = 1; place < order.size(); ++place) {
    const std::size_t opponents = options.all_pairs ? place : std::min(place, pool.named());
    for (std::size_t opponent = 0; opponent < opponents; ++opponent) {
      pool.plan.meetings.emplace_back(order[place], order[opponent]);
    }
  }
  return pool;
}

// The players of the pool who have played, in its order.
std::vector<std::string> rated_players(const Pool& pool, std::span<const MatchResult> matches) {
  std::vector<std::string> players = pool.plan.players;
  std::erase_if(players, [&](const std::string& player) {
    return std::ranges::none_of(
        matches, [&](const MatchResult& match) { return match.first == player || match.second == player; });
  });
  return players;
}

// The checkpoints of a run that have played, oldest first, with their ratings.
using Curve = std::vector<std::pair<const ReportTarget*, const PlayerRating*>>;
Curve curve_of(const std::string& run, const Pool& pool, const PoolRatings& ratings) {
  Curve curve;
  for (const auto& point : pool.points) {
    if (point.run != run) continue;
    const auto rating = std::ranges::find(ratings.players, point.target.name, &PlayerRating::name);
    if (rating != ratings.players.end()) curve.emplace_back(&point.target, &*rating);
  }
  return curve;
}

Json curve_json(const Curve& curve) {
  Json points = Json::array();
  for (const auto& [point, rating] : curve) {
    points.push_back({{"player", rating->name},
                      {"iteration", point->iteration.value_or(0)},
                      {"step", point->step.value_or(0)},
                      {"games", point->games.value_or(0)},
                      {"elo", rating->elo},
                      {"elo_low", rating->low},
                      {"elo_high", rating->high}});
  }
  return points;
}

std::string curve_text(const std::string& run, const Curve& curve) {
  std::vector<std::vector<std::string>> rows = {{"iteration", "steps", "Elo", "95 % interval"}};
  for (const auto& [point, rating] : curve) {
    rows.push_back({std::to_string(point->iteration.value_or(0)), std::to_string(point->step.value_or(0)),
                    elo_text(rating->elo), elo_text(rating->low) + " .. " + elo_text(rating->high)});
  }
  return "\n" + run + "\n" + table_text(rows, 0);
}

// Puts the rating curve and the pool into the run's report.
void update_report(const fs::path& run, const Curve& curve, ReportPool rated) {
  ReportData report = report_of_run(run);
  report.pool = std::move(rated);
  report.rating_curve.clear();
  for (const auto& [point, rating] : curve) {
    report.rating_curve.push_back({.checkpoint = point->checkpoint,
                                   .iteration = point->iteration.value_or(0),
                                   .step = point->step.value_or(0),
                                   .games = point->games.value_or(0),
                                   .seconds = point->training_seconds.value_or(0),
                                   .elo = rating->elo,
                                   .low = rating->low,
                                   .high = rating->high});
  }
  write_file_atomically(run / "report.json", to_json_text(report));
  write_file_atomically(report_path(run), html_report(report));
}

void print_ratings(const RateOptions& options, const Pool& pool, std::span<const MatchResult> matches,
                   const PoolRatings& ratings, bool partial) {
  if (options.json) {
    Json document = ratings_json(ratings);
    document["partial"] = partial;
    document["runs"] = Json::array();
    for (const std::string& run : options.runs) {
      document["runs"].push_back({{"run", run}, {"points", curve_json(curve_of(run, pool, ratings))}});
    }
    document["matches"] = Json::array();
    for (const MatchResult& match : matches) document["matches"].push_back(match_json(match));
    print_json(document);
    return;
  }
  std::cout << to_text(pool.plan.match.game) << "; " << matches.size() << " matches of "
            << pool.plan.match.pairs << " pairs\n";
  if (partial) {
    std::cout << "partial: " << pool.plan.meetings.size() - matches.size() << " of "
              << pool.plan.meetings.size() << " matches were not finished and do not count\n";
  }
  std::cout << "\n" << ratings_text(ratings);
  for (const std::string& run : options.runs) std::cout << curve_text(run, curve_of(run, pool, ratings));
  for (const MatchResult& match : matches) std::cout << distinct_games_warning(match);
}

int run_rate(const RateOptions& options) {
  Pool pool = make_pool(options);
  pool.plan.match = options.match.resolve(options.rules.resolve(rules_of_players(pool.plan.players)), kPairs);
  pool.plan.inference = options.inference.resolve();
  check_players(pool.plan);
  const auto [matches, ended_by] = play_pool(pool.plan, stop_on_interrupt());
  const bool partial = matches.size() < pool.plan.meetings.size();
  const std::vector<std::string> players = rated_players(pool, matches);
  const std::vector<PoolMatch> pairings = pool_matches(players, matches);
  const PoolRatings ratings = rate_players(players, pairings, pool.anchor);
  print_ratings(options, pool, matches, ratings, partial);
  // A report of part of the matches would stand for all of them.
  if (ended_by) std::rethrow_exception(ended_by);
  for (const std::string& run : options.runs) {
    update_report(run, curve_of(run, pool, ratings), report_pool(ratings, pairings, matches));
    if (!options.json) std::cout << "report: " << report_path(run).string() << "\n";
  }
  options.inference.finish();
  return 0;
}

}  // namespace

void add_rate(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "rate", "Rates players, or the checkpoints of a run, by one model over all their games");
  const auto options = std::make_shared<RateOptions>();
  sub.add_option("SPEC", options->players, "Players, who all meet one another: " + player_specs_text());
  sub.add_option("--run", options->runs,
                 "A run whose kept checkpoints all meet the players (without any: random, greedy, charles, "
                 "uct:1000 and uct:10000); its report then shows the curve of their ratings. May be repeated")
      ->allow_extra_args(false)
      ->take_all();
  sub.add_flag("--all-pairs", options->all_pairs, "Checkpoints of --run also meet each other");
  sub.add_option("--anchor", options->anchor, "The player that is 0 Elo; added when it is not named")
      ->capture_default_str();
  options->match.add_to(sub);
  sub.add_flag("--json", options->json, "Print one JSON document");
  options->inference.add_to(sub);
  options->rules.add_to(sub);
  sub.footer(
      "Examples: pahtum rate random greedy charles uct:1000 --pairs 100\n"
      "          pahtum rate --run runs/quick-1");
  sub.callback([options, &command] { command = [options] { return run_rate(*options); }; });
}

}  // namespace pahtum
