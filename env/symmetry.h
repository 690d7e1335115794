#pragma once

#include <array>

#include "env/bitboard.h"
#include "env/position.h"

namespace pahtum {

// The eight symmetries of the square board. Number s means: transpose when s & 4, then flip the columns when
// s & 1, then flip the rows when s & 2. 0 is the identity.
inline constexpr int kSymmetries = 8;

[[nodiscard]] constexpr Bitboard apply_symmetry(Bitboard board, int symmetry, int size) noexcept {
  if ((symmetry & 4) != 0) board = transpose(board);
  if ((symmetry & 1) != 0) board = flip_columns(board, size);
  if ((symmetry & 2) != 0) board = flip_rows(board, size);
  return board;
}

[[nodiscard]] constexpr int apply_symmetry_to_square(int square, int symmetry, int size) noexcept {
  int row = row_of(square);
  int column = column_of(square);
  if ((symmetry & 4) != 0) {
    const int old_row = row;
    row = column;
    column = old_row;
  }
  if ((symmetry & 1) != 0) column = size - 1 - column;
  if ((symmetry & 2) != 0) row = size - 1 - row;
  return square_at(row, column);
}

// The symmetry that undoes `symmetry`.
[[nodiscard]] constexpr int inverse_symmetry(int symmetry) noexcept {
  // With a transposition first, the two flips change their roles on the way back.
  if ((symmetry & 4) == 0) return symmetry;
  return 4 | ((symmetry & 1) << 1) | ((symmetry & 2) >> 1);
}

[[nodiscard]] Position apply_symmetry(const Position& position, int symmetry) noexcept;

// Of the eight symmetric forms of a position the one that stands for all: the smallest by holes, then white,
// then black stones.
[[nodiscard]] Position smallest_form(const Position& position) noexcept;

// Squares turn with the board; the swap stays what it is.
[[nodiscard]] Move apply_symmetry(Move move, int symmetry, int size) noexcept;

}  // namespace pahtum
