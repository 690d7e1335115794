#include "eval/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pahtum {
namespace {

constexpr double kNormalQuantile95 = 1.959964;  // two-sided
constexpr double kEloPerLogOdds = 400.0 / std::numbers::ln10;

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

}  // namespace pahtum
