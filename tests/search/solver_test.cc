#include "search/solver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "env/game_rules.h"
#include "env/symmetry.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

constexpr std::size_t kSmallTable = std::size_t{1} << 20;

// Margin for the mover by trying everything, without pruning or memory.
int naive_margin(const Position& position) {
  if (position.over()) return static_cast<int>(position.margin());
  int best = INT32_MIN;
  for (const Move move : naive::legal_moves(position)) {
    const Position next = after(position, move);
    best = std::max(best, next.mover == position.mover ? naive_margin(next) : -naive_margin(next));
  }
  return best;
}

std::map<Move, int> naive_margins(const Position& position) {
  std::map<Move, int> margins;
  for (const Move move : naive::legal_moves(position)) {
    const Position next = after(position, move);
    margins[move] = next.mover == position.mover ? naive_margin(next) : -naive_margin(next);
  }
  return margins;
}

// A second method, for what is too large to try everything: alpha-beta with a memory of whole positions, and
// nothing else that the solver does.
class PlainAlphaBeta {
 public:
  int margin(const Position& position, int alpha = -100'000, int beta = 100'000) {
    if (position.over()) return static_cast<int>(position.margin());
    const std::pair key(position.white, position.black);
    auto& [lower, upper] = known_.try_emplace(key, -100'000, 100'000).first->second;
    if (lower >= beta || lower == upper) return lower;
    if (upper <= alpha) return upper;
    int best = -100'000;
    for (const Move move : naive::legal_moves(position)) {
      best = std::max(best, -margin(after(position, move), -beta, -std::max(alpha, best)));
      if (best >= beta) break;
    }
    auto& bounds = known_.at(key);
    if (best > alpha) bounds.first = std::max(bounds.first, best);
    if (best < beta) bounds.second = std::min(bounds.second, best);
    return best;
  }

 private:
  std::map<std::pair<Bitboard, Bitboard>, std::pair<int, int>> known_;
};

int sign(int value) {
  return (value > 0) - (value < 0);
}

SolveRequest request(Objective objective, SolvedMoves moves) {
  return {.objective = objective, .moves = moves, .limits = {}};
}

void expect_all_values(Solver& solver, const Position& position) {
  const auto margins = naive_margins(position);
  int best_margin = INT32_MIN;
  for (const auto& [move, margin] : margins) best_margin = std::max(best_margin, margin);
  for (const Objective objective : {Objective::kOutcome, Objective::kMargin}) {
    const auto value_of = [&](int margin) { return objective == Objective::kMargin ? margin : sign(margin); };
    std::vector<Move> best;
    std::vector<std::pair<Move, int>> values;
    for (const auto& [move, margin] : margins) {
      values.emplace_back(move, value_of(margin));
      if (value_of(margin) == value_of(best_margin)) best.push_back(move);
    }
    const Solution every = solver.solve(position, request(objective, SolvedMoves::kEveryValue));
    ASSERT_TRUE(every.exact);
    ASSERT_EQ(every.lower, value_of(best_margin)) << to_text(position);
    ASSERT_EQ(every.upper, every.lower) << to_text(position);
    ASSERT_EQ(every.best, best) << to_text(position);
    ASSERT_EQ(every.moves, values) << to_text(position);
    const Solution all = solver.solve(position, request(objective, SolvedMoves::kAllBest));
    ASSERT_EQ(all.best, best) << to_text(position);
    const Solution one = solver.solve(position, request(objective, SolvedMoves::kOneBest));
    ASSERT_EQ(one.lower, value_of(best_margin));
    ASSERT_EQ(one.best.size(), 1u);
    ASSERT_NE(std::ranges::find(best, one.best.front()), best.end()) << to_text(position);
  }
}

struct Variant {
  std::string name;
  GameConfig game;
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

class SolverVariants : public testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(
    Rules, SolverVariants,
    testing::Values(
        Variant{"Size3", {.size = 3, .holes = 1}}, Variant{"Size4", {.size = 4, .holes = 4}},
        Variant{"Size5", {.size = 5, .holes = 5}}, Variant{"Size6", {.size = 6, .holes = 4}},
        Variant{"Size7", {.size = 7, .holes = 5}}, Variant{"Size8", {.size = 8, .holes = 6}},
        Variant{"Unequal", {.size = 5, .holes = 4, .unequal_stones = true}},
        Variant{"Placed", {.size = 3, .holes = 3, .hole_mode = HoleMode::kPlaced}},
        Variant{"PlacedSwap", {.size = 3, .holes = 3, .hole_mode = HoleMode::kPlaced, .swap = true}},
        Variant{"Centre", {.size = 3, .holes = 3, .hole_mode = HoleMode::kCentre}},
        Variant{"Opening", {.size = 3, .holes = 3, .hole_mode = HoleMode::kOpening}},
        Variant{"Swap", {.size = 3, .holes = 3, .swap = true}},
        Variant{"ConvexPoints", {.size = 5, .holes = 5, .run_points = {{0, 1, 4, 9, 16, 25, 36, 49}}}},
        Variant{"PointsForOne", {.size = 4, .holes = 4, .run_points = {{1, 2, 4, 8, 16, 32, 64, 128}}}},
        Variant{"OddPoints", {.size = 5, .holes = 5, .run_points = {{0, 5, 3, 10, 0, 1, 90, 7}}}}),
    [](const auto& variant) { return variant.param.name; });

TEST_P(SolverVariants, EveryValueIsThatOfTryingEverything) {
  Solver solver(kSmallTable);
  // By empty squares, from 1 on: with all variants tens of thousands.
  constexpr std::array<int, 9> kPositions{30, 200, 600, 600, 500, 300, 100, 20, 5};
  for (std::size_t k = 0; k < kPositions.size(); ++k) {
    for (int i = 0; i < kPositions[k]; ++i) {
      const auto seed = static_cast<std::uint64_t>(1000 * k + static_cast<std::size_t>(i));
      Random random(3, Stream::kTest, seed);
      const Position start = start_position(GetParam().game, 5, Stream::kTest, seed);
      const Position position = naive::random_position(start, static_cast<int>(k) + 1, random);
      if (position.over()) continue;
      expect_all_values(solver, position);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(SolverVariants, SymmetricAndRecolouredPositionsAreWorthTheSame) {
  const GameConfig& game = GetParam().game;
  for (int i = 0; i < 20; ++i) {
    Random random(4, Stream::kTest, static_cast<std::uint64_t>(i));
    const Position position =
        naive::random_position(start_position(game, 6, Stream::kTest, static_cast<std::uint64_t>(i)),
                               game.size > 3 ? 10 : 7, random);
    if (position.over()) continue;
    const auto solve = [](const Position& form) {
      return Solver(kSmallTable).solve(form, request(Objective::kMargin, SolvedMoves::kEveryValue));
    };
    const Solution solution = solve(position);
    EXPECT_EQ(solve(swap_colors(position)).moves, solution.moves);
    for (int symmetry = 1; symmetry < kSymmetries; ++symmetry) {
      std::vector<std::pair<Move, int>> turned;
      for (const auto& [move, value] : solution.moves) {
        turned.emplace_back(apply_symmetry(move, symmetry, position.size), value);
      }
      std::ranges::sort(turned);
      EXPECT_EQ(solve(apply_symmetry(position, symmetry)).moves, turned) << to_text(position);
    }
  }
}

// Hundreds of larger positions: as plain alpha-beta says, with any size of table, the outcome the margin's
// sign.
TEST(Solver, LargerPositionsAreWorthWhatPlainAlphaBetaFinds) {
  Solver smallest(1);
  Solver small(std::size_t{1} << 14);
  Solver large;
  for (const int size : {4, 5, 7, 8}) {
    for (int i = 0; i < 60; ++i) {
      Random random(7, Stream::kTest, static_cast<std::uint64_t>(i));
      const GameConfig game{.size = size, .holes = size % 2 == 0 ? 4 : 3};
      const Position position = naive::random_position(
          start_position(game, 8, Stream::kTest, static_cast<std::uint64_t>(i)), 9 + i % 3, random);
      const int margin = PlainAlphaBeta().margin(position);
      for (Solver* const solver : {&smallest, &small, &large}) {
        ASSERT_EQ(solver->solve(position, request(Objective::kMargin, SolvedMoves::kOneBest)).lower, margin)
            << to_text(position);
        ASSERT_EQ(solver->solve(position, request(Objective::kOutcome, SolvedMoves::kOneBest)).lower,
                  sign(margin))
            << to_text(position);
      }
    }
  }
}

// Threads share the work of one position and change nothing in its answer, whatever the table holds.
TEST(Solver, TwoThreadsGiveTheAnswersOfOne) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 14, Solver::kTableBytes}) {
    Solver one(bytes);
    Solver two(bytes, 2);
    for (int i = 0; i < 12; ++i) {
      Random random(8, Stream::kTest, static_cast<std::uint64_t>(i));
      const Position position = naive::random_position(
          start_position({.size = 7, .holes = 5}, 2, Stream::kTest, static_cast<std::uint64_t>(i)),
          15 + i % 2, random);
      for (const Objective objective : {Objective::kOutcome, Objective::kMargin}) {
        for (const SolvedMoves moves :
             {SolvedMoves::kOneBest, SolvedMoves::kAllBest, SolvedMoves::kEveryValue}) {
          const Solution expected = one.solve(position, request(objective, moves));
          const Solution solution = two.solve(position, request(objective, moves));
          ASSERT_TRUE(solution.exact);
          EXPECT_EQ(solution.lower, expected.lower) << to_text(position);
          EXPECT_EQ(solution.best, expected.best) << to_text(position);
          EXPECT_EQ(solution.moves, expected.moves) << to_text(position);
        }
        EXPECT_EQ(two.principal_variation(position, objective, 64),
                  one.principal_variation(position, objective, 64));
      }
    }
  }
}

// Games from a symmetric board are searched in one form for all; after a first move that breaks the symmetry
// they are not.
TEST(Solver, SymmetricBoardsAreWorthWhatTheirMovesAre) {
  for (const char* const text :
       {"4/4/4/4 w", "4/1xx1/1xx1/4 b", "x3x/5/2x2/5/x3x w", "2w2/1xxx1/5/1xxx1/2w2 b"}) {
    const Position position = parse_position(text);
    for (const int threads : {1, 2}) {
      Solver solver(kSmallTable, threads);
      for (const Objective objective : {Objective::kOutcome, Objective::kMargin}) {
        const Solution solution = solver.solve(position, request(objective, SolvedMoves::kEveryValue));
        int best = -100'000;
        for (const auto& [move, value] : solution.moves) {
          const Solution next =
              Solver(kSmallTable).solve(after(position, move), request(objective, SolvedMoves::kOneBest));
          EXPECT_EQ(value, -next.lower) << text << " " << to_text(move, position.size);
          best = std::max(best, value);
        }
        EXPECT_EQ(solution.lower, best) << text;
      }
    }
  }
}

TEST(Solver, LimitsHoldForTwoThreads) {
  const Position start = start_position({.size = 7, .holes = 5}, 1, Stream::kTest, 1);
  Solver solver(kSmallTable, 2);
  SolveRequest limited = request(Objective::kMargin, SolvedMoves::kOneBest);
  limited.limits.nodes = 20'000;
  const Solution few = solver.solve(start, limited);
  EXPECT_FALSE(few.exact);
  EXPECT_LE(few.nodes, 20'000u);
  limited.limits = {.seconds = 0.05};
  EXPECT_FALSE(solver.solve(start, limited).exact);
  const std::atomic<bool> stop = true;
  limited.limits = {.stop = &stop};
  EXPECT_FALSE(solver.solve(start, limited).exact);
}

TEST(Solver, FinishedGamesHaveTheirScoreAndNoMove) {
  const Position position = parse_position("www/bbb/wbw b");
  Solver solver(kSmallTable);
  const Solution margin = solver.solve(position, request(Objective::kMargin, SolvedMoves::kEveryValue));
  EXPECT_TRUE(margin.exact);
  EXPECT_EQ(margin.lower, 0);
  EXPECT_TRUE(margin.best.empty());
  EXPECT_TRUE(margin.moves.empty());
  EXPECT_EQ(
      solver.solve(parse_position("www/bbx/wbw b"), request(Objective::kMargin, SolvedMoves::kOneBest)).lower,
      -3);
}

TEST(Solver, SquaresThatDecideNothingAreNamedAmongTheBest) {
  // Nobody can score any more: all moves are equal.
  const Position position = parse_position("1xb/xwx/b2 w");
  const Solution solution =
      Solver(kSmallTable).solve(position, request(Objective::kMargin, SolvedMoves::kEveryValue));
  EXPECT_EQ(solution.best.size(), 3u);
  EXPECT_EQ(solution.lower, 0);
}

// A limit gives bounds that hold the truth, and says that it was hit.
TEST(Solver, LimitsGiveBoundsThatHoldTheTruth) {
  Random random(2, Stream::kTest, 3);
  const Position position =
      naive::random_position(start_position({.size = 7, .holes = 5}, 1, Stream::kTest, 1), 20, random);
  const int truth = Solver().solve(position, request(Objective::kMargin, SolvedMoves::kOneBest)).lower;
  int stopped = 0;
  for (std::uint64_t nodes = 1; nodes < 300'000; nodes *= 3) {
    SolveRequest limited = request(Objective::kMargin, SolvedMoves::kEveryValue);
    limited.limits.nodes = nodes;
    const Solution solution = Solver(kSmallTable).solve(position, limited);
    EXPECT_LE(solution.lower, truth);
    EXPECT_GE(solution.upper, truth);
    EXPECT_LE(solution.nodes, nodes);
    if (solution.exact) continue;
    ++stopped;
    EXPECT_TRUE(solution.moves.empty());
    EXPECT_LE(solution.best.size(), 1u);
  }
  EXPECT_GE(stopped, 3);

  SolveRequest timed = request(Objective::kMargin, SolvedMoves::kOneBest);
  timed.limits.seconds = 0.05;
  const Solution late = Solver().solve(start_position({.size = 7, .holes = 5}, 1, Stream::kTest, 1), timed);
  EXPECT_FALSE(late.exact);
  EXPECT_LT(late.lower, late.upper);

  const std::atomic<bool> stop = true;
  SolveRequest cancelled = request(Objective::kOutcome, SolvedMoves::kOneBest);
  cancelled.limits.stop = &stop;
  EXPECT_FALSE(Solver().solve(start_position({.size = 7, .holes = 5}, 1, Stream::kTest, 1), cancelled).exact);
}

TEST(Solver, PrincipalVariationIsBestPlayToTheEnd) {
  Solver solver(kSmallTable);
  for (int i = 0; i < 20; ++i) {
    Random random(9, Stream::kTest, static_cast<std::uint64_t>(i));
    const Position position = naive::random_position(
        start_position({.size = 5, .holes = 5}, 3, Stream::kTest, static_cast<std::uint64_t>(i)), 12, random);
    const int margin = solver.solve(position, request(Objective::kMargin, SolvedMoves::kOneBest)).lower;
    Position end = position;
    for (const Move move : solver.principal_variation(position, Objective::kMargin, 64)) apply(end, move);
    ASSERT_TRUE(end.over());
    EXPECT_EQ(static_cast<int>(end.margin()), end.mover == position.mover ? margin : -margin);
  }
}

// Entries of one game are never taken for those of another, whatever falls on the same place.
TEST(StoneTable, AnswersForTheSameGameAlone) {
  StoneTable table(1);
  EXPECT_EQ(table.bytes(), 64u);
  const StoneGame first{1, 2, 12};
  const StoneGame second{1, 2, 20};
  table.store({first, -5, 7, 3});
  ASSERT_TRUE(table.find(first));
  EXPECT_EQ(table.find(first)->lower(), -5);
  EXPECT_EQ(table.find(first)->upper(), 7);
  EXPECT_EQ(table.find(first)->move(), 3u);
  EXPECT_FALSE(table.find(second));
  constexpr int kLargest = (1 << 28) - 1;
  table.store({second, -kLargest, kLargest, 63});
  EXPECT_EQ(table.find(second)->lower(), -kLargest);
  EXPECT_EQ(table.find(second)->upper(), kLargest);
  EXPECT_EQ(table.find(second)->move(), 63u);
  table.clear();
  EXPECT_FALSE(table.find(first));
}

StoneTable::Entry numbered_entry(std::uint64_t number) {
  const int bound = static_cast<int>(number % 1000);
  return {{number, ~number & 0xFFFF, number << 20}, -bound, bound, static_cast<unsigned>(number % 64)};
}

void expect_entry_or_nothing(const StoneTable& table, std::uint64_t number) {
  const StoneTable::Entry stored = numbered_entry(number);
  const auto found = table.find(stored.game());
  if (!found) return;
  EXPECT_EQ(found->game(), stored.game());
  EXPECT_EQ(found->lower(), stored.lower());
  EXPECT_EQ(found->upper(), stored.upper());
  EXPECT_EQ(found->move(), stored.move());
}

TEST(StoneTable, GrowsWithWhatItHoldsAndKeepsIt) {
  constexpr std::size_t kBytes = std::size_t{1} << 22;
  StoneTable table(kBytes);
  const std::size_t small = table.bytes();
  EXPECT_LT(small, kBytes / 10);
  constexpr std::uint64_t kEntries = 20'000;
  for (std::uint64_t k = 1; k <= kEntries; ++k) table.store(numbered_entry(k));
  EXPECT_GT(table.bytes(), small);
  EXPECT_LE(table.bytes(), kBytes);
  std::uint64_t kept = 0;
  for (std::uint64_t k = 1; k <= kEntries; ++k) {
    expect_entry_or_nothing(table, k);
    kept += table.find(numbered_entry(k).game()).has_value() ? 1u : 0u;
  }
  EXPECT_GT(kept, kEntries * 3 / 4);
  for (std::uint64_t k = 1; k <= 40 * kEntries; ++k) table.store(numbered_entry(k));
  EXPECT_EQ(table.bytes(), kBytes);
  table.clear();
  EXPECT_EQ(table.bytes(), small);
}

TEST(StoneTable, ThreadsShareItWhileItGrows) {
  StoneTable table(std::size_t{1} << 20, true);
  const auto work = [&](std::uint64_t from) {
    for (std::uint64_t k = from; k < 60'000; k += 2) {
      table.store(numbered_entry(k));
      expect_entry_or_nothing(table, k / 2);
      expect_entry_or_nothing(table, k ^ 1);
    }
  };
  {
    const std::jthread other([&] { work(2); });
    work(1);
  }
  EXPECT_EQ(table.bytes(), std::size_t{1} << 20);
  for (std::uint64_t k = 1; k < 60'000; ++k) expect_entry_or_nothing(table, k);
}

}  // namespace
}  // namespace pahtum
