#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "env/position.h"

namespace pahtum {

// Planes of an observation, version 1: 0/1 values, [channel, row, column], row 0 the top rank. Always from
// the side of the mover: a position and its colour-swapped twin for the other mover look the same. Append
// channels only with a new version: networks and exported models carry it.
inline constexpr int kObservationVersion = 1;
inline constexpr std::array<std::string_view, 4> kObservationChannels = {
    "own stones",
    "opponent's stones",
    "empty squares",
    "holes",
};
inline constexpr int kChannels = static_cast<int>(kObservationChannels.size());

// Actions of an n×n board: row · n + column, row 0 the top rank; ascending in the order of moves. The swap,
// where the rules have it, will be action n².
[[nodiscard]] constexpr int action_of(Move move, int size) noexcept {
  if (move.is_swap()) return size * size;
  return row_of(move.square()) * size + column_of(move.square());
}
[[nodiscard]] constexpr Move move_of(int action, int size) noexcept {
  if (action == size * size) return Move::swap();
  return Move::at(square_at(action / size, action % size));
}

// The channels as sets of squares.
[[nodiscard]] constexpr std::array<Bitboard, kChannels> observation_boards(
    const Position& position) noexcept {
  return {position.own(), position.theirs(), position.empty(), position.holes};
}

// Writes the planes of one position; planes.size() must be kChannels · n · n. T is float or std::uint8_t.
template <class T>
void write_observation(const Position& position, std::span<T> planes) noexcept {
  const int size = position.size;
  T* out = planes.data();
  for (const Bitboard board : observation_boards(position)) {
    for (int row = 0; row < size; ++row) {
      const auto bits = static_cast<unsigned>(board >> (8 * row));
      for (int column = 0; column < size; ++column) *out++ = static_cast<T>((bits >> column) & 1u);
    }
  }
}

// Writes 1 for each legal action and 0 for the others; mask.size() = n².
inline void write_action_mask(const Position& position, std::span<std::uint8_t> mask) noexcept {
  const int size = position.size;
  const Bitboard legal = legal_squares(position);
  std::uint8_t* out = mask.data();
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column)
      *out++ = static_cast<std::uint8_t>((legal >> (8 * row + column)) & 1u);
  }
}

}  // namespace pahtum
