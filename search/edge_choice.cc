#include "search/edge_choice.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "env/bitboard.h"

namespace pahtum {
namespace {

// Vectors of the compiler (GCC and Clang): on every instruction set the same operations element by element.
// Plain loops came out several times slower.
constexpr std::size_t kWidth = kPadding;
using Doubles = double __attribute__((vector_size(kWidth * sizeof(double))));
using EdgeFloats = float __attribute__((vector_size(kWidth * sizeof(float))));
using EdgeInts = std::int32_t __attribute__((vector_size(kWidth * sizeof(std::int32_t))));
using Keys = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
constexpr Keys kLaneBits = {1, 2, 4, 8, 16, 32, 64, 128};

template <class Vector, class Element>
void load(Vector& vector, const Element* from) noexcept {
  std::memcpy(&vector, from, sizeof(Vector));
}

// Vectors go by reference: how they are passed by value depends on the instruction set.

// Puts the highest of all lanes into each of them.
void spread_highest(Doubles& lanes) noexcept {
  Doubles other = __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1);
  lanes = lanes > other ? lanes : other;
  other = __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2);
  lanes = lanes > other ? lanes : other;
}

void spread_highest(Keys& lanes) noexcept {
  Keys other = __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7, 0, 1, 2, 3);
  lanes = lanes > other ? lanes : other;
  other = __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1, 6, 7, 4, 5);
  lanes = lanes > other ? lanes : other;
  other = __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2, 5, 4, 7, 6);
  lanes = lanes > other ? lanes : other;
}

double lowest_of(const Doubles& all) noexcept {
  Doubles lanes = all;
  Doubles other = __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1);
  lanes = lanes < other ? lanes : other;
  other = __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2);
  lanes = lanes < other ? lanes : other;
  return lanes[0];
}

double add_lanes(const Doubles& low, const Doubles& high) noexcept {
  Doubles sums = low + high;
  sums += __builtin_shufflevector(sums, sums, 2, 3, 0, 1);
  return sums[0] + sums[1];
}

BestEdge best_unskipped(std::span<const float> priors, std::span<const double> values,
                        std::span<const std::int32_t> visits, double exploration,
                        std::uint64_t skipped) noexcept {
  BestEdge best{0, -std::numeric_limits<double>::infinity(), weighted_sum(values, visits)};
  for (std::size_t k = 0; k < priors.size(); ++k) {
    if (((skipped >> k) & 1) != 0) continue;
    const double score =
        values[k] + exploration * static_cast<double>(priors[k]) / static_cast<double>(1 + visits[k]);
    if (score <= best.score) continue;
    best.slot = k;
    best.score = score;
  }
  return best;
}

}  // namespace

double weighted_sum(std::span<const double> values, std::span<const std::int32_t> visits) noexcept {
  Doubles low = {};
  Doubles high = {};
  for (std::size_t k = 0; k < values.size(); k += kLanes) {
    Doubles value;
    EdgeInts count;
    load(value, values.data() + k);
    load(count, visits.data() + k);
    low += __builtin_convertvector(count, Doubles) * value;
    if (k + kWidth >= values.size()) break;
    load(value, values.data() + k + kWidth);
    load(count, visits.data() + k + kWidth);
    high += __builtin_convertvector(count, Doubles) * value;
  }
  return add_lanes(low, high);
}

BestEdge best_puct(std::span<const float> priors, std::span<const double> values,
                   std::span<const std::int32_t> visits, double exploration, std::uint64_t skipped) noexcept {
  if (skipped != 0) return best_unskipped(priors, values, visits, exploration, skipped);
  Doubles highest = Doubles{} - std::numeric_limits<double>::infinity();
  Doubles best = {};  // slots as doubles: one kind of vector for all
  Doubles slot = {0.0, 1.0, 2.0, 3.0};
  Doubles low = {};
  Doubles high = {};
  const auto take = [&](std::size_t k, Doubles& sum) {
    Doubles value;
    EdgeFloats prior;
    EdgeInts visit;
    load(value, values.data() + k);
    load(prior, priors.data() + k);
    load(visit, visits.data() + k);
    const Doubles count = __builtin_convertvector(visit, Doubles);
    const Doubles score = value + exploration * __builtin_convertvector(prior, Doubles) / (1.0 + count);
    const auto better = score > highest;
    highest = better ? score : highest;
    best = better ? slot : best;
    slot += static_cast<double>(kWidth);
    sum += count * value;
  };
  for (std::size_t k = 0; k < values.size(); k += kLanes) {
    take(k, low);
    if (k + kWidth < values.size()) take(k + kWidth, high);
  }
  Doubles top = highest;
  spread_highest(top);
  const Doubles first = highest == top ? best : Doubles{} + std::numeric_limits<double>::infinity();
  return {static_cast<std::size_t>(static_cast<std::int32_t>(lowest_of(first))), top[0],
          add_lanes(low, high)};
}

// Priors are not negative, so their bits are ordered as they are, and −1 stands below all of them.
std::size_t first_highest(std::span<const float> priors, std::uint64_t without) noexcept {
  const std::size_t count = priors.size();
  if (count < kMaxSquares) without |= ~std::uint64_t{0} << count;
  Keys highest = Keys{} - 1;
  Keys best = {};
  Keys index = {0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t k = 0; k < count; k += kLanes) {
    Keys key;
    load(key, priors.data() + k);
    const auto bits = static_cast<std::int32_t>(without >> k & 0xFF);
    key |= (kLaneBits & bits) != 0;
    const Keys better = key > highest;
    highest = better ? key : highest;
    best = better ? index : best;
    index += static_cast<std::int32_t>(kLanes);
  }
  Keys top = highest;
  spread_highest(top);
  if (top[0] < 0) return count;
  // The lowest of the best by the same steps, upside down.
  Keys first = highest == top ? -best : Keys{} - static_cast<std::int32_t>(kMaxSquares);
  spread_highest(first);
  return static_cast<std::size_t>(-first[0]);
}

}  // namespace pahtum
