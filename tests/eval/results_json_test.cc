#include "eval/results_json.h"

#include <gtest/gtest.h>

#include <set>

#include "env/base/schema.h"

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
  result.first_time = {2.0, 8};
  return result;
}

TEST(ResultsJson, AMatchHasTheFieldsOthersRead) {
  const Json document = match_json(sample());
  EXPECT_EQ(keys(document), (std::set<std::string>{"first", "second", "pairs", "wins", "draws", "losses",
                                                   "score", "score_low", "score_high", "elo", "elo_low",
                                                   "elo_high", "pair_scores", "mean_margin", "distinct_games",
                                                   "sprt", "by_colour", "seconds", "seconds_per_move"}));
  EXPECT_EQ(document["first"], "greedy");
  EXPECT_EQ(document["second"], "random");
  EXPECT_EQ(document["pairs"], 2);
  EXPECT_EQ(document["wins"], 2);
  EXPECT_EQ(document["draws"], 1);
  EXPECT_EQ(document["losses"], 1);
  EXPECT_DOUBLE_EQ(document["score"], 0.625);
  EXPECT_LT(document["elo_low"], document["elo"]);
  EXPECT_LT(document["elo"], document["elo_high"]);
  EXPECT_EQ(document["distinct_games"], 4);
  EXPECT_TRUE(document["sprt"].is_null());
  EXPECT_EQ(document["pair_scores"], Json::parse("[0, 1, 0, 0, 1]"));
  EXPECT_DOUBLE_EQ(document["mean_margin"], 1.0);
  EXPECT_EQ(document["by_colour"],
            Json::parse(R"({"white": {"wins": 1, "draws": 1, "losses": 0, "score": 0.75},
                            "black": {"wins": 1, "draws": 0, "losses": 1, "score": 0.5}})"));
  EXPECT_DOUBLE_EQ(document["seconds_per_move"]["first"], 0.25);
  EXPECT_DOUBLE_EQ(document["seconds_per_move"]["second"], 0.0);
}

TEST(ResultsJson, ASequentialTestSaysWhatItAskedAndFound) {
  MatchResult match = sample();
  match.sprt = SprtResult{SprtVerdict::kReject, true, -0.5, {.elo0 = -5, .elo1 = 15}};
  const Json sprt = match_json(match)["sprt"];
  EXPECT_EQ(keys(sprt), (std::set<std::string>{"verdict", "at_limit", "llr", "lower", "upper", "elo0", "elo1",
                                               "alpha", "beta"}));
  EXPECT_EQ(sprt["verdict"], "reject");
  EXPECT_EQ(sprt["at_limit"], true);
  EXPECT_DOUBLE_EQ(sprt["llr"], -0.5);
  EXPECT_DOUBLE_EQ(sprt["elo1"], 15);
  EXPECT_LT(sprt["lower"], 0);
}

TEST(ResultsJson, RatingsKeepTheirOrderAndIntervals) {
  PoolRatings ratings;
  ratings.players = {{"random", 0, 0, 0, {2, 4, 14}}, {"greedy", 400, 250, 550, {14, 4, 2}}};
  ratings.white_advantage = {30, -10, kInfinity};
  ratings.draw_parameter = {0.5, 0.25, 1};
  ratings.white = {9, 4, 7};
  ratings.superiority = {{0.5, 0.125}, {0.875, 0.5}};
  const Json document = Json::parse(ratings_json(ratings).dump());
  EXPECT_EQ(document, Json::parse(R"({"anchor": "random", "players": [
      {"player": "random", "elo": 0.0, "elo_low": 0.0, "elo_high": 0.0, "games": 20, "wins": 2, "draws": 4,
       "losses": 14, "score": 0.2},
      {"player": "greedy", "elo": 400.0, "elo_low": 250.0, "elo_high": 550.0, "games": 20, "wins": 14, "draws": 4,
       "losses": 2, "score": 0.8}],
      "white_advantage": 30.0, "white_advantage_low": -10.0, "white_advantage_high": null,
      "draw_parameter": 0.5, "draw_parameter_low": 0.25, "draw_parameter_high": 1.0,
      "white_wins": 9, "draws": 4, "black_wins": 7, "superiority": [[0.5, 0.125], [0.875, 0.5]]})"));
}

TEST(ResultsJson, AnEvaluationHoldsItsTargetAndMatches) {
  const MatchResult matches[] = {sample(), sample()};
  const Json document = evaluate_json("runs/quick-1", matches);
  EXPECT_EQ(keys(document), (std::set<std::string>{"target", "matches", "oracle"}));
  EXPECT_EQ(document["target"], "runs/quick-1");
  ASSERT_EQ(document["matches"].size(), 2u);
  EXPECT_EQ(document["matches"][1], match_json(matches[1]));
  EXPECT_TRUE(document["oracle"].is_array() && document["oracle"].empty());
  EXPECT_TRUE(evaluate_json("x", {})["matches"].is_array());
}

TEST(ResultsJson, AnOracleScoreHasTheFieldsOthersReadAndNullForWhatIsUnknown) {
  OracleRow row;
  row.empty = 8;
  row.positions = 1;
  row.best_margin = {1, 0.25, 1};
  row.mean_margin_loss = {0.5, -kInfinity, kInfinity};
  OracleRow all = row;
  all.decisive = 3;
  all.outcome_errors = Estimate{0.5, 0.25, 0.75};
  all.value_brier = Estimate{1.5, 1.25, 2};
  const Json document = Json::parse(oracle_json({"solver:8", 8, {row}, all}).dump());
  EXPECT_EQ(keys(document), (std::set<std::string>{"player", "exact", "rows", "all"}));
  EXPECT_EQ(document["exact"], 8);
  EXPECT_EQ(document["rows"], Json::parse(R"([{"empty": 8, "positions": 1, "decisive": 0,
      "outcome_errors": null, "outcome_errors_low": null, "outcome_errors_high": null,
      "best_margin": 1.0, "best_margin_low": 0.25, "best_margin_high": 1.0,
      "mean_margin_loss": 0.5, "mean_margin_loss_low": null, "mean_margin_loss_high": null,
      "value_brier": null, "value_brier_low": null, "value_brier_high": null}])"));
  EXPECT_FALSE(document["all"].contains("empty"));
  EXPECT_EQ(document["all"]["decisive"], 3);
  EXPECT_EQ(document["all"]["outcome_errors_high"], 0.75);
  EXPECT_EQ(document["all"]["value_brier_low"], 1.25);
}

}  // namespace
}  // namespace pahtum
