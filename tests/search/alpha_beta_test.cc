#include "search/alpha_beta.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "env/game_rules.h"
#include "search/charles.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

Position some_position(std::uint64_t index, int size, int empty) {
  Random random(71, Stream::kTest, index);
  return naive::random_position(
      start_position({.size = size, .holes = 4, .unequal_stones = true}, 71, Stream::kTest, index), empty,
      random);
}

TEST(AlphaBeta, PlaysForTheBestMarginNearTheEnd) {
  AlphaBeta player({.depth = 1});
  Solver solver(std::size_t{1} << 20);
  for (std::uint64_t index = 0; index < 60; ++index) {
    const Position position = some_position(index, 4 + static_cast<int>(index % 5), 11);
    const Solution truth = solver.solve(
        position, {.objective = Objective::kMargin, .moves = SolvedMoves::kAllBest, .limits = {}});
    const AlphaBeta::Choice choice = player.search(position);
    ASSERT_TRUE(choice.exact);
    ASSERT_EQ(choice.value, (truth.lower > 0) - (truth.lower < 0));
    ASSERT_NE(std::ranges::find(truth.best, choice.move), truth.best.end()) << to_text(position);
  }
}

TEST(AlphaBeta, LooksAsFarAsItIsTold) {
  const Position position = some_position(1, 7, 40);
  for (const int depth : {1, 2, 5}) {
    AlphaBeta player({.depth = depth});
    const AlphaBeta::Choice choice = player.search(position);
    EXPECT_FALSE(choice.exact);
    EXPECT_EQ(choice.depth, depth);
    EXPECT_LT(std::abs(choice.value), LineSearch::kDecided);
  }
}

TEST(AlphaBeta, ALimitOfNodesOrDepthMakesItAFunctionOfThePosition) {
  for (const AlphaBetaLimits& limits : {AlphaBetaLimits{.depth = 4}, AlphaBetaLimits{.nodes = 30'000}}) {
    AlphaBeta used(limits);
    for (std::uint64_t index = 0; index < 12; ++index) {
      const Position position = some_position(index, 7, 14 + 2 * static_cast<int>(index));
      AlphaBeta fresh(limits);
      ASSERT_EQ(used.search(position).move, fresh.search(position).move) << to_text(position);
    }
  }
}

TEST(AlphaBeta, ATimeLimitEndsTheSearch) {
  // Without the limit the first one would go on for years.
  AlphaBeta player({.seconds = 0.005});
  for (const int empty : {45, 30, 24, 12}) {
    const Position position = some_position(3, 7, empty);
    EXPECT_TRUE(is_legal(position, player.search(position).move));
  }
  AlphaBeta hurried({.seconds = 1e-9});
  const Position position = some_position(3, 7, 45);
  EXPECT_TRUE(is_legal(position, hurried.search(position).move));
}

TEST(AlphaBeta, PlaysEveryPhaseLegally) {
  Random random(72, Stream::kTest, 0);
  AlphaBeta player({.depth = 2});
  for (const char* text :
       {"4/4/4/4 b place=4", "4/4/4/4 w open=2", "4/1w2/4/4 b swap", "6/6/1w4/6/6/6 b swap"}) {
    Position position = parse_position(text);
    while (!position.over()) {
      const Move move = player.choose(position, random);
      ASSERT_TRUE(is_legal(position, move)) << to_text(position);
      ASSERT_TRUE(!move.is_swap() || position.empty_count() <= AlphaBeta::kExactEmpty);
      apply(position, move);
    }
  }
}

TEST(AlphaBeta, OneObjectPlaysOnBoardsOfAnySizeAndPoints) {
  Random random(73, Stream::kTest, 0);
  AlphaBeta player({.depth = 2});
  for (const int size : {7, 3, 8, 5}) {
    for (const RunPoints& points : {kRunPoints, RunPoints{{0, 2, 3, 10, 25, 56, 119, 246}}}) {
      const Position position = start_position(
          {.size = size, .holes = 1, .unequal_stones = true, .run_points = points}, 73, Stream::kTest, 0);
      const Move move = player.choose(position, random);
      EXPECT_TRUE(is_legal(position, move));
      EXPECT_EQ(AlphaBeta({.depth = 2}).choose(position, random), move);
    }
  }
}

TEST(AlphaBeta, BeatsCharlesTwoPliesAhead) {
  AlphaBeta player({.depth = 2});
  Random random(74, Stream::kTest, 0);
  double score = 0.0;
  constexpr int kGames = 20;
  for (int game = 0; game < kGames; ++game) {
    Position position =
        start_position({.size = 7, .holes = 5}, 74, Stream::kTest, static_cast<std::uint64_t>(game / 2));
    const Color side = game % 2 == 0 ? Color::kWhite : Color::kBlack;
    while (!position.over()) {
      apply(position,
            position.mover == side ? player.choose(position, random) : charles_move(position, random));
    }
    const int margin = side == Color::kWhite ? position.white_margin() : -position.white_margin();
    score += margin > 0 ? 1.0 : margin == 0 ? 0.5 : 0.0;
  }
  EXPECT_GT(score / kGames, 0.9);
}

}  // namespace
}  // namespace pahtum
