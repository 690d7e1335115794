#include "eval/report_build.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "env/game_rules.h"
#include "eval/report_parts.h"
#include "tests/eval/oracle_fixture.h"
#include "tests/eval/report_fixture.h"

namespace pahtum {
namespace {

TEST(ReportBuild, AMatchKeepsItsFigures) {
  const MatchResult match = random_match("a", "b");
  const ReportMatch report = report_match(match);
  EXPECT_EQ(report.total(), match.total);
  EXPECT_EQ(report.pair_scores, match.pair_scores);
  EXPECT_DOUBLE_EQ(report.score.low, match.score_low);
  EXPECT_DOUBLE_EQ(report.elo.high, match.elo_high);
  EXPECT_EQ(report.distinct_games, match.distinct_games);
}

TEST(ReportBuild, AMatchKeepsItsTimesAndTheVerdictOfItsTest) {
  MatchResult match = random_match("a", "b", 1);
  EXPECT_FALSE(report_match(match).first_move_seconds.has_value()) << "nobody has chosen a move";
  EXPECT_EQ(report_match(match).verdict, "");
  match.first_time = {3.0, 60};
  match.second_time = {0.6, 6};
  match.sprt = SprtResult{SprtVerdict::kReject, false, -3.0, {.elo0 = 0, .elo1 = 20}};
  const ReportMatch report = report_match(match);
  EXPECT_DOUBLE_EQ(report.first_move_seconds.value(), 0.05);
  EXPECT_DOUBLE_EQ(report.second_move_seconds.value(), 0.1);
  EXPECT_EQ(report.verdict, "SPRT Elo 0 or 20: rejected, log-likelihood ratio -3.00 (-2.94 .. 2.94)");
  ReportData data;
  data.matches = {report};
  const std::string page = matches_part(data);
  EXPECT_NE(page.find("50 ms</td><td>100 ms"), std::string::npos);
  EXPECT_NE(page.find("Sequential test against b: SPRT Elo 0 or 20: rejected"), std::string::npos) << page;
}

TEST(ReportBuild, SampleGamesNameThePlayersByColour) {
  const MatchResult match = random_match("a", "b");
  const std::vector<ReportGame> games = sample_games(match, 4);
  ASSERT_EQ(games.size(), 4u);
  for (const ReportGame& game : games) {
    const auto found = std::ranges::find(match.games, game.moves, &MatchGame::moves);
    ASSERT_NE(found, match.games.end());
    const bool first_is_white = (found - match.games.begin()) % 2 == 0;
    EXPECT_EQ(game.white, first_is_white ? "a" : "b");
    EXPECT_EQ(game.black, first_is_white ? "b" : "a");
  }
  EXPECT_EQ(std::ranges::count(games, "a", &ReportGame::white), 2) << "both colours are shown";
  EXPECT_EQ(sample_games(match, 1000).size(), match.games.size());
}

TEST(ReportBuild, CountsResultsForTheFirstPlayerOfTheGame) {
  std::vector<MatchGame> games(6);
  for (int k = 0; k < 6; ++k) games[static_cast<std::size_t>(k)].white_margin = k < 3 ? 5 : k < 5 ? -2 : 0;
  const FirstPlayerResults results = first_player_results("x", games);
  EXPECT_EQ(results.white, 3);
  EXPECT_EQ(results.black, 2);
  EXPECT_EQ(results.draws, 1);
}

TEST(ReportBuild, CountsRunsMarginsAndRepeats) {
  // White holds a row of three and, down the a file, a column of three; Black nothing that scores.
  MatchGame game{parse_position("www/wb1/wbb w"), {parse_move("c2", 3)}, 3 + 3};
  const std::vector<MatchGame> games = {game, game};
  const GameStatistics statistics = game_statistics("x", games);
  EXPECT_EQ(statistics.games, 2);
  EXPECT_EQ(statistics.distinct, 1);
  EXPECT_EQ(statistics.fewest_plies, 1);
  EXPECT_EQ(statistics.most_plies, 1);
  EXPECT_DOUBLE_EQ(statistics.mean_margin, 6);
  ASSERT_EQ(statistics.runs.size(), 1u);
  EXPECT_EQ(statistics.runs[0].length, 3);
  // The stone on c2 makes the c file w, w, b and the middle row w, b, w.
  EXPECT_EQ(statistics.runs[0].white, 4);
  EXPECT_EQ(statistics.runs[0].black, 0);
  ASSERT_EQ(statistics.margins.size(), 1u);
  EXPECT_EQ(statistics.margins[0].count, 2);
}

TEST(ReportBuild, EveryMarginLiesInItsBin) {
  std::vector<MatchGame> games(60);
  for (int k = 0; k < 60; ++k) games[static_cast<std::size_t>(k)].white_margin = 7 * k - 200;
  const GameStatistics statistics = game_statistics("x", games);
  std::int64_t total = 0;
  for (const HistogramBin& bin : statistics.margins) {
    const auto inside = [&](const MatchGame& game) {
      return game.white_margin >= bin.low && game.white_margin <= bin.high;
    };
    EXPECT_EQ(bin.count, std::ranges::count_if(games, inside)) << bin.low << " … " << bin.high;
    total += bin.count;
  }
  EXPECT_EQ(total, 60);
  EXPECT_LE(statistics.margins.size(), 16u);
}

TEST(ReportBuild, FirstMovesAreAllLegalOnesAndSumToOne) {
  HashEvaluator evaluator;
  const std::vector<Position> layouts = sample_layouts(GameConfig{}, 1, 4);
  ASSERT_EQ(layouts.size(), 4u);
  for (const FirstMoveMap& map : first_move_maps(evaluator, layouts, "policy")) {
    double sum = 0;
    for (const auto& [move, share] : map.shares) {
      EXPECT_TRUE(is_legal(map.position, move));
      sum += share;
    }
    EXPECT_NEAR(sum, 1.0, 1e-4);
    EXPECT_TRUE(std::ranges::is_sorted(map.shares, std::ranges::greater(), &std::pair<Move, double>::second));
  }
}

// A win for the side to move, always.
class Confident final : public Evaluator {
 public:
  void evaluate(std::span<const Position> /*positions*/, std::span<Evaluation> evaluations) override {
    for (Evaluation& evaluation : evaluations) evaluation.wdl = {1, 0, 0};
  }
};

TEST(ReportBuild, ValuesOfPliesAreForWhite) {
  Confident evaluator;
  std::vector<ReportGame> games = sample_games(random_match("a", "b", 1), 1);
  judge_games(evaluator, games);
  ASSERT_EQ(games[0].plies.size(), games[0].moves.size());
  Position position = games[0].start;
  for (std::size_t ply = 0; ply < games[0].plies.size(); ++ply) {
    EXPECT_EQ(games[0].plies[ply].white_value, position.mover == Color::kWhite ? 1.0 : -1.0);
    apply(position, games[0].moves[ply]);
  }
}

TEST(ReportBuild, CalibrationComparesWithTheResultForTheMover) {
  Confident evaluator;
  const std::vector<MatchGame> games = random_games(GameConfig{}, 4);
  std::int64_t hits = 0, plies = 0;
  for (const MatchGame& game : games) {
    Position position = game.start;
    for (const Move move : game.moves) {
      const int margin = position.mover == Color::kWhite ? game.white_margin : -game.white_margin;
      hits += margin > 0 ? 1 : 0;
      ++plies;
      apply(position, move);
    }
  }
  const auto report = game_calibration(evaluator, "x", games);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->calibration.forecasts, plies);
  ASSERT_EQ(report->calibration.win.bins.size(), 1u);
  EXPECT_DOUBLE_EQ(report->calibration.win.bins[0].observed.value,
                   static_cast<double>(hits) / static_cast<double>(plies));
  EXPECT_FALSE(game_calibration(evaluator, "x", {}).has_value());
}

TEST(ReportBuild, APlayerWithoutExpectationsHasNoCalibration) {
  const auto player = make_player("random", {});
  EXPECT_FALSE(oracle_calibration(*player, small_oracle_data()).has_value());
}

}  // namespace
}  // namespace pahtum
