#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "env/base/files.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using nlohmann::json;

const std::string kTwoGames =
    "pahtum-game 1\twhite=ann\tblack=bob\tpoints=3-0\tseed=4\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3\n"
    "pahtum-game 1\tpoints=0-0\topening=1\tstart=3/xxx/2x b place=1\tmoves=a3 b3 a1 b1 c3\n";

class Games : public ::testing::Test {
 protected:
  Games() { write_file_atomically(folder_ / "games.txt", kTwoGames); }
  [[nodiscard]] Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "games");
    return run_program(arguments, folder_.path());
  }
  void expect_in_output(const Finished& finished, const std::vector<std::string>& parts) const {
    EXPECT_EQ(finished.status, 0) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.out.find(part), std::string::npos) << part << " is missing in\n" << finished.out;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Games, ShowListsThem) {
  expect_in_output(run({"show", "games.txt"}),
                   {"1     3/xxx/2x w          ann    bob    White      3-0      5\n",
                    "2     3/xxx/2x b place=1  ?      ?      draw       0-0      5\n"});
  EXPECT_EQ(run({"show", "games.txt", "--text"}).out, kTwoGames);
  const json document = json::parse(run({"show", ".", "--json"}).out);
  ASSERT_EQ(document["games"].size(), 2u);
  EXPECT_EQ(document["games"][0]["white"], "ann");
  EXPECT_EQ(document["games"][0]["white_points"], 3);
  EXPECT_EQ(document["games"][0]["seed"], 4);
  EXPECT_EQ(document["games"][1]["white"], nullptr);
  EXPECT_EQ(document["games"][1]["holes"], 5);
  EXPECT_EQ(document["games"][1]["moves"], (json{"a3", "b3", "a1", "b1", "c3"}));
}

TEST_F(Games, ReplayShowsTheBoardAfterEveryMove) {
  expect_in_output(run({"replay", "games.txt", "--game", "1"}),
                   {"start of 5 plies\n", "ply 2 of 5: black a1\n3  w  .  .\n2  x  x  x\n1 (b) .  x\n",
                    "ply 5 of 5: white c3\n3  w  w (w)\n", "points  White 3, Black 0\n\nWhite wins, 3-0\n"});
  const Finished one = run({"replay", "games.txt", "--game", "2", "--ply", "1"});
  expect_in_output(one, {"ply 1 of 5: black places a hole on a3 (drawn at random)\n3 (x) .  .\n"});
  EXPECT_EQ(one.out.find("ply 2"), std::string::npos) << one.out;
  const json document = json::parse(run({"replay", "games.txt", "--game", "1", "--json"}).out);
  ASSERT_EQ(document["positions"].size(), 6u);
  EXPECT_EQ(document["positions"][5]["white"], 3);
  EXPECT_EQ(document["positions"][1]["position"], "w2/xxx/2x b");
}

TEST_F(Games, StatsCountThem) {
  expect_in_output(run({"stats", "games.txt"}), {"2 games, 2 distinct\n", "these games", "people, BrainKing",
                                                 "74731", "first stones on 3×3"});
  const json document = json::parse(run({"stats", "games.txt", "games.txt", "--json"}).out);
  EXPECT_EQ(document["games"], 4);
  EXPECT_EQ(document["distinct_games"], 2);
  EXPECT_EQ(document["results"]["white_wins"], 2);
  EXPECT_EQ(document["runs"]["white"], (json{{"3", 2}}));
  EXPECT_EQ(document["margin"]["mean"], 1.5);
  EXPECT_EQ(document["first_moves"][0]["games"], 4);
}

TEST_F(Games, WrongInputIsRefused) {
  write_file_atomically(folder_ / "wrong.txt",
                        kTwoGames + "pahtum-game 1\tpoints=1-0\tstart=www/xxx/xxx w\tmoves=\n");
  write_file_atomically(folder_ / "empty.txt", "");
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (const Case& wrong :
       {Case{{"show", "wrong.txt"}, "wrong.txt:3:22: points: 1-0, but the moves end with 3-0"},
        Case{{"stats", "empty.txt"}, "empty.txt: holds no games"},
        Case{{"stats", "nowhere"}, "nowhere: no such file or folder"},
        Case{{"replay", "games.txt", "--game", "3"}, "games 1 to 2"},
        Case{{"replay", "games.txt", "--game", "1", "--ply", "6"}, "plies 0 (its start) to 5"},
        Case{{"show", "games.txt", "--json", "--text"}, "excludes"}}) {
    const Finished result = run(wrong.arguments);
    EXPECT_EQ(result.status, 2) << wrong.message;
    EXPECT_EQ(result.out, "") << wrong.message;
    EXPECT_NE(result.err.find(wrong.message), std::string::npos) << result.err;
  }
}

TEST(GamesOfARun, AreThoseOfAllItsShards) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(2));
  const Finished trained =
      run_program({"train", "short.yaml", "--run", "mine", "--set", "evaluation.against=[]"}, folder.path());
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Finished shown = run_program({"games", "show", "mine", "--text"}, folder.path());
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("\twhite=net:mine/checkpoints/000001.ckpt\t"), std::string::npos) << shown.out;
  write_file_atomically(folder / "all.txt", shown.out);
  EXPECT_EQ(
      run_program({"games", "stats", "all.txt"}, folder.path()).out,
      run_program({"games", "stats", "mine/games/000001.games", "mine/games/000002.games"}, folder.path())
          .out);
}

}  // namespace
}  // namespace pahtum
