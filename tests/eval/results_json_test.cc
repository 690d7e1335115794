#include "eval/results_json.h"

#include <gtest/gtest.h>

#include <set>

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

MatchResult sample() {
  MatchResult result = count_games({{Position{}, {Move::at(0)}, 5},
                                    {Position{}, {Move::at(1)}, -2},
                                    {Position{}, {Move::at(2)}, 0},
                                    {Position{}, {Move::at(3)}, 3}});
  result.first = "greedy";
  result.second = "random";
  return result;
}

TEST(ResultsJson, AMatchHasTheFieldsOthersRead) {
  const Json json = match_json(sample());
  EXPECT_EQ(keys(json),
            (std::set<std::string>{"first", "second", "pairs", "wins", "draws", "losses", "score", "elo",
                                   "elo_low", "elo_high", "distinct_games", "sprt", "by_colour"}));
  EXPECT_EQ(json["first"], "greedy");
  EXPECT_EQ(json["second"], "random");
  EXPECT_EQ(json["pairs"], 2);
  EXPECT_EQ(json["wins"], 2);
  EXPECT_EQ(json["draws"], 1);
  EXPECT_EQ(json["losses"], 1);
  EXPECT_DOUBLE_EQ(json["score"], 0.625);
  EXPECT_LT(json["elo_low"], json["elo"]);
  EXPECT_LT(json["elo"], json["elo_high"]);
  EXPECT_EQ(json["distinct_games"], 4);
  EXPECT_TRUE(json["sprt"].is_null());
  EXPECT_EQ(json["by_colour"], Json::parse(R"({"white": {"wins": 1, "draws": 1, "losses": 0},
                                               "black": {"wins": 1, "draws": 0, "losses": 1}})"));
}

TEST(ResultsJson, AnEvaluationHoldsItsTargetAndMatches) {
  const MatchResult matches[] = {sample(), sample()};
  const Json json = evaluate_json("runs/quick-1", matches);
  EXPECT_EQ(keys(json), (std::set<std::string>{"target", "matches", "oracle"}));
  EXPECT_EQ(json["target"], "runs/quick-1");
  ASSERT_EQ(json["matches"].size(), 2u);
  EXPECT_EQ(json["matches"][1], match_json(matches[1]));
  EXPECT_TRUE(json["oracle"].is_array() && json["oracle"].empty());
  EXPECT_TRUE(evaluate_json("x", {})["matches"].is_array());
}

}  // namespace
}  // namespace pahtum
