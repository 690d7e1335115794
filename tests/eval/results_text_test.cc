#include "eval/results_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace pahtum {
namespace {

MatchResult match(const std::string& opponent, bool same_games) {
  std::vector<MatchGame> games;
  for (int k = 0; k < 10; ++k) games.push_back({Position{}, {Move::at(same_games ? 0 : k)}, k % 3 - 1});
  MatchResult result = count_games(std::move(games));
  result.first = "net:runs/größer";
  result.second = opponent;
  return result;
}

std::size_t characters(const std::string& line) {
  std::size_t count = 0;
  for (const char c : line) count += (c & 0xC0) != 0x80 ? 1u : 0u;
  return count;
}

TEST(ResultsText, RowsAreAlignedAndHoldTheFigures) {
  const MatchResult matches[] = {match("random", false), match("uct:1000000", false)};
  std::istringstream text(results_table(matches));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(characters(lines[0]), characters(lines[1]));
  EXPECT_EQ(characters(lines[0]), characters(lines[2]));
  EXPECT_NE(lines[1].find(percent_text(matches[0].total.score())), std::string::npos);
  EXPECT_NE(lines[1].find(results_text(matches[0].as_white)), std::string::npos);
  EXPECT_NE(lines[1].find(results_text(matches[0].as_black)), std::string::npos);
  EXPECT_EQ(results_table({}), "");
}

TEST(ResultsText, WarnsWhenTheSameGamesWerePlayedAgainAndAgain) {
  const MatchResult repeated = match("random", true);
  EXPECT_TRUE(few_distinct_games(repeated));
  EXPECT_NE(results_table({&repeated, 1}).find("warning: only 1 of the 10 games"), std::string::npos);
  const MatchResult varied = match("random", false);
  EXPECT_EQ(results_table({&varied, 1}).find("warning"), std::string::npos);
}

TEST(ResultsText, FormatsFigures) {
  EXPECT_EQ(percent_text(0.675), "67.5 %");
  EXPECT_EQ(percent_text(1), "100.0 %");
  EXPECT_EQ(elo_text(127.4), "+127");
  EXPECT_EQ(elo_text(-0.3), "0");
  EXPECT_EQ(elo_text(-12.6), "-13");
  EXPECT_EQ(results_text({30, 2, 8}), "30 / 2 / 8");
}

}  // namespace
}  // namespace pahtum
