#pragma once

// Internal to eval/: the players without a network that look ahead. Each is called as choice(position,
// random) and explains itself with analyse(); one thread at a time.

#include <cstdint>

#include "env/base/random.h"
#include "env/position.h"
#include "eval/analysis.h"
#include "search/alpha_beta.h"
#include "search/solver.h"
#include "search/uct.h"

namespace pahtum {

// Tree search with random rollouts. Knows visits and mean results.
class UctChoice {
 public:
  explicit UctChoice(std::int64_t simulations) : simulations_(simulations), search_(simulations) {}
  Move operator()(const Position& position, Random& random) { return search_.choose(position, random); }
  [[nodiscard]] Analysis analyse(const Position& position, Random& random, const ThinkLimits& limits);

 private:
  std::int64_t simulations_;
  UctSearch search_;
};

// Alpha-beta over a fitted evaluation of lines. Knows its score, or the truth near the end.
class AlphaBetaChoice {
 public:
  explicit AlphaBetaChoice(const AlphaBetaLimits& limits) : limits_(limits), search_(limits) {}
  Move operator()(const Position& position, Random& random) { return search_.choose(position, random); }
  [[nodiscard]] Analysis analyse(const Position& position, Random& random, const ThinkLimits& limits);

 private:
  AlphaBetaLimits limits_;  // of the SPEC
  AlphaBeta search_;
};

// Perfect play once few squares are empty, greedy before. The best margin brings the best outcome too.
class SolverChoice {
 public:
  explicit SolverChoice(int most_empty) : most_empty_(most_empty) {}
  Move operator()(const Position& position, Random& random);
  // Of each move it tells what it leads to, where there is time for that. Greedy's move where there is none
  // for the solution.
  [[nodiscard]] Analysis analyse(const Position& position, Random& random, const ThinkLimits& limits);

 private:
  int most_empty_;
  Solver solver_;
};

}  // namespace pahtum
