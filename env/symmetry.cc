#include "env/symmetry.h"

#include <tuple>

namespace pahtum {

Position apply_symmetry(const Position& position, int symmetry) noexcept {
  Position result = position;
  result.holes = apply_symmetry(position.holes, symmetry, position.size);
  result.white = apply_symmetry(position.white, symmetry, position.size);
  result.black = apply_symmetry(position.black, symmetry, position.size);
  return result;
}

Position smallest_form(const Position& position) noexcept {
  const auto key = [](const Position& form) { return std::tuple(form.holes, form.white, form.black); };
  Position smallest = position;
  for (int symmetry = 1; symmetry < kSymmetries; ++symmetry) {
    const Position form = apply_symmetry(position, symmetry);
    if (key(form) < key(smallest)) smallest = form;
  }
  return smallest;
}

Move apply_symmetry(Move move, int symmetry, int size) noexcept {
  return move.is_swap() ? move : Move::at(apply_symmetry_to_square(move.square(), symmetry, size));
}

}  // namespace pahtum
