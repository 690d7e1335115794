#include "app/evaluation.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "app/common.h"
#include "app/run_report.h"
#include "env/base/error.h"
#include "env/base/files.h"
#include "eval/match_games.h"
#include "eval/player_spec.h"
#include "eval/report.h"
#include "eval/report_build.h"
#include "eval/results_json.h"
#include "eval/results_text.h"
#include "model/checkpoint.h"
#include "model/network_evaluator.h"
#include "model/network_file.h"
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
  // Every thread makes its own players; all must be of the same checkpoint.
  const std::string first_spec = settled(first);
  const std::string second_spec = settled(second);
  MatchResult result = play_match([&] { return make_player(first_spec, context); },
                                  [&] { return make_player(second_spec, context); }, match, &stop, show);
  result.first = first;
  result.second = second;
  return result;
}

// Whether the file of a player's network is still there; true for players without one.
bool has_file(const std::string& spec) {
  const PlayerSpec parsed = parse_player_spec(spec);
  return parsed.kind != PlayerKind::kNetwork || fs::exists(parsed.path);
}

// The rows of the run a checkpoint lies in (RUN/checkpoints/NNNNNN.ckpt); none when it lies elsewhere.
std::vector<nlohmann::json> metrics_around(const fs::path& checkpoint) {
  const fs::path folder = fs::absolute(checkpoint).parent_path();
  if (folder.filename() != "checkpoints") return {};
  return read_metrics(RunDirectory(folder.parent_path()).metrics_path());
}

// The curve that `rate` has put into the report of this folder; none when there is none that can be read.
std::vector<RatingPoint> rating_curve_in(const fs::path& folder) {
  const fs::path path = folder / "report.json";
  if (!fs::exists(path)) return {};
  try {
    return load_report(path).rating_curve;
  } catch (const Error& error) {
    spdlog::warn("{}; its rating curve is lost", error.what());
    return {};
  }
}

// One model over the matches of an agent. Nothing without the anchor, or when an opponent stands there twice.
std::optional<ReportPool> rated_pool(std::span<const MatchResult> matches) {
  if (matches.empty()) return std::nullopt;
  std::vector<std::string> names = {matches.front().first};
  for (const MatchResult& match : matches) {
    if (std::ranges::find(names, match.second) != names.end()) return std::nullopt;
    names.push_back(match.second);
  }
  if (std::ranges::find(names, kRatingAnchor) == names.end()) return std::nullopt;
  const std::vector<PoolMatch> pairings = pool_matches(names, matches);
  return report_pool(rate_players(names, pairings, kRatingAnchor), pairings, matches);
}

// What the network itself thinks: of first moves, of the games shown, and how right it is about results.
void add_network_views(ReportData& report, const EvaluationRecord& record) {
  const auto evaluator = make_evaluator(load_network_file(record.checkpoint), record.plan.inference);
  const MatchConfig& match = record.plan.match;
  report.first_moves =
      first_move_maps(*evaluator, sample_layouts(match.game, match.seed, kSampleLayouts), "policy");
  judge_games(*evaluator, report.games);
  if (record.calibration) report.calibration.push_back(*record.calibration);
  if (auto calibration = game_calibration(*evaluator, record.target, games_of(record.matches))) {
    report.calibration.push_back(std::move(*calibration));
  }
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

PlayedPool play_pool(const PoolPlan& plan, const std::atomic<bool>& stop) {
  PlayedPool played;
  Progress progress;
  std::vector<bool> gone(plan.players.size());
  const auto is_gone = [&](std::size_t player) {
    if (!gone[player] && !has_file(plan.players[player])) {
      gone[player] = true;
      spdlog::warn("{} has been removed; its other matches are left out", plan.players[player]);
    }
    return gone[player];
  };
  for (std::size_t k = 0; k < plan.meetings.size(); ++k) {
    const auto [first, second] = plan.meetings[k];
    if (is_gone(first) || is_gone(second)) continue;
    progress.line(fmt::format("match {} of {}: {} pairs, {} against {}", k + 1, plan.meetings.size(),
                              pairs_text(plan.match), plan.players[first], plan.players[second]));
    MatchConfig match = plan.match;
    // Matches on the same layouts would depend on each other, which no interval could see.
    match.first_layout += k * static_cast<std::uint64_t>(match.pairs);
    try {
      played.matches.push_back(
          play_shown(plan.players[first], plan.players[second], match, context_of(plan), stop, progress));
    } catch (...) {
      if (played.matches.empty()) throw;
      played.ended_by = std::current_exception();
      break;
    }
  }
  if (played.matches.empty()) throw failure("rate", "no match could be played");
  return played;
}

std::string settled(const std::string& spec) {
  const PlayerSpec parsed = parse_player_spec(spec);
  if (parsed.kind != PlayerKind::kNetwork || !fs::is_directory(parsed.path)) return spec;
  const std::size_t path = spec.find(parsed.path);
  return spec.substr(0, path) + resolve_checkpoint_with_warnings(parsed.path).string() +
         spec.substr(path + parsed.path.size());
}

std::vector<PoolMatch> pool_matches(const std::vector<std::string>& names,
                                    std::span<const MatchResult> matches) {
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  std::vector<PoolMatch> pool;
  for (const MatchResult& match : matches) {
    pool.push_back({place(match.first), place(match.second), match.pair_results});
  }
  return pool;
}

ReportPool report_pool(const PoolRatings& ratings, std::span<const PoolMatch> pairings,
                       std::span<const MatchResult> matches) {
  ReportPool pool;
  for (const PlayerRating& player : ratings.players) {
    pool.players.push_back({player.name, player.elo, player.low, player.high, player.results.games()});
  }
  pool.superiority = ratings.superiority;
  pool.first_move_advantage = ratings.white_advantage.value;
  for (std::size_t k = 0; k < matches.size(); ++k) {
    pool.pairings.push_back({static_cast<std::int64_t>(pairings[k].first),
                             static_cast<std::int64_t>(pairings[k].second), matches[k].total});
  }
  return pool;
}

void write_evaluation(const fs::path& folder, const EvaluationRecord& record) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw failure(folder.string(), "cannot be created: " + error.message());
  ReportData report;
  report.title = "PahTum agent " + record.target;
  report.metrics = metrics_around(record.checkpoint);
  report.rating_curve = rating_curve_in(folder);
  report.target = report_target(record.target, record.checkpoint, report.metrics);
  for (const MatchResult& match : record.matches) report.matches.push_back(report_match(match));
  report.pool = rated_pool(record.matches);
  report.oracle = record.oracle;
  add_match_games(report, record.matches);
  add_network_views(report, record);
  std::string games;
  for (const MatchResult& match : record.matches) games += games_text(match, record.plan.match);
  write_file_atomically(folder / "games.txt", games);
  write_file_atomically(folder / "report.json", to_json_text(report));
  write_file_atomically(report_path(folder), html_report(report));
  write_file_atomically(evaluation_path(folder),
                        evaluate_json(record.target, record.matches, record.oracle).dump(2) + "\n");
}

fs::path evaluation_path(const fs::path& folder) {
  return folder / "evaluation.json";
}

fs::path report_path(const fs::path& folder) {
  return folder / "report.html";
}

}  // namespace pahtum
