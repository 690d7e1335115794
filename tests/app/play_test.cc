#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "env/base/files.h"
#include "env/game_text.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using Words = std::vector<std::string>;

class Play : public ::testing::Test {
 protected:
  // Neither the project's models nor this user's games take part.
  Play() {
    ::setenv("PAHTUM_MODELS", (folder_ / "models").c_str(), 1);
    ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
  }
  ~Play() override {
    ::unsetenv("PAHTUM_MODELS");
    ::unsetenv("XDG_STATE_HOME");
  }
  [[nodiscard]] Finished run(Words arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), "play");
    return run_program(arguments, folder_.path(), input);
  }
  void expect_in_output(const Finished& finished, const Words& parts) const {
    EXPECT_EQ(finished.status, 0) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\nis missing in\n" << finished.out;
    }
  }

  TemporaryFolder folder_;
};

// The whole of what a script sees: no prompts and no escape codes.
TEST_F(Play, Transcript) {
  const Finished game = run({"greedy", "--position", "3/xxx/2x w", "--seed", "1", "--side", "both"},
                            "A3\nhint\na1\nb3\nb9\nb1\nc3\n");
  EXPECT_EQ(game.status, 0) << game.err;
  EXPECT_EQ(game.err, "");
  EXPECT_EQ(game.out,
            "A given position, seed 1\n"
            "You play both sides; hints come from greedy\n"
            "\n"
            "3  .  .  .\n"
            "2  x  x  x\n"
            "1  .  .  x\n"
            "   a  b  c\n"
            "White 0, Black 0; white to move, 5 squares empty\n"
            "\n"
            "3 (w) .  .\n"
            "2  x  x  x\n"
            "1  .  .  x\n"
            "   a  b  c\n"
            "White 0, Black 0; black to move, 4 squares empty\n"
            "greedy would play a1\n"
            "\n"
            "3  w  .  .\n"
            "2  x  x  x\n"
            "1 (b) .  x\n"
            "   a  b  c\n"
            "White 0, Black 0; white to move, 3 squares empty\n"
            "\n"
            "3  w (w) .\n"
            "2  x  x  x\n"
            "1  b  .  x\n"
            "   a  b  c\n"
            "White 0, Black 0; black to move, 2 squares empty\n"
            "b9: no such square on a 3x3 board; files are a-c, ranks 1-3\n"
            "\n"
            "3  w  w  .\n"
            "2  x  x  x\n"
            "1  b (b) x\n"
            "   a  b  c\n"
            "White 0, Black 0; white to move, 1 square empty\n"
            "White plays c3 (+3 points)\n"
            "\n"
            "3  W  W (W)\n"
            "2  x  x  x\n"
            "1  b  b  x\n"
            "   a  b  c\n"
            "White 3, Black 0\n"
            "The game is over: White wins by 3, 3 to 0.\n"
            "White: a3-c3 3\n"
            "Black: no run of three or more\n"
            "Points after move 3: 0-0\n"
            "White led from move 5 (c3) on. Most points at once: 3, White at move 5 (c3).\n");
}

TEST_F(Play, AgainstAPlayerTheSameSeedGivesTheSameGame) {
  const Words words = {"random", "--size", "4", "--holes", "2", "--side", "black", "--seed", "7"};
  const std::string lines = "moves\nundo\nhelp\nresign\n";
  const Finished first = run(words, lines);
  expect_in_output(first, {"4×4, 2 random holes, seed 7", "You play Black against random",
                           "random (white) plays", "Black resigns; White wins.", "d4"});
  EXPECT_EQ(run(words, lines).out, first.out);
}

TEST_F(Play, EndOfInputLeavesWithAWord) {
  expect_in_output(run({"greedy", "--position", "3/1x1/3 w"}, "a1\n"),
                   {"No more input; the game ends here, after 2 moves.", "The game was not saved"});
  expect_in_output(run({"greedy", "--position", "3/1x1/3 w", "--save", "games.txt"}, "a1"),
                   {"Saved in games.txt."});
  EXPECT_EQ(read_games_text(folder_ / "games.txt", GamesTaken::kAll).at(0).moves.size(), 2u);
  const Finished shown =
      run_program({"games", "replay", "games.txt", "--game", "1", "--ply", "1"}, folder_.path());
  expect_in_output(shown, {"White person, Black greedy", "1 (w) .  .", "not over, 0-0 so far"});
  expect_in_output(run({"random", "--load", "games.txt", "--side", "both"}, "quit\n"),
                   {"Game 1 of 1: White person, Black greedy; 2 moves.", "A game that was left, seed "});
  expect_in_output(run_program({"games", "show", "games.txt"}, folder_.path()), {"open"});
  EXPECT_NE(run_program({"games", "stats", "games.txt"}, folder_.path()).err.find("left out"),
            std::string::npos);
}

TEST_F(Play, TwoPlayersAreWatched) {
  expect_in_output(
      run({"greedy", "random", "--size", "3", "--holes", "1", "--seed", "5"}),
      {"White greedy, Black random", "greedy (white) plays", "random (black) plays", "The game is over"});
  expect_in_output(run({"random", "--side", "none", "--size", "3", "--holes", "1"}),
                   {"Playing itself: random", "The game is over"});
}

TEST_F(Play, ColorsOnlyWhereAskedFor) {
  EXPECT_EQ(run({"greedy", "--seed", "1"}, "quit\n").out.find('\x1b'), std::string::npos);
  EXPECT_NE(run({"greedy", "--seed", "1", "--colour", "always"}, "quit\n").out.find('\x1b'),
            std::string::npos);
}

TEST_F(Play, NamesTheOpponentAndWhy) {
  expect_in_output(
      run({}, "quit\n"),
      {"You play White against alphabeta:time=1 (no trained agent is there, in models/\nor in runs/)"});
}

TEST_F(Play, FindsTheBestNetwork) {
  write_file_atomically(folder_ / "short.yaml", second_long_config(2));
  ASSERT_EQ(run_program({"train", "short.yaml"}, folder_.path()).status, 0);
  expect_in_output(run({}, "quit\n"), {"against net:runs/short-1 (the newest run)", "3×3, 1 random hole"});
  expect_in_output(run({"--size", "5", "--holes", "3"}, "quit\n"),
                   {"against alphabeta:time=1 (no agent in models/ or runs/ plays\nthese rules)"});
  const std::filesystem::path models = folder_ / "models/ours";
  std::filesystem::create_directories(models);
  for (const char* name : {"000001.ckpt", "000002.ckpt"}) {
    std::filesystem::copy(folder_ / "runs/short-1/checkpoints" / name, models / name);
  }
  write_file_atomically(models / "broken.ckpt", "no network");
  const Finished found = run({"--analysis"}, "quit\n");
  EXPECT_NE(found.out.find("000002.ckpt"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("best network in "), std::string::npos) << found.out;
  EXPECT_NE(found.err.find("broken.ckpt"), std::string::npos) << found.err;
}

TEST_F(Play, ASignalLeavesAndSaves) {
  const Words words = {"play", "random", "random", "--pause", "600", "--save", "g.txt"};
  Program program(words, folder_.path(), "");
  for (int tries = 0; tries < 200 && program.output().find("black to move") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  program.send(SIGTERM);
  const Finished finished = program.wait();
  EXPECT_EQ(finished.status, 130);
  EXPECT_NE(finished.out.find("Saved in g.txt."), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace pahtum
