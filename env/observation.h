#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "env/position.h"

namespace pahtum {

// Planes of an observation, version 1: 0/1 values, [channel, row, column], row 0 the top rank. Always from
// the side of the mover: a position and its colour-swapped twin for the other mover look the same. Rules
// under which only stones are placed have the first kChannels channels; rules with placed holes or a swap
// have all kPhaseChannels. Append channels only with a new version: networks and exported models carry it.
inline constexpr int kObservationVersion = 1;
inline constexpr std::array<std::string_view, 12> kObservationChannels = {
    "own stones",
    "opponent's stones",
    "empty squares",
    "holes",
    "all ones while the mover may swap colours",
    "all ones while the mover places the opening: holes, then the stone that may be swapped",
    "all ones when the number of holes left to place has bit 0",
    "all ones when the number of holes left to place has bit 1",
    "all ones when the number of holes left to place has bit 2",
    "all ones when the number of holes left to place has bit 3",
    "all ones when the number of holes left to place has bit 4",
    "all ones when the number of holes left to place has bit 5",
};
inline constexpr int kChannels = 4;
inline constexpr int kPhaseChannels = static_cast<int>(kObservationChannels.size());

// Actions of an n×n board: row · n + column, row 0 the top rank; ascending in the order of moves. The swap,
// where the rules have it, is action n².
[[nodiscard]] constexpr int action_of(Move move, int size) noexcept {
  if (move.is_swap()) return size * size;
  return row_of(move.square()) * size + column_of(move.square());
}
[[nodiscard]] constexpr Move move_of(int action, int size) noexcept {
  if (action == size * size) return Move::swap();
  return Move::at(square_at(action / size, action % size));
}

// All channels as sets of squares.
[[nodiscard]] constexpr std::array<Bitboard, kPhaseChannels> observation_boards(
    const Position& position) noexcept {
  const Bitboard all = board_mask(position.size);
  std::array<Bitboard, kPhaseChannels> boards = {position.own(),
                                                 position.theirs(),
                                                 position.empty(),
                                                 position.holes,
                                                 position.phase == Phase::kSwapping ? all : 0,
                                                 position.phase == Phase::kOpening ? all : 0};
  for (int bit = 0; bit < 6; ++bit) {
    if (((position.holes_left >> bit) & 1) != 0) boards[static_cast<std::size_t>(6 + bit)] = all;
  }
  return boards;
}

// Writes the first C channels of one position, C = kChannels or kPhaseChannels; planes.size() must be C · n².
void write_observation(const Position& position, std::span<std::uint8_t> planes) noexcept;
void write_observation(const Position& position, std::span<float> planes) noexcept;

// Writes 1 for each legal action and 0 for the others; mask.size() = n², or n² + 1 where the rules have the
// swap.
void write_action_mask(const Position& position, std::span<std::uint8_t> mask) noexcept;

}  // namespace pahtum
