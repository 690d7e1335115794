#include "selfplay/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "env/observation.h"
#include "env/symmetry.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

TEST(Replay, KeepsTheNewestGamesAndCountsDuplicates) {
  Replay replay(3);
  EXPECT_EQ(replay.add({random_game(1, {}, 0), random_game(2, {}, 0)}), 0);
  EXPECT_EQ(replay.add({random_game(1, {}, 0)}), 1);
  EXPECT_EQ(replay.games(), 3);
  EXPECT_EQ(replay.add({random_game(3, {}, 0), random_game(4, {}, 0), random_game(5, {}, 0)}), 0);
  EXPECT_EQ(replay.games(), 3);
  EXPECT_EQ(replay.add({random_game(1, {}, 0)}), 0) << "forgotten games are no duplicates";
}

TEST(Replay, CountsOnlySearchedPliesAsSamples) {
  Replay replay(10);
  replay.add({random_game(1, {}, 4), random_game(2, {}, 44)});
  EXPECT_EQ(replay.samples(), 40);
}

// A sample written under a symmetry must be the sample of the turned game: board, policy and owner together.
TEST(Replay, SymmetryTurnsPlanesPolicyAndOwnershipTogether) {
  const GameConfig rules{.size = 5, .holes = 3, .unequal_stones = false};
  for (std::uint64_t index = 0; index < 20; ++index) {
    const GameRecord game = random_game(index, rules, 2);
    const int ply = 2 + static_cast<int>(index % 18);
    SampleBuffer plain(1, GameRules(rules));
    Replay::write_sample(game, ply, 0, 0, plain);
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      SampleBuffer turned(1, GameRules(rules));
      Replay::write_sample(game, ply, symmetry, 0, turned);
      for (int row = 0; row < 5; ++row) {
        for (int column = 0; column < 5; ++column) {
          const int to = action_of(apply_symmetry(Move::at(square_at(row, column)), symmetry, 5), 5);
          const int from = 5 * row + column;
          const auto a = static_cast<std::size_t>(from);
          const auto b = static_cast<std::size_t>(to);
          EXPECT_EQ(plain.batch().policy[a], turned.batch().policy[b]);
          EXPECT_EQ(plain.batch().ownership[a], turned.batch().ownership[b]);
          for (std::size_t channel = 0; channel < kChannels; ++channel) {
            EXPECT_EQ(plain.batch().planes[25 * channel + a], turned.batch().planes[25 * channel + b]);
          }
        }
      }
      EXPECT_EQ(plain.batch().margin[0], turned.batch().margin[0]);
    }
  }
}

TEST(Replay, TargetsAreFromTheMoversSide) {
  // White fills d… so that White wins 3–0 on 3×3 without holes but with the last square White's too.
  GameRecord game;
  game.start = parse_position("ww1/bb1/wb1 w");
  game.add_searched(parse_move("c3", 3), Value(1.0f), std::array{9.0f, 1.0f, 0.0f}, MoveOrigin::kSearched);
  game.add_searched(parse_move("c2", 3), Value(-1.0f), std::array{3.0f, 1.0f}, MoveOrigin::kSearched);
  game.add_searched(parse_move("c1", 3), Value(0.0f), std::array{4.0f}, MoveOrigin::kSearched);
  SampleBuffer buffer(3, GameRules({.size = 3, .holes = 1}));
  for (int ply = 0; ply < 3; ++ply) Replay::write_sample(game, ply, 0, ply, buffer);
  const TrainingBatch batch = buffer.batch();
  // Final board www/bbb/wbw: three points each, a draw.
  for (std::size_t ply = 0; ply < 3; ++ply) {
    EXPECT_EQ(batch.wdl[3 * ply + 1], 1.0f);
    EXPECT_EQ(batch.margin[ply], 0.0f);
  }
  EXPECT_NEAR(batch.policy[2], 0.9f, 1e-5);
  EXPECT_NEAR(batch.policy[5], 0.1f, 1e-5);
  EXPECT_NEAR(batch.policy[9 + 5], 0.75f, 1e-5);
  EXPECT_EQ(batch.ownership[0], 1.0f);       // White's corner for White …
  EXPECT_EQ(batch.ownership[9 + 0], -1.0f);  // … is the opponent's for Black
  EXPECT_EQ(batch.ownership[18 + 0], 1.0f);
}

TEST(Replay, AWinForTheMoverIsAWinWhoeverMoves) {
  GameRecord game;
  game.start = parse_position("xxx/bb1/x1x b");
  game.add_searched(parse_move("c2", 3), Value(1.0f), std::array{5.0f, 1.0f}, MoveOrigin::kSearched);
  game.add_searched(parse_move("b1", 3), Value(-1.0f), std::array{6.0f}, MoveOrigin::kSearched);
  SampleBuffer buffer(2, GameRules({.size = 3, .holes = 1}));
  Replay::write_sample(game, 0, 0, 0, buffer);
  Replay::write_sample(game, 1, 0, 1, buffer);
  EXPECT_EQ(buffer.batch().wdl[0], 1.0f);
  EXPECT_EQ(buffer.batch().margin[0], 3.0f);
  EXPECT_EQ(buffer.batch().wdl[3 + 2], 1.0f);
  EXPECT_EQ(buffer.batch().margin[1], -3.0f);
}

// The board of TargetsAreFromTheMoversSide ends www/bbb/wbw, and what is answered is the next ply's policy.
TEST(Replay, RepliesAreTheNextPolicyOrTheMovePlayed) {
  GameRecord game;
  game.start = parse_position("ww1/bb1/wb1 w");
  game.add_searched(parse_move("c3", 3), Value(1.0f), std::array{9.0f, 1.0f, 0.0f}, MoveOrigin::kSearched);
  game.add_searched(parse_move("c2", 3), Value(-1.0f), std::array{3.0f, 1.0f}, MoveOrigin::kSearched);
  game.add_searched(parse_move("c1", 3), Value(0.0f), std::array{4.0f}, MoveOrigin::kSearched);
  const GameRules rules({.size = 3, .holes = 1});
  const auto filled = [&](const GameRecord& record, int ply, int symmetry) {
    SampleBuffer buffer(1, rules);
    Replay::write_sample(record, ply, symmetry, 0, buffer);
    return std::pair(std::vector<float>(buffer.batch().reply.begin(), buffer.batch().reply.end()),
                     std::vector<float>(buffer.batch().runs.begin(), buffer.batch().runs.end()));
  };
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
    const auto at = [&](const char* square) {
      return static_cast<std::size_t>(action_of(apply_symmetry(parse_move(square, 3), symmetry, 3), 3));
    };
    const auto [reply, runs] = filled(game, 0, symmetry);
    EXPECT_NEAR(reply[at("c2")], 0.75f, 1e-5);
    EXPECT_NEAR(reply[at("c1")], 0.25f, 1e-5);
    EXPECT_NEAR(std::accumulate(reply.begin(), reply.end(), 0.0f), 1.0f, 1e-5);
    for (const char* square : {"a3", "b3", "c3"}) EXPECT_EQ(runs[at(square)], 1.0f);
    for (const char* square : {"a2", "b2", "c2"}) EXPECT_EQ(runs[at(square)], -1.0f);
    for (const char* square : {"a1", "b1", "c1"}) EXPECT_EQ(runs[at(square)], 0.0f);
  }
  EXPECT_EQ(filled(game, 1, 0).first[8], 1.0f);
  EXPECT_EQ(filled(game, 1, 0).second[0], -1.0f) << "from Black's side";
  const std::vector<float> last = filled(game, 2, 0).first;
  EXPECT_TRUE(std::ranges::all_of(last, [](float share) { return share == 0.0f; }));

  GameRecord brief = game;
  brief.origins[1] = MoveOrigin::kShort;
  brief.policy.erase(brief.policy.begin() + 3, brief.policy.begin() + 5);
  const std::vector<float> played = filled(brief, 0, 0).first;
  EXPECT_EQ(played[5], 1.0f);
  EXPECT_EQ(std::accumulate(played.begin(), played.end(), 0.0f), 1.0f);
}

TEST(Replay, RunsAreThoseThatThePointsCount) {
  GameRecord game;
  game.start = parse_position("ww2/wwx1/bbb1/wbbx w");
  game.start.run_points = {{0, 1, 3, 10, 25, 56, 119, 246}};
  for (Position position = game.start; !position.over();) {
    const Move move = nth_legal(position, 0);
    const std::vector<float> shares(static_cast<std::size_t>(legal_count(position)), 1.0f);
    game.add_searched(move, Value(0.0f), shares, MoveOrigin::kSearched);
    apply(position, move);
  }
  SampleBuffer buffer(1, GameRules({.size = 4, .holes = 2}));
  Replay::write_sample(game, 0, 0, 0, buffer);
  const std::span runs = buffer.batch().runs;
  EXPECT_EQ(runs[0], 1.0f) << "pairs count here";
  EXPECT_EQ(runs[8], -1.0f);
  EXPECT_EQ(runs[12], 0.0f) << "a single stone";
}

TEST(Replay, DrawsEverySearchedPlyAndNothingElse) {
  const GameConfig rules{.size = 3, .holes = 1, .unequal_stones = false};
  Replay replay(10);
  replay.add({random_game(1, rules, 3), random_game(2, rules, 0)});
  ASSERT_EQ(replay.samples(), 5 + 8);
  SampleBuffer buffer(2000, GameRules(rules));
  Random random(7, Stream::kTest, 0);
  replay.draw(random, buffer);
  std::map<int, int> seen;  // by number of empty squares
  for (std::size_t k = 0; k < 2000; ++k) {
    int empty = 0;
    float policy = 0;
    for (std::size_t square = 0; square < 9; ++square) {
      empty += static_cast<int>(buffer.batch().planes[k * 36 + 18 + square]);
      policy += buffer.batch().policy[k * 9 + square];
    }
    EXPECT_NEAR(policy, 1.0f, 1e-5f);
    ++seen[empty];
  }
  for (int empty = 1; empty <= 8; ++empty) {
    const double expected = 2000.0 * (empty <= 5 ? 2 : 1) / 13;
    EXPECT_NEAR(seen[empty], expected, 6 * std::sqrt(expected)) << empty;
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(Replay, SolvedPliesAreDrawnAsOftenAsTheirWeightSays) {
  const GameConfig rules{.size = 3, .holes = 1, .unequal_stones = false};
  constexpr double kWeight = 0.25;
  Replay replay(10, kWeight);
  const GameRecord game = random_game(1, rules, 0);
  replay.add({game});
  ASSERT_EQ(game.solved(), 3);
  EXPECT_DOUBLE_EQ(weighted_samples(game, kWeight), 5 + 3 * kWeight);
  EXPECT_DOUBLE_EQ(weighted_samples(game, 1.0), 8);
  constexpr int kDrawn = 4000;
  SampleBuffer buffer(kDrawn, GameRules(rules));
  Random random(7, Stream::kTest, 0);
  replay.draw(random, buffer);
  int solved = 0;
  for (std::size_t k = 0; k < kDrawn; ++k) {
    float empty = 0;
    for (std::size_t square = 0; square < 9; ++square) empty += buffer.batch().planes[k * 36 + 18 + square];
    if (empty <= 3.0f) ++solved;
  }
  const double expected = kDrawn * 3 * kWeight / (5 + 3 * kWeight);
  EXPECT_NEAR(solved, expected, 5 * std::sqrt(expected));
}

TEST(Replay, SurprisingPliesAreDrawnMoreOften) {
  const GameConfig rules{.size = 3, .holes = 1, .unequal_stones = false};
  const auto drawn_by_empty_squares = [&](double weight, const std::vector<float>& surprises) {
    GameRecord game = random_game(1, rules, 0);  // plies with 8 … 4 empty squares are searched, 3 … 1 solved
    game.surprises = surprises;
    Replay replay(10, 0.5, weight);
    replay.add({game});
    constexpr int kDrawn = 6000;
    SampleBuffer buffer(kDrawn, GameRules(rules));
    Random random(7, Stream::kTest, 0);
    replay.draw(random, buffer);
    std::array<double, 9> share{};
    for (std::size_t k = 0; k < kDrawn; ++k) {
      const std::span planes = buffer.batch().planes;
      const auto empty = std::count(planes.begin() + static_cast<std::ptrdiff_t>(k * 36 + 18),
                                    planes.begin() + static_cast<std::ptrdiff_t>(k * 36 + 27), 1.0f);
      share[static_cast<std::size_t>(empty)] += 1.0 / kDrawn;
    }
    return share;
  };
  // Mean surprise 1; all weights together are 5 · 1 + 3 · 0.5.
  const std::vector<float> surprises{3.0f, 0.0f, 1.0f, 0.5f, 0.5f};
  const auto half = drawn_by_empty_squares(0.5, surprises);
  const auto all = drawn_by_empty_squares(1.0, surprises);
  const auto none = drawn_by_empty_squares(0.0, surprises);
  const auto unknown = drawn_by_empty_squares(1.0, {});
  for (std::size_t k = 0; k < surprises.size(); ++k) {
    const double surprise = static_cast<double>(surprises[k]);
    EXPECT_NEAR(half[8 - k], (0.5 + 0.5 * surprise) / 6.5, 0.03);
    EXPECT_NEAR(all[8 - k], surprise / 6.5, 0.03);
    EXPECT_NEAR(none[8 - k], 1 / 6.5, 0.03);
    EXPECT_NEAR(unknown[8 - k], 1 / 6.5, 0.03);
  }
  EXPECT_EQ(all[7], 0.0) << "without surprise never";
  for (std::size_t empty = 1; empty <= 3; ++empty) EXPECT_NEAR(half[empty], 0.5 / 6.5, 0.03);
}

// A game with a short search in its middle: the policies of later plies are found behind it.
TEST(Replay, ShortSearchesHaveNoPolicyAndEverySampleItsSearchValue) {
  GameRecord game;
  game.start = parse_position("ww1/bb1/wb1 w");
  game.add_short(parse_move("c3", 3), Value(0.5f));
  game.add_searched(parse_move("c2", 3), Value(-0.75f), std::array{3.0f, 1.0f}, MoveOrigin::kSearched);
  game.add_searched(parse_move("c1", 3), Value(0.0f), std::array{4.0f}, MoveOrigin::kSolved);
  ASSERT_EQ(game.samples(), 2);
  SampleBuffer buffer(2, GameRules({.size = 3, .holes = 1}));
  for (int k = 0; k < 2; ++k) Replay::write_sample(game, k + 1, 0, k, buffer);
  EXPECT_NEAR(buffer.batch().policy[5], 0.75f, 1e-5);
  EXPECT_NEAR(buffer.batch().policy[9 + 8], 1.0f, 1e-5);
  EXPECT_EQ(buffer.batch().search_value[0], -0.75f);
  EXPECT_EQ(buffer.batch().search_value[1], 0.0f);

  Replay replay(1);
  replay.add({game});
  SampleBuffer drawn(200, GameRules({.size = 3, .holes = 1}));
  Random random(7, Stream::kTest, 0);
  replay.draw(random, drawn);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_TRUE(drawn.batch().search_value[k] == -0.75f || drawn.batch().search_value[k] == 0.0f);
  }
}

TEST(Replay, TheWindowGrowsByItsPowerAndForgetsTheOldest) {
  const ReplayConfig fixed{.window_games = 1000};
  EXPECT_EQ(window_after(fixed, 10), 1000);
  EXPECT_EQ(window_after(fixed, 1'000'000), 1000);
  const ReplayConfig growing{.window_games = 1000, .window_growth = 0.5};
  EXPECT_EQ(window_after(growing, 999), 1000);
  EXPECT_EQ(window_after(growing, 4000), 2000);
  EXPECT_EQ(window_after(growing, 1'000'000), 31623);
  EXPECT_EQ(window_after({.window_games = 1000, .window_growth = 1.0}, 123'456), 123'456);

  const GameConfig rules{.size = 3, .holes = 1, .unequal_stones = false};
  Replay replay(2);
  for (std::uint64_t game = 0; game < 3; ++game) replay.add({random_game(game, rules, 0)});
  EXPECT_EQ(replay.games(), 2);
  replay.set_window(4);
  for (std::uint64_t game = 3; game < 8; ++game) replay.add({random_game(game, rules, 0)});
  EXPECT_EQ(replay.games(), 4);
  replay.set_window(1);
  replay.add({random_game(8, rules, 0)});
  EXPECT_EQ(replay.games(), 1);
  EXPECT_EQ(replay.samples(), 8);
}

}  // namespace
}  // namespace pahtum
