#include "eval/game_stats.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pahtum {
namespace {

PlayedGame game(const std::string& fields) {
  return parse_game("pahtum-game 1\t" + fields, "test");
}

// White's top rank against nothing; a draw without points; counted by hand as everything here.
const std::string kWhiteWins = "points=3-0\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3";
const std::string kDrawn = "points=0-0\tstart=3/xxx/2x w\tmoves=a1 a3 b1 b3 c3";

GameStats four_games() {
  GameCounter counter;
  for (const std::string& fields : {kWhiteWins, kWhiteWins, kDrawn}) counter.add(game(fields));
  // The same with Black to start: its top rank.
  counter.add(game("points=0-3\tstart=3/xxx/2x b\tmoves=a3 a1 b3 b1 c3"));
  return counter.stats();
}

TEST(GameStats, ResultsPointsAndMargins) {
  const GameStats stats = four_games();
  EXPECT_EQ(stats.games, 4);
  EXPECT_EQ(stats.distinct, 3);
  EXPECT_EQ(stats.white, (WinDrawLoss{2, 1, 1}));
  EXPECT_DOUBLE_EQ(stats.margin.mean.value, 0.75);  // (3 + 3 + 0 − 3) / 4
  EXPECT_DOUBLE_EQ(stats.margin.deviation, std::sqrt(24.75 / 3));
  EXPECT_EQ(stats.margin.least, -3);
  EXPECT_EQ(stats.margin.most, 3);
  EXPECT_DOUBLE_EQ(stats.white_points.mean.value, 1.5);
  EXPECT_DOUBLE_EQ(stats.black_points.mean.value, 0.75);
  EXPECT_LT(stats.margin.mean.low, 0.75);
  EXPECT_GT(stats.margin.mean.high, 0.75);
  EXPECT_DOUBLE_EQ(stats.plies.mean.value, 5);
  EXPECT_EQ(stats.plies.deviation, 0);
}

TEST(GameStats, SharesHaveTheirIntervals) {
  const ResultShares shares = result_shares(four_games().white);
  EXPECT_DOUBLE_EQ(shares.white_wins.value, 0.5);
  EXPECT_DOUBLE_EQ(shares.draws.value, 0.25);
  EXPECT_DOUBLE_EQ(shares.black_wins.value, 0.25);
  EXPECT_DOUBLE_EQ(shares.draws.low, share_estimate(1, 4).low);
  EXPECT_LT(shares.white_wins.low, 0.5);
  EXPECT_GT(shares.white_wins.high, 0.5);
}

TEST(GameStats, RunsAreMaximalAndThoseThatScore) {
  // The third of the rules' whole boards: each colour by hand. White: the ranks 7, 6 and 3 with seven each,
  // the file d with seven; all other white runs are those.
  const Position board = parse_position("wwwwwww/wwwwwww/bbbwbbb/bbbwbbb/wwwwwww/bbbwbbb/bbbwbbb w");
  RunCounts white{}, black{};
  white[7] = 4;      // three ranks and the file d
  white[1] = 4 + 6;  // file d's stones in four ranks; rank 3 in the six other files
  white[2] = 6;      // ranks 7 and 6 in the six other files
  black[3] = 8;      // two in each of four ranks
  black[2] = 12;     // two in each of six files
  EXPECT_EQ(count_runs(board.white), white);
  EXPECT_EQ(count_runs(board.black), black);

  const GameStats stats = four_games();
  RunCounts three_twice{}, three_once{};
  three_twice[3] = 2;
  three_once[3] = 1;
  EXPECT_EQ(stats.white_runs, three_twice);
  EXPECT_EQ(stats.black_runs, three_once);

  // Where pairs score, they count, and threes do not where they are worth nothing.
  GameCounter counter;
  counter.add(game("points=0-5\trun_points=0,5,0,0,0,0,0,0\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3"));
  EXPECT_EQ(counter.stats().white_runs, RunCounts{});
  RunCounts pair{};
  pair[2] = 1;
  EXPECT_EQ(counter.stats().black_runs, pair);
}

TEST(GameStats, GamesByTheirHoles) {
  GameCounter counter;
  counter.add(game(kWhiteWins));  // four holes
  counter.add(game(kDrawn));
  // Five holes, one of them placed by Black.
  counter.add(game("points=0-0\tstart=3/xxx/2x b place=1\tmoves=a3 b3 a1 b1 c3"));
  const GameStats stats = counter.stats();
  ASSERT_EQ(stats.by_holes.size(), 2u);
  EXPECT_EQ(stats.by_holes.at(4), (WinDrawLoss{1, 1, 0}));
  EXPECT_EQ(stats.by_holes.at(5), (WinDrawLoss{0, 1, 0}));
}

TEST(GameStats, FirstMovesAreCountedInAllEightForms) {
  GameCounter counter;
  counter.add(game(kWhiteWins));                                                       // a3, a corner
  counter.add(game("points=0-0\tstart=3/x1x/xxx w\tmoves=b2 a3 b3 c3"));               // the centre
  counter.add(game("points=0-0\tstart=3/xxx/2x b place=1\tmoves=a3 b3 a1 b1 c3"));     // b3, an edge
  counter.add(game("points=3-0\topening=1\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3"));  // drawn at random
  counter.add(game("points=0-0\topening=1\tstart=3/xxx/2x b place=1\tmoves=a3 b3 a1 b1 c3"));  // b3 again
  counter.add(game("points=3-0\tstart=w2/xxx/2x b\tmoves=a1 b3 b1 c3"));  // a stone is there
  const GameStats stats = counter.stats();
  ASSERT_EQ(stats.first_moves.size(), 1u);
  const FirstMoves& first = stats.first_moves.at(3);
  EXPECT_EQ(first.games, 4);
  const auto share = [&](const char* square) { return first.share(parse_move(square, 3).square()); };
  for (const char* corner : {"a1", "a3", "c1", "c3"}) EXPECT_DOUBLE_EQ(share(corner), 1.0 / 16) << corner;
  for (const char* edge : {"a2", "b1", "b3", "c2"}) EXPECT_DOUBLE_EQ(share(edge), 2.0 / 16) << edge;
  EXPECT_DOUBLE_EQ(share("b2"), 1.0 / 4);
}

TEST(GameStats, WithoutGamesEverythingIsNothing) {
  const GameStats stats = GameCounter().stats();
  EXPECT_EQ(stats.games, 0);
  EXPECT_EQ(stats.distinct, 0);
  EXPECT_TRUE(stats.first_moves.empty());
}

TEST(GameStats, PeoplesGamesAreThoseOfBrainKing) {
  EXPECT_EQ(kBrainKingResults.games(), 74731);
  const ResultShares shares = result_shares(kBrainKingResults);
  EXPECT_NEAR(shares.white_wins.value, 0.5521, 1e-4);
  EXPECT_NEAR(shares.draws.value, 0.1531, 1e-4);
  EXPECT_NEAR(shares.black_wins.value, 0.2946, 1e-4);
}

}  // namespace
}  // namespace pahtum
