#include "search/legal_priors.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "search/edge_choice.h"

namespace pahtum {
namespace {

using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
using HalfFloats = float __attribute__((vector_size(kLanes / 2 * sizeof(float))));
using Doubles = double __attribute__((vector_size(kLanes / 2 * sizeof(double))));

// A whole vector may be written behind the last prior.
using Dense = std::array<float, kMaxSquares + kLanes>;

#ifdef __AVX2__
// [row]: the columns of the row's bits, in ascending order.
constexpr std::array<std::array<std::uint8_t, 8>, 256> kColumns = [] {
  std::array<std::array<std::uint8_t, 8>, 256> columns{};
  for (unsigned row = 0; row < 256; ++row) {
    std::size_t count = 0;
    for (unsigned column = 0; column < 8; ++column) {
      if ((row >> column & 1u) != 0) columns[row][count++] = static_cast<std::uint8_t>(column);
    }
  }
  return columns;
}();

// Row by row: one permutation brings a row's legal squares to its front.
std::size_t gather_squares(Bitboard squares, const float* policy, float* to) noexcept {
  std::size_t count = 0;
  for (; squares != 0; squares >>= 8, policy += 8) {
    const auto row = static_cast<std::uint8_t>(squares);
    const __m128i columns = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kColumns[row].data()));
    const __m256 entries = _mm256_permutevar8x32_ps(_mm256_loadu_ps(policy), _mm256_cvtepu8_epi32(columns));
    _mm256_storeu_ps(to + count, entries);
    count += static_cast<std::size_t>(std::popcount(row));
  }
  return count;
}
#else
std::size_t gather_squares(Bitboard squares, const float* policy, float* to) noexcept {
  std::size_t count = 0;
  for (; squares != 0; squares &= squares - 1) to[count++] = policy[lowest_square(squares)];
  return count;
}
#endif

}  // namespace

void legal_priors(const Position& position, const std::array<float, kMoveIndices>& policy,
                  std::span<float> priors) noexcept {
  Dense dense;
  std::size_t count = gather_squares(legal_squares(position), policy.data(), dense.data());
  if (may_swap(position)) dense[count++] = policy[static_cast<std::size_t>(Move::swap().index())];
  std::fill_n(dense.data() + count, kLanes, 0.0f);

  Doubles low = {};
  Doubles high = {};
  for (std::size_t k = 0; k < count; k += kLanes) {
    Floats entry;
    std::memcpy(&entry, &dense[k], sizeof(entry));
    const Ints usable = (entry > 0.0f) & (entry <= std::numeric_limits<float>::max());
    entry = usable ? entry : Floats{};
    std::memcpy(&dense[k], &entry, sizeof(entry));
    HalfFloats half;
    std::memcpy(&half, &dense[k], sizeof(half));
    low += __builtin_convertvector(half, Doubles);
    std::memcpy(&half, &dense[k + kLanes / 2], sizeof(half));
    high += __builtin_convertvector(half, Doubles);
  }
  std::array<double, kLanes> sums;
  std::memcpy(sums.data(), &low, sizeof(low));
  std::memcpy(sums.data() + kLanes / 2, &high, sizeof(high));
  const double sum = add_lanes(sums);
  if (!(sum > 0.0)) {
    std::fill(priors.begin(), priors.end(), 1.0f / static_cast<float>(count));
    return;
  }
  // One division; the last bit of a double more or less does not show in a float.
  const double scale = 1.0 / sum;
  for (std::size_t k = 0; k < count; k += kLanes / 2) {
    HalfFloats entry;
    std::memcpy(&entry, &dense[k], sizeof(entry));
    entry = __builtin_convertvector(__builtin_convertvector(entry, Doubles) * scale, HalfFloats);
    std::memcpy(&dense[k], &entry, sizeof(entry));
  }
  std::copy_n(dense.data(), count, priors.data());
}

void fill_legal(const Position& position, float share, std::array<float, kMoveIndices>& policy) noexcept {
  constexpr Ints kColumnBits = {1, 2, 4, 8, 16, 32, 64, 128};
  const Bitboard squares = legal_squares(position);
  for (std::size_t row = 0; row < kMaxSize; ++row) {
    const auto bits = static_cast<std::int32_t>(squares >> (8 * row) & 0xFF);
    const Floats entries = (kColumnBits & bits) != 0 ? Floats{} + share : Floats{};
    std::memcpy(&policy[8 * row], &entries, sizeof(entries));
  }
  policy[static_cast<std::size_t>(Move::swap().index())] = may_swap(position) ? share : 0.0f;
}

}  // namespace pahtum
