#pragma once

// Internal to search/: priors from an evaluator's policy.

#include <array>
#include <span>

#include "env/position.h"

namespace pahtum {

// What the policy gives to the legal moves of `position`, in ascending order and scaled to sum 1: entries
// that are negative or not finite count as 0, and all are equal when nothing remains. `priors` has room for
// all.
void legal_priors(const Position& position, const std::array<float, kMoveIndices>& policy,
                  std::span<float> priors) noexcept;

// A policy with `share` for each of the position's squares and the swap, and 0 for the rest.
void fill_legal(const Position& position, float share, std::array<float, kMoveIndices>& policy) noexcept;

}  // namespace pahtum
