#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "app/bench_row.h"
#include "env/base/thread_team.h"
#include "env/game_rules.h"
#include "env/random_move.h"
#include "search/solver.h"
#include "search/uct.h"

namespace pahtum {
namespace {

constexpr std::size_t kBenchTableBytes = std::size_t{32} << 20;

// Positions to solve: a size, holes, and the empty squares left when random, or good, play stops.
struct Kind {
  int size, holes, empty, positions;
  bool good_play;
  std::vector<Objective> objectives;
};

std::vector<Position> positions_of(const Kind& kind, std::uint64_t seed) {
  const GameRules rules({.size = kind.size, .holes = kind.holes});
  UctSearch uct(10'000);
  std::vector<Position> positions;
  for (int index = 0; index < kind.positions; ++index) {
    const auto number = static_cast<std::uint64_t>(index);
    Position position = rules.start(seed, Stream::kTest, number);
    Random random(seed, Stream::kTest, number, 1);
    while (position.empty_count() > kind.empty) {
      apply(position, kind.good_play ? uct.choose(position, random) : random_move(position, random));
    }
    positions.push_back(position);
  }
  return positions;
}

// Milliseconds of each position, with nothing known before it; making and clearing the table is not counted.
// Ends with the position that takes the sum over `seconds`.
std::vector<double> times(Solver& solver, const std::vector<Position>& positions, Objective objective,
                          SolvedMoves moves, double seconds) {
  std::vector<double> milliseconds;
  double taken = 0.0;
  for (const Position& position : positions) {
    if (taken >= seconds) break;
    solver.clear();
    const Solution solution = solver.solve(position, {.objective = objective, .moves = moves, .limits = {}});
    taken += solution.seconds;
    milliseconds.push_back(1000.0 * solution.seconds);
  }
  return milliseconds;
}

double mean(const std::vector<double>& values, std::size_t count) {
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
         static_cast<double>(count);
}

}  // namespace

std::vector<BenchRow> bench_solver(const RunConfig& config, double seconds) {
  const auto seed = static_cast<std::uint64_t>(config.run.seed);
  constexpr Objective kOutcome = Objective::kOutcome;
  constexpr Objective kMargin = Objective::kMargin;
  const Kind kinds[] = {
      {7, 5, 14, 200, false, {kOutcome, kMargin}}, {7, 5, 16, 200, false, {kOutcome, kMargin}},
      {7, 5, 18, 200, false, {kOutcome, kMargin}}, {7, 5, 20, 200, false, {kOutcome, kMargin}},
      {7, 5, 24, 200, false, {kOutcome}},          {7, 5, 16, 10, true, {kOutcome, kMargin}},
      {7, 5, 20, 10, true, {kOutcome, kMargin}},   {5, 5, 20, 20, false, {kOutcome, kMargin}},
      {5, 3, 22, 20, false, {kOutcome}},
  };
  Solver solver(kBenchTableBytes);
  const int processors = hardware_threads();
  Solver shared_solver(kBenchTableBytes, processors);
  // What is made once in a program is not counted.
  (void)solver.solve(parse_position("3/3/3 w"));
  std::vector<BenchRow> measured;
  for (const Kind& kind : kinds) {
    const std::vector<Position> positions = positions_of(kind, seed);
    const bool first = kind.size * kind.size - kind.holes == kind.empty;
    for (const Objective objective : kind.objectives) {
      const auto one = times(solver, positions, objective, SolvedMoves::kOneBest, seconds);
      const auto all = times(solver, positions, objective, SolvedMoves::kAllBest, seconds);
      const auto what = [&](std::size_t count) {
        return fmt::format("{}×{}, {} holes, {} empty, {}, {} of {} {} positions", kind.size, kind.size,
                           kind.holes, kind.empty, objective_name(objective), count, kind.positions,
                           first            ? "first"
                           : kind.good_play ? "uct:10000"
                                            : "random");
      };
      // The ratio is over the positions that both have solved.
      const std::size_t both = std::min(one.size(), all.size());
      measured.push_back({what(one.size()), mean(one, one.size()), "ms", {}, ""});
      measured.push_back({what(all.size()) + ", all best moves", mean(all, all.size()), "ms",
                          mean(all, both) / mean(one, both), what(one.size())});
      if (kind.empty < 20 || processors == 1) continue;
      const auto together = times(shared_solver, positions, objective, SolvedMoves::kOneBest, seconds);
      const std::size_t same = std::min(one.size(), together.size());
      measured.push_back({fmt::format("{}, {} threads", what(together.size()), processors),
                          mean(together, together.size()), "ms", mean(together, same) / mean(one, same),
                          what(one.size())});
    }
  }
  return measured;
}

}  // namespace pahtum
