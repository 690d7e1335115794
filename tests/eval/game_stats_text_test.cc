#include "eval/game_stats_text.h"

#include <gtest/gtest.h>

namespace pahtum {
namespace {

GameStats stats_of(const std::vector<std::string>& games) {
  GameCounter counter;
  for (const std::string& fields : games) counter.add(parse_game("pahtum-game 1\t" + fields, "test"));
  return counter.stats();
}

const GameStats kStats = stats_of({"points=3-0\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3",
                                   "points=0-0\tstart=3/x1x/xxx w\tmoves=b2 a3 b3 c3"});

TEST(GameStatsText, HasATableForEachQuestion) {
  const std::string text = game_stats_text(kStats);
  for (const std::string part :
       {"2 games, 2 distinct\n", "these games            2      50.0 %",
        "people, BrainKing  74731      55.2 %", "margin for White  1.50",
        "of 3                 0.500  0.000\n", "4          1  50.0 %     100.0 %",
        // A corner's move in one of two games is an eighth for each corner, the centre's a half.
        "3   12.5░   0.0   12.5░\n2    0.0   50.0█   0.0\n1   12.5░   0.0   12.5░\n       a      b      "
        "c\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  }
}

TEST(GameStatsText, OneGameHasNoIntervalOfItsMean) {
  const GameStats one = stats_of({"points=3-0\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3"});
  EXPECT_EQ(game_stats_text(one).find("inf"), std::string::npos);
  const auto document = game_stats_json(one);
  EXPECT_EQ(nlohmann::json::parse(document.dump())["margin"]["low"], nullptr);
}

TEST(GameStatsText, JsonHoldsTheNumbers) {
  const auto document = game_stats_json(kStats);
  EXPECT_EQ(document["results"]["white_share"]["value"], 0.5);
  EXPECT_EQ(document["people"]["black_wins"], 22022);
  EXPECT_EQ(document["by_holes"][1]["holes"], 5);
  EXPECT_EQ(document["by_holes"][1]["draws"], 1);
  EXPECT_EQ(document["first_moves"][0]["shares"][1][1], 0.5);
  EXPECT_EQ(document["runs"]["white"]["3"], 1);
}

}  // namespace
}  // namespace pahtum
