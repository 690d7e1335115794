#include "eval/calibration.h"

#include <gtest/gtest.h>

namespace pahtum {
namespace {

TEST(Calibration, BrierScoreIsTheSquaredDistanceToWhatHappened) {
  EXPECT_DOUBLE_EQ(brier_score({{1, 0, 0}, Outcome::kWin}), 0.0);
  EXPECT_DOUBLE_EQ(brier_score({{1, 0, 0}, Outcome::kLoss}), 2.0);
  EXPECT_DOUBLE_EQ(brier_score({{0.5F, 0.25F, 0.25F}, Outcome::kDraw}), 0.25 + 0.5625 + 0.0625);
}

TEST(Calibration, AgreesWithValuesByHand) {
  // Three forecasts of 0.75 for a win, two of which come true, and one of 0.25 that does not.
  const std::vector<Forecast> forecasts = {{{0.75F, 0.25F, 0}, Outcome::kWin},
                                           {{0.75F, 0.25F, 0}, Outcome::kWin},
                                           {{0.75F, 0.25F, 0}, Outcome::kDraw},
                                           {{0.25F, 0, 0.75F}, Outcome::kLoss}};
  const Calibration calibration = calibrate(forecasts, 4);
  EXPECT_EQ(calibration.forecasts, 4);
  EXPECT_DOUBLE_EQ(calibration.brier.value, (0.125 + 0.125 + 1.125 + 0.125) / 4);
  // Shares ½, ¼, ¼: ½·½ + ¼·¾ + ¼·¾.
  EXPECT_DOUBLE_EQ(calibration.base_brier, 0.625);
  ASSERT_EQ(calibration.win.bins.size(), 2u);
  const ReliabilityBin& low = calibration.win.bins[0];
  EXPECT_DOUBLE_EQ(low.low, 0.25);
  EXPECT_DOUBLE_EQ(low.high, 0.5);
  EXPECT_EQ(low.count, 1);
  EXPECT_DOUBLE_EQ(low.mean_predicted, 0.25);
  EXPECT_DOUBLE_EQ(low.observed.value, 0);
  const ReliabilityBin& high = calibration.win.bins[1];
  EXPECT_DOUBLE_EQ(high.low, 0.75);
  EXPECT_EQ(high.count, 3);
  EXPECT_DOUBLE_EQ(high.observed.value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(high.observed.low, share_estimate(2, 3).low);
  EXPECT_DOUBLE_EQ(calibration.win.error, (0.25 + 3 * (0.75 - 2.0 / 3)) / 4);
  EXPECT_DOUBLE_EQ(calibration.draw.error, (3 * (1.0 / 3 - 0.25) + 0) / 4);
  EXPECT_DOUBLE_EQ(calibration.loss.error, 0.25 / 4);
}

TEST(Calibration, CertaintyFallsIntoTheLastBinAndEveryForecastIntoOne) {
  const std::vector<Forecast> forecasts = {{{1, 0, 0}, Outcome::kWin}, {{0.99F, 0.01F, 0}, Outcome::kWin}};
  const Calibration calibration = calibrate(forecasts);
  ASSERT_EQ(calibration.win.bins.size(), 1u);
  EXPECT_EQ(calibration.win.bins[0].count, 2);
  EXPECT_DOUBLE_EQ(calibration.win.bins[0].high, 1.0);
  EXPECT_DOUBLE_EQ(calibration.loss.bins[0].low, 0.0);
}

TEST(Calibration, AForecastOfTheOppositeSideIsFarFromTheTruth) {
  // A sign error turns wins into losses: the score must show it.
  std::vector<Forecast> right, wrong;
  for (int k = 0; k < 20; ++k) {
    const Outcome truth = k % 2 == 0 ? Outcome::kWin : Outcome::kLoss;
    const Wdl expected = k % 2 == 0 ? Wdl{0.9F, 0.05F, 0.05F} : Wdl{0.05F, 0.05F, 0.9F};
    right.push_back({expected, truth});
    wrong.push_back({expected, -truth});
  }
  EXPECT_LT(calibrate(right).brier.value, calibrate(right).base_brier);
  EXPECT_GT(calibrate(wrong).brier.value, calibrate(wrong).base_brier);
  EXPECT_GT(calibrate(wrong).win.error, 0.8);
}

}  // namespace
}  // namespace pahtum
