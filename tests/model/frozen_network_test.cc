#include "model/frozen_network.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "model/inference_check.h"
#include "model/network.h"
#include "model/network_evaluator.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::random_positions;
using testing::small_game;
using testing::small_network;
using testing::trained_checkpoint;

// What fp32 may differ from the eager module by, in every number of every head.
constexpr double kFrozenLimit = 1e-4;

NetworkOutput eager_output(Network& network, const GameConfig& game, const std::vector<Position>& positions) {
  const torch::NoGradGuard no_gradients;
  const int channels = GameRules(game).channels();
  std::vector<float> planes = testing::planes_of(positions, channels);
  return network->forward(
      torch::from_blob(planes.data(), {std::ssize(positions), channels, game.size, game.size}));
}

double largest_difference(const torch::Tensor& expected, const std::vector<float>& actual) {
  const torch::Tensor values = expected.contiguous();
  EXPECT_EQ(values.numel(), std::ssize(actual));
  const auto* data = values.data_ptr<float>();
  double largest = 0.0;
  for (std::size_t k = 0; k < actual.size(); ++k) {
    const double difference = std::abs(double{data[k]} - double{actual[k]});
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

double mean_divergence(const torch::Tensor& expected_logits, const std::vector<float>& logits) {
  std::vector<float> copy = logits;
  const torch::Tensor actual = torch::log_softmax(torch::from_blob(copy.data(), expected_logits.sizes()), 1);
  const torch::Tensor expected = torch::log_softmax(expected_logits, 1);
  return (expected.exp() * (expected - actual)).sum(1).mean().item<double>();
}

double mean_value_error(const torch::Tensor& expected_wdl, const std::vector<float>& wdl) {
  std::vector<float> copy = wdl;
  const auto value = [](const torch::Tensor& logits) {
    const torch::Tensor shares = torch::softmax(logits, 1);
    return shares.select(1, 0) - shares.select(1, 2);
  };
  return (value(torch::from_blob(copy.data(), expected_wdl.sizes())) - value(expected_wdl))
      .abs()
      .mean()
      .item<double>();
}

// The precisions this processor has, as a user names them.
std::vector<Precision> precisions_here() {
  std::vector<Precision> found;
  for (const char* name : {"fp32", "bf16", "fp16"}) {
    if (error_of([&] { (void)choose_cpu_precision(name); }).empty())
      found.push_back(choose_cpu_precision(name));
  }
  return found;
}

struct FrozenCase {
  GameConfig game;
  NetworkConfig network;
};

class FrozenNetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_frozen_network()) GTEST_SKIP() << "this build has no oneDNN of its own";
  }
};

class FrozenParityTest : public ::testing::TestWithParam<FrozenCase> {
 protected:
  void SetUp() override {
    if (!has_frozen_network()) GTEST_SKIP() << "this build has no oneDNN of its own";
  }
};

TEST_P(FrozenParityTest, EveryHeadIsTheEagerModulesInEveryPrecision) {
  const auto& [game, shape] = GetParam();
  Network network = playing_network(trained_checkpoint(game, shape));
  const std::vector<Position> positions = random_positions(game, 300);
  const NetworkOutput expected = eager_output(network, game, positions);
  for (const Precision precision : precisions_here()) {
    SCOPED_TRACE(std::string(to_text(precision)));
    FrozenNetwork frozen(freeze(*network, static_cast<int>(game.size)), precision);
    const FrozenOutput& output = frozen.forward(positions, true);
    if (precision == Precision::kFp32) {
      EXPECT_LE(largest_difference(expected.policy, output.policy), kFrozenLimit);
      EXPECT_LE(largest_difference(expected.wdl, output.wdl), kFrozenLimit);
      EXPECT_LE(largest_difference(expected.margin, output.margin), kFrozenLimit);
      EXPECT_LE(largest_difference(expected.ownership, output.ownership), kFrozenLimit);
    } else {
      const InferenceLimits limits = limits_of(precision);
      EXPECT_LE(mean_divergence(expected.policy, output.policy), limits.mean_divergence);
      EXPECT_LE(mean_value_error(expected.wdl, output.wdl), limits.mean_value_error);
      EXPECT_LE(largest_difference(expected.margin, output.margin), 0.2);
      EXPECT_LE(largest_difference(expected.ownership, output.ownership), 0.1);
    }
  }
}

NetworkConfig shape_of_blocks(std::int64_t channels, std::int64_t blocks, std::int64_t pooling,
                              std::int64_t heads) {
  return {.channels = channels, .blocks = blocks, .pooling_every = pooling, .head_channels = heads};
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FrozenParityTest,
    ::testing::Values(
        FrozenCase{{.size = 3, .holes = 1}, shape_of_blocks(1, 1, 1, 1)},
        FrozenCase{{.size = 4, .holes = 2, .hole_mode = HoleMode::kPlaced}, shape_of_blocks(24, 2, 1, 8)},
        FrozenCase{small_game(), small_network()},  //
        FrozenCase{testing::phase_game(), shape_of_blocks(32, 2, 2, 16)},
        FrozenCase{{.size = 6, .holes = 4, .hole_mode = HoleMode::kOpening}, shape_of_blocks(40, 3, 2, 20)},
        FrozenCase{{.size = 7, .holes = 5}, shape_of_blocks(64, 6, 2, 16)},
        FrozenCase{{.size = 7, .holes = 5, .swap = true}, shape_of_blocks(16, 2, 0, 3)},
        FrozenCase{{.size = 8, .holes = 4}, shape_of_blocks(13, 3, 0, 5)},
        FrozenCase{{.size = 8, .holes = 4, .hole_mode = HoleMode::kPlaced, .swap = true},
                   shape_of_blocks(128, 2, 2, 32)}));

TEST_F(FrozenNetworkTest, APositionsOutputsDoNotDependOnItsBatch) {
  const GameConfig game = testing::phase_game();
  Network network = playing_network(trained_checkpoint(game, small_network()));
  const FrozenWeights weights = freeze(*network, static_cast<int>(game.size));
  const std::vector<Position> positions = random_positions(game, 150);
  const auto actions = static_cast<std::size_t>(weights.actions());
  FrozenNetwork alone(weights, Precision::kFp32);
  FrozenNetwork together(weights, Precision::kFp32);
  std::vector<float> expected;
  for (const Position& position : positions) {
    const FrozenOutput& output = alone.forward(std::span(&position, 1));
    expected.insert(expected.end(), output.policy.begin(), output.policy.end());
    expected.insert(expected.end(), output.wdl.begin(), output.wdl.end());
    expected.push_back(output.margin[0]);
  }
  constexpr float kFrozenRounding = 1e-5f;
  // Each batch leaves its features in the buffers that the next, smaller or larger one finds.
  for (const std::size_t count : {150u, 1u, 64u, 63u, 65u, 15u, 16u, 17u, 2u, 149u, 31u, 128u}) {
    const FrozenOutput& output = together.forward(std::span(positions).first(count));
    ASSERT_EQ(output.policy.size(), count * actions);
    ASSERT_TRUE(output.ownership.empty());
    for (std::size_t k = 0; k < count; ++k) {
      const float* row = &expected[k * (actions + 4)];
      for (std::size_t action = 0; action < actions; ++action) {
        ASSERT_NEAR(output.policy[k * actions + action], row[action], kFrozenRounding) << count << " " << k;
      }
      for (std::size_t result = 0; result < 3; ++result) {
        ASSERT_NEAR(output.wdl[k * 3 + result], row[actions + result], kFrozenRounding) << count << " " << k;
      }
      ASSERT_NEAR(output.margin[k], row[actions + 3], kFrozenRounding) << count << " " << k;
    }
  }
  EXPECT_TRUE(together.forward({}).policy.empty());
}

TEST_F(FrozenNetworkTest, TheSameBatchGivesTheSameBitsAgainAndInAnotherObject) {
  Network network = playing_network(trained_checkpoint(small_game(), small_network()));
  const FrozenWeights weights = freeze(*network, 5);
  const std::vector<Position> positions = random_positions(small_game(), 77);
  FrozenNetwork first(weights, Precision::kFp32);
  FrozenNetwork second(weights, Precision::kFp32);
  const std::vector<float> once = first.forward(positions, true).policy;
  first.repeat(40);
  EXPECT_EQ(first.forward(positions).policy, once);
  EXPECT_EQ(second.forward(positions).policy, once);
}

TEST_F(FrozenNetworkTest, ObjectsOnSeveralThreadsDoNotDisturbEachOther) {
  const GameConfig game = testing::phase_game();
  Network network = playing_network(trained_checkpoint(game, small_network()));
  const FrozenWeights weights = freeze(*network, static_cast<int>(game.size));
  const std::vector<Position> positions = random_positions(game, 90);
  FrozenNetwork single(weights, Precision::kFp32);
  const std::vector<float> expected = single.forward(positions).policy;
  std::array<std::vector<float>, 3> found;
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& policy : found) {
      threads.emplace_back([&] {
        set_inference_threads(1);
        FrozenNetwork own(weights, Precision::kFp32);
        for (int round = 0; round < 20; ++round) policy = own.forward(positions).policy;
      });
    }
  }
  for (const std::vector<float>& policy : found) {
    ASSERT_EQ(policy.size(), expected.size());
    for (std::size_t k = 0; k < policy.size(); ++k) ASSERT_NEAR(policy[k], expected[k], 1e-5);
  }
}

TEST(InferencePrecisionTest, SaysWhatWouldBeRight) {
  EXPECT_EQ(choose_cpu_precision("fp32"), Precision::kFp32);
  EXPECT_NO_THROW((void)choose_cpu_precision("auto"));
  EXPECT_NE(
      error_of([] { (void)choose_cpu_precision("fp64"); }).find("\"fp64\" is not a precision; use auto"),
      std::string::npos);
  for (const char* name : {"bf16", "fp16"}) {
    const std::string error = error_of([&] { (void)choose_cpu_precision(name); });
    if (!error.empty()) {
      EXPECT_NE(error.find(std::string(name) + " was asked for"), std::string::npos) << error;
      EXPECT_NE(error.find("use auto"), std::string::npos) << error;
    }
  }
  for (const InferenceForm form : {InferenceForm::kFolded, InferenceForm::kEager}) {
    EXPECT_NE(error_of([&] {
                require_inference({.device = "cpu", .precision = "bf16", .form = form});
              }).find("use auto or fp32"),
              std::string::npos);
  }
}

TEST(InferencePrecisionTest, BareConvolutionsHaveARateWhereThereIsAFrozenNetwork) {
  EXPECT_EQ(best_convolution_rate(16, 5, 2, Precision::kFp32, 1e-3) > 0.0, has_frozen_network());
}

}  // namespace
}  // namespace pahtum
