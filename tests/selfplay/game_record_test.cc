#include "selfplay/game_record.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/batch_environment.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

std::vector<GameRecord> some_games(int count) {
  std::vector<GameRecord> games;
  for (int k = 0; k < count; ++k) games.push_back(random_game(static_cast<std::uint64_t>(k), {}, k % 5));
  return games;
}

TEST(GameRecord, RoundTripThroughBytesAndFiles) {
  const std::vector<GameRecord> games = some_games(7);
  EXPECT_EQ(parse_games(serialize(games), "test"), games);
  const TemporaryFolder folder;
  save_games(folder.path() / "a.games", games);
  EXPECT_EQ(load_games(folder.path() / "a.games"), games);
  EXPECT_TRUE(parse_games(serialize({}), "test").empty());
}

// Version 2 did not keep surprises: the same bytes without them, and without the mark in the count of games.
TEST(GameRecord, ShardsWithoutSurprisesAreRead) {
  std::vector<GameRecord> games = some_games(1);
  std::string bytes = serialize(games);
  bytes.resize(bytes.size() - sizeof(std::uint32_t) - games[0].surprises.size() * sizeof(float));
  bytes[3] = 0;
  games[0].surprises.clear();
  EXPECT_EQ(parse_games(bytes, "test"), games);
  EXPECT_EQ(parse_games(serialize(games), "test"), games);

  const TemporaryFolder folder;
  const auto path = folder.path() / "a.games";
  write_frame(path, FrameFormat{kGameShardMagic, 2, "game shard"}, bytes);
  EXPECT_EQ(load_games(path), games);
  EXPECT_EQ(load_appended_games(path), games);
  write_frame(path, FrameFormat{kGameShardMagic, 1, "game shard"}, bytes);
  try {
    (void)load_games(path);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 1; this program reads versions 2 to 3"),
              std::string::npos)
        << error.what();
  }
}

TEST(GameRecord, SurprisesThatDoNotFitAreRefused) {
  const auto refused = [](const std::vector<float>& surprises) {
    GameRecord game = random_game(1, {.size = 4, .holes = 2}, 2);
    game.surprises = surprises;
    EXPECT_THROW((void)parse_games(serialize({game}), "test"), Error);
  };
  std::vector<float> surprises(9, 0.5f);
  EXPECT_EQ(random_game(1, {.size = 4, .holes = 2}, 2).searched(), 9);
  refused(std::vector<float>(8, 0.5f));
  surprises[4] = -0.5f;
  refused(surprises);
  surprises[4] = std::numeric_limits<float>::infinity();
  refused(surprises);
}

TEST(GameRecord, EveryTruncationIsRefused) {
  const std::string bytes = serialize(some_games(1));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW((void)parse_games(std::string_view(bytes).substr(0, length), "test"), Error) << length;
  }
  EXPECT_THROW((void)parse_games(bytes + "x", "test"), Error);
}

TEST(GameRecord, EveryFlippedByteIsRefusedOrStillALegalGame) {
  const std::string bytes = serialize(some_games(1));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ 0x15);
    try {
      for (const GameRecord& game : parse_games(broken, "test")) (void)game.position();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kRequest);
    }
  }
}

TEST(GameRecord, AnIllegalMoveIsNamed) {
  GameRecord game = random_game(1, {}, 3);
  game.moves[5] = game.moves[4];
  try {
    (void)parse_games(serialize({game}), "x.games");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("x.games"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("ply 5"), std::string::npos) << error.what();
  }
}

TEST(GameRecord, PolicyTargetsKeepTheirRatio) {
  GameRecord game;
  game.start = parse_position("3/3/3 w");
  game.add_searched(Move::at(0), Value(0.0f), std::array{0.5f, 0.25f, 1e-9f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.25f},
                    MoveOrigin::kSearched);
  EXPECT_EQ(game.policy, (std::vector<std::uint16_t>{65535, 32768, 0, 0, 0, 0, 0, 0, 32768}));
}

TEST(GameRecord, CountsSamplesAndSolvedPlies) {
  const GameRecord game = random_game(1, {.size = 4, .holes = 2}, 2);
  EXPECT_EQ(game.moves.size(), 14u);
  EXPECT_EQ(game.samples(), 12);
  EXPECT_EQ(game.solved(), 3);
}

TEST(GameRecord, AnUnknownOriginIsNamed) {
  GameRecord game = random_game(1, {.size = 4, .holes = 2}, 2);
  game.origins[4] = static_cast<MoveOrigin>(4);
  try {
    (void)parse_games(serialize({game}), "x.games");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ply 4"), std::string::npos) << error.what();
  }
}

TEST(GameRecord, HashTellsLayoutsAndMovesApart) {
  const GameRecord game = random_game(1, {}, 0);
  GameRecord other_order = game;
  std::swap(other_order.moves[0], other_order.moves[2]);  // both are White's: the same final board
  EXPECT_EQ(game.position(), other_order.position());
  EXPECT_NE(game.hash(), other_order.hash());
  EXPECT_NE(game.hash(), random_game(2, {}, 0).hash());
  EXPECT_EQ(game.hash(), random_game(1, {}, 0).hash());
}

}  // namespace
}  // namespace pahtum
