#include "selfplay/worker.h"

#include <gtest/gtest.h>

#include <set>

#include "env/base/error.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

const std::atomic<bool> kNeverStop{false};

std::vector<GameRecord> play(SelfplayWorker& worker, std::int64_t games) {
  HashEvaluator evaluator;
  SelfplayCounters counters;
  return worker.play(evaluator, games, kNeverStop, counters);
}

TEST(SelfplayWorker, GamesAreFinishedLegalAndOfTheBatchEnvironmentsLayouts) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  for (const GameRecord& game : play(worker, 30)) {
    EXPECT_TRUE(game.position().over());
    EXPECT_EQ(game.moves.size(), 14u);
    EXPECT_EQ(game.start, start_position(config.game, 1, Stream::kLayout, game.episode, game.environment));
  }
}

// What was recorded, played again through the batch environment, gives the same boards and scores.
TEST(SelfplayWorker, RecordedGamesReplayThroughTheBatchEnvironment) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  for (const GameRecord& game : play(worker, 20)) {
    EXPECT_EQ(replayed(game, config.game), std::pair(game.position(), game.position().white_margin()));
  }
}

TEST(SelfplayWorker, SlotsSplitOverWorkersPlayTheSameGames) {
  const RunConfig config = tiny_config();
  const auto longest = [](std::vector<GameRecord> games, std::uint32_t slot) {
    std::vector<GameRecord> mine;
    for (GameRecord& game : games) {
      if (game.environment == slot) mine.push_back(std::move(game));
    }
    return mine;
  };
  SelfplayWorker whole(config, 0, 6);
  SelfplayWorker half(config, 3, 3);
  const std::vector<GameRecord> all = play(whole, 60);
  const std::vector<GameRecord> some = play(half, 30);
  for (std::uint32_t slot = 3; slot < 6; ++slot) {
    const auto a = longest(all, slot);
    const auto b = longest(some, slot);
    ASSERT_GT(std::min(a.size(), b.size()), 5u);
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) EXPECT_EQ(a[k], b[k]);
  }
}

TEST(SelfplayWorker, ARestoredWorkerPlaysOnAsIfNeverStopped) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  (void)play(worker, 10);
  SelfplayWorker other(config, 0, 6);
  other.restore(parse_games(serialize(worker.games_in_progress()), "test"));
  EXPECT_EQ(play(worker, 10), play(other, 10));
}

TEST(SelfplayWorker, RestoringAnotherRunsGamesIsRefused) {
  RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  SelfplayWorker fewer(config, 0, 5);
  EXPECT_THROW(fewer.restore(worker.games_in_progress()), Error);
  config.run.seed = 99;
  SelfplayWorker other_seed(config, 0, 6);
  EXPECT_THROW(other_seed.restore(worker.games_in_progress()), Error);
}

TEST(SelfplayWorker, OneSlotAndOneSimulationPlayToTheEnd) {
  RunConfig config = tiny_config();
  config.search.simulations = 1;
  SelfplayWorker worker(config, 0, 1);
  EXPECT_EQ(play(worker, 3).size(), 3u);
}

TEST(SelfplayWorker, StaggeredFirstGamesAreSearchedFromDifferentPlies) {
  RunConfig config = tiny_config();
  config.selfplay.slots = 40;
  config.selfplay.random_opening_mean = 0.0;
  SelfplayWorker worker(config, 0, 40);
  std::set<int> first;
  for (const GameRecord& game : play(worker, 120)) {
    if (game.episode == 0) {
      first.insert(game.samples());
    } else {
      EXPECT_EQ(game.samples(), 14) << "only first games start late";
    }
  }
  EXPECT_GT(first.size(), 8u);
}

TEST(SelfplayWorker, StopsAtOnceAndKeepsTheGamesInProgress) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  (void)play(worker, 5);
  const std::atomic<bool> stop{true};
  HashEvaluator evaluator;
  SelfplayCounters counters;
  EXPECT_TRUE(worker.play(evaluator, 1000, stop, counters).empty());
  EXPECT_EQ(worker.games_in_progress().size(), 6u);
}

}  // namespace
}  // namespace pahtum
