#include "eval/oracle_make.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "env/symmetry.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using test::expect_error;

OracleRequest small_request() {
  OracleRequest request;
  request.game = GameConfig{4, 2, false};
  request.players = {"random", "greedy"};
  request.empty = {3, 6};
  request.positions = 21;
  return request;
}

std::map<int, int> counts_by_empty(const std::vector<Position>& positions) {
  std::map<int, int> counts;
  for (const Position& position : positions) ++counts[position.empty_count()];
  return counts;
}

// Plain negamax over the rules.
int value_of(const Position& position) {
  if (position.over()) return static_cast<int>(position.margin());
  int best = -1'000'000;
  for_each_legal(position, [&](Move move) { best = std::max(best, -value_of(after(position, move))); });
  return best;
}

TEST(OracleMake, DrawsAsManyDifferentPositionsAsAskedFor) {
  const std::vector<Position> positions = draw_oracle_positions(small_request());
  EXPECT_EQ(counts_by_empty(positions), (std::map<int, int>{{3, 21}, {6, 21}}));
  std::set<std::string> forms;
  for (const Position& position : positions) {
    EXPECT_EQ(position.phase, Phase::kPlaying);
    EXPECT_EQ(position.mover, position.empty_count() % 2 == 0 ? Color::kWhite : Color::kBlack);
    forms.insert(to_text(smallest_form(position)));
  }
  EXPECT_EQ(forms.size(), positions.size());
}

TEST(OracleMake, SeedsDecideAndThreadsDoNot) {
  OracleRequest request = small_request();
  request.threads = 1;
  const std::vector<Position> one = draw_oracle_positions(request);
  request.threads = 3;
  EXPECT_EQ(draw_oracle_positions(request), one);
  EXPECT_EQ(solve_oracle_positions(one, 3), solve_oracle_positions(one, 1));
  request.seed = 2;
  EXPECT_NE(draw_oracle_positions(request), one);
}

TEST(OracleMake, PlayersShareThePositions) {
  // The random player's part does not depend on who comes after it.
  OracleRequest request = small_request();
  request.empty = {3};
  const std::vector<Position> both = draw_oracle_positions(request);
  request.players = {"random"};
  request.positions = 11;
  const std::vector<Position> alone = draw_oracle_positions(request);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), both.begin()));
}

TEST(OracleMake, ValuesAreThoseOfPerfectPlay) {
  OracleRequest request = small_request();
  request.positions = 4;
  const std::vector<Position> positions = draw_oracle_positions(request);
  std::int64_t done = 0;
  const auto solved =
      solve_oracle_positions(positions, 2, nullptr, [&](std::int64_t now, std::int64_t total) {
        EXPECT_EQ(now, ++done);
        EXPECT_EQ(total, 8);
      });
  EXPECT_EQ(done, 8);
  ASSERT_EQ(solved.size(), positions.size());
  for (std::size_t k = 0; k < solved.size(); ++k) {
    EXPECT_EQ(solved[k].position, positions[k]);
    EXPECT_EQ(static_cast<int>(solved[k].moves.size()), legal_count(positions[k]));
    for (const auto& [move, margin] : solved[k].moves) {
      EXPECT_EQ(margin, -value_of(after(positions[k], move)));
    }
  }
}

TEST(OracleMake, PlacedHolesAndSwapsAreOverWhenPositionsAreTaken) {
  OracleRequest request = small_request();
  request.positions = 10;
  // With two holes to place, 14 squares are empty when the first stone is: no swap has been possible yet.
  request.empty = {5, 12};
  for (const GameConfig& game :
       {GameConfig{.size = 4, .holes = 2, .hole_mode = HoleMode::kPlaced},
        GameConfig{.size = 4, .holes = 2, .hole_mode = HoleMode::kPlaced, .swap = true},
        GameConfig{.size = 4, .holes = 2, .hole_mode = HoleMode::kOpening},
        GameConfig{.size = 4, .holes = 2, .swap = true}}) {
    request.game = game;
    const std::vector<Position> positions = draw_oracle_positions(request);
    EXPECT_EQ(counts_by_empty(positions), (std::map<int, int>{{5, 10}, {12, 10}})) << to_text(game);
    for (const Position& position : positions) EXPECT_EQ(position.phase, Phase::kPlaying);
  }
  // Squares are still becoming holes.
  request.game = {.size = 4, .holes = 2, .hole_mode = HoleMode::kPlaced};
  request.opening_plies = 0;
  request.empty = {15};
  expect_error(Fault::kRequest, {"positions", "only 0 different positions with 15 squares empty"},
               [&] { (void)draw_oracle_positions(request); });
}

TEST(OracleMake, TheGamesOwnPointsAreInThePositions) {
  OracleRequest request = small_request();
  request.game.run_points = {0, 2, 3, 10, 25, 56, 119, 246};
  for (const Position& position : draw_oracle_positions(request)) {
    EXPECT_EQ(position.run_points, request.game.run_points);
  }
}

TEST(OracleMake, WrongRequestsSayWhatWouldBeRight) {
  const auto refused = [](auto change, std::initializer_list<std::string_view> parts) {
    OracleRequest request = small_request();
    change(request);
    expect_error(Fault::kRequest, parts, [&] { (void)draw_oracle_positions(request); });
  };
  refused([](OracleRequest& request) { request.players.clear(); }, {"players", "at least one"});
  refused([](OracleRequest& request) { request.players = {"nobody"}; }, {"nobody", "random, greedy"});
  refused([](OracleRequest& request) { request.empty.clear(); }, {"empty", "at least one"});
  refused([](OracleRequest& request) { request.empty = {0}; }, {"empty: 0 squares", "use 1 to 12"});
  refused([](OracleRequest& request) { request.empty = {4, 13}; }, {"empty: 13 squares", "use 1 to 12"});
  refused([](OracleRequest& request) { request.positions = 1; }, {"positions: 1", "at least 2"});
  refused([](OracleRequest& request) { request.opening_plies = 14; }, {"opening_plies: 14", "0 to 13"});
  refused([](OracleRequest& request) { request.opening_plies = -1; }, {"opening_plies: -1", "0 to 13"});
  refused([](OracleRequest& request) { request.game.holes = 3; }, {"game.holes"});
  // Of one layout without a random opening there are not that many.
  refused(
      [](OracleRequest& request) {
        request.game.layouts = {"a1,d4"};
        request.players = {"greedy"};
        request.opening_plies = 0;
        request.empty = {13};
        request.positions = 50;
      },
      {"positions", "games of greedy", "13 squares empty", "50"});
}

TEST(OracleMake, StopsWhenToldTo) {
  const std::atomic<bool> stop = true;
  expect_error(Fault::kFailure, {"interrupted"},
               [&] { (void)draw_oracle_positions(small_request(), &stop); });
  const std::vector<Position> positions = draw_oracle_positions(small_request());
  expect_error(Fault::kFailure, {"interrupted"}, [&] { (void)solve_oracle_positions(positions, 2, &stop); });
}

TEST(OracleMake, TakesWhatThereIsWhereFewerAreAccepted) {
  OracleRequest request = small_request();
  request.game = GameConfig{3, 1, false};
  request.players = {"greedy"};
  request.empty = {2, 8};
  request.opening_plies = 0;
  EXPECT_THROW(static_cast<void>(draw_oracle_positions(request)), Error);
  request.accept_fewer = true;
  const std::map<int, int> counts = counts_by_empty(draw_oracle_positions(request));
  EXPECT_EQ(counts.at(8), 3) << "the empty board of nine squares has three different places for one hole";
  EXPECT_GT(counts.at(2), 0);
}

}  // namespace
}  // namespace pahtum
