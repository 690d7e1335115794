#include "eval/oracle_data.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "env/base/files.h"
#include "tests/env/expect_error.h"
#include "tests/eval/oracle_fixture.h"

namespace pahtum {
namespace {

using nlohmann::json;
using test::expect_error;

constexpr FrameFormat kFormat{.magic = "PAHTUMOR", .version = 1, .what = "oracle data set"};

std::string names(const std::vector<Move>& moves) {
  std::string text;
  for (const Move move : moves) text += (text.empty() ? "" : " ") + to_text(move, 3);
  return text;
}

TEST(OraclePosition, BestMovesFollowFromTheMargins) {
  const OraclePosition entry = oracle_position("1w1/xxx/x2 b", {1, 3, -2, 3});
  EXPECT_EQ(entry.margin(), 3);
  EXPECT_EQ(entry.outcome(), Outcome::kWin);
  EXPECT_EQ(names(entry.best_by_outcome()), "a3 c3 c1");
  EXPECT_EQ(names(entry.best_by_margin()), "c3 c1");
  EXPECT_EQ(entry.margin_of(parse_move("b1", 3)), -2);
  EXPECT_TRUE(entry.decisive());
  EXPECT_FALSE(oracle_position("1w1/xxx/x2 b", {1, 3, 2, 3}).decisive());
  EXPECT_FALSE(oracle_position("1w1/xxx/x2 b", {-1, -3, -2, -3}).decisive());
  EXPECT_EQ(oracle_position("1w1/xxx/x2 b", {-1, -3, -2, -3}).margin(), -1);
}

TEST_F(OracleFile, HoldsWhatWasSaved) {
  OracleData data = small_oracle_data();
  data.seed = 18'446'744'073'709'551'615u;
  data.game.layouts = {"a1,b2,c3"};
  data.game.run_points = {0, 1, 5, 10, 25, 56, 119, 246};
  data.players = {"net:somewhere \"else\",sims=3"};
  for (OraclePosition& entry : data.positions) entry.position.run_points = data.game.run_points;
  save_oracle_data(path_, data);
  EXPECT_EQ(load_oracle_data(path_), data);
}

TEST_F(OracleFile, SaysForOtherProgramsWhatFollowsFromTheValues) {
  save_oracle_data(path_, small_oracle_data());
  const json document = json::parse(read_frame(path_, kFormat));
  EXPECT_EQ(document["game"]["size"], 3);
  EXPECT_EQ(document["seed"], 7);
  EXPECT_EQ(document["players"], json({"random", "greedy"}));
  ASSERT_EQ(document["positions"].size(), 4u);
  EXPECT_EQ(document["positions"][2], (json{{"position", "1w1/xxx/x2 b"},
                                            {"empty", 4},
                                            {"outcome", 1},
                                            {"margin", 3},
                                            {"best_outcome", {"c3"}},
                                            {"best_margin", {"c3"}},
                                            {"moves", {{"a3", -3}, {"b1", 0}, {"c1", -3}, {"c3", 3}}}}));
  EXPECT_EQ(document["positions"][3]["best_outcome"], json({"a3", "c3", "b1", "c1"}));
}

TEST_F(OracleFile, EveryCutAndEveryFlippedBitIsRefused) {
  OracleData data = small_oracle_data();
  data.positions.resize(1);
  save_oracle_data(path_, data);
  const std::string bytes = read_file(path_);
  const auto expect_refusal = [&](const std::string& damaged) {
    write_file_atomically(path_, damaged);
    expect_error(Fault::kRequest, {path_.string()}, [&] { (void)load_oracle_data(path_); });
  };
  for (std::size_t length = 0; length < bytes.size(); ++length) expect_refusal(bytes.substr(0, length));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    expect_refusal(damaged);
  }
  expect_refusal(bytes + "x");
  expect_error(Fault::kRequest, {"nowhere"}, [] { (void)load_oracle_data("nowhere"); });
}

TEST_F(OracleFile, WhatIsWrongInsideIsNamed) {
  save_oracle_data(path_, small_oracle_data());
  const json sound = json::parse(read_frame(path_, kFormat));
  struct Case {
    std::function<void(json&)> change;
    std::string place, why;
  };
  const auto of_third = [](const std::function<void(json&)>& change) {
    return [change](json& document) { change(document["positions"][2]); };
  };
  const Case cases[] = {
      {[](json& document) { document = json::array(); }, "it", "is not an object"},
      {[](json& document) { document.erase("seed"); }, "`seed`", "is missing"},
      {[](json& document) { document["seed"] = -1; }, "`seed`", "0 or more"},
      {[](json& document) { document["sed"] = 1; }, "`sed`", "is unknown"},
      {[](json& document) { document["opening_plies"] = "2"; }, "`opening_plies`", "is not an integer"},
      {[](json& document) { document["players"] = "random"; }, "`players`", "is not a list"},
      {[](json& document) { document["players"] = {1}; }, "`players`", "not a text"},
      {[](json& document) { document["game"]["size"] = 9; }, "`game.size`", "3 … 8"},
      {[](json& document) { document["game"]["colour"] = 9; }, "`game.colour`", "is unknown"},
      {[](json& document) { document["game"].erase("holes"); }, "`game.holes`", "is missing"},
      {[](json& document) { document["game"]["holes"] = "2"; }, "`game`", "makes no game"},
      {[](json& document) { document["game"]["size"] = 5; }, "`positions[0].position`", "whose size is 5"},
      {[](json& document) { document["positions"] = 3; }, "`positions`", "is not a list"},
      {[](json& document) { document["positions"] = json::array(); }, "`positions`", "at least one"},
      {[](json& document) { document["positions"][1] = 3; }, "`positions[1]`", "is not an object"},
      {of_third([](json& entry) { entry["value"] = 1; }), "`positions[2].value`", "is unknown"},
      {of_third([](json& entry) { entry.erase("position"); }), "`positions[2].position`", "is missing"},
      {of_third([](json& entry) { entry["position"] = 5; }), "`positions[2].position`", "is not a text"},
      {of_third([](json& entry) { entry["position"] = "1w1/xxx/x3 b"; }), "`positions[2].position`",
       "1w1/xxx/x3"},
      {of_third([](json& entry) { entry["position"] = "4/4/4/4 w"; }), "`positions[2].position`",
       "another board"},
      {of_third([](json& entry) { entry["position"] = "3/xxx/x2 b place=1"; }), "`positions[2].position`",
       "not yet being placed"},
      {of_third([](json& entry) { entry["position"] = "wwb/xxx/xbw b"; }), "`positions[2].position`",
       "no square is empty"},
      {of_third([](json& entry) { entry.erase("moves"); }), "`positions[2].moves`", "is missing"},
      {of_third([](json& entry) {
         entry["moves"] = {1, 2};
       }),
       "`positions[2].moves`", "is not an object"},
      {of_third([](json& entry) { entry["moves"].erase("b1"); }), "`positions[2].moves.b1`", "is missing"},
      {of_third([](json& entry) { entry["moves"]["b3"] = 0; }), "`positions[2].moves.b3`", "no legal move"},
      {of_third([](json& entry) { entry["moves"]["swap"] = 0; }), "`positions[2].moves.swap`",
       "no legal move"},
      {of_third([](json& entry) { entry["moves"]["z"] = 0; }), "`positions[2].moves.z`", "no legal move"},
      {of_third([](json& entry) { entry["moves"]["b1"] = 0.5; }), "`positions[2].moves.b1`",
       "is not an integer"},
      {of_third([](json& entry) { entry["moves"]["b1"] = 1'000'000; }), "`positions[2].moves.b1`",
       "must be in"},
      {of_third([](json& entry) { entry["moves"]["b1"] = 3; }), "`positions[2].best_outcome`",
       "[\"c3\",\"b1\"]"},
      {of_third([](json& entry) { entry["empty"] = 5; }), "`positions[2].empty`", "it is 4"},
      {of_third([](json& entry) { entry["empty"] = 4.0; }), "`positions[2].empty`", "it is 4"},
      {of_third([](json& entry) { entry["outcome"] = 0; }), "`positions[2].outcome`", "it is 1"},
      {of_third([](json& entry) { entry["outcome"] = true; }), "`positions[2].outcome`", "it is 1"},
      {of_third([](json& entry) { entry["margin"] = nullptr; }), "`positions[2].margin`", "it is 3"},
      {of_third([](json& entry) { entry.erase("margin"); }), "`positions[2].margin`", "is missing"},
      {of_third([](json& entry) { entry["best_outcome"] = json::array(); }), "`positions[2].best_outcome`",
       "[\"c3\"]"},
      {of_third([](json& entry) {
         entry["best_margin"] = {"c3", "b1"};
       }),
       "`positions[2].best_margin`", "[\"c3\"]"},
  };
  for (const Case& broken : cases) {
    json document = sound;
    broken.change(document);
    write_frame(path_, kFormat, document.dump());
    SCOPED_TRACE(document.dump());
    expect_error(Fault::kRequest, {path_.string(), broken.place, broken.why},
                 [&] { (void)load_oracle_data(path_); });
  }
  write_frame(path_, kFormat, "{\"game\": ");
  expect_error(Fault::kRequest, {path_.string(), "no JSON document"}, [&] { (void)load_oracle_data(path_); });
}

}  // namespace
}  // namespace pahtum
