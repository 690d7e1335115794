#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "env/game_rules.h"
#include "search/line_fit.h"
#include "search/line_search.h"
#include "search/solver.h"

namespace pahtum {

struct LineGamesConfig {
  std::uint64_t seed = 1;
  int depth = 3;           // plies that both players look ahead
  int opening_plies = 12;  // random stones a game begins with: 0 … so many
  int exact = 18;          // empty squares from which on the solver says what positions are worth
  // 0: results are won, drawn or lost; otherwise tanh(margin / margin_scale).
  double margin_scale = 0.0;
};

// Plays games to fit an evaluation to. One thread at a time per object.
class LineGames {
 public:
  // `rules` place all holes before the game; they are kept by reference.
  LineGames(const GameRules& rules, const LineGamesConfig& config,
            std::shared_ptr<const LineEvaluation> evaluation);

  // The positions of game number `index` that the players chose moves in, in order, all with true results:
  // those of at most `exact` empty squares with what they are worth, and those before with what the first of
  // these is worth. Beside each of the former a position that a random stone leads to. A pure function of
  // rules, configuration, evaluation and index.
  [[nodiscard]] std::vector<LineSample> samples(std::uint64_t index);

 private:
  [[nodiscard]] double result_of(const Position& position);

  const GameRules& rules_;
  LineGamesConfig config_;
  std::shared_ptr<const LineEvaluation> evaluation_;
  LineSearch player_;
  Solver solver_;
};

}  // namespace pahtum
