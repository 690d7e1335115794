#include "search/search_config.h"

#include <cmath>

namespace pahtum {

Schema describe(SearchConfig& config) {
  Schema schema("search", "How the tree search looks ahead.");
  schema
      .integer("simulations", &config.simulations, 1, 1'000'000, "visits",
               "Visits of the root after which a move is chosen.")
      .boolean("count_reused", &config.count_reused,
               "Visits kept from the last move count towards `simulations`; otherwise every move is given so "
               "many new ones.")
      .text("root", &config.root, {"puct", "gumbel"},
            "How moves are chosen: puct, or gumbel for Gumbel AlphaZero: sequential halving at the root, its "
            "improved policy below it and as the target.")
      .boolean("graph", &config.graph,
               "One node for equal positions, whatever the order of the moves that led there; otherwise "
               "every line of play has nodes of its own, and shared positions are evaluated again.")
      .integer("exact_leaf", &config.exact_leaf, 0, 20, "squares",
               "Positions with at most so many empty squares are solved exactly instead of evaluated, and "
               "what is proven decides the moves that lead there; 0 switches it off. At most 8 where points "
               "of runs "
               "are not convex: there the solver is slow.")
      .integer("exact_root", &config.exact_root, 0, 24, "squares",
               "With at most so many empty squares to move on, the position is solved exactly instead of "
               "searched; 0 switches it off. At most 10 where points of runs are not convex.")
      .real("cpuct", &config.cpuct, 0.0, 100.0, "",
            "Exploration constant of PUCT: higher follows the policy longer, lower the values sooner.")
      .real("fpu_reduction", &config.fpu_reduction, 0.0, 2.0, "",
            "First-play urgency: an unvisited move is worth its position's value minus this times the root "
            "of the visited moves' prior.")
      .real("dirichlet_alpha", &config.dirichlet_alpha, 0.001, 1000.0, "",
            "Total concentration of the Dirichlet noise in the root's priors, shared evenly by the legal "
            "moves: with 40 of them each has a fortieth. Self-play only.")
      .real("noise_fraction", &config.noise_fraction, 0.0, 1.0, "",
            "Weight of the noise in the root's priors; 0 switches it off.")
      .real("noise_shape", &config.noise_shape, 0.0, 1.0, "",
            "Share of the noise's concentration that goes to moves by the logarithm of their prior, cut at "
            "1 %, instead of evenly; KataGo's is 0.5.")
      .real(
          "forced_playouts", &config.forced_playouts, 0.0, 100.0, "",
          "With noise, every move of the root that was tried gets at least √(this · prior · visits) visits, "
          "and the policy target leaves out what that alone brought; KataGo's is 2, 0 switches it off.")
      .integer("gumbel_moves", &config.gumbel_moves, 1, 64, "moves", "Moves that a Gumbel root considers.")
      .real("gumbel_visit_scale", &config.gumbel_visit_scale, 0.0, 10'000.0, "visits",
            "c_visit of Gumbel AlphaZero: how strongly values outweigh the policy before many visits.")
      .real("gumbel_value_scale", &config.gumbel_value_scale, 0.0, 100.0, "",
            "c_scale of Gumbel AlphaZero: how strongly values from 0 to 1 outweigh the policy at all.")
      .real("temperature", &config.temperature, 0.0, 100.0, "",
            "Temperature of the first move of a self-play game: moves are drawn with probability "
            "proportional to visits^(1/temperature).")
      .real("temperature_final", &config.temperature_final, 0.0, 100.0, "",
            "What the temperature approaches; 0 takes a most visited move.")
      .integer("temperature_halflife", &config.temperature_halflife, 1, 10'000, "plies",
               "Plies in which the temperature comes half of the way to its final value.");
  return schema;
}

double temperature_at(const SearchConfig& config, int ply) noexcept {
  const double halvings = static_cast<double>(ply) / static_cast<double>(config.temperature_halflife);
  return config.temperature_final + (config.temperature - config.temperature_final) * std::exp2(-halvings);
}

}  // namespace pahtum
