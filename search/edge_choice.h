#pragma once

// Internal to search/: what runs over the moves of a position in vector instructions. Sums are made of
// eight partial ones, so the result is the same to the last bit with any instruction set.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace pahtum {

inline constexpr std::size_t kLanes = 8;

[[nodiscard]] inline double add_lanes(const std::array<double, kLanes>& sums) noexcept {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// The sum of Σ terms(k), k < count, in eight partial sums (k modulo 8) that are added pairwise.
template <class Term>
[[nodiscard]] double lane_sum(std::size_t count, const Term& term) noexcept {
  std::array<double, kLanes> sums{};
  std::size_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(k + lane);
  }
  for (std::size_t lane = 0; k + lane < count; ++lane) sums[lane] += term(k + lane);
  return add_lanes(sums);
}

// Arrays over visited moves go on to a multiple of kPadding with moves that change no sum and are never
// chosen.
inline constexpr std::size_t kPadding = 4;
inline constexpr double kPadValue = -std::numeric_limits<double>::max();
inline constexpr std::int32_t kPadVisits = 0;
inline constexpr float kPadPrior = 0.0f;

// Σ visits · value.
[[nodiscard]] double weighted_sum(std::span<const double> values,
                                  std::span<const std::int32_t> visits) noexcept;

// The move with the highest PUCT score, value + `exploration` · prior / (1 + visits), the first of several,
// among those outside the set `skipped`; and weighted_sum() of all, which reads the same arrays.
struct BestEdge {
  std::size_t slot;
  double score;
  double sum;
};
[[nodiscard]] BestEdge best_puct(std::span<const float> priors, std::span<const double> values,
                                 std::span<const std::int32_t> visits, double exploration,
                                 std::uint64_t skipped) noexcept;

// The first of the highest priors (≥ 0) outside a set of moves; priors.size() when it holds all of them.
// Reads up to a multiple of kLanes, whatever stands there.
[[nodiscard]] std::size_t first_highest(std::span<const float> priors, std::uint64_t without) noexcept;

}  // namespace pahtum
