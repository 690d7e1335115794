// Every variant of the rules goes through self-play, learning, saving and resuming like the usual game.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "env/symmetry.h"
#include "model/checkpoint.h"
#include "selfplay/replay.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "selfplay/worker.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

struct Variant {
  std::string name;
  GameConfig game;

  friend std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name; }
};

class TrainedVariants : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static RunConfig config() {
    RunConfig config = tiny_config();
    config.game = GetParam().game;
    config.run.iterations = 2;
    return config;
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, TrainedVariants,
    testing::Values(
        Variant{"Placed", {.size = 4, .holes = 4, .hole_mode = HoleMode::kPlaced}},
        Variant{"PlacedWithPieRule", {.size = 4, .holes = 4, .hole_mode = HoleMode::kPlaced, .swap = true}},
        Variant{"Centre", {.size = 3, .holes = 3, .hole_mode = HoleMode::kCentre}},
        Variant{"Opening", {.size = 4, .holes = 4, .hole_mode = HoleMode::kOpening}},
        Variant{"PieRule", {.size = 4, .holes = 2, .swap = true}},
        Variant{"UnequalStones", {.size = 3, .holes = 0, .unequal_stones = true}},
        Variant{"WeightedHoles", {.size = 4, .holes = {{0, 1.0}, {2, 2.0}, {6, 0.5}}}},
        Variant{"Layouts", {.size = 4, .layouts = {"a1,b2", "4/1x2/xx2/3x"}}},
        Variant{"Margin", {.size = 4, .holes = 2, .result = Objective::kMargin}},
        Variant{"OwnPoints", {.size = 4, .holes = 2, .run_points = {{0, 1, 4, 9, 16, 25, 36, 49}}}}),
    [](const auto& param) { return param.param.name; });

TEST_P(TrainedVariants, GamesKeepTheRulesAndReplayThroughTheBatchEnvironment) {
  SelfplayWorker worker(config(), 0, 6);
  HashEvaluator evaluator;
  SelfplayCounters counters;
  const GameRules rules(GetParam().game);
  for (const GameRecord& game : worker.play(evaluator, 20, kNeverStop, counters)) {
    const auto plies = static_cast<int>(game.moves.size());
    EXPECT_GE(plies, rules.shortest_game());
    EXPECT_LE(plies, rules.longest_game());
    EXPECT_EQ(replayed(game, GetParam().game), std::pair(game.position(), game.position().white_margin()));
  }
}

TEST_P(TrainedVariants, TrainsSavesAndResumes) {
  const TemporaryFolder folder;
  const auto run = folder.path() / "run";
  (void)start_training(config(), run, kNeverStop);
  const auto games = load_games(RunDirectory(run).games_path(2));
  ASSERT_GE(games.size(), 8u);  // games that end together all count
  EXPECT_EQ(games.front().start.run_points, GetParam().game.run_points);
  const Checkpoint checkpoint = load_checkpoint(run / "checkpoints/000002.ckpt");
  EXPECT_EQ(checkpoint.manifest.game, GetParam().game);
  EXPECT_GT(checkpoint.manifest.step, 0);
}

// Moves of every phase are samples, turned with their board: what the sample says of a move is what the
// search said of the move before turning.
TEST_P(TrainedVariants, SamplesTurnWithTheBoardInEveryPhase) {
  SelfplayWorker worker(config(), 0, 6);
  HashEvaluator evaluator;
  SelfplayCounters counters;
  const GameRules rules(GetParam().game);
  const auto games = worker.play(evaluator, 10, kNeverStop, counters);
  SampleBuffer buffer(1, rules);
  for (const GameRecord& game : games) {
    Position position = game.start;
    std::size_t weights_at = 0;
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      const auto count = static_cast<std::size_t>(legal_count(position));
      if (game.origins[ply] != MoveOrigin::kRandom) {
        const std::span weights = std::span(game.policy).subspan(weights_at, count);
        float total = 0;
        for (const std::uint16_t weight : weights) total += weight;
        for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
          Replay::write_sample(game, static_cast<int>(ply), symmetry, 0, buffer);
          const TrainingBatch batch = buffer.batch();
          ASSERT_EQ(batch.policy.size(), static_cast<std::size_t>(rules.actions()));
          std::vector<float> planes(batch.planes.size());
          write_observation(apply_symmetry(position, symmetry), std::span(planes));
          ASSERT_TRUE(std::ranges::equal(planes, batch.planes));
          std::size_t k = 0;
          for_each_legal(position, [&](Move move) {
            const int action = action_of(apply_symmetry(move, symmetry, rules.size()), rules.size());
            ASSERT_FLOAT_EQ(batch.policy[static_cast<std::size_t>(action)],
                            static_cast<float>(weights[k++]) / total);
          });
        }
        weights_at += count;
      }
      apply(position, game.moves[ply]);
    }
  }
}

}  // namespace
}  // namespace pahtum
