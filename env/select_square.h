#pragma once

#include <bit>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "env/bitboard.h"

namespace pahtum {

// The square number `index` (from 0, ascending) of `board`; index < popcount(board). Halves the word by
// population counts, six steps whatever the index.
[[nodiscard]] constexpr int nth_square_portable(Bitboard board, int index) noexcept {
  int square = 0;
  for (int width = 32; width > 0; width /= 2) {
    const int low = std::popcount(board & ((Bitboard{1} << width) - 1));
    if (index >= low) {
      index -= low;
      board >>= width;
      square += width;
    }
  }
  return square;
}

// The same as a set of one square, by one PDEP where the instruction set has it.
[[nodiscard]] inline Bitboard nth_square_bit(Bitboard board, int index) noexcept {
#ifdef __BMI2__
  return _pdep_u64(Bitboard{1} << index, board);
#else
  return square_bit(nth_square_portable(board, index));
#endif
}

[[nodiscard]] inline int nth_square(Bitboard board, int index) noexcept {
#ifdef __BMI2__
  return std::countr_zero(nth_square_bit(board, index));
#else
  return nth_square_portable(board, index);
#endif
}

}  // namespace pahtum
