#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "env/position.h"
#include "search/line_weights.h"

namespace pahtum {

// Weights that make a point worth 1/20 of a win, by the points expected when every empty square goes to
// either side with even chances: where fitting begins, and what weights without samples stay at.
[[nodiscard]] LineWeights expected_point_weights();

// A position in which stones are placed and the result that it led to, for its mover: −1 … 1.
struct LineSample {
  Position position;
  double result = 0.0;
};

// The weights with the least Σ (evaluation − result)² + `ridge` · Σ (weight − prior)², each phase by itself;
// ridge > 0. The same samples in the same order give the same weights, whatever the number of threads.
[[nodiscard]] LineWeights fit_line_weights(std::span<const LineSample> samples, double ridge,
                                           const LineWeights& prior);

// Mean squared difference between evaluation and result.
[[nodiscard]] double mean_squared_error(std::span<const LineSample> samples, const LineWeights& weights);

}  // namespace pahtum
