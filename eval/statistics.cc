#include "eval/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace pahtum {
namespace {

struct Moments {
  double pairs = 0;
  double mean = 0.5;          // of pair scores on the scale 0 … 1
  double squared_spread = 0;  // sum of squared distances from the mean
};

Moments moments(const PairScores& scores) noexcept {
  Moments result;
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    result.pairs += static_cast<double>(scores[k]);
    sum += static_cast<double>(scores[k]) * static_cast<double>(k) / 4.0;
  }
  if (result.pairs > 0) result.mean = sum / result.pairs;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double distance = static_cast<double>(k) / 4.0 - result.mean;
    result.squared_spread += static_cast<double>(scores[k]) * distance * distance;
  }
  return result;
}

}  // namespace

double WinDrawLoss::score() const noexcept {
  if (games() == 0) return 0.5;
  return (static_cast<double>(wins) + 0.5 * static_cast<double>(draws)) / static_cast<double>(games());
}

PairScores pair_scores(const PairResults& results) noexcept {
  PairScores scores{};
  for (std::size_t white = 0; white < 3; ++white) {
    for (std::size_t black = 0; black < 3; ++black) scores[white + black] += results[white][black];
  }
  return scores;
}

Estimate elo_difference(const PairScores& pairs) noexcept {
  PairScores padded = pairs;
  ++padded[2];
  const Moments sample = moments(padded);
  // Half a point is a quarter of a pair's score. Without pairs nothing is known, and 1/4 is the largest
  // variance that a score can have.
  const double variance =
      sample.pairs > 1 ? std::max(sample.squared_spread / (sample.pairs - 1), 0.0625 / sample.pairs) : 0.25;
  const double slope = 1.0 / (sample.mean * (1.0 - sample.mean));
  const double half_width = kNormalQuantile95 * std::sqrt(variance / sample.pairs) * slope;
  const double log_odds = std::log(sample.mean / (1.0 - sample.mean));
  return {kEloPerLogOdds * log_odds, kEloPerLogOdds * (log_odds - half_width),
          kEloPerLogOdds * (log_odds + half_width)};
}

Estimate score_estimate(const PairScores& pairs) noexcept {
  const double score = moments(pairs).mean;
  const Estimate elo = elo_difference(pairs);
  return {score, std::min(score, score_of_elo(elo.low)), std::max(score, score_of_elo(elo.high))};
}

double score_of_elo(double elo) noexcept {
  return 1.0 / (1.0 + std::exp(-elo / kEloPerLogOdds));
}

Estimate share_estimate(std::int64_t hits, std::int64_t total) noexcept {
  assert(total >= 1 && hits >= 0 && hits <= total);
  const auto trials = static_cast<double>(total);
  const double share = static_cast<double>(hits) / trials;
  const double square = kNormalQuantile95 * kNormalQuantile95;
  const double scale = 1.0 / (1.0 + square / trials);
  const double centre = scale * (share + square / (2.0 * trials));
  const double half_width = scale * kNormalQuantile95 *
                            std::sqrt(share * (1.0 - share) / trials + square / (4.0 * trials * trials));
  // Where the interval ends at the share itself, rounding must not leave it outside.
  return {share, std::clamp(centre - half_width, 0.0, share), std::clamp(centre + half_width, share, 1.0)};
}

Estimate mean_estimate(std::span<const double> values) noexcept {
  assert(!values.empty());
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() == 1) {
    return {mean, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  double squared_spread = 0;
  for (const double value : values) squared_spread += (value - mean) * (value - mean);
  const double half_width = kNormalQuantile95 * std::sqrt(squared_spread / (count - 1.0) / count);
  return {mean, mean - half_width, mean + half_width};
}

}  // namespace pahtum
