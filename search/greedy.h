#pragma once

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// The one-ply player: a stone that gains most points, less the most the opponent's next stone can gain then;
// ties uniformly at random. It never swaps. Where holes are placed and in the opening it chooses a legal
// square uniformly at random. `position` is not over.
[[nodiscard]] Move greedy_move(const Position& position, Random& random);

}  // namespace pahtum
