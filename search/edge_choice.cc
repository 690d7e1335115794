#include "search/edge_choice.h"

#include <bit>
#include <limits>

#include "env/bitboard.h"

namespace pahtum {

double weighted_sum(std::span<const double> values, std::span<const std::int32_t> visits) noexcept {
  return lane_sum(values.size(), [value = values.data(), count = visits.data()](std::size_t k) {
    return static_cast<double>(count[k]) * value[k];
  });
}

BestEdge best_puct(std::span<const float> priors, std::span<const double> values,
                   std::span<const std::int32_t> visits, double exploration, std::uint64_t skipped) noexcept {
  std::array<double, kMaxSquares> scores;
  scores[0] = 0.0;
  const std::size_t count = priors.size();
  for (std::size_t k = 0; k < count; ++k) {
    scores[k] = values[k] + exploration * static_cast<double>(priors[k]) / static_cast<double>(1 + visits[k]);
  }
  for (; skipped != 0; skipped &= skipped - 1) {
    scores[static_cast<std::size_t>(std::countr_zero(skipped))] = -std::numeric_limits<double>::infinity();
  }
  return first_best(std::span(scores).first(count));
}

BestEdge first_best(std::span<const double> scores) noexcept {
  BestEdge best{0, scores[0]};
  for (std::size_t k = 1; k < scores.size(); ++k) {
    const bool better = scores[k] > best.score;
    best.slot = better ? k : best.slot;
    best.score = better ? scores[k] : best.score;
  }
  return best;
}

std::size_t first_highest(std::span<const float> priors, std::uint64_t without) noexcept {
  std::size_t best = priors.size();
  float highest = -1.0f;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const float prior = ((without >> k) & 1) != 0 ? -1.0f : priors[k];
    const bool better = prior > highest;
    best = better ? k : best;
    highest = better ? prior : highest;
  }
  return best;
}

}  // namespace pahtum
