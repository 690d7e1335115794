#include "eval/results_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "env/base/schema.h"

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

TEST(ResultsText, OneMatchFitsATerminal) {
  MatchResult result = match("uct:1000000", false);
  result.first_time = {2.0, 8};
  result.second_time = {0.5e-6, 1};
  result.sprt = SprtResult{SprtVerdict::kAccept, false, 2.97, {.elo0 = -100, .elo1 = 150}};
  const std::string whole = match_text(result);
  std::istringstream text(whole);
  for (std::string line; std::getline(text, line);) EXPECT_LE(characters(line), 80u) << line;
  for (const char* part : {"as White", "as Black", "1½", "250 ms against 0.50 µs",
                           "SPRT Elo -100 or 150: accepted, log-likelihood ratio 2.97 (-2.94 .. 2.94)"}) {
    EXPECT_NE(whole.find(part), std::string::npos) << part << " is missing in\n" << whole;
  }
  result.sprt->verdict = SprtVerdict::kUndecided;
  result.sprt->at_limit = true;
  EXPECT_NE(match_text(result).find("undecided at the limit of pairs"), std::string::npos);
  EXPECT_EQ(whole.find("warning"), std::string::npos);
  EXPECT_NE(match_text(match("random", true)).find("warning: only 1 of the 10"), std::string::npos);
}

TEST(ResultsText, RatingsStandByStrength) {
  PoolRatings ratings;
  ratings.players = {{"random", 0, 0, 0, {2, 4, 14}}, {"greedy", 400, 250, 550, {14, 4, 2}}};
  ratings.white_advantage = {30, -10, 70};
  ratings.white = {9, 4, 7};
  ratings.superiority = {{0.5, 0.125}, {0.875, 0.5}};
  EXPECT_EQ(
      ratings_text(ratings),
      "player   Elo  95 % interval  games   score   W / D / L  above the next\n"
      "greedy  +400   +250 .. +550     20  80.0 %  14 / 4 / 2          87.5 %\n"
      "random     0         anchor     20  20.0 %  2 / 4 / 14\n"
      "White's first move is worth +30 Elo, 95 %: -10 .. +70; of all games White won 45.0 %, 20.0 % were "
      "drawn\n");
}

TEST(ResultsText, FormatsFigures) {
  EXPECT_EQ(time_text(12.34), "12.3 s");
  EXPECT_EQ(time_text(0.99999), "1.00 s");
  EXPECT_EQ(time_text(0.0381), "38.1 ms");
  EXPECT_EQ(time_text(0), "0.00 µs");
  EXPECT_EQ(percent_text(0.675), "67.5 %");
  EXPECT_EQ(percent_text(1), "100.0 %");
  EXPECT_EQ(elo_text(127.4), "+127");
  EXPECT_EQ(elo_text(-0.3), "0");
  EXPECT_EQ(elo_text(-12.6), "-13");
  EXPECT_EQ(results_text({30, 2, 8}), "30 / 2 / 8");
}

OracleScore oracle_score(bool with_values) {
  OracleRow row;
  row.empty = 8;
  row.positions = 200;
  row.decisive = 50;
  row.outcome_errors = Estimate{0.125, 0.0625, 0.25};
  row.best_margin = {0.5, 0.4, 0.6};
  row.mean_margin_loss = {2.25, 1.5, 3.0};
  if (with_values) row.value_brier = Estimate{0.625, 0.5, 0.75};
  OracleRow other = row;
  other.empty = 12;
  other.decisive = 0;
  other.outcome_errors.reset();
  other.mean_margin_loss = {1, -kInfinity, kInfinity};
  return {"greedy", 0, {row, other}, row};
}

TEST(ResultsText, OracleRowsSayWhatIsKnown) {
  std::istringstream text(oracle_table(oracle_score(false)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  for (const std::string& line : lines) EXPECT_EQ(characters(line), characters(lines[0]));
  EXPECT_NE(lines[1].find("12.5 %  6.2 % .. 25.0 %"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("2.25   1.50 .. 3.00"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2].find("inf"), std::string::npos) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("all ")) << lines[3];
  EXPECT_EQ(oracle_table(oracle_score(false)).find("Brier"), std::string::npos);
  EXPECT_NE(oracle_table(oracle_score(true)).find("0.50 .. 0.75"), std::string::npos);
}

}  // namespace
}  // namespace pahtum
