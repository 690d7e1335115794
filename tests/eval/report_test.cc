#include "eval/report.h"

#include <gtest/gtest.h>

#include "tests/eval/markup.h"

namespace pahtum {
namespace {

nlohmann::json full_row(int iteration) {
  return {{"iteration", iteration},
          {"step", 100 * iteration},
          {"white_wins", 130},
          {"draws", 30},
          {"black_wins", 96},
          {"games_per_second", 41.5},
          {"evaluations_per_second", 90'000.0},
          {"loss",
           {{"total", 4.0 / iteration},
            {"policy", 3.0 / iteration},
            {"value", 0.9},
            {"margin", 0.5},
            {"ownership", 0.4},
            {"policy_entropy", 1.0}}},
          {"policy_accuracy", 0.4},
          {"value_accuracy", 0.6},
          {"match", {{"against", "greedy"}, {"score", 0.7}, {"score_low", 0.6}, {"score_high", 0.8}}}};
}

MatchResult match(const std::string& opponent) {
  std::vector<MatchGame> games;
  for (int k = 0; k < 20; ++k) games.push_back({Position{}, {Move::at(k)}, k % 4 - 1});
  MatchResult result = count_games(std::move(games));
  result.first = "net:runs/quick-1";
  result.second = opponent;
  return result;
}

void expect_sound(const std::string& html) {
  expect_balanced(html);
  for (const char* external : {"http:", "https:", "src=", "href=", "url(", "@import", "<script"}) {
    EXPECT_EQ(html.find(external), std::string::npos) << external;
  }
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
}

TEST(Report, ShowsResultsCurvesAndConfiguration) {
  ReportInput input;
  input.title = "quick & <dirty>";
  input.facts = {{"rules", "7×7, 5 random holes"}, {"checkpoint", "a<b>.ckpt"}};
  for (int iteration = 1; iteration <= 10; ++iteration) input.metrics.push_back(full_row(iteration));
  input.matches = {match("random"), match("uct:1000")};
  input.config = "game:\n  size: 7  # <script>alert('&')</script>\n";
  const std::string html = html_report(input);
  expect_sound(html);
  EXPECT_NE(html.find("quick &amp; &lt;dirty&gt;"), std::string::npos);
  EXPECT_NE(html.find("a&lt;b&gt;.ckpt"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;&amp;&#39;)"), std::string::npos);
  EXPECT_NE(html.find("<details>"), std::string::npos);
  EXPECT_EQ(occurrences(html, "<article"), 2u);
  EXPECT_EQ(occurrences(html, "<figure"), 7u);
  EXPECT_EQ(occurrences(html, "No data yet"), 0u);
  EXPECT_NE(html.find("Match score during training against greedy"), std::string::npos);
}

TEST(Report, IsSoundWithoutDataAndWithASingleRow) {
  ReportInput input;
  input.title = "empty";
  expect_sound(html_report(input));
  EXPECT_EQ(occurrences(html_report(input), "<details>"), 0u);
  input.metrics = {full_row(1)};
  expect_sound(html_report(input));
  EXPECT_EQ(occurrences(html_report(input), "No data yet"), 0u);
}

TEST(Report, RowsMayLackAnyFieldOrHoldAnotherType) {
  ReportInput input;
  input.title = "sparse";
  nlohmann::json without_loss = full_row(1);
  without_loss.erase("loss");
  without_loss.erase("match");
  nlohmann::json odd = full_row(3);
  odd["loss"] = nullptr;
  odd["step"] = "many";
  odd["match"] = "none";
  input.metrics = {without_loss, full_row(2), nlohmann::json::object(), odd, nlohmann::json(7)};
  expect_sound(html_report(input));
}

TEST(Report, WarnsOfFewDistinctGames) {
  MatchResult repeated = match("random");
  EXPECT_EQ(html_report({"t", {}, {}, {repeated}, ""}).find("class=\"warning\""), std::string::npos);
  repeated.distinct_games = 3;
  EXPECT_NE(html_report({"t", {}, {}, {repeated}, ""}).find("class=\"warning\""), std::string::npos);
}

}  // namespace
}  // namespace pahtum
