#include "search/line_games.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/line_fit.h"

namespace pahtum {
namespace {

TEST(LineGames, ResultsAreTheTruthAndThatOfTheGameBefore) {
  const GameRules rules({.size = 5, .holes = 3});
  const auto evaluation = std::make_shared<const LineEvaluation>(expected_point_weights(), 5);
  Solver solver(std::size_t{1} << 20);
  for (const double scale : {0.0, 15.0}) {
    const LineGamesConfig config{
        .seed = 61, .depth = 2, .opening_plies = 6, .exact = 12, .margin_scale = scale};
    LineGames games(rules, config, evaluation);
    int solved = 0;
    int before = 0;
    for (std::uint64_t index = 0; index < 12; ++index) {
      double result = 0.0;  // of the first solved position, for White
      bool known = false;
      std::vector<LineSample> samples = games.samples(index);
      for (const LineSample& sample : samples) {
        if (sample.position.empty_count() > config.exact) continue;
        const int value =
            solver
                .solve(sample.position, {.objective = scale > 0.0 ? Objective::kMargin : Objective::kOutcome,
                                         .moves = SolvedMoves::kOneBest,
                                         .limits = {}})
                .lower;
        ASSERT_DOUBLE_EQ(sample.result, scale > 0.0 ? std::tanh(value / scale) : value);
        if (!known) result = sample.position.mover == Color::kWhite ? sample.result : -sample.result;
        known = true;
        ++solved;
      }
      ASSERT_TRUE(known);
      for (const LineSample& sample : samples) {
        if (sample.position.empty_count() <= config.exact) continue;
        ASSERT_DOUBLE_EQ(sample.result, sample.position.mover == Color::kWhite ? result : -result);
        ++before;
      }
    }
    EXPECT_GT(solved, 150);
    EXPECT_GT(before, 60);
  }
}

TEST(LineGames, AGameIsAFunctionOfItsNumber) {
  const GameRules rules({.size = 7, .holes = {{3, 1}, {5, 1}}});
  const auto evaluation = LineEvaluation::of(kRunPoints, 7);
  const LineGamesConfig config{.seed = 62, .depth = 1, .exact = 10};
  const auto equal = [](const std::vector<LineSample>& first, const std::vector<LineSample>& second) {
    return std::ranges::equal(first, second, [](const LineSample& a, const LineSample& b) {
      return a.position == b.position && a.result == b.result;
    });
  };
  LineGames games(rules, config, evaluation);
  const auto third = games.samples(3);
  EXPECT_FALSE(equal(games.samples(4), third));
  EXPECT_TRUE(equal(LineGames(rules, config, evaluation).samples(3), third));
  EXPECT_TRUE(equal(games.samples(3), third));
}

}  // namespace
}  // namespace pahtum
