#include "search/line_fit.h"

#include <gtest/gtest.h>

#include "env/game_rules.h"
#include "search/line_evaluation.h"
#include "search/line_regions.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

std::vector<LineSample> positions(int count) {
  const GameRules rules({.size = 5, .holes = 3});
  std::vector<LineSample> samples;
  Random random(51, Stream::kTest, 0);
  for (int k = 0; k < count; ++k) {
    const int empty = 1 + static_cast<int>(random.below(12));
    samples.push_back(
        {naive::random_position(rules.start(51, Stream::kTest, static_cast<std::uint64_t>(k)), empty, random),
         0.0});
  }
  return samples;
}

TEST(LineFit, FindsTheWeightsThatMadeTheResults) {
  LineWeights planted = expected_point_weights();
  planted.phases[0].to_move = 0.3;
  const auto kind = static_cast<std::size_t>(RegionKinds::all().find(".ww.").kind);
  planted.phases[0].kinds[kind] = {0.7, -0.2};
  const LineEvaluation truth(planted, 5);
  std::vector<LineSample> samples = positions(6000);
  for (LineSample& sample : samples) {
    sample.result = truth.evaluate(sample.position) / static_cast<double>(LineEvaluation::kWin);
  }
  const LineWeights fitted = fit_line_weights(samples, 0.01, LineWeights());
  EXPECT_LT(mean_squared_error(samples, fitted), 1e-5);
  EXPECT_NEAR(fitted.phases[0].to_move, 0.3, 0.01);
  EXPECT_NEAR(fitted.phases[0].kinds[kind].balance, 0.7, 0.02);
  EXPECT_NEAR(fitted.phases[0].kinds[kind].tempo, -0.2, 0.02);
  EXPECT_GT(mean_squared_error(samples, expected_point_weights()), 0.01);
}

TEST(LineFit, WithoutSamplesWeightsStayWhereTheyWere) {
  const LineWeights prior = expected_point_weights();
  const LineWeights fitted = fit_line_weights(positions(50), 1.0, prior);
  EXPECT_EQ(fitted.phases.back().to_move, 0.0);
  for (std::size_t kind = 0; kind < RegionKinds::all().count(); ++kind) {
    EXPECT_NEAR(fitted.phases.back().kinds[kind].balance, prior.phases.back().kinds[kind].balance, 1e-9);
    EXPECT_EQ(fitted.phases.back().kinds[kind].tempo, 0.0);
  }
}

TEST(LineFit, ExpectedPointsAreTheHalfOfWhatAnOpenSquareMakes) {
  const auto balance = [&](const char* text) {
    const RegionKinds::Found found = RegionKinds::all().find(text);
    return found.sign *
           expected_point_weights().phases[0].kinds[static_cast<std::size_t>(found.kind)].balance;
  };
  EXPECT_DOUBLE_EQ(balance("www"), 3.0 / 20);
  EXPECT_DOUBLE_EQ(balance("ww."), 1.5 / 20);
  EXPECT_DOUBLE_EQ(balance("bbb."), -6.5 / 20);
  EXPECT_DOUBLE_EQ(balance("..."), 0.0);
}

}  // namespace
}  // namespace pahtum
