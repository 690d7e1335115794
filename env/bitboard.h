#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace pahtum {

// A set of squares of a board of up to 8×8, one bit each, a row per byte:
//
//   bit = 8 · row + column       row 0 is the top row (the highest rank), column 0 is file a
//
//   7×7:  a7 b7 c7 d7 e7 f7 g7 –      bits  0 …  6   (bit 7 is outside)
//         a6 b6 …                     bits  8 … 14
//         …
//         a1 b1 …                     bits 48 … 54   (bits 56 … 63 are outside)
//
// What lies outside a smaller board is simply never set, so one code path serves all sizes.
using Bitboard = std::uint64_t;

inline constexpr int kMinSize = 3;
inline constexpr int kMaxSize = 8;
inline constexpr int kMaxSquares = 64;

[[nodiscard]] constexpr Bitboard square_bit(int square) noexcept {
  return Bitboard{1} << square;
}
[[nodiscard]] constexpr int square_at(int row, int column) noexcept {
  return 8 * row + column;
}
[[nodiscard]] constexpr int row_of(int square) noexcept {
  return square >> 3;
}
[[nodiscard]] constexpr int column_of(int square) noexcept {
  return square & 7;
}
[[nodiscard]] constexpr int lowest_square(Bitboard board) noexcept {
  return std::countr_zero(board);
}

// All squares of an n×n board, 3 ≤ n ≤ 8.
[[nodiscard]] constexpr Bitboard board_mask(int size) noexcept {
  const Bitboard row = (Bitboard{1} << size) - 1;
  Bitboard mask = 0;
  for (int r = 0; r < size; ++r) mask |= row << (8 * r);
  return mask;
}

// Mirror at the main diagonal (a8–h1 of the full board): bit (row, column) goes to (column, row).
[[nodiscard]] constexpr Bitboard transpose(Bitboard board) noexcept {
  Bitboard t = (board ^ (board >> 7)) & 0x00AA00AA00AA00AAull;
  board ^= t ^ (t << 7);
  t = (board ^ (board >> 14)) & 0x0000CCCC0000CCCCull;
  board ^= t ^ (t << 14);
  t = (board ^ (board >> 28)) & 0x00000000F0F0F0F0ull;
  return board ^ t ^ (t << 28);
}

// Top row and bottom row change places, and so on inwards.
[[nodiscard]] constexpr Bitboard flip_rows(Bitboard board, int size) noexcept {
  return __builtin_bswap64(board) >> (8 * (8 - size));
}

// First and last column change places, and so on inwards.
[[nodiscard]] constexpr Bitboard flip_columns(Bitboard board, int size) noexcept {
  board = ((board >> 1) & 0x5555555555555555ull) | ((board & 0x5555555555555555ull) << 1);
  board = ((board >> 2) & 0x3333333333333333ull) | ((board & 0x3333333333333333ull) << 2);
  board = ((board >> 4) & 0x0F0F0F0F0F0F0F0Full) | ((board & 0x0F0F0F0F0F0F0F0Full) << 4);
  return board >> (8 - size);
}

// Points of a run by its length: p(n) = n + 2·p(n−1) for n ≥ 3, nothing for shorter ones. A run's points
// already contain those of its shorter runs.
inline constexpr std::array<int, 9> kRunPoints = {0, 0, 0, 3, 10, 25, 56, 119, 246};

// Points of all maximal runs in one row, by the row's eight bits.
inline constexpr std::array<std::uint8_t, 256> kRowPoints = [] {
  std::array<std::uint8_t, 256> points{};
  for (unsigned row = 0; row < 256; ++row) {
    int sum = 0;
    int run = 0;
    for (int column = 0; column <= 8; ++column) {
      if (column < 8 && ((row >> column) & 1u) != 0) {
        ++run;
      } else {
        sum += kRunPoints[static_cast<std::size_t>(run)];
        run = 0;
      }
    }
    points[row] = static_cast<std::uint8_t>(sum);
  }
  return points;
}();

// Points of the horizontal runs of `stones`, and of horizontal and vertical runs together.
[[nodiscard]] constexpr int row_points(Bitboard stones) noexcept {
  int sum = 0;
  for (; stones != 0; stones >>= 8) sum += kRowPoints[stones & 0xFF];
  return sum;
}
[[nodiscard]] constexpr int points(Bitboard stones) noexcept {
  return row_points(stones) + row_points(transpose(stones));
}

}  // namespace pahtum
