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
constexpr std::size_t kWidth = 4;
using Doubles = double __attribute__((vector_size(kWidth * sizeof(double))));
using Floats = float __attribute__((vector_size(kWidth * sizeof(float))));
using Ints = std::int32_t __attribute__((vector_size(kWidth * sizeof(std::int32_t))));
using Longs = std::int64_t __attribute__((vector_size(kWidth * sizeof(std::int64_t))));
constexpr Longs kLongLanes = {0, 1, 2, 3};
constexpr Ints kLanesOfInts = {0, 1, 2, 3};
constexpr Ints kLaneBits = {1, 2, 4, 8};

template <class Vector, class Element>
void load(Vector& vector, const Element* from) noexcept {
  std::memcpy(&vector, from, sizeof(Vector));
}

double puct(double value, float prior, std::int32_t visits, double exploration) noexcept {
  return value + exploration * static_cast<double>(prior) / static_cast<double>(1 + visits);
}

BestEdge better_of(const BestEdge& a, const BestEdge& b) noexcept {
  const bool second = b.score > a.score || (b.score == a.score && b.slot < a.slot);
  return second ? b : a;
}

}  // namespace

double weighted_sum(std::span<const double> values, std::span<const std::int32_t> visits) noexcept {
  Doubles low = {};
  Doubles high = {};
  std::size_t k = 0;
  for (; k + kLanes <= values.size(); k += kLanes) {
    Doubles value;
    Ints count;
    load(value, &values[k]);
    load(count, &visits[k]);
    low += __builtin_convertvector(count, Doubles) * value;
    load(value, &values[k + kWidth]);
    load(count, &visits[k + kWidth]);
    high += __builtin_convertvector(count, Doubles) * value;
  }
  std::array<double, kLanes> sums;
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    sums[lane] = low[lane];
    sums[lane + kWidth] = high[lane];
  }
  for (std::size_t lane = 0; k + lane < values.size(); ++lane) {
    sums[lane] += static_cast<double>(visits[k + lane]) * values[k + lane];
  }
  return add_lanes(sums);
}

BestEdge best_puct(std::span<const float> priors, std::span<const double> values,
                   std::span<const std::int32_t> visits, double exploration, std::uint64_t skipped) noexcept {
  const std::size_t count = priors.size();
  BestEdge best{0, -std::numeric_limits<double>::infinity()};
  if (count < kWidth || skipped != 0) {
    for (std::size_t k = 0; k < count; ++k) {
      if (((skipped >> k) & 1) != 0) continue;
      best = better_of(best, {k, puct(values[k], priors[k], visits[k], exploration)});
    }
    return best;
  }
  Doubles highest = Doubles{} + best.score;
  Longs index = kLongLanes;
  for (std::size_t next = 0; next < count; next += kWidth) {
    // The last vector ends with the last move, and so may begin with some that were seen already.
    const std::size_t k = next + kWidth <= count ? next : count - kWidth;
    Doubles value;
    Floats prior;
    Ints visit;
    load(value, &values[k]);
    load(prior, &priors[k]);
    load(visit, &visits[k]);
    const Doubles score = value + exploration * __builtin_convertvector(prior, Doubles) /
                                      __builtin_convertvector(1 + visit, Doubles);
    const Longs better = score > highest;
    highest = better ? score : highest;
    index = better ? kLongLanes + static_cast<std::int64_t>(k) : index;
  }
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    best = better_of(best, {static_cast<std::size_t>(index[lane]), highest[lane]});
  }
  return best;
}

// Priors are not negative, so their bits are ordered as they are, and −1 stands below all of them.
std::size_t first_highest(std::span<const float> priors, std::uint64_t without) noexcept {
  const std::size_t count = priors.size();
  std::size_t best = count;
  std::int32_t best_key = -1;
  const auto compare = [&](std::int32_t key, std::size_t k) {
    const bool better = key > best_key || (key == best_key && k < best);
    best = better && key >= 0 ? k : best;
    best_key = better ? key : best_key;
  };
  if (count < kWidth) {
    for (std::size_t k = 0; k < count; ++k) {
      compare(((without >> k) & 1) != 0 ? -1 : std::bit_cast<std::int32_t>(priors[k]), k);
    }
    return best;
  }
  Ints highest = Ints{} - 1;
  Ints index = kLanesOfInts;
  for (std::size_t next = 0; next < count; next += kWidth) {
    const std::size_t k = next + kWidth <= count ? next : count - kWidth;
    Ints key;
    load(key, &priors[k]);
    const auto bits = static_cast<std::int32_t>((without >> k) & 0xF);
    key |= (kLaneBits & bits) != 0;
    const Ints better = key > highest;
    highest = better ? key : highest;
    index = better ? kLanesOfInts + static_cast<std::int32_t>(k) : index;
  }
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    compare(highest[lane], static_cast<std::size_t>(index[lane]));
  }
  return best;
}

}  // namespace pahtum
