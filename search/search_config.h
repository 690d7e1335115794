#pragma once

#include <cstdint>
#include <string>

#include "env/base/schema.h"

namespace pahtum {

// How the tree search looks ahead: the `search` section of a configuration.
struct SearchConfig {
  // Visits of the root after which a move is chosen.
  std::int64_t simulations = 64;
  // Visits kept from the last move are among them; otherwise each move gets so many new ones.
  bool count_reused = true;
  // How moves are chosen: `puct`, or `gumbel` as in Gumbel AlphaZero.
  std::string root = "puct";
  // One node for equal positions, whatever moves led there; otherwise one for every line of play.
  bool graph = true;
  // With at most so many empty squares a leaf is solved instead of evaluated, and what is proven goes up the
  // graph; 0: never.
  std::int64_t exact_leaf = 14;
  // With at most so many the root itself is solved, and nothing is searched; 0: never.
  std::int64_t exact_root = 20;
  // Exploration constant of PUCT.
  double cpuct = 1.5;
  // First-play urgency: an unvisited move is worth the node's value minus this · √(prior of the visited
  // moves).
  double fpu_reduction = 0.25;
  // Total concentration of the root's Dirichlet noise, shared evenly by the legal moves; self-play only.
  double dirichlet_alpha = 10.0;
  // Weight of that noise in the root's priors.
  double noise_fraction = 0.25;
  // Share of the concentration that goes to moves by the logarithm of their prior instead; KataGo's is 0.5.
  double noise_shape = 0.0;
  // Where there is noise, a move is given √(this · prior · visits) visits at least, and those that this alone
  // brought are taken out of the policy target; KataGo's is 2; 0 switches both off.
  double forced_playouts = 0.0;
  // Moves considered at a Gumbel root, and the constants c_visit and c_scale of its σ.
  std::int64_t gumbel_moves = 16;
  double gumbel_visit_scale = 50.0;
  double gumbel_value_scale = 1.0;
  // Temperature of the first move of a self-play game, and what it falls to, the difference halving every
  // `temperature_halflife` plies.
  double temperature = 1.0;
  double temperature_final = 0.1;
  std::int64_t temperature_halflife = 10;
};

[[nodiscard]] Schema describe(SearchConfig& config);

// temperature_final + (temperature − temperature_final) · 2^(−ply / halflife).
[[nodiscard]] double temperature_at(const SearchConfig& config, int ply) noexcept;

}  // namespace pahtum
