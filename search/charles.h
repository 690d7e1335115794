#pragma once

#include <array>

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// The heuristic player "Charles" (K. Gornicki, MSc thesis, University of York, 2012): the empty square of the
// highest sum, ties uniformly at random. Added up for a square:
//   - in each of the four directions, from the neighbour on, while squares are empty or own: 7 for an empty
//     one, 9 for an own stone, one less with each step;
//   - along each axis the bonus of the run that an own stone would make, and that of the run that a stone of
//     the other player would make.
// It ignores the table of points. It never swaps; where holes are placed and in the opening it does what
// greedy_move does. `position` is not over.
[[nodiscard]] Move charles_move(const Position& position, Random& random);

// The sum of every empty square by its number, for the mover; 0 elsewhere.
[[nodiscard]] std::array<int, kMaxSquares> charles_sums(const Position& position);

}  // namespace pahtum
