#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "env/base/files.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

TEST(Rate, RatesAPoolAboveItsAnchor) {
  const TemporaryFolder folder;
  const Finished result = run_program(
      {"rate", "greedy", "charles", "--pairs", "10", "--size", "5", "--holes", "3", "--json"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["anchor"], "random");
  ASSERT_EQ(document["players"].size(), 3u) << "the anchor is added";
  EXPECT_EQ(document["players"][0]["player"], "random");
  EXPECT_EQ(document["players"][0]["elo"], 0.0);
  for (const std::size_t k : {1u, 2u}) {
    const json& player = document["players"][k];
    EXPECT_GT(player["elo"], 100.0) << player;
    EXPECT_LT(player["elo_low"], player["elo"]);
    EXPECT_GT(document["superiority"][k][0], 0.99);
    EXPECT_EQ(player["wins"].get<int>() + player["draws"].get<int>() + player["losses"].get<int>(), 40);
  }
  EXPECT_EQ(document["matches"].size(), 3u) << "everybody meets everybody";
  EXPECT_EQ(
      document["white_wins"].get<int>() + document["draws"].get<int>() + document["black_wins"].get<int>(),
      60);
  EXPECT_GT(document["draw_parameter_high"], document["draw_parameter"]);
  EXPECT_EQ(document["partial"], false);
  EXPECT_EQ(document["runs"], json::array());
}

TEST(Rate, TheCheckpointsOfARunMeetTheLadderAndTheReportShowsTheirCurve) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(2));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  const Finished result =
      run_program({"rate", "random", "greedy", "--run", "mine", "--pairs", "3", "--json"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const json document = json::parse(result.out);
  ASSERT_EQ(document["players"].size(), 5u) << "two named, and the checkpoints 0, 1 and 2";
  EXPECT_EQ(document["matches"].size(), 7u) << "checkpoints do not meet each other";
  const json curve = json::parse(read_file(folder / "mine/report.json"))["rating_curve"];
  ASSERT_EQ(curve.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(curve[k]["iteration"], k);
    EXPECT_DOUBLE_EQ(curve[k]["elo"], document["players"][2 + k]["elo"]);
  }
  EXPECT_LT(curve[1]["games"], curve[2]["games"]);
  // A report made again keeps the curve, and an evaluation's games and pages lie beside it.
  ASSERT_EQ(run_program({"report", "mine"}, folder.path()).status, 0);
  EXPECT_EQ(json::parse(read_file(folder / "mine/report.json"))["rating_curve"], curve);
  for (const char* file : {"mine/games.txt", "mine/evaluation.json", "mine/report.html"}) {
    EXPECT_FALSE(read_file(folder / file).empty()) << file;
  }
  const Finished stats = run_program({"games", "stats", "mine/games.txt", "--json"}, folder.path());
  EXPECT_EQ(stats.status, 0) << stats.err;
}

TEST(Rate, DamagedCheckpointsAreLeftOutAndRunsHaveTheirOwnCurves) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "one"}, folder.path()).status, 0);
  std::filesystem::copy(folder / "one", folder / "two", std::filesystem::copy_options::recursive);
  std::string bytes = read_file(folder / "one/checkpoints/000000.ckpt");
  bytes[bytes.size() / 2] ^= 1;
  write_file_atomically(folder / "one/checkpoints/000000.ckpt", bytes);
  const Finished result = run_program(
      {"rate", "net:two", "--run", "one", "--run", "two", "--pairs", "1", "--json"}, folder.path());
  EXPECT_EQ(result.status, 2) << "net:two is the newest checkpoint of --run two: " << result.out;
  EXPECT_NE(result.err.find("net:two/checkpoints/000001.ckpt is named twice"), std::string::npos)
      << result.err;

  const Finished all =
      run_program({"rate", "random", "--run", "one", "--run", "two", "--pairs", "1", "--json", "--all-pairs"},
                  folder.path());
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.err.find("left out: one/checkpoints/000000.ckpt"), std::string::npos) << all.err;
  const json document = json::parse(all.out);
  EXPECT_EQ(document["players"].size(), 4u);
  EXPECT_EQ(document["matches"].size(), 6u) << "everybody meets everybody";
  ASSERT_EQ(document["runs"].size(), 2u);
  EXPECT_EQ(document["runs"][0]["points"].size(), 1u);
  const json& points = document["runs"][1]["points"];
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1]["player"], "net:two/checkpoints/000001.ckpt");
  EXPECT_EQ(points[1]["iteration"], 1);
  EXPECT_EQ(points[1]["games"], 4);
  EXPECT_EQ(points[1]["elo"], document["players"][3]["elo"]);
  EXPECT_EQ(json::parse(read_file(folder / "one/report.json"))["rating_curve"].size(), 1u);
  EXPECT_EQ(json::parse(read_file(folder / "two/report.json"))["rating_curve"].size(), 2u);

  for (const char* file : {"one/checkpoints/000000.ckpt", "one/checkpoints/000001.ckpt"}) {
    write_file_atomically(folder / file, "no checkpoint");
  }
  const Finished none = run_program({"rate", "random", "--run", "one"}, folder.path());
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("holds no whole checkpoint"), std::string::npos) << none.err;
}

TEST(Rate, AnInterruptLeavesTheRatingOfWhatHasBeenPlayed) {
  const TemporaryFolder folder;
  // Each match of uct would take minutes.
  Program rating({"rate", "random", "greedy", "uct:20000", "--pairs", "100", "--json"}, folder.path());
  for (int tries = 0; tries < 1200 && rating.errors().find("match 2 of 3") == std::string::npos; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  rating.send(SIGINT);
  const Finished result = rating.wait();
  EXPECT_EQ(result.status, 130) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["partial"], true);
  ASSERT_EQ(document["players"].size(), 2u) << "of uct no match is finished";
  EXPECT_EQ(document["players"][1]["player"], "greedy");
  EXPECT_EQ(document["matches"].size(), 1u);
  EXPECT_NE(result.err.find("interrupted"), std::string::npos) << result.err;
}

TEST(Rate, WrongRequestsSayWhatWouldBeRight) {
  const TemporaryFolder folder;
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"rate"}, "at least two players"},
      {{"rate", "nobody"}, "unknown player"},
      {{"rate", "greedy", "greedy"}, "named twice"},
      {{"rate", "--run", "nowhere"}, "no such run directory"},
      {{"rate", "greedy", "--pairs", "0"}, "--pairs"},
  };
  for (const auto& [words, part] : cases) {
    const Finished result = run_program(words, folder.path());
    EXPECT_EQ(result.status, 2) << words.back() << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << words.back() << ": " << result.err;
  }
}

}  // namespace
}  // namespace pahtum
