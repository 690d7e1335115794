// Networks for rules with placed holes and a swap: one more action, more channels.

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "env/batch_environment.h"
#include "model/network.h"
#include "model/network_evaluator.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::phase_game;
using testing::small_game;
using testing::small_network;

float sum(std::span<const float> policy) {
  return std::accumulate(policy.begin(), policy.end(), 0.0f);
}

TEST(NetworkVariants, TheSwapIsAMoveThePolicyLearns) {
  const GameConfig game = phase_game();
  const GameRules rules(game);
  Trainer trainer(game, small_network(), {}, 1, "cpu");
  const Position offered = parse_position("5/1x1x1/2w2/3x1/5 b swap");
  const std::vector<Position> positions(32, offered);
  testing::Samples samples(positions, rules);
  std::ranges::fill(samples.policy, 0.0f);
  for (std::size_t k = 0; k < 32; ++k) samples.policy[k * 26 + 25] = 1.0f;
  for (int step = 0; step < 60; ++step) (void)trainer.step(samples.batch(), 1e-2);
  Checkpoint checkpoint = trainer.snapshot();
  std::vector<Evaluation> evaluations(1);
  NetworkEvaluator(checkpoint, "cpu").evaluate(std::vector{offered}, evaluations);
  EXPECT_GT(evaluations[0].policy[64], 0.9f);
  EXPECT_NEAR(sum(evaluations[0].policy), 1.0f, 1e-5f);
}

TEST(NetworkVariants, PriorsCoverTheLegalMovesOfEveryPhase) {
  const Checkpoint checkpoint = Trainer(phase_game(), small_network(), {}, 3, "cpu").snapshot();
  NetworkEvaluator evaluator(checkpoint, "cpu");
  for (const char* text : {"5/5/5/5/5 b place=3 swap", "5/5/5/5/4x w place=2 swap", "xxx2/5/5/5/5 w open=0",
                           "xxx2/5/2w2/5/5 b swap", "xxx2/5/2w1b/5/5 w", "wwwww/wwwww/wwwww/wwwww/wwww1 b"}) {
    const Position position = parse_position(text);
    std::vector<Evaluation> evaluations(1);
    evaluator.evaluate(std::vector{position}, evaluations);
    for (int index = 0; index < kMoveIndices; ++index) {
      const Move move = index == 64 ? Move::swap() : Move::at(index);
      EXPECT_EQ(evaluations[0].policy[static_cast<std::size_t>(index)] > 0.0f, is_legal(position, move))
          << text << " " << index;
    }
    EXPECT_NEAR(sum(evaluations[0].policy), 1.0f, 1e-5f) << text;
  }
}

TEST(NetworkVariants, ANetworkWithoutASwapStillAnswersWhereOneIsOffered) {
  NetworkEvaluator evaluator(Trainer(small_game(), small_network(), {}, 3, "cpu").snapshot(), "cpu");
  std::vector<Evaluation> evaluations(2);
  evaluator.evaluate(std::vector{parse_position("5/5/2w2/5/5 b swap"),
                                 parse_position("xxxxx/xxxxx/xxwxx/xxxxx/xxxx1 b swap")},
                     evaluations);
  EXPECT_NEAR(evaluations[0].policy[64], 1.0f / 25, 1e-6f);
  EXPECT_NEAR(sum(evaluations[0].policy), 1.0f, 1e-5f);
  EXPECT_NEAR(evaluations[1].policy[64], 0.5f, 1e-6f);
}

TEST(NetworkVariants, ACheckpointOfOtherActionsIsRefused) {
  const Checkpoint plain = Trainer(small_game(), small_network(), {}, 1, "cpu").snapshot();
  Trainer other(phase_game(), small_network(), {}, 1, "cpu");
  EXPECT_NE(error_of([&] { other.restore(plain); }).find("placed by the players, pie rule"),
            std::string::npos);
}

// The batch environment's float planes are what a network reads: a tensor over the same memory, no copy.
TEST(NetworkVariants, TensorsShareTheBatchEnvironmentsMemory) {
  BatchConfig config{.game = phase_game(), .count = 6, .auto_reset = AutoReset::kSameStep};
  config.observation = ObservationType::kFloat32;
  BatchEnvironment environment(config);
  environment.reset();
  const auto planes = std::get<std::span<float>>(environment.buffers().observation);
  const torch::Tensor batch = torch::from_blob(planes.data(), {6, environment.rules().channels(), 5, 5});
  std::vector<std::int32_t> actions(6);
  for (int step = 0; step < 40; ++step) {
    for (int row = 0; row < 6; ++row) {
      const std::vector<float> expected =
          testing::planes_of(std::vector{environment.position(row)}, environment.rules().channels());
      const torch::Tensor wanted =
          torch::from_blob(const_cast<float*>(expected.data()), {environment.rules().channels(), 5, 5});
      ASSERT_TRUE(torch::equal(batch[row], wanted));
    }
    environment.random_actions(actions);
    environment.step(actions);
  }
}

}  // namespace
}  // namespace pahtum
