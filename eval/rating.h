#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "eval/statistics.h"

namespace pahtum {

// What two players of a pool did against each other. The same two may meet in several.
struct PoolMatch {
  std::size_t first = 0, second = 0;  // places in the list of names, different
  PairResults pairs{};                // of the first player
};

struct PlayerRating {
  std::string name;
  double elo = 0, low = 0, high = 0;  // the anchor is 0 and has no width; 95 % of the difference to it
  WinDrawLoss results = {};           // over all its games
};

struct PoolRatings {
  std::vector<PlayerRating> players;  // in the order of the names
  std::size_t anchor = 0;
  Estimate white_advantage;  // Elo
  // ν: of games between equals with no edge for White, ν / (2 + ν) are drawn.
  Estimate draw_parameter;
  WinDrawLoss white;  // all games, as White's
  // [a][b]: the probability, by the normal distribution of the estimates, that a is stronger than b. ½ for a
  // player and itself.
  std::vector<std::vector<double>> superiority;
};

// One model for all games of a pool: Bradley-Terry with draws (Davidson, "On Extending the Bradley-Terry
// Model to Accommodate Ties in Paired Comparison Experiments", JASA 65, 1970) and an advantage of who moves
// first (Davidson and Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order
// Effects", Biometrics 33, 1977). With d = (r[White] − r[Black] + a) · ln 10 / 400, a White's advantage,
//
//   P(White wins) : P(draw) : P(Black wins) = exp(d / 2) : ν : exp(−d / 2)
//
// so that Elo counts won against lost games, and draws say that players are near. Of the models with draws
// this is the one in which a player's points are all that the games say of it, and the likelihood has one
// maximum; it is found by Newton's method.
//
// Prior: every player has played one more pair, spread over its opponents as its pairs are, in which both
// games were drawn, both won by White or both won by Black, with equal weight. Ratings are therefore finite
// whatever the results, and the prior pulls nobody towards players it never met.
//
// Covariance: the sandwich H⁻¹ M H⁻¹ with the curvature H of the likelihood and M summed over pairs, not
// games (Liang and Zeger, "Longitudinal Data Analysis Using Generalized Linear Models", Biometrika 73, 1986):
// the two games of one layout may depend on each other in any way. As in elo_difference(), results without
// spread count as hiding half a point, here one for each player.
//
// Throws a kRequest Error when `anchor` is not among the names, a name stands there twice, or some players
// never met the others, directly or through opponents: nothing then compares them. One player without games
// is a pool; of White's advantage and ν nothing is known in it, and their intervals are infinite.
[[nodiscard]] PoolRatings rate_players(std::span<const std::string> names, std::span<const PoolMatch> matches,
                                       const std::string& anchor);

}  // namespace pahtum
