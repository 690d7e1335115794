#pragma once

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// One ply of foresight: the points the stone gains minus the most points any next stone of the opponent can
// gain; ties uniformly at random (taking the first square instead scores 0.1 against this). Holes are placed
// uniformly at random, and the swap is never used. `position` is not over.
[[nodiscard]] Move greedy_move(const Position& position, Random& random);

}  // namespace pahtum
