#pragma once

#include <cstdint>

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// Each legal move with the same probability; one draw from `random`. The game must not be over.
[[nodiscard]] inline Move random_move(const Position& position, Random& random) noexcept {
  const auto choices = static_cast<std::uint32_t>(legal_count(position));
  return nth_legal(position, static_cast<int>(random.below(choices)));
}

}  // namespace pahtum
