#include "eval/player.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "env/game_rules.h"
#include "model/export.h"
#include "search/solver.h"
#include "tests/eval/network_fixture.h"

namespace pahtum {
namespace {

std::vector<Turn> some_turns(const GameConfig& game, int count) {
  std::vector<Turn> turns;
  for (int k = 0; k < count; ++k) {
    const auto index = static_cast<std::uint64_t>(k);
    Turn turn{start_position(game, 3, Stream::kTest, index), index, 0};
    Random random(4, Stream::kTest, index);
    for (; turn.ply < k % 12; ++turn.ply) {
      apply(turn.position, nth_legal(turn.position, static_cast<int>(random.below(static_cast<std::uint32_t>(
                                                        legal_count(turn.position))))));
    }
    turns.push_back(turn);
  }
  return turns;
}

std::vector<Move> choices(Player& player, std::span<const Turn> turns) {
  std::vector<Move> moves(turns.size());
  player.choose(turns, moves);
  return moves;
}

std::string player_refusal(const std::string& spec, const PlayerContext& context = {}) {
  try {
    static_cast<void>(make_player(spec, context));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    return error.what();
  }
  ADD_FAILURE() << spec << " was accepted";
  return "";
}

TEST(Player, AnExportedNetworkPlaysAsItsCheckpoint) {
  const std::string path = write_untrained_checkpoint(kSmall, "exported_player");
  const std::vector<Turn> turns = some_turns(kSmall, 12);
  const auto expected = choices(*make_player("net:" + path, {}), turns);
  for (const ExportFormat format :
       {ExportFormat::kTorchScript, ExportFormat::kOnnx, ExportFormat::kSafetensors}) {
    // Without folding, every weight is the same.
    export_network(load_checkpoint(path), format, {.folded = false}, path + ".net");
    EXPECT_EQ(choices(*make_player("net:" + path + ".net", {}), turns), expected);
  }
}

class EveryPlayer : public testing::TestWithParam<const char*> {
 protected:
  static std::string spec() {
    const std::string name = GetParam();
    if (!name.starts_with("net")) return name;
    return "net:" + write_untrained_checkpoint(kSmall, "every_player") + name.substr(3);
  }
};

TEST_P(EveryPlayer, ChoosesLegalMovesWhateverTheGroupingOfTurns) {
  const std::string spec = this->spec();
  const auto player = make_player(spec, {11, {.device = "cpu", .precision = "fp32"}, 0});
  EXPECT_EQ(player->info().spec, spec);
  const std::vector<Turn> turns = some_turns(kSmall, 24);
  const std::vector<Move> together = choices(*player, turns);
  const auto other = make_player(spec, {11, {.device = "cpu", .precision = "fp32"}, 0});
  for (std::size_t k = turns.size(); k-- > 0;) {
    EXPECT_TRUE(is_legal(turns[k].position, together[k]));
    EXPECT_EQ(choices(*other, {&turns[k], 1})[0], together[k]) << "turn " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, EveryPlayer,
                         testing::Values("random", "greedy", "charles", "uct:50", "solver:6",
                                         "alphabeta:depth=2", "net", "net,sims=3", "net,policy",
                                         "net,exact=13", "net,policy,exact=13"));

TEST(Player, RandomPlaysEveryMoveAboutEquallyOftenAndFollowsItsSeed) {
  const GameConfig game{3, 1, false};
  const auto player = make_player("random", {1, {.device = "cpu", .precision = "fp32"}, 0});
  Turn turn{start_position(game, 3, Stream::kTest, 0), 0, 0};
  std::map<Move, int> counts;
  for (turn.game = 0; turn.game < 8000; ++turn.game) ++counts[choices(*player, {&turn, 1})[0]];
  ASSERT_EQ(counts.size(), 8u);
  for (const auto& [move, count] : counts) EXPECT_NEAR(count, 1000, 120);

  const std::vector<Turn> turns = some_turns(kSmall, 50);
  EXPECT_NE(choices(*player, turns),
            choices(*make_player("random", {2, {.device = "cpu", .precision = "fp32"}, 0}), turns));
}

TEST(Player, NetworkSimulationsComeFromSpecThenContextThenCheckpoint) {
  // With a single simulation the first choice of the policy is played, as `policy` does.
  const std::string path = write_untrained_checkpoint(kSmall, "one_simulation", 1);
  const std::vector<Turn> turns = some_turns(kSmall, 24);
  const auto play = [&](const std::string& options, std::int64_t simulations) {
    return choices(
        *make_player("net:" + path + options, {1, {.device = "cpu", .precision = "fp32"}, simulations}),
        turns);
  };
  const std::vector<Move> policy = play(",policy", 0);
  EXPECT_EQ(play("", 0), policy);
  EXPECT_EQ(play(",sims=1", 60), policy);
  EXPECT_EQ(play("", 60), play(",sims=60", 0));
  EXPECT_NE(play("", 60), policy);
}

TEST(Player, AMissingOrBrokenFileIsNamedTogetherWithTheSpec) {
  const std::string message = player_refusal("net:/nowhere/at/all,sims=3");
  EXPECT_NE(message.find("player \"net:/nowhere/at/all,sims=3\""), std::string::npos) << message;
  EXPECT_NE(player_refusal("net:" PAHTUM_SOURCE_DIR "/CMakeLists.txt").find("CMakeLists.txt\""),
            std::string::npos);
}

TEST(Player, ANetworkRefusesOtherBoardsAndOtherRules) {
  const auto player = make_player("net:" + write_untrained_checkpoint(kSmall, "rules"), {});
  EXPECT_TRUE(player->info().uses_network);
  ASSERT_EQ(player->info().game, kSmall);
  EXPECT_NO_THROW(require_game(player->info(), kSmall));
  EXPECT_NO_THROW(require_game(player->info(), GameConfig{5, 5, false}));
  EXPECT_NO_THROW(require_game(player->info(), GameConfig{.size = 5, .result = Objective::kMargin}));
  EXPECT_THROW(require_game(player->info(), GameConfig{7, 3, false}), Error);
  EXPECT_THROW(require_game(player->info(), GameConfig{.size = 5, .holes = 3, .swap = true}), Error);
  EXPECT_THROW(require_game(player->info(), GameConfig{.size = 5, .hole_mode = HoleMode::kPlaced}), Error);
  EXPECT_THROW(
      require_game(player->info(), GameConfig{.size = 5, .run_points = {{0, 1, 3, 10, 25, 56, 119, 246}}}),
      Error);
  EXPECT_NO_THROW(require_game(make_player("greedy", {})->info(), GameConfig{5, 5, false}));
  const std::vector<Turn> turns = some_turns(GameConfig{7, 5, false}, 1);
  EXPECT_THROW(choices(*player, turns), Error);
}

TEST(Player, NetworksExpectResultsAndOthersDoNot) {
  std::vector<Position> positions;
  for (const Turn& turn : some_turns(kSmall, 6)) positions.push_back(turn.position);
  EXPECT_TRUE(make_player("greedy", {})->expectations(positions).empty());
  EXPECT_TRUE(make_player("uct:10", {})->expectations(positions).empty());
  const std::string path = "net:" + write_untrained_checkpoint(kSmall, "expectations");
  const auto player = make_player(path, {});
  const std::vector<Wdl> expected = player->expectations(positions);
  const std::vector<Wdl> by_policy = make_player(path + ",policy", {})->expectations(positions);
  ASSERT_EQ(expected.size(), positions.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(expected[k].win + expected[k].draw + expected[k].loss, 1.0f, 1e-5f);
    EXPECT_EQ(expected[k].win, by_policy[k].win);
  }
  EXPECT_THROW(static_cast<void>(player->expectations(std::vector<Position>{Position{}})), Error);
}

TEST(Player, SaysFromWhereOnItPlaysExactly) {
  EXPECT_EQ(make_player("solver:12", {})->info().exact, 12);
  EXPECT_EQ(make_player("greedy", {})->info().exact, 0);
  const std::string path = "net:" + write_untrained_checkpoint(kSmall, "exact");
  EXPECT_EQ(make_player(path, {})->info().exact, 0);
  EXPECT_EQ(make_player(path, {.exact = 9})->info().exact, 9);
  EXPECT_EQ(make_player(path + ",exact=7", {.exact = 9})->info().exact, 7);
}

TEST(Player, ANetworkByTimeSaysSoAndChoosesLegalMovesAtEveryPly) {
  const std::string path = "net:" + write_untrained_checkpoint(kSmall, "timed");
  EXPECT_TRUE(make_player(path + ",time=0.001", {})->info().timed);
  EXPECT_FALSE(make_player(path, {})->info().timed);
  for (const bool exact : {false, true}) {
    const auto other = make_player(path + (exact ? ",time=0.001,exact=20" : ",time=0.001"), {});
    Turn turn{start_position(kSmall, 3, Stream::kTest, 0), 0, 0};
    for (; !turn.position.over(); ++turn.ply) {
      const Move move = choices(*other, {&turn, 1})[0];
      ASSERT_TRUE(is_legal(turn.position, move)) << to_text(turn.position);
      apply(turn.position, move);
    }
  }
}

TEST(Player, SaysWhetherATimeLimitsIt) {
  EXPECT_TRUE(make_player("alphabeta:time=0.01", {})->info().timed);
  EXPECT_FALSE(make_player("alphabeta:depth=3", {})->info().timed);
  EXPECT_FALSE(make_player("uct:10", {})->info().timed);
  EXPECT_FALSE(make_player("alphabeta:depth=3", {})->info().uses_network);
}

TEST(Player, ANetworkEndsGamesPerfectlyWhereAskedTo) {
  const std::string path = "net:" + write_untrained_checkpoint(kSmall, "perfect");
  Solver solver;
  const auto mistakes = [&](const std::string& options) {
    int count = 0;
    const auto player = make_player(path + options, {.inference = {.device = "cpu", .precision = "fp32"}});
    for (const Turn& turn : some_turns(kSmall, 200)) {
      if (turn.position.empty_count() > 12) continue;
      const Move move = choices(*player, {&turn, 1})[0];
      const auto best = solver.solve(turn.position, {.moves = SolvedMoves::kAllBest, .limits = {}}).best;
      count += std::ranges::find(best, move) == best.end() ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(mistakes(",exact=12"), 0);
  EXPECT_EQ(mistakes(",policy,exact=12"), 0);
  EXPECT_GT(mistakes(",policy"), 0);
}

}  // namespace
}  // namespace pahtum
