#pragma once

// Internal to search/: which squares lie in runs long enough to count.

#include "env/bitboard.h"

namespace pahtum {

// The squares of horizontal and of vertical runs of at least `length` squares, 1 to 3.
[[nodiscard]] constexpr Bitboard in_row_runs(Bitboard board, int length) noexcept {
  constexpr Bitboard kNotLastColumn = 0x7F7F7F7F7F7F7F7Full;
  if (length == 1) return board;
  const Bitboard pairs = board & (board >> 1) & kNotLastColumn;
  if (length == 2) return pairs | pairs << 1;
  const Bitboard triples = pairs & (pairs >> 1) & kNotLastColumn;
  return triples | triples << 1 | triples << 2;
}
[[nodiscard]] constexpr Bitboard in_column_runs(Bitboard board, int length) noexcept {
  if (length == 1) return board;
  const Bitboard pairs = board & board >> 8;
  if (length == 2) return pairs | pairs << 8;
  const Bitboard triples = pairs & pairs >> 8;
  return triples | triples << 8 | triples << 16;
}

}  // namespace pahtum
