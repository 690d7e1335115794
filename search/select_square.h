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

// The same by one PDEP where the instruction set has it.
[[nodiscard]] inline int nth_square(Bitboard board, int index) noexcept {
#ifdef __BMI2__
  return std::countr_zero(_pdep_u64(Bitboard{1} << index, board));
#else
  return nth_square_portable(board, index);
#endif
}

}  // namespace pahtum
