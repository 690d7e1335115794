#include "eval/arena.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>

#include "env/base/error.h"
#include "env/game_rules.h"
#include "eval/rating.h"
#include "eval/results_text.h"
#include "tests/eval/network_fixture.h"

namespace pahtum {
namespace {

PlayerFactory factory(const std::string& spec, std::uint64_t seed = 1) {
  return [=] { return make_player(spec, {seed, {.device = "cpu", .precision = "fp32"}, 0}); };
}

MatchConfig match_of(const GameConfig& game, std::int64_t pairs, int threads = 2) {
  MatchConfig config;
  config.game = game;
  config.pairs = pairs;
  config.threads = threads;
  return config;
}

Position final_position(const MatchGame& game) {
  Position position = game.start;
  for (const Move move : game.moves) {
    EXPECT_TRUE(is_legal(position, move));
    apply(position, move);
  }
  return position;
}

TEST(Arena, EveryNumberOfThreadsAndEveryGroupingPlaysTheSameGames) {
  MatchConfig config = match_of(kSmall, 13, 1);
  config.opening_plies = 2;
  const MatchResult one = play_match(factory("uct:20"), factory("greedy", 2), config);
  for (const int threads : {2, 3}) {
    config.threads = threads;
    EXPECT_EQ(play_match(factory("uct:20"), factory("greedy", 2), config).games, one.games);
  }
  config.pairs_at_once = 1;
  EXPECT_EQ(play_match(factory("uct:20"), factory("greedy", 2), config).games, one.games);
}

TEST(Arena, AShorterMatchIsTheBeginningOfALongerOne) {
  MatchResult longer = play_match(factory("random"), factory("greedy"), match_of(kSmall, 9));
  const MatchResult shorter = play_match(factory("random"), factory("greedy"), match_of(kSmall, 4));
  longer.games.resize(8);
  EXPECT_EQ(longer.games, shorter.games);
}

TEST(Arena, EachLayoutIsPlayedTwiceWithColoursSwapped) {
  MatchConfig config = match_of(kSmall, 10);
  config.opening_plies = 3;
  const MatchResult result = play_match(factory("greedy", 1), factory("random", 2), config);
  EXPECT_EQ(result.first, "greedy");
  EXPECT_EQ(result.second, "random");
  EXPECT_EQ(result.pairs, 10);
  ASSERT_EQ(result.games.size(), 20u);
  const auto greedy = make_player("greedy", {1, {.device = "cpu", .precision = "fp32"}, 0});
  std::set<std::string> layouts;
  for (std::size_t number = 0; number < result.games.size(); ++number) {
    const MatchGame& game = result.games[number];
    const MatchGame& partner = result.games[number ^ 1];
    EXPECT_EQ(game.start, partner.start);
    EXPECT_TRUE(std::equal(game.moves.begin(), game.moves.begin() + 3, partner.moves.begin()));
    EXPECT_EQ(game.start, start_position(kSmall, config.seed, Stream::kEvaluationLayout, number / 2));
    layouts.insert(to_text(game.start));

    // The first player has White in even games: its moves are those a player of the same seed makes.
    Position position = game.start;
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      const bool first_moves = (position.mover == Color::kWhite) == (number % 2 == 0);
      if (ply >= 3 && first_moves) {
        const Turn turn{position, number, static_cast<int>(ply)};
        Move move;
        greedy->choose({&turn, 1}, {&move, 1});
        EXPECT_EQ(game.moves[ply], move);
      }
      apply(position, game.moves[ply]);
    }
  }
  EXPECT_GT(layouts.size(), 7u);
}

TEST(Arena, EveryGameIsPlayedToItsEndAndScoredByTheRules) {
  const MatchResult result = play_match(factory("random"), factory("random", 9), match_of(GameConfig{}, 8));
  std::int64_t white = 0, draws = 0;
  for (const MatchGame& game : result.games) {
    const Position position = final_position(game);
    EXPECT_EQ(game.moves.size(), 44u);
    EXPECT_TRUE(position.over());
    EXPECT_EQ(game.white_margin, points(position.white) - points(position.black));
    white += game.white_margin > 0 ? 1 : 0;
    draws += game.white_margin == 0 ? 1 : 0;
  }
  EXPECT_EQ(result.as_white.wins + result.as_black.losses, white);
  EXPECT_EQ(result.total.draws, draws);
  EXPECT_EQ(result.as_white.games(), 8);
  EXPECT_EQ(result.as_black.games(), 8);
  EXPECT_EQ(result.total.games(), 16);
}

TEST(Arena, CountsPairsMarginsAndDistinctGames) {
  const MatchGame won{start_position(kSmall, 1, Stream::kTest, 0), {Move::at(0)}, 7};
  const MatchGame drawn{start_position(kSmall, 1, Stream::kTest, 0), {Move::at(1)}, 0};
  const MatchResult result = count_games({won, won, won, drawn, drawn, drawn});
  EXPECT_EQ(result.pair_scores, (PairScores{0, 0, 2, 1, 0}));
  EXPECT_EQ(result.total, (WinDrawLoss{2, 3, 1}));
  EXPECT_EQ(result.as_white, (WinDrawLoss{2, 1, 0}));
  EXPECT_EQ(result.as_black, (WinDrawLoss{0, 2, 1}));
  EXPECT_EQ(result.distinct_games, 2);
  EXPECT_NEAR(result.mean_margin, 7.0 / 6, 1e-12);
}

TEST(Arena, RandomAgainstRandomIsEvenAndGreedyBeatsRandom) {
  const MatchResult even =
      play_match(factory("random", 1), factory("random", 2), match_of(GameConfig{}, 400));
  EXPECT_NEAR(even.total.score(), 0.5, 0.06);
  EXPECT_LT(even.score_low, 0.5);
  EXPECT_GT(even.score_high, 0.5);
  const MatchResult greedy =
      play_match(factory("greedy", 1), factory("random", 2), match_of(GameConfig{}, 100));
  EXPECT_GE(greedy.total.score(), 0.9);
  EXPECT_GT(greedy.mean_margin, 0);
}

TEST(Arena, ReportsEveryFinishedGame) {
  std::int64_t last = 0;
  const MatchResult result = play_match(factory("random"), factory("random"), match_of(kSmall, 20), nullptr,
                                        [&](std::int64_t games) {
                                          EXPECT_GT(games, last);
                                          last = games;
                                        });
  EXPECT_EQ(last, result.total.games());
}

TEST(Arena, NetworkPlayersPlayTheRulesOfTheirCheckpointOnly) {
  const std::string spec = "net:" + write_untrained_checkpoint(kSmall, "arena", 4);
  const MatchConfig config = match_of(kSmall, 4);
  const MatchResult result = play_match(factory(spec), factory("random"), config);
  EXPECT_EQ(result.total.games(), 8);
  EXPECT_EQ(play_match(factory(spec), factory("random"), config).games, result.games);
  try {
    static_cast<void>(play_match(factory("random"), factory(spec), match_of(GameConfig{}, 4)));
    ADD_FAILURE() << "a 5×5 network played on 7×7";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    EXPECT_NE(std::string(error.what()).find(spec), std::string::npos);
  }
}

TEST(Arena, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  try {
    static_cast<void>(play_match(factory("random"), factory("random"), match_of(kSmall, 4), &stop));
    ADD_FAILURE() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_STREQ(error.what(), "interrupted");
  }
}

class FaultyPlayer final : public Player {
 public:
  explicit FaultyPlayer(bool throws) : throws_(throws) {}
  void choose(std::span<const Turn> turns, std::span<Move> moves) override {
    if (throws_ && turns[0].game == 6) throw std::domain_error("no idea");
    for (std::size_t k = 0; k < turns.size(); ++k) {
      moves[k] = throws_ ? nth_legal(turns[k].position, 0) : Move::at(63);
    }
  }
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  bool throws_;
  PlayerInfo info_{"faulty", false, std::nullopt};
};

TEST(Arena, AFaultInAWorkerReachesTheCaller) {
  const auto faulty = [](bool throws) {
    return PlayerFactory([throws] { return std::make_unique<FaultyPlayer>(throws); });
  };
  EXPECT_THROW(static_cast<void>(play_match(faulty(true), factory("random"), match_of(kSmall, 8, 3))),
               std::domain_error);
  EXPECT_THROW(static_cast<void>(play_match(faulty(false), factory("random"), match_of(kSmall, 8, 3))),
               Error);
  EXPECT_THROW(static_cast<void>(play_match(factory("nobody"), factory("random"), match_of(kSmall, 8))),
               Error);
}

TEST(Arena, RefusesMatchesThatAreNone) {
  EXPECT_THROW(static_cast<void>(play_match(factory("random"), factory("random"), match_of(kSmall, 0))),
               Error);
  MatchConfig config = match_of(kSmall, 1);
  config.opening_plies = 22;
  EXPECT_THROW(static_cast<void>(play_match(factory("random"), factory("random"), config)), Error);
  config.opening_plies = 21;
  EXPECT_EQ(play_match(factory("random"), factory("random"), config).total.games(), 2);
}

TEST(Arena, AMatchGoesOnWithLayoutsOfItsOwn) {
  MatchConfig config = match_of(kSmall, 9);
  config.opening_plies = 1;
  const MatchResult whole = play_match(factory("random"), factory("greedy"), config);
  config.first_layout = 4;
  config.pairs = 5;
  const MatchResult rest = play_match(factory("random"), factory("greedy"), config);
  EXPECT_EQ(rest.games, std::vector<MatchGame>(whole.games.begin() + 8, whole.games.end()));
}

TEST(Arena, APlayerAloneMakesAllMovesOfOneGameOnEachLayout) {
  MatchConfig config = match_of(kSmall, 7, 1);
  config.opening_plies = 2;
  const std::vector<MatchGame> games = play_alone(factory("uct:20"), config);
  ASSERT_EQ(games.size(), 7u);
  const auto player = make_player("uct:20", {1, {.device = "cpu", .precision = "fp32"}, 0});
  const MatchResult pairs = play_match(factory("random"), factory("greedy"), config);
  for (std::size_t number = 0; number < games.size(); ++number) {
    const MatchGame& game = games[number];
    EXPECT_EQ(game.start, pairs.games[2 * number].start) << "the layouts are those of every match";
    EXPECT_EQ(game.white_margin, final_position(game).white_margin());
    Turn turn{game.start, number, 0};
    for (const Move move : game.moves) {
      Move chosen;
      player->choose({&turn, 1}, {&chosen, 1});
      if (turn.ply >= config.opening_plies) {
        EXPECT_EQ(chosen, move);
      }
      apply(turn.position, move);
      ++turn.ply;
    }
  }
  config.threads = 3;
  EXPECT_EQ(play_alone(factory("uct:20"), config), games);
  config.first_layout = 3;
  config.pairs = 4;
  EXPECT_EQ(play_alone(factory("uct:20"), config), std::vector<MatchGame>(games.begin() + 3, games.end()));
}

TEST(Arena, ASequentialTestEndsTheMatchAtTheSamePairWhateverTheThreads) {
  MatchConfig config = match_of(kSmall, 200, 1);
  config.sprt = SprtConfig{.elo0 = 0, .elo1 = 100};
  config.pairs_per_look = 5;
  const MatchResult one = play_match(factory("greedy", 1), factory("random", 2), config);
  ASSERT_TRUE(one.sprt);
  EXPECT_EQ(one.sprt->verdict, SprtVerdict::kAccept);
  EXPECT_FALSE(one.sprt->at_limit);
  EXPECT_LT(one.pairs, 200);
  EXPECT_EQ(one.pairs % 5, 0);
  EXPECT_DOUBLE_EQ(one.sprt->llr, sprt_log_ratio(one.pair_scores, 0, 100));
  for (const int threads : {2, 7}) {
    config.threads = threads;
    const MatchResult other = play_match(factory("greedy", 1), factory("random", 2), config);
    EXPECT_EQ(other.games, one.games);
    EXPECT_EQ(other.sprt->llr, one.sprt->llr);
  }
  const MatchResult plain =
      play_match(factory("greedy", 1), factory("random", 2), match_of(kSmall, one.pairs));
  EXPECT_EQ(plain.games, one.games) << "the test decides when to stop, not what is played";
  EXPECT_FALSE(plain.sprt);
}

TEST(Arena, ASequentialTestEndsAtTheLimitOfPairs) {
  MatchConfig config = match_of(kSmall, 7);
  config.sprt = SprtConfig{.elo0 = 0, .elo1 = 5, .at_limit = SprtVerdict::kReject};
  config.pairs_per_look = 3;
  const MatchResult result = play_match(factory("random", 1), factory("random", 2), config);
  EXPECT_EQ(result.pairs, 7);
  EXPECT_EQ(result.total.games(), 14);
  EXPECT_TRUE(result.sprt->at_limit);
  EXPECT_EQ(result.sprt->verdict, SprtVerdict::kReject);
  config.sprt->elo1 = -1;
  EXPECT_THROW(static_cast<void>(play_match(factory("random"), factory("random"), config)), Error);
}

TEST(Arena, CountsEveryMoveThatAPlayerChose) {
  MatchConfig config = match_of(kSmall, 3);
  config.opening_plies = 3;
  const MatchResult result = play_match(factory("random"), factory("greedy"), config);
  // 22 stones less the opening's in each of six games; Black makes the first move after three.
  EXPECT_EQ(result.first_time.moves, 3 * (9 + 10));
  EXPECT_EQ(result.second_time.moves, 3 * (9 + 10));
  EXPECT_GE(result.first_time.per_move(), 0);
  EXPECT_EQ(TimeUsed{}.per_move(), 0);
}

// Plays greedily with one colour and at random with the other.
class OneSidedPlayer final : public Player {
 public:
  explicit OneSidedPlayer(Color good) : good_(good) {}
  void choose(std::span<const Turn> turns, std::span<Move> moves) override {
    for (std::size_t k = 0; k < turns.size(); ++k) {
      Player& player = turns[k].position.mover == good_ ? *greedy_ : *random_;
      player.choose(turns.subspan(k, 1), moves.subspan(k, 1));
    }
  }
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  Color good_;
  PlayerInfo info_{"one-sided", false, std::nullopt};
  std::unique_ptr<Player> greedy_ = make_player("greedy", {});
  std::unique_ptr<Player> random_ = make_player("random", {.seed = 7});
};

PoolRatings rate(const MatchResult& match) {
  const std::vector<std::string> names = {"first", "second"};
  const PoolMatch pool{0, 1, match.pair_results};
  return rate_players(names, {&pool, 1}, "second");
}

TEST(Arena, APlayerThatIsGoodWithOneColourOnlyIsSeen) {
  for (const Color good : {Color::kWhite, Color::kBlack}) {
    const PlayerFactory biased = [good] { return std::make_unique<OneSidedPlayer>(good); };
    const MatchResult result = play_match(biased, factory("random", 2), match_of(GameConfig{}, 60));
    const double sign = good == Color::kWhite ? 1 : -1;
    EXPECT_GT(sign * (result.as_white.score() - result.as_black.score()), 0.25);
    const PoolRatings ratings = rate(result);
    EXPECT_GT(sign * ratings.white_advantage.value, 50);
    EXPECT_GT(ratings.white_advantage.low * ratings.white_advantage.high, 0) << "0 lies outside";
  }
}

TEST(Arena, GamesThatRepeatAreSeen) {
  // The first empty square is always the same, and so is the layout.
  class FirstSquare final : public Player {
   public:
    void choose(std::span<const Turn> turns, std::span<Move> moves) override {
      for (std::size_t k = 0; k < turns.size(); ++k) moves[k] = nth_legal(turns[k].position, 0);
    }
    [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

   private:
    PlayerInfo info_{"first square", false, std::nullopt};
  };
  const PlayerFactory player = [] { return std::make_unique<FirstSquare>(); };
  MatchConfig config = match_of(kSmall, 10);
  config.game.layouts = {"a1,c3,e2"};
  const MatchResult repeated = play_match(player, player, config);
  EXPECT_EQ(repeated.distinct_games, 1);
  EXPECT_TRUE(few_distinct_games(repeated));
  config.opening_plies = 4;
  const MatchResult varied = play_match(player, player, config);
  EXPECT_GE(varied.distinct_games, 8) << "random opening plies help";
}

TEST(Arena, APerfectPlayerIsAheadOfARandomOneInEveryCount) {
  GameConfig game;
  game.size = 4;
  game.holes = HoleCounts(4);
  const auto ahead = [&](const MatchResult& match, double sign) {
    EXPECT_GT(sign * static_cast<double>(match.total.wins - match.total.losses), 0);
    EXPECT_GT(sign * (match.as_white.score() - 0.5), 0.2);
    EXPECT_GT(sign * (match.as_black.score() - 0.5), 0.2);
    const PairScores& pairs = match.pair_scores;
    EXPECT_GT(sign * static_cast<double>(pairs[4] + pairs[3] - pairs[1] - pairs[0]), 0);
    EXPECT_GT(sign * (sign > 0 ? match.elo_low : match.elo_high), 0);
    EXPECT_GT(sign * match.mean_margin, 0);
    const PoolRatings ratings = rate(match);
    EXPECT_GT(sign * (sign > 0 ? ratings.players[0].low : ratings.players[0].high), 0);
    EXPECT_GT(sign * (ratings.superiority[0][1] - 0.5), 0.45);
    EXPECT_GT(sign * sprt_log_ratio(match.pair_scores, -20, 20), 0);
  };
  ahead(play_match(factory("solver:12"), factory("random"), match_of(game, 30)), 1);
  ahead(play_match(factory("random"), factory("solver:12"), match_of(game, 30)), -1);
}

TEST(Arena, TheOrderOfPairsChangesNoCount) {
  const MatchResult result = play_match(factory("random"), factory("greedy"), match_of(kSmall, 12));
  std::vector<MatchGame> turned;
  for (std::size_t pair = 12; pair-- > 0;) {
    turned.push_back(result.games[2 * pair]);
    turned.push_back(result.games[2 * pair + 1]);
  }
  const MatchResult other = count_games(turned);
  EXPECT_EQ(other.pair_results, result.pair_results);
  EXPECT_EQ(other.as_white, result.as_white);
  EXPECT_EQ(other.distinct_games, result.distinct_games);
  EXPECT_EQ(other.elo_low, result.elo_low);
}

}  // namespace
}  // namespace pahtum
