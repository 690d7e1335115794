#include "model/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/plain_learner.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::learn;
using testing::phase_game;
using testing::random_positions;
using testing::Samples;
using testing::small_game;
using testing::small_network;

LearnerConfig learner_with(const std::string& optimizer) {
  LearnerConfig learner;
  learner.optimizer = optimizer;
  return learner;
}

void expect_same_tensors(const Checkpoint& left, const Checkpoint& right) {
  ASSERT_EQ(left.tensors.size(), right.tensors.size());
  EXPECT_EQ(left.manifest.step, right.manifest.step);
  for (std::size_t k = 0; k < left.tensors.size(); ++k) {
    EXPECT_EQ(left.tensors[k].name, right.tensors[k].name);
    EXPECT_TRUE(left.tensors[k].data == right.tensors[k].data) << left.tensors[k].name;
  }
}

class OptimizerTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Both, OptimizerTest, ::testing::Values("adamw", "sgd"));

TEST_P(OptimizerTest, RestoringAndGoingOnIsBitIdenticalWithNeverHavingStopped) {
  Trainer whole(small_game(), small_network(), learner_with(GetParam()), 1, "cpu");
  learn(whole, small_game(), 3);
  const Checkpoint middle = whole.snapshot();
  learn(whole, small_game(), 3);

  Trainer second(small_game(), small_network(), learner_with(GetParam()), 99, "cpu");
  learn(second, small_game(), 1);
  second.restore(middle);
  expect_same_tensors(second.snapshot(), middle);
  learn(second, small_game(), 3);
  EXPECT_EQ(second.steps(), 6);
  expect_same_tensors(second.snapshot(), whole.snapshot());
}

TEST_P(OptimizerTest, LearnsASimpleTask) {
  LearnerConfig learner = learner_with(GetParam());
  const double learning_rate = learner.optimizer == "sgd" ? 0.05 : 5e-3;
  Trainer trainer(small_game(), small_network(), learner, 1, "cpu");
  const Losses first = learn(trainer, small_game(), 1, learning_rate);
  const Losses last = learn(trainer, small_game(), 80, learning_rate);
  EXPECT_LT(last.policy, 0.7 * first.policy);
  EXPECT_LT(last.value, first.value);
  EXPECT_LT(last.ownership, 0.7 * first.ownership);
  EXPECT_GT(last.policy_accuracy, first.policy_accuracy);
}

TEST_P(OptimizerTest, ARefusedStepChangesNothing) {
  Trainer trainer(small_game(), small_network(), learner_with(GetParam()), 1, "cpu");
  learn(trainer, small_game(), 2);
  const Checkpoint before = trainer.snapshot();
  Samples samples(random_positions(small_game(), 8));
  samples.margin[3] = std::numeric_limits<float>::quiet_NaN();
  try {
    (void)trainer.step(samples.batch(), 1e-3);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_NE(std::string(error.what()).find("loss is not finite"), std::string::npos);
  }
  expect_same_tensors(trainer.snapshot(), before);
  learn(trainer, small_game(), 1);
  EXPECT_EQ(trainer.steps(), 3);
}

TEST(TrainerTest, LossesAreThoseOfTheirDefinitions) {
  // Before the first step the network is nearly uniform, which fixes every part.
  LearnerConfig learner;
  learner.policy_weight = 2.0;
  learner.margin_weight = 0.5;
  Trainer trainer(small_game(), small_network(), learner, 1, "cpu");
  const std::vector<Position> positions = random_positions(small_game(), 64);
  Samples samples(positions);
  double log_legal = 0.0;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const int legal = legal_count(positions[k]);
    log_legal += std::log(legal) / 64.0;
    for (std::size_t action = 0; action < 25; ++action) {
      const bool is = is_legal(positions[k], move_of(static_cast<int>(action), 5));
      samples.policy[k * 25 + action] = is ? 1.0f / static_cast<float>(legal) : 0.0f;
    }
  }
  const Losses losses = trainer.step(samples.batch(), 1e-3);
  EXPECT_NEAR(losses.policy_entropy, log_legal, 1e-4);
  EXPECT_NEAR(losses.policy, log_legal, 0.1);
  EXPECT_NEAR(losses.output_entropy, 1.0, 0.02);
  EXPECT_GE(losses.policy, losses.policy_entropy - 1e-5);
  EXPECT_NEAR(losses.value, std::log(3.0), 0.2);
  EXPECT_NEAR(losses.total, 2.0 * losses.policy + losses.value + 0.5 * losses.margin + 0.2 * losses.ownership,
              1e-4);
  EXPECT_GT(losses.gradient_norm, 0.0);
  EXPECT_GE(losses.value_accuracy, 0.0);
  EXPECT_LE(losses.value_accuracy, 1.0);
}

// Against LibTorch's own modules, optimizers and autograd with nothing tuned; rounding grows from step to
// step.
TEST_P(OptimizerTest, LearnsWhatThePlainStepLearns) {
  for (const GameConfig& game : {small_game(), phase_game()}) {
    LearnerConfig learner = learner_with(GetParam());
    learner.gradient_clip = 0.5;
    learner.precision = "fp32";
    learner.search_value_weight = 0.7;
    Trainer trainer(game, small_network(), learner, 1, "cpu");
    PlainLearner plain(game, small_network(), learner, 1, false);
    for (int step = 0; step < 6; ++step) {
      const Samples samples(random_positions(game, 16 + step), GameRules(game));
      const Losses expected = plain.step(samples.batch(), 2e-3);
      const Losses losses = trainer.step(samples.batch(), 2e-3);
      EXPECT_NEAR(losses.total, expected.total, 1e-4);
      EXPECT_NEAR(losses.policy, expected.policy, 1e-4);
      EXPECT_NEAR(losses.value, expected.value, 1e-4);
      EXPECT_NEAR(losses.margin, expected.margin, 1e-4);
      EXPECT_NEAR(losses.ownership, expected.ownership, 1e-4);
      EXPECT_NEAR(losses.gradient_norm, expected.gradient_norm, 1e-3 * expected.gradient_norm);
    }
  }
}

// A fresh network expects nothing; what the samples' searches expect is what the samples say: 0.5 for a win.
TEST(TrainerTest, TheSearchsValueIsLearnedWhereItHasAWeight) {
  LearnerConfig learner;
  learner.value_weight = 0.0;
  const Samples samples(random_positions(small_game(), 64));
  double expected = 0;
  for (const float value : samples.search_value) expected += value * value / 64.0;
  ASSERT_GT(expected, 0.02);
  EXPECT_EQ(
      Trainer(small_game(), small_network(), learner, 1, "cpu").step(samples.batch(), 1e-3).search_value,
      0.0);
  learner.search_value_weight = 1.0;
  Trainer trainer(small_game(), small_network(), learner, 1, "cpu");
  const Losses first = trainer.step(samples.batch(), 1e-3);
  EXPECT_NEAR(first.search_value, expected, 0.05);
  EXPECT_NEAR(first.total, first.policy + 0.2 * first.margin + 0.2 * first.ownership + first.search_value,
              1e-4);
  Losses last;
  for (int step = 0; step < 80; ++step) last = trainer.step(samples.batch(), 3e-3);
  EXPECT_LT(last.search_value, 0.3 * first.search_value);
}

LearnerConfig with_auxiliary_heads() {
  LearnerConfig learner;
  learner.reply_weight = 0.5;
  learner.runs_weight = 0.25;
  return learner;
}

// A new auxiliary convolution says nothing: the answer is one of the legal moves, and no run is expected.
TEST(TrainerTest, AuxiliaryHeadsAreLearnedWhereTheyHaveAWeight) {
  const std::vector<Position> positions = random_positions(small_game(), 64);
  Samples samples(positions);
  double log_legal = 0.0;
  double runs = 0.0;
  for (const Position& position : positions) log_legal += std::log(legal_count(position)) / 64.0;
  for (const float owner : samples.ownership)
    runs += owner * owner / static_cast<double>(samples.ownership.size());
  const Losses without = Trainer(small_game(), small_network(), {}, 1, "cpu").step(samples.batch(), 1e-3);
  EXPECT_EQ(without.reply, 0.0);
  EXPECT_EQ(without.runs, 0.0);

  Trainer trainer(small_game(), small_network(), with_auxiliary_heads(), 1, "cpu");
  const Losses first = trainer.step(samples.batch(), 1e-3);
  EXPECT_NEAR(first.reply, log_legal, 1e-4);
  EXPECT_NEAR(first.runs, runs, 1e-4);
  EXPECT_NEAR(first.policy, without.policy, 1e-4);
  EXPECT_NEAR(first.total, without.total + 0.5 * first.reply + 0.25 * first.runs, 1e-4);
  Losses last;
  for (int step = 0; step < 80; ++step) last = trainer.step(samples.batch(), 3e-3);
  EXPECT_LT(last.reply, 0.7 * first.reply);
  EXPECT_LT(last.runs, 0.7 * first.runs);
}

// Rows without a known answer count for nothing, in the sum as in the mean.
TEST(TrainerTest, UnknownRepliesAreLeftOut) {
  const std::vector<Position> positions = random_positions(small_game(), 64);
  Samples some(positions);
  std::fill(some.reply.begin() + 25 * 16, some.reply.end(), 0.0f);
  double log_legal = 0.0;
  for (std::size_t k = 0; k < 16; ++k) log_legal += std::log(legal_count(positions[k])) / 16.0;
  Trainer trainer(small_game(), small_network(), with_auxiliary_heads(), 1, "cpu");
  EXPECT_NEAR(trainer.step(some.batch(), 1e-3).reply, log_legal, 1e-4);
  std::fill(some.reply.begin(), some.reply.end(), 0.0f);
  EXPECT_EQ(trainer.step(some.batch(), 1e-3).reply, 0.0);
}

TEST_P(OptimizerTest, ATrainerWithAuxiliaryHeadsGoesOnFromItsCheckpoint) {
  LearnerConfig learner = with_auxiliary_heads();
  learner.optimizer = GetParam();
  Trainer trainer(small_game(), small_network(), learner, 1, "cpu");
  learn(trainer, small_game(), 3);
  const Checkpoint checkpoint = trainer.snapshot();
  Trainer restored(small_game(), small_network(), learner, 2, "cpu");
  restored.restore(checkpoint);
  learn(trainer, small_game(), 3);
  learn(restored, small_game(), 3);
  expect_same_tensors(restored.snapshot(), trainer.snapshot());

  Trainer plain(small_game(), small_network(), learner_with(GetParam()), 3, "cpu");
  const Checkpoint without = plain.snapshot();
  const Checkpoint before = trainer.snapshot();
  try {
    trainer.restore(without);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("auxiliary/weight"), std::string::npos) << error.what();
  }
  expect_same_tensors(trainer.snapshot(), before);
}

// LibTorch emulates bf16 here where the processor has none; what it says of the losses is the same.
TEST(TrainerTest, LearnsInBf16AsInFp32) {
  constexpr double kTolerance = 0.02;  // bf16 has eight bits
  Trainer trainer(small_game(), small_network(), {}, 1, Precision::kBf16);
  Trainer exact(small_game(), small_network(), {}, 1, Precision::kFp32);
  EXPECT_EQ(trainer.precision(), Precision::kBf16);
  const Losses first = learn(trainer, small_game(), 1);
  const Losses expected = learn(exact, small_game(), 1);
  EXPECT_NEAR(first.policy, expected.policy, kTolerance);
  EXPECT_NEAR(first.value, expected.value, kTolerance);
  EXPECT_NEAR(first.margin, expected.margin, kTolerance);
  EXPECT_NEAR(first.ownership, expected.ownership, kTolerance);
  EXPECT_NE(first.total, expected.total) << "it was not in bf16 at all";
  const Losses last = learn(trainer, small_game(), 60);
  EXPECT_LT(last.policy, 0.8 * first.policy);
  EXPECT_LT(last.ownership, 0.8 * first.ownership);
  for (const StoredTensor& tensor : trainer.snapshot().tensors) {
    EXPECT_TRUE(tensor.dtype == "F32" || tensor.dtype == "I64") << tensor.name;
  }
}

TEST(TrainerTest, TakesThePrecisionTheProcessorHas) {
  const auto trainer_with = [](const char* precision) {
    LearnerConfig learner;
    learner.precision = precision;
    return Trainer(small_game(), small_network(), learner, 1, "cpu");
  };
  const Precision fastest = choose_cpu_precision("auto");
  EXPECT_EQ(trainer_with("fp32").precision(), Precision::kFp32);
  EXPECT_EQ(trainer_with("auto").precision(), fastest);
  if (fastest == Precision::kBf16) {
    EXPECT_EQ(trainer_with("bf16").precision(), Precision::kBf16);
  } else {
    const std::string refusal = error_of([&] { (void)trainer_with("bf16"); });
    EXPECT_NE(refusal.find("learner.precision: bf16"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("use auto or fp32"), std::string::npos) << refusal;
  }
  EXPECT_NE(error_of([&] { (void)trainer_with("fp16"); }).find("use auto, fp32 or bf16"), std::string::npos);
}

TEST(TrainerTest, NormalisationAndBiasesDoNotDecay) {
  // With a learning rate but no gradient to speak of, decoupled decay alone shrinks what it applies to.
  LearnerConfig learner;
  learner.weight_decay = 0.5;
  learner.average_decay = 0.0;
  learner.policy_weight = learner.value_weight = learner.margin_weight = learner.ownership_weight = 0.0;
  Trainer trainer(small_game(), small_network(), learner, 1, "cpu");
  const Checkpoint before = trainer.snapshot();
  learn(trainer, small_game(), 2, 0.1);
  const Checkpoint after = trainer.snapshot();
  for (const StoredTensor& tensor : before.tensors) {
    if (!tensor.name.starts_with("weights/") || tensor.name.ends_with("mean") ||
        tensor.name.ends_with("variance")) {
      continue;
    }
    const auto same = std::ranges::find(after.tensors, tensor.name, &StoredTensor::name);
    EXPECT_EQ(same->data == tensor.data, tensor.shape.size() == 1) << tensor.name;
  }
}

TEST(TrainerTest, SameSeedSameNetworkOtherSeedAnother) {
  const Checkpoint first = Trainer(small_game(), small_network(), {}, 1, "cpu").snapshot();
  const Checkpoint same = Trainer(small_game(), small_network(), {}, 1, "cpu").snapshot();
  const Checkpoint other = Trainer(small_game(), small_network(), {}, 2, "cpu").snapshot();
  expect_same_tensors(first, same);
  const auto weight = [](const Checkpoint& checkpoint) {
    return std::ranges::find(checkpoint.tensors, "weights/stem.weight", &StoredTensor::name)->data;
  };
  EXPECT_NE(weight(first), weight(other));
}

TEST(TrainerTest, RestoresTheStartAndACheckpointWithoutAverages) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  const Checkpoint start = trainer.snapshot();
  learn(trainer, small_game(), 2);
  trainer.restore(start);
  EXPECT_EQ(trainer.steps(), 0);
  expect_same_tensors(trainer.snapshot(), start);

  LearnerConfig raw;
  raw.average_decay = 0.0;
  Trainer without(small_game(), small_network(), raw, 1, "cpu");
  learn(without, small_game(), 2);
  trainer.restore(without.snapshot());
  EXPECT_EQ(trainer.steps(), 2);
}

TEST(TrainerTest, RestoreNamesWhatDiffersAndLeavesTheTrainerAlone) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  learn(trainer, small_game(), 1);
  const Checkpoint before = trainer.snapshot();
  const auto error_with = [&](const GameConfig& game, const NetworkConfig& network,
                              const LearnerConfig& learner) {
    Trainer other(game, network, learner, 1, "cpu");
    learn(other, game, 1);
    return error_of([&] { trainer.restore(other.snapshot()); });
  };
  NetworkConfig wide = small_network();
  wide.channels = 16;
  NetworkConfig unpooled = small_network();
  unpooled.pooling_every = 0;
  EXPECT_NE(error_with(small_game(), wide, {}).find("2 blocks × 16 channels"), std::string::npos);
  EXPECT_NE(error_with(small_game(), unpooled, {}).find("pooling_every 0"), std::string::npos);
  EXPECT_NE(error_with({.size = 6, .holes = 2}, small_network(), {}).find("6×6"), std::string::npos);
  EXPECT_NE(error_with(small_game(), small_network(), learner_with("sgd")).find("learner.optimizer: sgd"),
            std::string::npos);

  Checkpoint incomplete = before;
  std::erase_if(incomplete.tensors,
                [](const StoredTensor& tensor) { return tensor.name == "optimizer/stem.weight/exp_avg_sq"; });
  EXPECT_NE(error_of([&] { trainer.restore(incomplete); }).find("optimizer/stem.weight/exp_avg_sq"),
            std::string::npos);
  expect_same_tensors(trainer.snapshot(), before);
}

TEST(TrainerTest, RefusesBatchesOfAnotherSizeAndUnknownOptimizers) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  Samples samples(random_positions(small_game(), 4));
  samples.wdl.pop_back();
  EXPECT_NE(error_of([&] { (void)trainer.step(samples.batch(), 1e-3); }).find("wdl"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)trainer.step({}, 1e-3); }), "");
  EXPECT_NE(error_of([&] {
              Trainer(small_game(), small_network(), learner_with("lion"), 1, "cpu");
            }).find("\"lion\""),
            std::string::npos);
}

TEST(TrainerTest, CountsItsParameters) {
  const NetworkConfig shape{.channels = 8, .blocks = 1, .pooling_every = 0, .head_channels = 4};
  // Stem, two convolutions, two heads' convolutions with scale and shift, pooled bias, outputs, value head,
  // ownership.
  const std::int64_t expected = 8 * 4 * 9 + 16 + 2 * (8 * 8 * 9 + 16) + 2 * (4 * 8 + 8) + (4 * 8 + 4) +
                                (4 + 1) + (64 * 8 + 64) + (3 * 64 + 3) + (64 + 1) + (8 + 1);
  EXPECT_EQ(Trainer(small_game(), shape, {}, 1, "cpu").parameters(), expected);
}

}  // namespace
}  // namespace pahtum
