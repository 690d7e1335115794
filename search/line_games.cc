#include "search/line_games.h"

#include <cmath>
#include <utility>

#include "env/random_move.h"

namespace pahtum {

LineGames::LineGames(const GameRules& rules, const LineGamesConfig& config,
                     std::shared_ptr<const LineEvaluation> evaluation)
    : rules_(rules),
      config_(config),
      evaluation_(std::move(evaluation)),
      player_({.table_bytes = std::size_t{1} << 20}),
      solver_(std::size_t{8} << 20) {}

double LineGames::result_of(const Position& position) {
  const bool for_margin = config_.margin_scale > 0.0;
  const int value = solver_
                        .solve(position, {.objective = for_margin ? Objective::kMargin : Objective::kOutcome,
                                          .moves = SolvedMoves::kOneBest,
                                          .limits = {}})
                        .lower;
  return for_margin ? std::tanh(value / config_.margin_scale) : value;
}

std::vector<LineSample> LineGames::samples(std::uint64_t index) {
  Position position = rules_.start(config_.seed, Stream::kLayout, index);
  Random random(config_.seed, Stream::kOpening, index);
  auto opening = random.below(static_cast<std::uint32_t>(config_.opening_plies) + 1);
  for (; opening > 0 && position.empty_count() > config_.exact; --opening) {
    apply(position, random_move(position, random));
  }
  std::vector<LineSample> samples;
  std::size_t before = 0;  // samples whose result is still unknown
  while (!position.over()) {
    if (position.empty_count() > config_.exact) {
      samples.push_back({position, 0.0});
      ++before;
    } else {
      samples.push_back({position, result_of(position)});
      for (; before > 0; --before) {
        samples[before - 1].result = -samples[before].result;  // stones are placed in turn
      }
      const Position other = after(position, random_move(position, random));
      if (!other.over()) samples.push_back({other, result_of(other)});
    }
    player_.start(position, evaluation_, {});
    for (int depth = 0; depth < config_.depth; ++depth) player_.deepen();
    apply(position, player_.found().best);
  }
  return samples;
}

}  // namespace pahtum
