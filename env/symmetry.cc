#include "env/symmetry.h"

namespace pahtum {

Position apply_symmetry(const Position& position, int symmetry) noexcept {
  Position result = position;
  result.holes = apply_symmetry(position.holes, symmetry, position.size);
  result.white = apply_symmetry(position.white, symmetry, position.size);
  result.black = apply_symmetry(position.black, symmetry, position.size);
  return result;
}

Move apply_symmetry(Move move, int symmetry, int size) noexcept {
  return move.is_swap() ? move : Move::at(apply_symmetry_to_square(move.square(), symmetry, size));
}

}  // namespace pahtum
