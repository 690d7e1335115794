#include "search/search_config.h"

#include <cmath>

namespace pahtum {

Schema describe(SearchConfig& config) {
  Schema schema("search", "How the tree search looks ahead in self-play, and by default in evaluation.");
  schema
      .integer("simulations", &config.simulations, 1, 1'000'000, "visits",
               "Visits of the root a move is chosen after; those kept from the move before count.")
      .real("cpuct", &config.cpuct, 0.0, 100.0, "", "Exploration constant of PUCT.")
      .real("fpu_reduction", &config.fpu_reduction, 0.0, 2.0, "value",
            "First-play urgency: an unvisited move is worth its parent's value minus this, times the square "
            "root of "
            "the prior mass already visited.")
      .real("dirichlet_alpha", &config.dirichlet_alpha, 0.01, 1000.0, "",
            "Total concentration of the Dirichlet noise at the root, shared evenly by the legal moves.")
      .real("noise_fraction", &config.noise_fraction, 0.0, 1.0, "",
            "Weight of the noise in the root's priors; in self-play only.")
      .real("temperature", &config.temperature, 0.0, 10.0, "",
            "Temperature of a self-play game's first move: moves are drawn in proportion to "
            "visits^(1/temperature).")
      .real("temperature_final", &config.temperature_final, 0.0, 10.0, "",
            "Temperature that is approached as the game goes on.")
      .integer("temperature_halflife", &config.temperature_halflife, 1, 1000, "plies",
               "Plies in which the temperature's distance to its final value halves.");
  return schema;
}

double temperature_at(const SearchConfig& config, int ply) noexcept {
  const double halvings = static_cast<double>(ply) / static_cast<double>(config.temperature_halflife);
  return config.temperature_final + (config.temperature - config.temperature_final) * std::exp2(-halvings);
}

}  // namespace pahtum
