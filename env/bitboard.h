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
inline constexpr std::array<Bitboard, kMaxSize + 1> kBoardMasks = [] {
  std::array<Bitboard, kMaxSize + 1> masks{};
  for (int size = 1; size <= kMaxSize; ++size) {
    const Bitboard row = (Bitboard{1} << size) - 1;
    for (int r = 0; r < size; ++r) masks[static_cast<std::size_t>(size)] |= row << (8 * r);
  }
  return masks;
}();
[[nodiscard]] constexpr Bitboard board_mask(int size) noexcept {
  return kBoardMasks[static_cast<std::size_t>(size)];
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

// Points of a run by its length, 1 to 8 squares.
struct RunPoints {
  std::array<std::uint16_t, kMaxSize> by_length{};  // by_length[k]: a run of k + 1

  // Length 0 … 8; no run, no points.
  [[nodiscard]] constexpr int operator[](int length) const noexcept {
    return length == 0 ? 0 : by_length[static_cast<std::size_t>(length - 1)];
  }
  friend constexpr bool operator==(const RunPoints&, const RunPoints&) noexcept = default;
};

// The game's own table: p(n) = n + 2·p(n−1) for n ≥ 3, nothing for shorter runs. A run's points already
// contain those of its shorter runs.
inline constexpr RunPoints kRunPoints{{0, 0, 3, 10, 25, 56, 119, 246}};

// Points of all maximal runs in one line of eight squares, by the line's bits.
using LinePoints = std::array<std::uint16_t, 256>;

[[nodiscard]] constexpr LinePoints line_points(const RunPoints& run_points) noexcept {
  LinePoints points{};
  for (unsigned line = 0; line < 256; ++line) {
    int sum = 0;
    int run = 0;
    for (int square = 0; square <= kMaxSize; ++square) {
      if (square < kMaxSize && ((line >> square) & 1u) != 0) {
        ++run;
      } else {
        sum += run_points[run];
        run = 0;
      }
    }
    points[line] = static_cast<std::uint16_t>(sum);
  }
  return points;
}

// The same by the game's own table, in 256 bytes.
inline constexpr std::array<std::uint8_t, 256> kRowPoints = [] {
  constexpr LinePoints kPoints = line_points(kRunPoints);
  std::array<std::uint8_t, 256> bytes{};
  for (std::size_t line = 0; line < kPoints.size(); ++line)
    bytes[line] = static_cast<std::uint8_t>(kPoints[line]);
  return bytes;
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

// Points by any table. A run of n squares holds n − k + 1 windows of k squares, so any p(n) is a sum over the
// windows: each of length k counts p(k) − 2·p(k−1) + p(k−2), with p(0) = p(−1) = 0.
using WindowWeights = std::array<std::int32_t, kMaxSize>;  // [k − 1]: a window of k squares

[[nodiscard]] constexpr WindowWeights window_weights(const RunPoints& run_points) noexcept {
  WindowWeights weights{};
  for (int length = 1; length <= kMaxSize; ++length) {
    const int before = length < 2 ? 0 : run_points[length - 2];
    weights[static_cast<std::size_t>(length - 1)] = run_points[length] - 2 * run_points[length - 1] + before;
  }
  return weights;
}

// No branch depends on the stones.
[[nodiscard]] constexpr int points(Bitboard stones, const WindowWeights& weights) noexcept {
  constexpr Bitboard kNotLastColumn = 0x7F7F7F7F7F7F7F7Full;
  int sum = 0;
  Bitboard across = stones;  // squares where a window of `length` begins
  Bitboard down = stones;
#pragma GCC unroll 8
  for (int length = 1; length <= kMaxSize; ++length) {
    sum += weights[static_cast<std::size_t>(length - 1)] * (std::popcount(across) + std::popcount(down));
    across &= (across >> 1) & kNotLastColumn;
    down &= down >> 8;
  }
  return sum;
}

[[nodiscard]] constexpr int points(Bitboard stones, const RunPoints& run_points) noexcept {
  return points(stones, window_weights(run_points));
}

}  // namespace pahtum
