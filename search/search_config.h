#pragma once

#include <cstdint>

#include "env/base/schema.h"

namespace pahtum {

// How the tree search looks ahead: the `search` section of a configuration.
struct SearchConfig {
  std::int64_t simulations =
      64;              // visits of the root a move is chosen after, visits kept from the last move included
  double cpuct = 1.5;  // exploration constant of PUCT
  double fpu_reduction =
      0.25;  // first-play urgency: an unvisited move is worth the parent's value minus this
  double dirichlet_alpha = 10.0;   // total concentration, shared evenly by the legal moves
  double noise_fraction = 0.25;    // weight of the noise in the root's priors; self-play only
  double temperature = 1.0;        // of the first move of a self-play game
  double temperature_final = 0.1;  // approached by halving every `temperature_halflife` plies
  std::int64_t temperature_halflife = 10;
};

[[nodiscard]] Schema describe(SearchConfig& config);

// temperature_final + (temperature − temperature_final) · 2^(−ply / halflife).
[[nodiscard]] double temperature_at(const SearchConfig& config, int ply) noexcept;

}  // namespace pahtum
