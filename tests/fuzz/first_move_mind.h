#pragma once

#include <cstdint>

#include "eval/engine_game.h"

namespace pahtum {

// Plays the first legal move, at once.
class FirstMoveMind final : public EngineMind {
 public:
  void require_position(const Position& /*position*/) const override {}
  [[nodiscard]] Analysis think(const Turn& turn, const ThinkLimits& limits) override {
    last_limits = limits;
    last_turn = turn;
    Analysis analysis;
    for_each_legal(turn.position, [&](Move move) { analysis.moves.emplace_back().move = move; });
    analysis.move = analysis.moves.front().move;
    analysis.moves.front().visits = 3;
    analysis.moves.front().prior = 0.5;
    analysis.moves.front().value = Value(0.25f);
    analysis.variation = {analysis.move};
    analysis.value = Value(0.25f);
    analysis.simulations = 3;
    return analysis;
  }
  void reseed(std::uint64_t new_seed) override { seed = new_seed; }

  std::uint64_t seed = 0;
  ThinkLimits last_limits;
  Turn last_turn;
};

}  // namespace pahtum
