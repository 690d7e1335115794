#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "env/base/files.h"
#include "eval/solved_layouts.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Finished run(const Words& arguments, const std::string& input = "") {
  return run_program(arguments, PAHTUM_SOURCE_DIR, input);
}

TEST(Usage, HelpGoesToStandardOutputWithAnExample) {
  for (const Words& command : {Words{},
                               Words{"train"},
                               Words{"evaluate"},
                               Words{"match"},
                               Words{"rate"},
                               Words{"fit-lines"},
                               Words{"show"},
                               Words{"solve"},
                               Words{"games"},
                               Words{"games", "stats"},
                               Words{"report"},
                               Words{"oracle"},
                               Words{"oracle", "make"},
                               Words{"oracle", "score"},
                               Words{"play"},
                               Words{"export"},
                               Words{"config"},
                               Words{"config", "check"},
                               Words{"config", "show"},
                               Words{"config", "reference"},
                               Words{"bench"},
                               Words{"bench", "env"}}) {
    Words arguments = command;
    arguments.push_back("--help");
    const Finished result = run(arguments);
    const std::string name = command.empty() ? "pahtum" : command.back();
    EXPECT_EQ(result.status, 0) << name;
    EXPECT_NE(result.out.find("Example"), std::string::npos) << name;
    EXPECT_EQ(result.err, "") << name;
  }
  EXPECT_EQ(run({"--version"}).status, 0);
}

TEST(Usage, WrongRequestsExitWithTwoAndPrintNothingOnStandardOutput) {
  for (const Words& arguments :
       {Words{},
        Words{"nonsense"},
        Words{"show"},
        Words{"solve"},
        Words{"solve", "7/7/7"},
        Words{"solve", "1xx/xxx/xx1", "w", "--objective", "points"},
        Words{"solve", "1xx/xxx/xx1", "w", "--time", "0"},
        Words{"solve", "--all-layouts"},
        Words{"solve", "--all-layouts", "--holes", "25", "--output", "x"},
        Words{"solve", "--all-layouts", "--size", "8", "--holes", "32", "--output", "x"},
        Words{"solve", "3/3/3", "w", "--holes", "3"},
        Words{"match", "random", "solver:0"},
        Words{"match", "random", "solver:65"},
        Words{"match", "random", "alphabeta:6"},
        Words{"fit-lines"},
        Words{"fit-lines", "--output", "x", "--games", "0"},
        Words{"fit-lines", "--output", "x", "--holes", "4"},
        Words{"fit-lines", "--output", "/dev/null", "--games", "1"},
        Words{"train", "--nonsense"},
        Words{"train"},
        Words{"train", "configs/missing.yaml"},
        Words{"evaluate"},
        Words{"evaluate", "nowhere"},
        Words{"match", "random"},
        Words{"match", "random", "nobody"},
        Words{"match", "random", "uct:0"},
        Words{"match", "random", "greedy", "--holes", "4"},
        Words{"match", "random", "greedy", "--size", "9"},
        Words{"match", "random", "greedy", "--size", "3", "--holes", "9"},
        Words{"match", "random", "greedy", "--pairs", "0"},
        Words{"match", "random", "greedy", "--pairs", "x"},
        Words{"match", "random", "greedy", "--rules", "missing.yaml"},
        Words{"export", "nowhere"},
        Words{"export", "nowhere", "--format", "torchscript", "--output", "x"},
        Words{"export", "nowhere", "--format", "pickle", "--output", "x"},
        Words{"export", "nowhere", "--format", "onnx", "--output", "x", "--batch-norm", "melted"},
        Words{"export", "nowhere", "--format", "onnx", "--output", "x", "--sample-count", "3"},
        Words{"config"},
        Words{"config", "check"},
        Words{"config", "check", "configs/missing.yaml"},
        Words{"bench"},
        Words{"bench", "nothing"},
        Words{"play", "--side", "green"},
        Words{"play", "greedy", "random", "--side", "white"},
        Words{"play", "greedy", "random", "charles"},
        Words{"play", "greedy", "--sims", "10"},
        Words{"play", "uct:10", "--sims", "10", "--time", "1"},
        Words{"play", "uct:10", "--time", "0"},
        Words{"play", "greedy", "--load", "nowhere.txt"},
        Words{"play", "greedy", "--resume"},
        Words{"play", "greedy", "--save", "README.md"},
        Words{"play", "greedy", "--colour", "green"},
        Words{"play", "greedy", "--position", "7 w"},
        Words{"evaluate", "x", "--policy", "--sims", "3"}}) {
    const Finished result = run(arguments);
    std::string line;
    for (const std::string& word : arguments) line += word + " ";
    EXPECT_EQ(result.status, 2) << line << result.err;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_NE(result.err, "") << line;
  }
}

TEST(Show, FieldsForPrograms) {
  const Finished result = run({"show", "wwww1bb/6x/3xbbb/7/2xx3/www4/x3bb1", "w", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json document = json::parse(result.out);
  EXPECT_EQ(document["white"], 13);
  EXPECT_EQ(document["black"], 3);
  EXPECT_EQ(document["mover"], "white");
  EXPECT_EQ(document["phase"], "playing");
  EXPECT_EQ(document["over"], false);
  EXPECT_EQ(document["empty"], document["legal"].size());
  EXPECT_EQ(document["legal"].front(), "e7");
  EXPECT_EQ(document["legal"].back(), "g1");
  EXPECT_EQ(document["board"],
            json({"wwww.bb", "......x", "...xbbb", ".......", "..xx...", "www....", "x...bb."}));
}

TEST(Show, OneWordOrSeveral) {
  const std::string quoted = run({"show", "3/1x1/3 b", "--json"}).out;
  EXPECT_EQ(json::parse(quoted)["mover"], "black");
  EXPECT_EQ(run({"show", "3/1x1/3", "b", "--json"}).out, quoted);
  EXPECT_EQ(json::parse(run({"show", "7/7/7/7/7/7/7 b place=5", "--json"}).out)["phase"], "placing");
}

TEST(Show, FinishedGame) {
  const std::string board = "WWWWWBW/BBBWBWB/BBBWWWW/WBBBWWB/BBBWBBB/WBWBWBW/WWWWBBW";
  std::string text;
  for (const char c : board) text += c == '/' ? c : static_cast<char>(c + 32);
  const json document = json::parse(run({"show", text, "w", "--json"}).out);
  EXPECT_EQ(document["white"], 51);
  EXPECT_EQ(document["black"], 53);
  EXPECT_EQ(document["over"], true);
  EXPECT_EQ(document["legal"], json::array());
  EXPECT_NE(run({"show", text, "w"}).out.find("Black wins by 2"), std::string::npos);
}

TEST(Show, ForPeople) {
  const Finished result = run({"show", "w2/1x1/2b w"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("3  w  .  .\n2  .  x  .\n1  .  .  b\n   a  b  c\n"), std::string::npos)
      << result.out;
}

TEST(Show, BrokenPositions) {
  for (const std::string text :
       {"7/7/7/7/7/7/8 w", "7/7/7/7/7/7/6 w", "7/7/7 w", "7/7/7/7/7/7/7", "7/7/7/7/7/7/6q w",
        "7/7/7/7/7/7/7 z", "", "3/3/3 w place=10", "3/3/3 w swap", "3/3/3 w w w w"}) {
    const Finished result = run({"show", text, "--json"});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_EQ(result.out, "") << text;
    EXPECT_NE(result.err, "") << text;
  }
}

// White gets the three in a row whoever moves elsewhere; Black's only good move is to stop it.
TEST(Solve, FieldsForPrograms) {
  const Words position = {"solve", "ww1/xxx/x2", "b"};
  Words arguments = position;
  arguments.insert(arguments.end(), {"--objective", "margin", "--all-moves", "--json"});
  const Finished result = run(arguments);
  ASSERT_EQ(result.status, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["position"], "ww1/xxx/x2 b");
  EXPECT_EQ(document["outcome"], 0);
  EXPECT_EQ(document["margin"], 0);
  EXPECT_EQ(document["best"], json({"c3"}));
  EXPECT_EQ(document["moves"], (json{{"b1", -3}, {"c1", -3}, {"c3", 0}}));
  EXPECT_EQ(document["exact"], true);
  EXPECT_EQ(document["variation"].size(), 3u);
  EXPECT_GE(document["nodes"], 1);
  EXPECT_TRUE(document["seconds"].is_number());

  const json outcome = json::parse(run({"solve", "ww1/xxx/x2", "w", "--json"}).out);
  EXPECT_EQ(outcome["outcome"], 1);
  EXPECT_EQ(outcome["margin"], nullptr);
  EXPECT_EQ(outcome["best"], json({"c3"}));
  EXPECT_FALSE(outcome.contains("moves"));

  const json over = json::parse(run({"solve", "www/xxx/xbb", "b", "--objective", "margin", "--json"}).out);
  EXPECT_EQ(over["margin"], -3);
  EXPECT_EQ(over["best"], json::array());
}

TEST(Solve, StopsInTimeAndSaysSo) {
  const json document = json::parse(run({"solve", "7/7/7/7/7/7/6x", "w", "--time", "0.05", "--json"}).out);
  EXPECT_EQ(document["exact"], false);
  EXPECT_EQ(document["outcome"], nullptr);
  EXPECT_EQ(document["best"], json::array());
  EXPECT_LT(document["seconds"], 20.0);
  EXPECT_NE(run({"solve", "7/7/7/7/7/7/6x", "w", "--time", "0.05"}).out.find("not solved"),
            std::string::npos);
}

TEST(Solve, ThreadsAndMemoryChangeNoAnswer) {
  const auto solve = [&](const Words& more) {
    Words arguments = {
        "solve", "2w1b2/b1xw1w1/2b1w1x/x2wb2/w1bx2b/1wb1x1w/2b1w2", "w", "--objective", "margin", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    json document = json::parse(run(arguments).out);
    for (const char* const key : {"nodes", "seconds"}) document.erase(key);
    return document;
  };
  const json one = solve({"--threads", "1"});
  EXPECT_EQ(one["exact"], true);
  EXPECT_EQ(solve({"--threads", "2"}), one);
  EXPECT_EQ(solve({"--threads", "2", "--memory", "1"}), one);
  EXPECT_EQ(run({"solve", "3/3/3", "w", "--threads", "-1"}).status, 2);
}

TEST(Solve, StopsAtANumberOfNodes) {
  const json document = json::parse(run({"solve", "7/7/7/7/7/7/6x", "w", "--nodes", "1000", "--json"}).out);
  EXPECT_EQ(document["exact"], false);
  EXPECT_LE(document["nodes"], 1000);
}

TEST(Solve, InterruptedGivesTheBoundsSoFar) {
  const TemporaryFolder folder;
  Program program({"solve", "7/7/7/7/7/7/6x", "w"}, folder.path());
  while (program.errors().find("Ctrl-C") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  program.send(SIGINT);
  const Finished result = program.wait();
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.out.find("not solved: between loss and win for white"), std::string::npos) << result.out;
}

TEST(Solve, TakesOtherPointsForRuns) {
  // One stone counts already: White takes the last square and gains its point twice.
  const Words position = {"solve", "xxx/x1x/xxx", "w", "--objective", "margin", "--json"};
  Words other = position;
  other.insert(other.end(), {"--run-points", "1,2,3,4,5,6,7,8"});
  EXPECT_EQ(json::parse(run(position).out)["margin"], 0);
  EXPECT_EQ(json::parse(run(other).out)["margin"], 2);
  const Finished board = run({"solve", "--all-layouts", "--size", "3", "--holes", "1", "--output", "x",
                              "--run-points", "1,2,3,4,5,6,7,8"});
  EXPECT_EQ(board.status, 2);
  EXPECT_NE(board.err.find("--run-points"), std::string::npos) << board.err;
}

TEST(Solve, ForPeople) {
  const Finished result = run({"solve", "ww1/xxx/x2", "b", "--objective", "margin", "--all-moves"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("3    w   w  0*\n2    x   x   x\n1    x  -3  -3\n     a   b   c\n"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("value    a draw\nbest     c3\n"), std::string::npos) << result.out;
  EXPECT_NE(run({"solve", "ww1/xxx/x2", "w"}).out.find("value    a win for white"), std::string::npos);
}

// A file that holds a part of the work is completed to the very file that one go makes.
TEST(Solve, AllLayoutsGoOnWhereTheyWereStopped) {
  const TemporaryFolder folder;
  const Words arguments = {"solve",         "--size",      "3",      "--holes", "3",
                           "--all-layouts", "--objective", "margin", "--output"};
  const auto solve = [&](const std::string& name, const Words& more = {}) {
    Words all = arguments;
    all.push_back((folder / name).string());
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const Finished whole = solve("whole", {"--json"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const json summary = json::parse(whole.out);
  EXPECT_EQ(summary["layouts"], 16);
  EXPECT_EQ(summary["forms"], 84);
  EXPECT_EQ(summary["white"].get<int>() + summary["draws"].get<int>() + summary["black"].get<int>(), 84);

  SolvedLayouts part = load_solved_layouts(folder / "whole");
  for (const std::size_t at : {std::size_t{12}, std::size_t{7}, std::size_t{0}}) {
    part.layouts.erase(part.layouts.begin() + static_cast<std::ptrdiff_t>(at));
  }
  save_solved_layouts(folder / "part", part);
  const Finished rest = solve("part", {"--json"});
  EXPECT_EQ(rest.status, 0);
  EXPECT_NE(rest.err.find("13 of 16 layouts are known"), std::string::npos) << rest.err;
  EXPECT_EQ(rest.out, whole.out);
  EXPECT_EQ(read_file(folder / "part"), read_file(folder / "whole"));

  const Finished other =
      run({"solve", "--size", "3", "--holes", "1", "--all-layouts", "--output", (folder / "whole").string()});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("holds 3×3 with 3 holes"), std::string::npos) << other.err;
  EXPECT_EQ(solve("nowhere/file").status, 1);
}

TEST(Config, CheckAndShow) {
  EXPECT_EQ(run({"config", "check", "configs/quick.yaml"}).status, 0);
  const Finished shown = run({"config", "show", "configs/tiny.yaml", "--set", "game.holes=4"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.out.find("holes: 4"), std::string::npos);
  const Finished refused = run({"config", "check", "configs/tiny.yaml", "--set", "game.holes=3"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--set game.holes: 3 holes leave an odd number"), std::string::npos)
      << refused.err;
  const Finished typo =
      run({"config", "check", "configs/tiny.yaml", "--set", "network.chanels=3", "--set", "a.b=c"});
  EXPECT_EQ(typo.status, 2);
  EXPECT_NE(typo.err.find("did you mean `channels`?"), std::string::npos) << typo.err;
}

TEST(Config, FaultsOfFilesSayWhere) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "bad.yaml",
                        "game:\n  size: 7\n  holes: 5\n  hoels: 3\nrun:\n  iterations: 1\n");
  const Finished result = run_program({"config", "check", "bad.yaml"}, folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "pahtum: bad.yaml:4:3: unknown key `hoels` in section `game`; did you mean `holes`?\n");
  EXPECT_EQ(result.out, "");
}

TEST(Config, ReferenceIsTheCommittedPage) {
  EXPECT_EQ(run({"config", "reference"}).out, read_file(std::string(PAHTUM_SOURCE_DIR) + "/docs/config.md"));
}

TEST(Match, FieldsForPrograms) {
  const Words arguments = {"match",  "greedy", "random",  "--pairs", "3",
                           "--size", "4",      "--holes", "2",       "--json"};
  const Finished result = run(arguments);
  ASSERT_EQ(result.status, 0) << result.err;
  json document = json::parse(result.out);
  EXPECT_EQ(document["first"], "greedy");
  EXPECT_EQ(document["second"], "random");
  EXPECT_EQ(document["pairs"], 3);
  EXPECT_EQ(document["wins"].get<int>() + document["draws"].get<int>() + document["losses"].get<int>(), 6);
  for (const char* field : {"score", "elo", "elo_low", "elo_high", "distinct_games"}) {
    EXPECT_TRUE(document[field].is_number()) << field;
  }
  EXPECT_TRUE(document.contains("sprt"));
  const json& colours = document["by_colour"];
  EXPECT_EQ(colours["white"]["wins"].get<int>() + colours["black"]["wins"].get<int>(), document["wins"]);
  json again = json::parse(run(arguments).out);
  for (json* match : {&document, &again}) {
    for (const char* field : {"seconds", "seconds_per_move"}) match->erase(field);
  }
  EXPECT_EQ(document, again);
  EXPECT_NE(run({"match", "greedy", "random", "--pairs", "1"}).out.find("as White"), std::string::npos);
}

TEST(Match, RulesFromAFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "rules.yaml", "size: 3\nholes: 1\n");
  const Finished result =
      run_program({"match", "random", "random", "--pairs", "1", "--rules", "rules.yaml"}, folder.path());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("3×3, 1 random hole"), std::string::npos) << result.out;
}

TEST(Bench, FieldsForPrograms) {
  const Finished result =
      run({"bench", "env", "--set", "game.size=3", "--set", "game.holes=1", "--seconds", "0.02", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["name"], "env");
  EXPECT_TRUE(document["machine"].is_object());
  // Random play, and four kinds of steps each beside plain writing; the same again with all threads, and
  // plain arithmetic with one and with all.
  ASSERT_EQ(document["rows"].size(), std::thread::hardware_concurrency() > 1 ? 24u : 9u);
  for (const json& row : document["rows"]) {
    for (const char* field : {"what", "value", "unit", "ratio", "against"}) EXPECT_TRUE(row.contains(field));
    EXPECT_GT(row["value"].get<double>(), 0.0);
  }
}

TEST(Bench, SignatureRepeats) {
  const Finished result = run({"bench", "--signature"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("self-play"), std::string::npos) << result.out;
  EXPECT_EQ(run({"bench", "--signature"}).out, result.out);
}

}  // namespace
}  // namespace pahtum
