#include "selfplay/game_files.h"

#include <gtest/gtest.h>

#include "env/base/files.h"
#include "selfplay/config_file.h"
#include "tests/env/expect_error.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

TEST(GameFiles, ASelfPlayGameBecomesARecord) {
  GameRecord game = random_game(3, {}, 4);
  game.environment = 6;
  const PlayedGame played = played_game(game, {"net:x", 11, "x.games"});
  EXPECT_EQ(played.start, game.start);
  EXPECT_EQ(played.moves, game.moves);
  EXPECT_EQ(played.white, "net:x");
  EXPECT_EQ(played.black, "net:x");
  EXPECT_EQ(played.seed, 11u);
  EXPECT_EQ(played.slot, 6u);
  EXPECT_EQ(played.number, 3u);
  EXPECT_EQ(played.opening, 4u);
  EXPECT_EQ(played.source, "x.games");
  EXPECT_EQ(parse_game(to_text(played), "test"), played);
  game.moves.pop_back();
  test::expect_error(Fault::kRequest, {"x.games", "not over"}, [&] {
    (void)played_game(game, {"self", {}, "x.games"});
  });
}

TEST(GameFiles, BothKindsOfFileAreRead) {
  const TemporaryFolder folder;
  const std::vector<GameRecord> games = {random_game(1, {}, 0), random_game(2, {.size = 5, .holes = 3}, 1)};
  save_games(folder.path() / "a.games", games);
  const std::vector<PlayedGame> shard = load_played_games(folder.path() / "a.games");
  ASSERT_EQ(shard.size(), 2u);
  EXPECT_EQ(shard[1].white, "self") << "no run around it";
  EXPECT_FALSE(shard[1].seed);
  write_file_atomically(folder.path() / "a.txt", games_text(shard));
  EXPECT_EQ(load_played_games(folder.path() / "a.txt"), shard);
  write_file_atomically(folder.path() / "empty.txt", "");
  EXPECT_TRUE(load_played_games(folder.path() / "empty.txt").empty());
  fs::resize_file(folder.path() / "a.games", 100);
  test::expect_error(Fault::kRequest, {"a.games", "cut short"},
                     [&] { (void)load_played_games(folder.path() / "a.games"); });
}

TEST(GameFiles, ARunsShardsNameItsNetworksAndSeed) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "games");
  RunConfig config = tiny_config();
  config.run.seed = 77;
  write_file_atomically(folder.path() / "config.yaml", to_yaml(config));
  const fs::path shard = folder.path() / "games/000003.games";
  save_games(shard, {random_game(1, config.game, 0)});
  const PlayedGame game = load_played_games(shard).at(0);
  EXPECT_EQ(game.white, "net:" + (folder.path() / "checkpoints/000002.ckpt").string());
  EXPECT_EQ(game.seed, 77u);
}

TEST(GameFiles, AFolderStandsForItsShardsAndItsRecords) {
  const TemporaryFolder folder;
  test::expect_error(Fault::kRequest, {folder.path().string(), "no games"},
                     [&] { (void)game_files(folder.path()); });
  test::expect_error(Fault::kRequest, {"missing"}, [&] { (void)game_files(folder.path() / "missing"); });
  write_file_atomically(folder.path() / "games.txt", "");
  EXPECT_EQ(game_files(folder.path()), (std::vector<fs::path>{folder.path() / "games.txt"}));
  fs::create_directories(folder.path() / "games");
  for (const char* name : {"000010.games", "000002.games", "notes.txt"}) {
    write_file_atomically(folder.path() / "games" / name, "");
  }
  EXPECT_EQ(game_files(folder.path()),
            (std::vector<fs::path>{folder.path() / "games/000002.games", folder.path() / "games/000010.games",
                                   folder.path() / "games.txt"}));
}

}  // namespace
}  // namespace pahtum
