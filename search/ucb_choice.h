#pragma once

// Internal to search/: the move with the highest UCB1 score, in vector instructions.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pahtum {

inline constexpr std::size_t kUcbLanes = 8;

// The first of the highest mean + exploration · width, all of which are ≥ 0 for the first `count` ≥ 1 and
// negative for what fills up the last eight. Vectors of the compiler (GCC and Clang): on every instruction
// set the same operations element by element.
[[nodiscard]] inline std::size_t best_ucb(const float* means, const float* widths, std::size_t count,
                                          float exploration) noexcept {
  using Floats = float __attribute__((vector_size(kUcbLanes * sizeof(float))));
  using Ints = std::int32_t __attribute__((vector_size(kUcbLanes * sizeof(std::int32_t))));
  using Longs = std::int64_t __attribute__((vector_size(kUcbLanes / 2 * sizeof(std::int64_t))));
  // Slots count down, so that the larger of two is the first.
  constexpr std::int32_t kLast = 63;
  Ints slots = {kLast, kLast - 1, kLast - 2, kLast - 3, kLast - 4, kLast - 5, kLast - 6, kLast - 7};
  Ints best = slots;
  Floats highest = Floats{} - 1.0f;
  for (std::size_t k = 0; k < count; k += kUcbLanes) {
    Floats mean;
    Floats width;
    std::memcpy(&mean, means + k, sizeof(mean));
    std::memcpy(&width, widths + k, sizeof(width));
    const Floats score = mean + exploration * width;
    const Ints better = score > highest;
    highest = better ? score : highest;
    best = better ? slots : best;
    slots -= static_cast<std::int32_t>(kUcbLanes);
  }
  // Positive numbers are ordered as their bits are; with the slot below them one comparison decides.
  Ints bits;
  std::memcpy(&bits, &highest, sizeof(bits));
  const Ints low_pairs = __builtin_shufflevector(best, bits, 0, 8, 1, 9, 4, 12, 5, 13);
  const Ints high_pairs = __builtin_shufflevector(best, bits, 2, 10, 3, 11, 6, 14, 7, 15);
  Longs low;
  Longs high;
  std::memcpy(&low, &low_pairs, sizeof(low));
  std::memcpy(&high, &high_pairs, sizeof(high));
  Longs key = low > high ? low : high;
  const Longs halves = __builtin_shufflevector(key, key, 2, 3, 0, 1);
  key = halves > key ? halves : key;
  const std::int64_t first = key[0];
  const std::int64_t second = key[1];
  return static_cast<std::size_t>(kLast - static_cast<std::int32_t>(first > second ? first : second));
}

// The same for few, of which nothing fills up the rest.
[[nodiscard]] inline std::size_t best_ucb_of_few(const float* means, const float* widths, std::size_t count,
                                                 float exploration) noexcept {
  std::size_t best = 0;
  float highest = means[0] + exploration * widths[0];
  for (std::size_t k = 1; k < count; ++k) {
    const float score = means[k] + exploration * widths[k];
    best = score > highest ? k : best;
    highest = score > highest ? score : highest;
  }
  return best;
}

}  // namespace pahtum
