#pragma once

#include <cstdint>
#include <span>

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// What the search knows of one move at the root. Values are for the side to move at the root.
struct RootMove {
  Move move;
  std::int32_t visits = 0;
  float prior = 0.0f;  // noise included when there is noise
  Value value;         // mean result of the simulations through the move, or the exact one; else 0
  // What is proven of it: the result with best play of both sides lies between them.
  Value lower{-1.0f};
  Value upper{1.0f};

  [[nodiscard]] constexpr bool exact() const noexcept { return lower == upper; }
};

// The moves that proof leaves to choose from, bit k for moves[k]: none proven worse than another, and only
// the best ones where the best result is proven. `moves` holds 1 … 64.
[[nodiscard]] std::uint64_t undominated(std::span<const RootMove> moves) noexcept;

// A move drawn with probability ∝ visits^(1/temperature), computed in logarithms; temperature 0 takes a most
// visited move, the one with the higher prior when several are, and the first of those. Only of the
// undominated ones. With no visits at all, priors take
// their place. `moves` is not empty.
[[nodiscard]] Move choose_move(std::span<const RootMove> moves, double temperature, Random& random);

}  // namespace pahtum
