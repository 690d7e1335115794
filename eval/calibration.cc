#include "eval/calibration.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pahtum {
namespace {

double probability_of(const Wdl& expected, Outcome outcome) noexcept {
  const float probability = outcome == Outcome::kWin    ? expected.win
                            : outcome == Outcome::kDraw ? expected.draw
                                                        : expected.loss;
  return std::clamp(static_cast<double>(probability), 0.0, 1.0);
}

struct OutcomeTally {
  std::int64_t count = 0, hits = 0;
  double sum = 0;  // of probabilities
};

Reliability reliability_of(std::span<const Forecast> forecasts, Outcome outcome, int bins) {
  std::vector<OutcomeTally> tallies(static_cast<std::size_t>(bins));
  for (const Forecast& forecast : forecasts) {
    const double probability = probability_of(forecast.expected, outcome);
    OutcomeTally& tally =
        tallies[static_cast<std::size_t>(std::min(static_cast<int>(probability * bins), bins - 1))];
    ++tally.count;
    tally.hits += forecast.truth == outcome ? 1 : 0;
    tally.sum += probability;
  }
  Reliability result;
  for (std::size_t k = 0; k < tallies.size(); ++k) {
    const OutcomeTally& tally = tallies[k];
    if (tally.count == 0) continue;
    const auto count = static_cast<double>(tally.count);
    ReliabilityBin bin{static_cast<double>(k) / bins, static_cast<double>(k + 1) / bins, tally.count,
                       tally.sum / count, share_estimate(tally.hits, tally.count)};
    result.error += count * std::abs(bin.mean_predicted - bin.observed.value);
    result.bins.push_back(bin);
  }
  result.error /= static_cast<double>(forecasts.size());
  return result;
}

}  // namespace

double brier_score(const Forecast& forecast) noexcept {
  const auto square = [&](float probability, Outcome outcome) {
    const double distance = static_cast<double>(probability) - (outcome == forecast.truth ? 1.0 : 0.0);
    return distance * distance;
  };
  return square(forecast.expected.win, Outcome::kWin) + square(forecast.expected.draw, Outcome::kDraw) +
         square(forecast.expected.loss, Outcome::kLoss);
}

Calibration calibrate(std::span<const Forecast> forecasts, int bins) {
  assert(!forecasts.empty() && bins >= 1);
  Calibration result;
  result.forecasts = static_cast<std::int64_t>(forecasts.size());
  std::vector<double> scores;
  scores.reserve(forecasts.size());
  for (const Forecast& forecast : forecasts) scores.push_back(brier_score(forecast));
  result.brier = mean_estimate(scores);
  // A constant forecast of the shares s has the mean score Σ s(1 − s).
  for (const Outcome outcome : {Outcome::kWin, Outcome::kDraw, Outcome::kLoss}) {
    const auto hits = std::ranges::count(forecasts, outcome, &Forecast::truth);
    const double share = static_cast<double>(hits) / static_cast<double>(forecasts.size());
    result.base_brier += share * (1 - share);
  }
  result.win = reliability_of(forecasts, Outcome::kWin, bins);
  result.draw = reliability_of(forecasts, Outcome::kDraw, bins);
  result.loss = reliability_of(forecasts, Outcome::kLoss, bins);
  return result;
}

}  // namespace pahtum
