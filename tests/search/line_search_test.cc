#include "search/line_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <climits>

#include "env/game_rules.h"
#include "search/solver.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

constexpr RunPoints kPairs{{0, 2, 3, 10, 25, 56, 119, 246}};
constexpr RunPoints kUneven{{1, 0, 5, 3, 9, 9, 9, 2}};  // not convex: every square counts

// A line of three neighbours along which one colour could still make a run that counts. With other points
// than the usual every empty square is taken for live where this is not known.
bool decides(const Position& position, int square) {
  if (position.run_points == kUneven) return true;
  const int length = position.run_points == kPairs ? 2 : 3;
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    const Bitboard open = position.stones(color) | position.empty();
    for (const auto& [down, right] : {std::pair(0, 1), std::pair(1, 0)}) {
      int run = 1;
      for (const int sign : {-1, 1}) {
        int row = row_of(square) + sign * down;
        int column = column_of(square) + sign * right;
        while (row >= 0 && column >= 0 && row < 8 && column < 8 &&
               (open & square_bit(square_at(row, column))) != 0) {
          ++run;
          row += sign * down;
          column += sign * right;
        }
      }
      if (run >= length) return true;
    }
  }
  return false;
}

// Negamax as it is told, over the squares that decide something.
int naive_value(const Position& position, const LineEvaluation& evaluation, int depth) {
  int best = INT_MIN;
  bool live = false;
  for (const Move move : naive::legal_moves(position)) {
    if (!decides(position, move.square())) continue;
    live = true;
    if (depth == 0) break;
    best = std::max(best, -naive_value(after(position, move), evaluation, depth - 1));
  }
  if (live) return depth == 0 ? evaluation.evaluate(position) : best;
  const int margin = static_cast<int>(position.margin());
  return margin > 0 ? LineSearch::kDecided + margin : margin < 0 ? margin - LineSearch::kDecided : 0;
}

Position searched_position(std::uint64_t index, int size, int empty,
                           const RunPoints& run_points = kRunPoints) {
  Random random(41, Stream::kTest, index);
  const Position start = start_position(
      {.size = size, .holes = 2, .unequal_stones = true, .run_points = run_points}, 41, Stream::kTest, index);
  return naive::random_position(start, empty, random);
}

LineSearch::Found look(LineSearch& search, const Position& position, int depth) {
  search.start(position, LineEvaluation::of(position.run_points, position.size), {});
  for (int ply = 0; ply < depth; ++ply) search.deepen();
  return search.found();
}

TEST(LineSearch, EqualsNegamaxWithAndWithoutATable) {
  LineSearch with({.table_bytes = std::size_t{1} << 18, .reductions = false});
  LineSearch small({.table_bytes = 1, .reductions = false});
  LineSearch without({.table_bytes = 0, .reductions = false});
  for (std::uint64_t index = 0; index < 150; ++index) {
    const int size = 3 + static_cast<int>(index % 6);
    const int depth = 1 + static_cast<int>(index / 6 % 3);
    const int empty = depth == 3 ? 5 + static_cast<int>(index % 14) : 3 + static_cast<int>(index % 30);
    const RunPoints points = index % 5 == 3 ? kPairs : index % 5 == 4 ? kUneven : kRunPoints;
    const Position position = searched_position(index, size, empty, points);
    const int expected = naive_value(position, *LineEvaluation::of(points, size), depth);
    for (LineSearch* const search : {&with, &small, &without}) {
      const LineSearch::Found found = look(*search, position, depth);
      // A search that knows the outcome for sure goes no deeper: another margin may be nearer the end.
      if (std::abs(found.value) >= LineSearch::kDecided) {
        ASSERT_GE(std::abs(expected), LineSearch::kDecided) << to_text(position);
        ASSERT_EQ(found.value > 0, expected > 0) << to_text(position);
      } else {
        ASSERT_EQ(found.value, expected) << to_text(position) << " depth " << depth;
      }
      ASSERT_TRUE(is_legal(position, found.best));
    }
  }
}

TEST(LineSearch, LookingToTheEndIsExact) {
  Solver solver(std::size_t{1} << 20);
  for (const bool reductions : {false, true}) {
    LineSearch search({.table_bytes = std::size_t{1} << 20, .reductions = reductions});
    for (std::uint64_t index = 0; index < 60; ++index) {
      const Position position = searched_position(index, 5 + static_cast<int>(index % 3), 9);
      const int truth = solver.solve(position, {.moves = SolvedMoves::kOneBest, .limits = {}}).lower;
      const LineSearch::Found found = look(search, position, 9);
      ASSERT_TRUE(found.whole);
      ASSERT_EQ((found.value > 0) - (found.value < 0), truth) << to_text(position);
      const Position next = after(position, found.best);
      ASSERT_EQ(-solver.solve(next, {.moves = SolvedMoves::kOneBest, .limits = {}}).lower, truth)
          << to_text(position);
    }
  }
}

TEST(LineSearch, DependsOnNothingSearchedBefore) {
  LineSearch fresh({});
  LineSearch used({});
  for (std::uint64_t index = 0; index < 300; ++index) {  // more than there are generations of the table
    (void)look(used, searched_position(index, 7, 40), 2);
  }
  const Position position = searched_position(7, 7, 38);
  const LineSearch::Found found = look(fresh, position, 6);
  const LineSearch::Found again = look(used, position, 6);
  EXPECT_EQ(found.best, again.best);
  EXPECT_EQ(found.value, again.value);
  EXPECT_EQ(fresh.nodes(), used.nodes());
}

TEST(LineSearch, StopsAtItsLimits) {
  LineSearch search({});
  const Position position = parse_position("7/7/7/3x3/7/7/7 w");
  const auto evaluation = LineEvaluation::of(kRunPoints, 7);
  search.start(position, evaluation, {.nodes = 20'000});
  while (search.deepen()) {
  }
  EXPECT_GE(search.nodes(), 20'000u);
  EXPECT_LT(search.nodes(), 20'000u + 3'000u);
  EXPECT_TRUE(is_legal(position, search.found().best));
  EXPECT_GE(search.found().depth, 2);
  search.start(position, evaluation, {.deadline = std::chrono::steady_clock::now()});
  EXPECT_FALSE(search.deepen());
  EXPECT_TRUE(is_legal(position, search.found().best));
}

TEST(LineSearch, KnowsAMoveWhenNothingCanBeDecidedAnyMore) {
  LineSearch search({});
  const Position position = parse_position("wbw/b1w/bwb b");
  const LineSearch::Found found = look(search, position, 1);
  EXPECT_TRUE(found.whole);
  EXPECT_EQ(found.value, 0);
  EXPECT_EQ(to_text(found.best, 3), "b2");
}

}  // namespace
}  // namespace pahtum
