#include "eval/report_build.h"

#include <algorithm>
#include <set>
#include <utility>

#include "env/game_rules.h"
#include "eval/game_stats.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

constexpr std::size_t kGamesOfMatch = 3, kMostGames = 12;
constexpr int kMarginBins = 15;

Position end_of(const MatchGame& game) {
  Position position = game.start;
  for (const Move move : game.moves) apply(position, move);
  return position;
}

// Bins of a round width that put 0 into the middle of one, from the smallest margin to the largest.
std::vector<HistogramBin> histogram(const std::vector<std::int64_t>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  std::int64_t width = 1;
  for (const std::int64_t wider : {3, 5, 11, 21, 51, 101, 201, 501, 1001}) {
    if ((most - least) / width < kMarginBins) break;
    width = wider;
  }
  // Odd widths: the bin of 0 reaches as far to both sides.
  const auto bin_of = [&](std::int64_t value) {
    const std::int64_t shifted = value + width / 2;
    return shifted >= 0 ? shifted / width : -((-shifted + width - 1) / width);
  };
  std::vector<HistogramBin> bins;
  for (std::int64_t bin = bin_of(least); bin <= bin_of(most); ++bin) {
    bins.push_back({bin * width - width / 2, bin * width + width / 2, 0});
  }
  for (const std::int64_t value : values)
    ++bins[static_cast<std::size_t>(bin_of(value) - bin_of(least))].count;
  return bins;
}

double white_value(const Position& position, const Wdl& expected) {
  return white_value(position, static_cast<double>(expected.win) - static_cast<double>(expected.loss));
}

// The positions before each move, and what the network sees there.
struct JudgedPlies {
  std::vector<Position> positions;
  std::vector<Evaluation> evaluations;
};

JudgedPlies judge_plies(Evaluator& evaluator, Position position, std::span<const Move> moves) {
  JudgedPlies plies;
  for (const Move move : moves) {
    plies.positions.push_back(position);
    apply(position, move);
  }
  plies.evaluations.resize(moves.size());
  evaluator.evaluate(plies.positions, plies.evaluations);
  return plies;
}

}  // namespace

double white_value(const Position& position, double mover_value) noexcept {
  const double value = std::clamp(mover_value, -1.0, 1.0);
  return position.mover == Color::kWhite ? value : -value;
}

std::vector<MatchGame> games_of(std::span<const MatchResult> matches) {
  std::vector<MatchGame> games;
  for (const MatchResult& match : matches) games.insert(games.end(), match.games.begin(), match.games.end());
  return games;
}

ReportMatch report_match(const MatchResult& match) {
  ReportMatch report;
  report.first = match.first;
  report.second = match.second;
  report.as_white = match.as_white;
  report.as_black = match.as_black;
  report.score = {match.total.score(), match.score_low, match.score_high};
  report.elo = {match.elo, match.elo_low, match.elo_high};
  report.pair_scores = match.pair_scores;
  report.distinct_games = match.distinct_games;
  report.mean_margin = match.mean_margin;
  report.seconds = match.seconds;
  // Without a move there is no time per move.
  const auto per_move = [](const TimeUsed& time) {
    return time.moves > 0 ? std::optional(time.per_move()) : std::nullopt;
  };
  report.first_move_seconds = per_move(match.first_time);
  report.second_move_seconds = per_move(match.second_time);
  if (match.sprt) report.verdict = sprt_text(*match.sprt);
  return report;
}

std::vector<ReportGame> sample_games(const MatchResult& match, std::size_t count) {
  std::vector<ReportGame> samples;
  const std::size_t games = match.games.size();
  count = std::min(count, games);
  for (std::size_t k = 0; k < count; ++k) {
    // Both colours in turn: games of a pair stand side by side.
    std::size_t number = k * games / count;
    if (number % 2 != k % 2) number = number + 1 < games ? number + 1 : number - 1;
    const MatchGame& game = match.games[number];
    const bool first_is_white = number % 2 == 0;
    samples.push_back({first_is_white ? match.first : match.second,
                       first_is_white ? match.second : match.first,
                       game.start,
                       game.moves,
                       {}});
  }
  return samples;
}

FirstPlayerResults first_player_results(std::string name, std::span<const MatchGame> games) {
  FirstPlayerResults results{std::move(name), 0, 0, 0};
  for (const MatchGame& game : games) {
    ++(game.white_margin > 0 ? results.white : game.white_margin < 0 ? results.black : results.draws);
  }
  return results;
}

GameStatistics game_statistics(std::string name, std::span<const MatchGame> games) {
  GameStatistics statistics;
  statistics.name = std::move(name);
  statistics.games = static_cast<std::int64_t>(games.size());
  if (games.empty()) return statistics;
  std::set<std::string> distinct;
  std::vector<std::int64_t> margins;
  RunCounts white_runs{}, black_runs{};
  std::int64_t plies = 0, margin_sum = 0;
  statistics.fewest_plies = static_cast<std::int64_t>(games.front().moves.size());
  int longest = 0;
  for (const MatchGame& game : games) {
    const auto length = static_cast<std::int64_t>(game.moves.size());
    plies += length;
    margin_sum += game.white_margin;
    statistics.fewest_plies = std::min(statistics.fewest_plies, length);
    statistics.most_plies = std::max(statistics.most_plies, length);
    margins.push_back(game.white_margin);
    distinct.insert(identity(game));
    const Position end = end_of(game);
    add_runs(end.white, white_runs);
    add_runs(end.black, black_runs);
    longest = std::max(longest, static_cast<int>(end.size));
  }
  const auto count = static_cast<double>(games.size());
  statistics.distinct = static_cast<std::int64_t>(distinct.size());
  statistics.mean_plies = static_cast<double>(plies) / count;
  statistics.mean_margin = static_cast<double>(margin_sum) / count;
  statistics.margins = histogram(margins);
  for (int length = 1; length <= longest; ++length) {
    if (games.front().start.run_points[length] == 0) continue;
    const auto index = static_cast<std::size_t>(length);
    statistics.runs.push_back({length, white_runs[index], black_runs[index]});
  }
  return statistics;
}

void add_match_games(ReportData& report, std::span<const MatchResult> matches) {
  for (const MatchResult& match : matches) {
    for (ReportGame& game : sample_games(match, kGamesOfMatch)) {
      if (report.games.size() < kMostGames) report.games.push_back(std::move(game));
    }
  }
  const std::vector<MatchGame> all = games_of(matches);
  if (all.empty()) return;
  report.first_player.push_back(first_player_results("Games of these matches", all));
  report.statistics.push_back(game_statistics("Games of these matches", all));
}

std::vector<Position> sample_layouts(const GameConfig& game, std::uint64_t seed, std::size_t count) {
  const GameRules rules(game);
  std::vector<Position> positions;
  for (std::size_t k = 0; k < count; ++k) {
    const Position position = rules.start(seed, Stream::kEvaluationLayout, k);
    // Few layouts repeat; one picture of each is enough.
    if (std::ranges::find(positions, position) == positions.end()) positions.push_back(position);
  }
  return positions;
}

std::vector<FirstMoveMap> first_move_maps(Evaluator& evaluator, std::span<const Position> positions,
                                          const std::string& source) {
  std::vector<Evaluation> evaluations(positions.size());
  evaluator.evaluate(positions, evaluations);
  std::vector<FirstMoveMap> maps;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const Position& position = positions[k];
    maps.push_back({position, source, likeliest_moves(position, evaluations[k].policy, kMoveIndices),
                    white_value(position, evaluations[k].wdl)});
  }
  return maps;
}

void judge_games(Evaluator& evaluator, std::span<ReportGame> games, std::size_t likely) {
  for (ReportGame& game : games) {
    const auto [positions, evaluations] = judge_plies(evaluator, game.start, game.moves);
    game.plies.clear();
    for (std::size_t ply = 0; ply < positions.size(); ++ply) {
      game.plies.push_back({white_value(positions[ply], evaluations[ply].wdl),
                            likeliest_moves(positions[ply], evaluations[ply].policy, likely), false});
    }
  }
}

std::optional<ReportCalibration> oracle_calibration(Player& player, const OracleData& data) {
  std::vector<Position> positions;
  for (const OraclePosition& entry : data.positions) positions.push_back(entry.position);
  const std::vector<Wdl> expected = player.expectations(positions);
  if (expected.empty()) return std::nullopt;
  std::vector<Forecast> forecasts;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    forecasts.push_back({expected[k], data.positions[k].outcome()});
  }
  return ReportCalibration{player.info().spec, "exact outcomes", calibrate(forecasts)};
}

std::optional<ReportCalibration> game_calibration(Evaluator& evaluator, std::string player,
                                                  std::span<const MatchGame> games) {
  std::vector<Forecast> forecasts;
  for (const MatchGame& game : games) {
    const auto [positions, evaluations] = judge_plies(evaluator, game.start, game.moves);
    for (std::size_t ply = 0; ply < positions.size(); ++ply) {
      const bool white = positions[ply].mover == Color::kWhite;
      forecasts.push_back(
          {evaluations[ply].wdl, outcome_of(Margin{white ? game.white_margin : -game.white_margin})});
    }
  }
  if (forecasts.empty()) return std::nullopt;
  return ReportCalibration{std::move(player), "results of games", calibrate(forecasts)};
}

MoveShares likeliest_moves(const Position& position, std::span<const float> policy, std::size_t count) {
  MoveShares shares;
  for_each_legal(position, [&](Move move) {
    const double share = policy[static_cast<std::size_t>(move.index())];
    if (share > 0) shares.emplace_back(move, std::min(1.0, share));
  });
  sort_likeliest_first(shares);
  if (shares.size() > count) shares.resize(count);
  return shares;
}

}  // namespace pahtum
