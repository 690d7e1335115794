#include <spdlog/fmt/fmt.h>

#include <string>
#include <vector>

#include "app/bench_row.h"
#include "env/game_rules.h"
#include "search/solver.h"
#include "search/uct.h"

namespace pahtum {
namespace {

constexpr std::size_t kTableBytes = std::size_t{32} << 20;

// Positions to solve: a size, holes, and the empty squares left when random, or good, play stops.
struct Row {
  int size, holes, empty, positions;
  Objective objective;
  bool good_play;
};

std::vector<Position> positions_of(const Row& row, std::uint64_t seed) {
  const GameRules rules({.size = row.size, .holes = row.holes});
  UctSearch uct(10'000);
  std::vector<Position> positions;
  for (int index = 0; index < row.positions; ++index) {
    const auto number = static_cast<std::uint64_t>(index);
    Position position = rules.start(seed, Stream::kTest, number);
    Random random(seed, Stream::kTest, number, 1);
    while (position.empty_count() > row.empty) {
      const auto choices = static_cast<std::uint32_t>(legal_count(position));
      apply(position, row.good_play ? uct.choose(position, random)
                                    : nth_legal(position, static_cast<int>(random.below(choices))));
    }
    positions.push_back(position);
  }
  return positions;
}

// Mean milliseconds a position, with nothing known before each; making and clearing the table is not counted.
double mean_ms(Solver& solver, const std::vector<Position>& positions, Objective objective,
               SolvedMoves moves) {
  double seconds = 0.0;
  for (const Position& position : positions) {
    solver.clear();
    seconds += solver.solve(position, {.objective = objective, .moves = moves, .limits = {}}).seconds;
  }
  return 1000.0 * seconds / static_cast<double>(positions.size());
}

}  // namespace

std::vector<BenchRow> bench_solver(const RunConfig& config, double /*seconds*/) {
  const auto seed = static_cast<std::uint64_t>(config.run.seed);
  constexpr Objective kOutcome = Objective::kOutcome;
  constexpr Objective kMargin = Objective::kMargin;
  const Row rows[] = {
      {7, 5, 14, 200, kOutcome, false}, {7, 5, 14, 200, kMargin, false},  {7, 5, 16, 200, kOutcome, false},
      {7, 5, 16, 200, kMargin, false},  {7, 5, 18, 200, kOutcome, false}, {7, 5, 18, 200, kMargin, false},
      {7, 5, 20, 200, kOutcome, false}, {7, 5, 20, 200, kMargin, false},  {7, 5, 24, 200, kOutcome, false},
      {7, 5, 16, 40, kOutcome, true},   {7, 5, 16, 40, kMargin, true},    {7, 5, 20, 40, kOutcome, true},
      {7, 5, 20, 40, kMargin, true},    {5, 5, 20, 20, kOutcome, false},  {5, 5, 20, 20, kMargin, false},
      {5, 3, 22, 20, kOutcome, false},
  };
  Solver solver(kTableBytes);
  std::vector<BenchRow> measured;
  for (const Row& row : rows) {
    const std::vector<Position> positions = positions_of(row, seed);
    const std::string what =
        fmt::format("{}×{}, {} holes, {} empty, {}, {} positions", row.size, row.size, row.holes, row.empty,
                    row.objective == kMargin ? "margin" : "outcome",
                    row.size * row.size - row.holes == row.empty ? fmt::format("{} first", row.positions)
                    : row.good_play                              ? fmt::format("{} uct:10000", row.positions)
                                                                 : fmt::format("{} random", row.positions));
    const double one = mean_ms(solver, positions, row.objective, SolvedMoves::kOneBest);
    const double all = mean_ms(solver, positions, row.objective, SolvedMoves::kAllBest);
    measured.push_back({what, one, "ms", {}, ""});
    measured.push_back({what + ", all best moves", all, "ms", all / one, what});
  }
  return measured;
}

}  // namespace pahtum
