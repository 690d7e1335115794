#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "env/base/files.h"
#include "eval/oracle_data.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const Words kSmall = {"--size", "4", "--holes", "2"};

Words make_words(const Words& more) {
  Words words = {"oracle", "make", "random", "greedy"};
  words.insert(words.end(), kSmall.begin(), kSmall.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Oracle, MakesAndScores) {
  const TemporaryFolder folder;
  const Words words = make_words({"--empty", "6,4,4", "--positions", "30", "--output", "set"});
  Words for_programs = words;
  for_programs.push_back("--json");
  const Finished made = run_program(for_programs, folder.path());
  ASSERT_EQ(made.status, 0) << made.err;
  const json document = json::parse(made.out);
  EXPECT_EQ(document["output"], "set");
  EXPECT_EQ(document["players"], json({"random", "greedy"}));
  ASSERT_EQ(document["rows"].size(), 2u);
  for (const json& row : document["rows"]) {
    EXPECT_EQ(row["positions"], 30);
    EXPECT_EQ(row["wins"].get<int>() + row["draws"].get<int>() + row["losses"].get<int>(), 30);
  }
  const OracleData data = load_oracle_data(folder / "set");
  EXPECT_EQ(data.game, (GameConfig{4, 2, false}));
  EXPECT_EQ(data.positions.size(), 60u);

  // The same command makes the same file, in place of the old one.
  const std::string bytes = read_file(folder / "set");
  write_file_atomically(folder / "set", "something else");
  const Finished again = run_program(words, folder.path());
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read_file(folder / "set"), bytes);
  EXPECT_NE(again.out.find("data set: set"), std::string::npos) << again.out;

  const Finished perfect = run_program({"oracle", "score", "solver:6", "set", "--json"}, folder.path());
  ASSERT_EQ(perfect.status, 0) << perfect.err;
  const json score = json::parse(perfect.out);
  EXPECT_EQ(score["player"], "solver:6");
  EXPECT_EQ(score["exact"], 6);
  ASSERT_EQ(score["rows"].size(), 2u);
  EXPECT_EQ(score["rows"][0]["empty"], 4);
  EXPECT_EQ(score["rows"][1]["empty"], 6);
  EXPECT_EQ(score["all"]["positions"], 60);
  for (const json& row : {score["rows"][0], score["rows"][1], score["all"]}) {
    EXPECT_EQ(row["outcome_errors"], 0.0);
    EXPECT_EQ(row["best_margin"], 1.0);
    EXPECT_EQ(row["mean_margin_loss"], 0.0);
    EXPECT_EQ(row["value_brier"], nullptr);
  }

  const Words random = {"oracle", "score", "random", "set", "--seed", "3"};
  const Finished table = run_program(random, folder.path());
  EXPECT_EQ(table.status, 0);
  EXPECT_TRUE(table.out.starts_with("random on 4×4, 2 random holes, games of random, greedy\nempty "))
      << table.out;
  EXPECT_EQ(run_program(random, folder.path()).out, table.out);
}

TEST(Oracle, NetworksScoreWithTheirValuesAndRefuseOtherGames) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  // Without rules the game is the network's own.
  const Finished made = run_program(
      {"oracle", "make", "net:mine", "random", "--empty", "3", "--positions", "8", "--output", "set"},
      folder.path());
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(load_oracle_data(folder / "set").game.size, 3);
  for (const std::string options : {"", ",policy", ",sims=3"}) {
    const Finished scored =
        run_program({"oracle", "score", "net:mine" + options, "set", "--json"}, folder.path());
    ASSERT_EQ(scored.status, 0) << scored.err;
    const json document = json::parse(scored.out);
    EXPECT_EQ(document["exact"], 0);
    EXPECT_TRUE(document["all"]["value_brier"].is_number());
  }
  ASSERT_EQ(run_program(make_words({"--empty", "3", "--positions", "4", "--output", "other"}), folder.path())
                .status,
            0);
  const Finished refused = run_program({"oracle", "score", "net:mine", "other"}, folder.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("was trained for 3×3, 1 random hole; it cannot play 4×4, 2 random holes"),
            std::string::npos)
      << refused.err;
  const Finished unmade = run_program(
      {"oracle", "make", "net:mine", "--size", "4", "--holes", "2", "--empty", "3", "--output", "x"},
      folder.path());
  EXPECT_EQ(unmade.status, 2);
  EXPECT_NE(unmade.err.find("it cannot play 4×4"), std::string::npos) << unmade.err;
}

TEST(Oracle, AnEvaluationComparesAnAgentWithPerfectPlay) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  const auto evaluate = [&](const Words& more) {
    Words words = {"evaluate", "mine", "--against", "random", "--pairs", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder.path());
  };
  // On its own games; on 3×3 boards there are few different positions, and all of them are taken.
  const Finished own = evaluate({"--oracle", "--json", "--report", "report"});
  ASSERT_EQ(own.status, 0) << own.err;
  const json document = json::parse(own.out);
  ASSERT_EQ(document["oracle"].size(), 2u);
  EXPECT_NE(document["oracle"][0]["player"].get<std::string>().find(",policy"), std::string::npos);
  EXPECT_EQ(document["oracle"][1]["player"].get<std::string>().find(",policy"), std::string::npos);
  for (const json& score : document["oracle"]) {
    EXPECT_EQ(score["exact"], 0);
    ASSERT_EQ(score["rows"].size(), 5u) << "2 to 6 empty squares: two of eight stones are random";
    for (const json& row : score["rows"]) EXPECT_GT(row["positions"], 0);
  }
  EXPECT_EQ(json::parse(read_file(folder / "report/evaluation.json"))["oracle"], document["oracle"]);

  ASSERT_EQ(run_program({"oracle", "make", "random", "--size", "3", "--holes", "1", "--empty", "4",
                         "--positions", "5", "--output", "set"},
                        folder.path())
                .status,
            0);
  const Finished given = evaluate({"--oracle=set", "--policy", "--json"});
  ASSERT_EQ(given.status, 0) << given.err;
  const json scores = json::parse(given.out)["oracle"];
  ASSERT_EQ(scores.size(), 1u) << "the bare policy alone";
  EXPECT_EQ(scores[0]["all"]["positions"], 5);
  EXPECT_EQ(evaluate({"--oracle=nowhere"}).status, 2);
  const Finished plain = evaluate({"--json"});
  EXPECT_EQ(json::parse(plain.out)["oracle"], json::array());
  const Finished timed = evaluate({"--time", "0.001", "--json"});
  ASSERT_EQ(timed.status, 0) << timed.err;
  EXPECT_NE(json::parse(timed.out)["matches"][0]["first"].get<std::string>().find(",time=0.001"),
            std::string::npos);
  EXPECT_EQ(evaluate({"--time", "1", "--sims", "5"}).status, 2);

  // The same positions during a training and behind it, without any match.
  const Finished trained =
      run_program({"train", "short.yaml", "--run", "other", "--set", "evaluation.against=[]", "--set",
                   "evaluation.oracle=set", "--set", "evaluation.every=1"},
                  folder.path());
  ASSERT_EQ(trained.status, 0) << trained.err;
  const json row = json::parse(read_file(folder / "other/metrics.jsonl"));
  json last = json::parse(read_file(folder / "other/evaluation.json"))["oracle"];
  ASSERT_EQ(last.size(), 2u);
  for (json& score : last) score.erase("player");
  EXPECT_EQ(row["oracle"]["policy"], last[0]);
  EXPECT_EQ(row["oracle"]["search"], last[1]);
  EXPECT_NE(trained.out.find("outcome errors"), std::string::npos) << trained.out;
}

TEST(Oracle, WrongRequestsSayWhatWouldBeRight) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "text", "not a data set");
  struct Case {
    Words words;
    std::string part;
  };
  const Case cases[] = {
      {{"oracle"}, "subcommand"},
      {{"oracle", "make", "--empty", "4", "--output", "set"}, "PLAYER"},
      {{"oracle", "make", "random", "--output", "set"}, "--empty"},
      {make_words({"--empty", "4"}), "--output"},
      {make_words({"--empty", "0", "--output", "set"}), "--empty"},
      {make_words({"--empty", "x", "--output", "set"}), "--empty"},
      {make_words({"--empty", "4,13", "--output", "set"}), "--empty: 13 squares are empty"},
      {make_words({"--empty", "4", "--positions", "0", "--output", "set"}), "--positions"},
      {make_words({"--empty", "4", "--positions", "1", "--output", "set"}), "--positions: 1 "},
      {make_words({"--empty", "1", "--positions", "1000000", "--output", "nowhere/set"}), "--output"},
      {make_words({"--empty", "1", "--output", "."}), "no regular file"},
      {make_words({"--empty", "4", "--opening-plies", "14", "--output", "set"}), "--opening-plies: 14"},
      {{"oracle", "make", "nobody", "--empty", "4", "--output", "set"}, "unknown player"},
      {{"oracle", "make", "net:nowhere", "--empty", "4", "--output", "set"}, "nowhere"},
      {{"oracle", "make", "greedy", "--size", "3", "--holes", "1", "--empty", "8", "--opening-plies", "0",
        "--positions", "9", "--output", "set"},
       "--positions: "},
      {{"oracle", "make", "greedy", "--size", "3", "--holes", "2", "--empty", "4", "--output", "set"},
       "--holes"},
      {{"oracle", "score", "random"}, "DATASET"},
      {{"oracle", "score", "random", "nowhere"}, "no such file"},
      {{"oracle", "score", "random", "text"}, "is not a PahTum oracle data set"},
      {{"oracle", "score", "nobody", "text"}, ""},
      {{"oracle", "score", "random", "text", "--sims", "0"}, "--sims"},
  };
  for (const Case& wrong : cases) {
    const Finished result = run_program(wrong.words, folder.path());
    std::string line;
    for (const std::string& word : wrong.words) line += word + " ";
    EXPECT_EQ(result.status, 2) << line << result.err;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_NE(result.err.find(wrong.part), std::string::npos) << line << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "set")) << line;
  }
}

TEST(Oracle, AnInterruptedOneLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "set", "the old one");
  // Hours of solving.
  Program making({"oracle", "make", "random", "--size", "8", "--holes", "0", "--empty", "40", "--positions",
                  "20", "--output", "set"},
                 folder.path());
  for (int tries = 0; tries < 1200 && making.errors().find("20 positions to solve") == std::string::npos;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  making.send(SIGINT);
  const Finished stopped = making.wait();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  EXPECT_EQ(read_file(folder / "set"), "the old one");
  EXPECT_FALSE(std::filesystem::exists(folder / "set.tmp"));
}

}  // namespace
}  // namespace pahtum
