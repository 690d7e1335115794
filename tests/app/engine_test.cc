#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "env/game_text.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using Words = std::vector<std::string>;

TEST(Engine, SpeaksEachProtocol) {
  const TemporaryFolder folder;
  const Finished gtp =
      run_program({"engine", "uct:50", "--size", "5", "--holes", "3"}, folder.path(),
                  "1 name\n2 pahtum-setup 5/2x2/1x3/5/3x1 w\n3 genmove w\n4 genmove w\n5 quit\n");
  EXPECT_EQ(gtp.status, 0) << gtp.err;
  EXPECT_TRUE(gtp.out.starts_with("=1 pahtum\n\n=2\n\n=3 ")) << gtp.out;
  EXPECT_TRUE(gtp.out.ends_with("?4 illegal move: black is to move\n\n=5\n\n")) << gtp.out;
  const Finished ugi = run_program({"engine", "alphabeta:depth=2", "--protocol", "ugi"}, folder.path(),
                                   "ugi\nisready\nposition startpos\ngo depth 3\n");
  EXPECT_EQ(ugi.status, 0) << ugi.err;
  EXPECT_NE(ugi.out.find("ugiok\nreadyok\ninfo depth 3 "), std::string::npos) << ugi.out;
  EXPECT_NE(ugi.out.find("\nbestmove "), std::string::npos) << "the end of the input waits for the answer";
  const Finished grid =
      run_program({"engine", "greedy", "--protocol", "grid"}, folder.path(), "XX-\nOO-\n-+-\n\nXX\n");
  EXPECT_EQ(grid.status, 2);
  EXPECT_EQ(grid.out, "XXX\nOO-\n-+-\n");
  EXPECT_NE(grid.err.find("grid: the input ends within a board"), std::string::npos) << grid.err;
}

TEST(Engine, RefusesWhatItCannotPlay) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"engine", "nobody"}, folder.path()).status, 2);
  EXPECT_EQ(run_program({"engine", "greedy", "--protocol", "uci"}, folder.path()).status, 2);
  EXPECT_EQ(run_program({"engine", "greedy", "--holes", "4"}, folder.path()).status, 2);
}

std::string moves_of(const PlayedGame& game) {
  std::string text;
  for (const Move move : game.moves) text += to_text(move, game.start.size) + " ";
  return text;
}

class EngineMatch : public testing::TestWithParam<const char*> {};

TEST_P(EngineMatch, OurEnginePlaysThroughAProtocolAsItPlaysDirectly) {
  const TemporaryFolder folder;
  // The moves of all games; the players' names are left out.
  const auto games_of = [&](const std::string& spec) {
    const std::string path = (folder / "games.txt").string();
    const Finished result = run_program({"match", spec, "greedy", "--pairs", "1", "--size", "4", "--holes",
                                         "2", "--seed", "9", "--games", path},
                                        folder.path());
    EXPECT_EQ(result.status, 0) << result.err;
    Words moves;
    for (const PlayedGame& game : read_games_text(path)) moves.push_back(moves_of(game));
    return moves;
  };
  const Words direct = games_of("uct:60");
  ASSERT_EQ(direct.size(), 2u);
  const std::string protocol = GetParam();
  EXPECT_EQ(games_of("engine:" + protocol + ":" PAHTUM_BINARY " engine uct:60 --protocol " + protocol),
            direct);
}

INSTANTIATE_TEST_SUITE_P(Protocols, EngineMatch, testing::Values("gtp", "ugi", "grid"));

}  // namespace
}  // namespace pahtum
