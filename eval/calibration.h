#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "env/position.h"
#include "eval/statistics.h"
#include "search/evaluator.h"

namespace pahtum {

// What somebody expected of a position, for its mover, and how it came out for the same side.
struct Forecast {
  Wdl expected;
  Outcome truth = Outcome::kDraw;
};

// Forecasts whose probability of one outcome lay in [low, high), the last bin with its upper end.
struct ReliabilityBin {
  double low = 0, high = 0;
  std::int64_t count = 0;     // at least 1
  double mean_predicted = 0;  // of those probabilities
  Estimate observed;          // share in which the outcome came about, see share_estimate()
};

// The bins of one outcome, ascending; those without forecasts are left out.
struct Reliability {
  std::vector<ReliabilityBin> bins;
  // Mean distance between what a bin predicted and what was observed in it, weighted by count (the expected
  // calibration error of Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using
  // Bayesian binning", AAAI 2015).
  double error = 0;
};

struct Calibration {
  std::int64_t forecasts = 0;
  // Mean of Σ (p − truth)² over win, draw and loss, 0 … 2 (Brier, "Verification of forecasts expressed in
  // terms of probability", 1950), with its interval; see mean_estimate().
  Estimate brier;
  // The same of somebody who always gives the shares in which the outcomes came about here: who knows nothing
  // of a position scores this.
  double base_brier = 0;
  Reliability win, draw, loss;
};

inline constexpr int kReliabilityBins = 10;

// Σ (p − truth)² over win, draw and loss, 0 … 2.
[[nodiscard]] double brier_score(const Forecast& forecast) noexcept;

// How well probabilities agree with what happened. At least one forecast; `bins` ≥ 1 of equal width.
// Probabilities outside 0 … 1 by rounding are counted as if at the end.
[[nodiscard]] Calibration calibrate(std::span<const Forecast> forecasts, int bins = kReliabilityBins);

}  // namespace pahtum
