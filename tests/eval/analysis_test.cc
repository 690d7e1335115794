#include "eval/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "env/game_rules.h"
#include "eval/player.h"
#include "search/solver.h"
#include "tests/eval/network_fixture.h"

namespace pahtum {
namespace {

Turn turn_after(const GameConfig& game, int plies, std::uint64_t index = 0) {
  Turn turn{start_position(game, 3, Stream::kTest, index), index, 0};
  Random random(4, Stream::kTest, index);
  for (; turn.ply < plies; ++turn.ply) {
    const auto count = static_cast<std::uint32_t>(legal_count(turn.position));
    apply(turn.position, nth_legal(turn.position, static_cast<int>(random.below(count))));
  }
  return turn;
}

std::unique_ptr<Player> player_of(const std::string& name) {
  const bool network = name.starts_with("net");
  return make_player(
      network ? "net:" + write_untrained_checkpoint(kSmall, "analysis") + name.substr(3) : name,
      {.seed = 11, .inference = {.device = "cpu", .precision = "fp32"}});
}

class Analyses : public testing::TestWithParam<const char*> {};

void expect_sound(const Position& position, const Analysis& analysis) {
  ASSERT_TRUE(is_legal(position, analysis.move));
  ASSERT_FALSE(analysis.moves.empty());
  ASSERT_FALSE(analysis.variation.empty());
  EXPECT_EQ(analysis.moves.front().move, analysis.move);
  EXPECT_EQ(analysis.variation.front(), analysis.move);
  std::set<int> seen;
  for (const MoveAnalysis& entry : analysis.moves) {
    EXPECT_TRUE(is_legal(position, entry.move));
    EXPECT_TRUE(seen.insert(entry.move.index()).second);
    EXPECT_LE(std::abs(entry.value.value_or(Value()).get()), 1.0f);
  }
  Position now = position;
  for (const Move move : analysis.variation) {
    ASSERT_TRUE(is_legal(now, move));
    apply(now, move);
  }
}

TEST_P(Analyses, NameTheMoveThatThePlayerChooses) {
  const auto player = player_of(GetParam());
  for (int plies = 0; plies < 22; plies += 3) {
    const Turn turn = turn_after(kSmall, plies, static_cast<std::uint64_t>(plies));
    Move chosen;
    player->choose({&turn, 1}, {&chosen, 1});
    const Analysis analysis = player->analyse(turn, {});
    EXPECT_EQ(analysis.move, chosen) << to_text(turn.position);
    expect_sound(turn.position, analysis);
  }
}

TEST_P(Analyses, AreThereWhenTheTimeIsOverOrStopIsSet) {
  const auto player = player_of(GetParam());
  const std::atomic<bool> stop = true;
  for (int plies = 0; plies < 22; plies += 3) {
    const Turn turn = turn_after(kSmall, plies, static_cast<std::uint64_t>(plies));
    ThinkLimits past;
    past.deadline = ThinkLimits::Clock::now() - std::chrono::seconds(1);
    expect_sound(turn.position, player->analyse(turn, past));
    ThinkLimits stopped;
    stopped.infinite = true;
    stopped.stop = &stop;
    expect_sound(turn.position, player->analyse(turn, stopped));
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, Analyses,
                         testing::Values("random", "greedy", "charles", "uct:50", "solver:14",
                                         "alphabeta:depth=2", "net", "net,sims=3", "net,policy",
                                         "net,exact=13", "net,policy,exact=13"));

TEST(Analysis, LimitsStandInPlaceOfTheSpecs) {
  const Turn turn = turn_after(kSmall, 2);
  ThinkLimits few;
  few.simulations = 7;
  EXPECT_EQ(player_of("uct:50")->analyse(turn, few).simulations, 7);
  EXPECT_EQ(player_of("net,sims=90")->analyse(turn, few).simulations, 7);
  ThinkLimits shallow;
  shallow.depth = 1;
  EXPECT_EQ(player_of("alphabeta:depth=3")->analyse(turn, shallow).depth, 1);
  EXPECT_EQ(player_of("uct:50")->analyse(turn, shallow).simulations, 50) << "uct has no use for a depth";
}

TEST(Analysis, StopOfAnotherThreadEndsWhatNothingElseEnds) {
  // Seven by seven without holes: no player comes to an end of its own accord.
  const GameConfig large{.holes = 0, .unequal_stones = true};
  const Turn turn{start_position(large, 3, Stream::kTest, 0), 0, 0};
  for (const char* const spec : {"uct:1", "alphabeta:depth=1", "solver:49"}) {
    std::atomic<bool> stop = false;
    ThinkLimits limits;
    limits.infinite = true;
    limits.stop = &stop;
    const auto player = player_of(spec);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stop = true;
    });
    expect_sound(turn.position, player->analyse(turn, limits));
    other.join();
  }
}

TEST(Analysis, ARootThatCannotBeSolvedInTimeIsSearched) {
  const GameConfig large{.holes = 5};
  const auto path = write_untrained_checkpoint(large, "analysis_large");
  const auto player = make_player("net:" + path + ",exact=24", {.inference = {.device = "cpu"}});
  Turn turn = turn_after(large, 20);  // 24 empty squares
  ThinkLimits limits;
  limits.deadline = ThinkLimits::Clock::now() + std::chrono::milliseconds(2);
  const Analysis analysis = player->analyse(turn, limits);
  expect_sound(turn.position, analysis);
  EXPECT_TRUE(analysis.exact || analysis.moves.size() > 1);
}

TEST(Analysis, WhereItSaysExactItIsTheTruth) {
  Solver solver;
  for (const char* const spec : {"solver:14", "alphabeta:depth=2", "net,exact=13", "net,policy,exact=13"}) {
    const auto player = player_of(spec);
    for (std::uint64_t index = 0; index < 6; ++index) {
      const Turn turn = turn_after(kSmall, 12, index);
      const Analysis analysis = player->analyse(turn, {});
      ASSERT_TRUE(analysis.exact) << spec;
      const Solution truth = solver.solve(turn.position, {.objective = Objective::kMargin, .limits = {}});
      ASSERT_TRUE(analysis.margin) << spec;
      EXPECT_EQ(*analysis.margin, truth.lower) << spec;
      EXPECT_EQ(analysis.value->get(), static_cast<float>(std::clamp(truth.lower, -1, 1)));
      Position end = turn.position;
      for (const Move move : analysis.variation) apply(end, move);
      if (std::string(spec) == "solver:14" || std::string(spec) == "net,policy,exact=13") {
        EXPECT_TRUE(end.over()) << spec;
      }
    }
  }
}

TEST(Analysis, OfASearchHasVisitsPriorsValuesAndWhatTheNetworkExpects) {
  const auto player = player_of("net,sims=60");
  const Turn turn = turn_after(kSmall, 2);
  const Analysis analysis = player->analyse(turn, {});
  ASSERT_TRUE(analysis.wdl && analysis.margin && analysis.value);
  EXPECT_NEAR(analysis.wdl->win + analysis.wdl->draw + analysis.wdl->loss, 1.0f, 1e-5f);
  std::int64_t visits = 0;
  double priors = 0.0;
  for (const MoveAnalysis& entry : analysis.moves) {
    visits += entry.visits;
    priors += entry.prior.value();
    EXPECT_EQ(entry.value.has_value(), entry.visits > 0);
  }
  EXPECT_EQ(visits, 60);
  EXPECT_EQ(analysis.simulations, 60);
  EXPECT_NEAR(priors, 1.0, 1e-5);
  EXPECT_GT(analysis.variation.size(), 1u);
}

}  // namespace
}  // namespace pahtum
