#pragma once

// Internal to search/: moves by their number in the order of for_each_legal.

#include <bit>
#include <cstdint>

#include "env/position.h"
#include "env/select_square.h"

namespace pahtum {

[[nodiscard]] inline Move legal_move(const Position& position, std::uint32_t index) noexcept {
  const Bitboard squares = legal_squares(position);
  if (index >= static_cast<std::uint32_t>(std::popcount(squares))) return Move::swap();
  return Move::at(nth_square(squares, static_cast<int>(index)));
}

[[nodiscard]] inline std::uint32_t legal_index(const Position& position, Move move) noexcept {
  const Bitboard squares = legal_squares(position);
  if (move.is_swap()) return static_cast<std::uint32_t>(std::popcount(squares));
  return static_cast<std::uint32_t>(std::popcount(squares & (square_bit(move.square()) - 1)));
}

}  // namespace pahtum
