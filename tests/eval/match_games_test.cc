#include "eval/match_games.h"

#include <gtest/gtest.h>

#include "env/game_rules.h"
#include "eval/arena.h"

namespace pahtum {
namespace {

PlayerFactory seeded_factory(const std::string& spec) {
  return [=] { return make_player(spec, {.seed = 5}); };
}

TEST(MatchGames, RecordsSayWhoPlayedWhatAndWhere) {
  MatchConfig config;
  config.game = {.size = 5, .holes = 3, .run_points = {{0, 0, 4, 10, 25, 56, 119, 246}}};
  config.pairs = 3;
  config.seed = 9;
  config.opening_plies = 2;
  config.first_layout = 4;
  const MatchResult match = play_match(seeded_factory("greedy"), seeded_factory("random"), config);
  const std::vector<PlayedGame> games = parse_games_text(games_text(match, config), "test");
  EXPECT_EQ(games, played_games(match, config));
  ASSERT_EQ(games.size(), 6u);
  for (std::size_t k = 0; k < games.size(); ++k) {
    SCOPED_TRACE(k);
    EXPECT_EQ(games[k].white, k % 2 == 0 ? "greedy" : "random");
    EXPECT_EQ(games[k].black, k % 2 == 0 ? "random" : "greedy");
    EXPECT_EQ(games[k].seed, 9u);
    EXPECT_EQ(games[k].number, 8 + k);
    EXPECT_EQ(games[k].opening, 2u);
    EXPECT_EQ(games[k].moves, match.games[k].moves);
    EXPECT_EQ(games[k].final_position().white_margin(), match.games[k].white_margin);
    // The number tells the layout, also of a match that goes on with later ones.
    EXPECT_EQ(games[k].start,
              start_position(config.game, 9, Stream::kEvaluationLayout, *games[k].number / 2));
  }
}

}  // namespace
}  // namespace pahtum
