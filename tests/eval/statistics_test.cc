#include "eval/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "env/base/random.h"

namespace pahtum {
namespace {

void expect_sound(const Estimate& estimate) {
  EXPECT_TRUE(std::isfinite(estimate.low) && std::isfinite(estimate.value) && std::isfinite(estimate.high));
  EXPECT_LE(estimate.low, estimate.value);
  EXPECT_LE(estimate.value, estimate.high);
  EXPECT_LT(estimate.low, estimate.high);
}

TEST(WinDrawLoss, CountsADrawAsHalfAPoint) {
  EXPECT_DOUBLE_EQ((WinDrawLoss{3, 2, 5}.score()), 0.4);
  EXPECT_DOUBLE_EQ((WinDrawLoss{0, 7, 0}.score()), 0.5);
  EXPECT_DOUBLE_EQ(WinDrawLoss{}.score(), 0.5);
}

TEST(Statistics, IntervalsAreFiniteAndHaveWidthForEveryKindOfResult) {
  const PairScores results[] = {{},
                                {0, 0, 0, 0, 1},
                                {0, 0, 0, 0, 100},
                                {100, 0, 0, 0, 0},
                                {0, 0, 100, 0, 0},
                                {50, 0, 0, 0, 50},
                                {0, 0, 0, 0, 1'000'000},
                                {0, 40, 0, 0, 0}};
  for (const PairScores& pairs : results) {
    expect_sound(elo_difference(pairs));
    const Estimate score = score_estimate(pairs);
    expect_sound(score);
    EXPECT_GE(score.low, 0.0);
    EXPECT_LE(score.high, 1.0);
  }
}

TEST(Statistics, EloHasOneDrawnPairAdded) {
  // Three pairs of 1½ points and one drawn: mean (3 · 0.75 + 0.5) / 4.
  EXPECT_NEAR(elo_difference({0, 0, 0, 3, 0}).value, 400 * std::log10(0.6875 / 0.3125), 1e-9);
  EXPECT_DOUBLE_EQ(score_estimate({0, 0, 0, 3, 0}).value, 0.75);
}

TEST(Statistics, TheOtherPlayersIntervalIsTheMirrorImage) {
  const Estimate one = elo_difference({3, 5, 20, 14, 9});
  const Estimate other = elo_difference({9, 14, 20, 5, 3});
  EXPECT_NEAR(one.value, -other.value, 1e-9);
  EXPECT_NEAR(one.low, -other.high, 1e-9);
  EXPECT_NEAR(one.high, -other.low, 1e-9);
}

TEST(Statistics, PairsThatAlwaysSplitSayMoreThanTheirGamesAlone) {
  // White wins every game: the difference of the players is known well, though each game looks like a coin.
  const Estimate split = score_estimate({0, 0, 100, 0, 0});
  const Estimate independent = score_estimate({25, 0, 50, 0, 25});
  EXPECT_LT(split.high - split.low, 0.25 * (independent.high - independent.low));
}

TEST(Statistics, ScoreOfEloInvertsTheLogisticCurve) {
  EXPECT_DOUBLE_EQ(score_of_elo(0), 0.5);
  EXPECT_NEAR(score_of_elo(400), 10.0 / 11.0, 1e-12);
  EXPECT_NEAR(score_of_elo(-400), 1.0 / 11.0, 1e-12);
}

TEST(Statistics, SharesHaveWilsonsInterval) {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17, 1998,
  // table I, method 3.
  const auto expect = [](std::int64_t hits, std::int64_t total, double low, double high) {
    const Estimate share = share_estimate(hits, total);
    EXPECT_DOUBLE_EQ(share.value, static_cast<double>(hits) / static_cast<double>(total));
    EXPECT_NEAR(share.low, low, 5e-5);
    EXPECT_NEAR(share.high, high, 5e-5);
  };
  expect(81, 263, 0.2553, 0.3662);
  expect(15, 148, 0.0624, 0.1605);
  expect(0, 20, 0.0, 0.1611);
  expect(1, 29, 0.0061, 0.1718);
  EXPECT_EQ(share_estimate(0, 20).low, 0.0);
  EXPECT_EQ(share_estimate(20, 20).high, 1.0);
  for (std::int64_t total = 1; total < 60; ++total) {
    for (std::int64_t hits = 0; hits <= total; ++hits) {
      const Estimate share = share_estimate(hits, total);
      expect_sound(share);
      EXPECT_GE(share.low, 0.0);
      EXPECT_LE(share.high, 1.0);
      EXPECT_NEAR(share.low, 1.0 - share_estimate(total - hits, total).high, 1e-12);
    }
  }
}

TEST(Statistics, MeansHaveTheNormalInterval) {
  const double values[] = {1, 2, 3};
  const Estimate mean = mean_estimate(values);
  EXPECT_DOUBLE_EQ(mean.value, 2.0);
  EXPECT_NEAR(mean.low, 2.0 - 1.959964 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(mean.high, 2.0 + 1.959964 / std::sqrt(3.0), 1e-12);
  const double equal[] = {0, 0, 0};
  EXPECT_EQ(mean_estimate(equal).low, 0.0);
  EXPECT_EQ(mean_estimate(equal).high, 0.0);
  const Estimate single = mean_estimate(std::span(values).first(1));
  EXPECT_EQ(single.value, 1.0);
  EXPECT_TRUE(std::isinf(single.low) && std::isinf(single.high));
}

// Share of simulated matches of 100 pairs whose interval holds the true score. In a pair the first player's
// chance to win moves up and down by `colour` between its two games, and by `layout` from pair to pair, in
// both games alike.
struct IntervalCoverage {
  double score = 0, elo = 0;
};
IntervalCoverage coverage(double win, double draw, double colour, double layout) {
  constexpr int kMatches = 4000;
  const double truth = win + draw / 2;
  const double true_elo = 400 * std::log10(truth / (1 - truth));
  int score_hits = 0;
  int elo_hits = 0;
  for (int match = 0; match < kMatches; ++match) {
    Random random(7, Stream::kTest, static_cast<std::uint64_t>(match));
    PairScores pairs{};
    for (int pair = 0; pair < 100; ++pair) {
      const double shift = random.below(2) == 0 ? layout : -layout;
      std::size_t halves = 0;
      for (const double advantage : {colour, -colour}) {
        const double chance = random.uniform();
        const double wins = win + shift + advantage;
        halves += chance < wins ? 2 : chance < wins + draw ? 1 : 0;
      }
      ++pairs[halves];
    }
    const Estimate score = score_estimate(pairs);
    score_hits += score.low <= truth && truth <= score.high ? 1 : 0;
    const Estimate elo = elo_difference(pairs);
    elo_hits += elo.low <= true_elo && true_elo <= elo.high ? 1 : 0;
  }
  return {static_cast<double>(score_hits) / kMatches, static_cast<double>(elo_hits) / kMatches};
}

TEST(Statistics, IntervalsHoldTheTruthInNineteenMatchesOfTwenty) {
  const IntervalCoverage cases[] = {
      coverage(0.55, 0.10, 0.0, 0.0),   // score 0.60
      coverage(0.70, 0.10, 0.0, 0.0),   // score 0.75
      coverage(0.55, 0.10, 0.25, 0.0),  // White has an edge
      coverage(0.70, 0.10, 0.15, 0.1),  // and some layouts suit one of the players
  };
  for (const IntervalCoverage& held : cases) {
    EXPECT_GE(held.score, 0.93);
    EXPECT_LE(held.score, 0.97);
    EXPECT_GE(held.elo, 0.93);
    EXPECT_LE(held.elo, 0.97);
  }
}

}  // namespace
}  // namespace pahtum
