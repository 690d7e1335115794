#include "eval/sprt.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "env/base/random.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using Distribution = std::array<double, 5>;

double mean(const Distribution& shares) {
  double sum = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) sum += shares[k] * static_cast<double>(k) / 4;
  return sum;
}

// The distribution between two others that has the given mean.
Distribution between(const Distribution& low, const Distribution& high, double score) {
  const double part = (score - mean(low)) / (mean(high) - mean(low));
  Distribution result{};
  for (std::size_t k = 0; k < 5; ++k) result[k] = (1 - part) * low[k] + part * high[k];
  return result;
}

PairScores draw(const Distribution& shares, int pairs, Random& random) {
  PairScores scores{};
  for (int pair = 0; pair < pairs; ++pair) {
    double left = random.uniform();
    std::size_t outcome = 0;
    while (outcome < 4 && left >= shares[outcome]) left -= shares[outcome++];
    ++scores[outcome];
  }
  return scores;
}

TEST(Sprt, TwoOutcomesGiveWaldsRatioOfBernoulliTrials) {
  const double s0 = score_of_elo(-20);
  const double s1 = score_of_elo(35);
  const double expected = 130 * std::log(s1 / s0) + 110 * std::log((1 - s1) / (1 - s0));
  // Three outcomes that never came weigh a thousandth of a pair each.
  EXPECT_NEAR(sprt_log_ratio({110, 0, 0, 0, 130}, -20, 35), expected, 0.005);
}

TEST(Sprt, CloseHypothesesGiveTheNormalApproximation) {
  const PairScores pairs = {300, 1500, 4000, 2100, 500};
  const double total = 8400;
  double average = 0, variance = 0;
  for (std::size_t k = 0; k < 5; ++k)
    average += static_cast<double>(pairs[k] * static_cast<int>(k)) / 4 / total;
  for (std::size_t k = 0; k < 5; ++k) {
    variance += static_cast<double>(pairs[k]) / total * std::pow(static_cast<double>(k) / 4 - average, 2);
  }
  const double s0 = score_of_elo(0);
  const double s1 = score_of_elo(5);
  // Van den Bergh's approximation: N (s1 − s0) (2 mean − s0 − s1) / (2 variance).
  const double expected = total * (s1 - s0) * (2 * average - s0 - s1) / (2 * variance);
  EXPECT_GT(expected, 1.0);
  EXPECT_NEAR(sprt_log_ratio(pairs, 0, 5), expected, 0.03 * expected);
}

TEST(Sprt, TheOtherPlayersTestIsTheMirrorImage) {
  EXPECT_NEAR(sprt_log_ratio({4, 9, 30, 17, 6}, -10, 25), -sprt_log_ratio({6, 17, 30, 9, 4}, -25, 10), 1e-9);
  EXPECT_GT(sprt_log_ratio({4, 9, 30, 17, 6}, 0, 10), 0);
  EXPECT_LT(sprt_log_ratio({6, 17, 30, 9, 4}, 0, 10), 0);
}

TEST(Sprt, ExtremeResultsGiveFiniteRatiosOfTheRightSign) {
  EXPECT_EQ(sprt_log_ratio({}, 0, 10), 0);
  for (const std::int64_t pairs : {1, 50, 1'000'000}) {
    const double won = sprt_log_ratio({0, 0, 0, 0, pairs}, 0, 10);
    EXPECT_TRUE(std::isfinite(won));
    EXPECT_GT(won, 0);
    EXPECT_NEAR(sprt_log_ratio({pairs, 0, 0, 0, 0}, -10, 0), -won, 1e-9 * won);
    const double drawn = sprt_log_ratio({0, 0, pairs, 0, 0}, 0, 10);
    EXPECT_TRUE(std::isfinite(drawn));
    EXPECT_LT(drawn, 0) << "every pair drawn is what equal players do";
  }
}

TEST(Sprt, BoundsAreWalds) {
  const SprtBounds bounds = sprt_bounds({.alpha = 0.05, .beta = 0.1});
  EXPECT_NEAR(bounds.upper, std::log(18), 1e-12);
  EXPECT_NEAR(bounds.lower, std::log(0.1 / 0.95), 1e-12);
}

TEST(Sprt, EndsAtABoundOrAtTheLimitWithItsConfiguredVerdict) {
  Sprt better({.elo0 = 0, .elo1 = 100}, 1000);
  while (!better.result()) better.add({0, 0, 1, 1, 1});
  EXPECT_EQ(better.result()->verdict, SprtVerdict::kAccept);
  EXPECT_FALSE(better.result()->at_limit);
  EXPECT_GE(better.result()->llr, sprt_bounds({}).upper);

  Sprt worse({.elo0 = 0, .elo1 = 100}, 1000);
  while (!worse.result()) worse.add({1, 1, 1, 0, 0});
  EXPECT_EQ(worse.result()->verdict, SprtVerdict::kReject);

  for (const SprtVerdict verdict : {SprtVerdict::kUndecided, SprtVerdict::kAccept, SprtVerdict::kReject}) {
    Sprt cut({.elo0 = 0, .elo1 = 10, .at_limit = verdict}, 6);
    cut.add({0, 1, 1, 1, 0});
    EXPECT_FALSE(cut.result());
    cut.add({0, 1, 1, 1, 0});
    ASSERT_TRUE(cut.result());
    EXPECT_EQ(cut.result()->verdict, verdict);
    EXPECT_TRUE(cut.result()->at_limit);
    cut.add({0, 0, 0, 0, 1000});
    EXPECT_EQ(cut.result()->verdict, verdict) << "what comes later changes nothing";
  }
}

TEST(Sprt, RefusesWhatIsNoTest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  test::expect_error(Fault::kRequest, {"sprt"}, [] { validate(SprtConfig{.elo0 = 10, .elo1 = 10}); });
  test::expect_error(Fault::kRequest, {"sprt"}, [&] { validate(SprtConfig{.elo0 = nan, .elo1 = 10}); });
  test::expect_error(Fault::kRequest, {"sprt"}, [] { validate(SprtConfig{.elo0 = 0, .elo1 = 1001}); });
  test::expect_error(Fault::kRequest, {"sprt"}, [] { validate(SprtConfig{.alpha = 0}); });
  test::expect_error(Fault::kRequest, {"sprt"}, [] { validate(SprtConfig{.beta = 0.5}); });
}

// Share of simulated tests of elo 0 against 60 that accept, when the true difference is `elo`; looked at
// after every `look` pairs.
double accepted(const Distribution& low, const Distribution& high, double elo, int look) {
  constexpr int kTests = 400;
  const Distribution truth = between(low, high, score_of_elo(elo));
  int accepts = 0;
  for (int test = 0; test < kTests; ++test) {
    Random random(11, Stream::kTest, static_cast<std::uint64_t>(test));
    Sprt sprt({.elo0 = 0, .elo1 = 60}, 100'000);
    while (!sprt.result()) sprt.add(draw(truth, look, random));
    EXPECT_FALSE(sprt.result()->at_limit);
    accepts += sprt.result()->verdict == SprtVerdict::kAccept ? 1 : 0;
  }
  return static_cast<double>(accepts) / kTests;
}

TEST(Sprt, ErrsAsSeldomAsItPromises) {
  const Distribution split_low = {0.10, 0.05, 0.70, 0.05, 0.10};  // White wins most games
  const Distribution split_high = {0.02, 0.03, 0.50, 0.15, 0.30};
  const Distribution wide_low = {0.35, 0.10, 0.10, 0.10, 0.35};  // layouts suit one of the players
  const Distribution wide_high = {0.15, 0.10, 0.10, 0.15, 0.50};
  // 0.05 is promised; 400 tests add up to 0.025 by chance.
  for (const int look : {8, 32}) {
    EXPECT_LE(accepted(split_low, split_high, 0, look), 0.075);
    EXPECT_GE(accepted(split_low, split_high, 60, look), 0.925);
    EXPECT_LE(accepted(wide_low, wide_high, 0, look), 0.075);
    EXPECT_GE(accepted(wide_low, wide_high, 60, look), 0.925);
  }
  const double between_the_two = accepted(split_low, split_high, 30, 8);
  EXPECT_GT(between_the_two, 0.2);
  EXPECT_LT(between_the_two, 0.8);
}

}  // namespace
}  // namespace pahtum
