#include "model/inference_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/network.h"
#include "model/network_evaluator.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::random_positions;
using testing::small_game;
using testing::small_network;

std::vector<Evaluation> evaluations_of(std::span<const Position> positions) {
  std::vector<Evaluation> evaluations(positions.size());
  HashEvaluator().evaluate(positions, evaluations);
  return evaluations;
}

TEST(InferenceCheckTest, FindsTheLargestDifferenceOfEachKindAndTheMeans) {
  const std::vector<Evaluation> expected = evaluations_of(random_positions(small_game(), 4));
  std::vector<Evaluation> tested = expected;
  tested[1].wdl.win += 0.02f;
  tested[2].margin -= 5.0f;
  InferenceCheck check;
  check.add(std::span(tested).first(2), std::span(expected).first(2), Precision::kFp32);
  check.add(std::span(tested).last(2), std::span(expected).last(2), Precision::kFp32);
  const InferenceDifferences found = check.differences();
  EXPECT_EQ(found.positions, 4);
  EXPECT_NEAR(found.largest_value, 0.02, 1e-6);
  EXPECT_NEAR(found.mean_value_error, 0.005, 1e-6);
  EXPECT_NEAR(found.largest_margin, 5.0 / kMarginUnit, 1e-6);
  EXPECT_EQ(found.largest_policy, 0.0);
  EXPECT_NEAR(found.mean_divergence, 0.0, 1e-9);
  EXPECT_FALSE(check.within_limits());
  EXPECT_NE(check.report().find("4 positions in fp32"), std::string::npos);
}

TEST(InferenceCheckTest, NarrowPrecisionsAreHeldToMeans) {
  const std::vector<Evaluation> expected = evaluations_of(random_positions(small_game(), 100));
  std::vector<Evaluation> tested = expected;
  tested[0].wdl.win += 0.5f;
  InferenceCheck check;
  check.add(tested, expected, Precision::kBf16);
  EXPECT_TRUE(check.within_limits());
  tested[1].wdl.win += 0.8f;
  check.add(tested, expected, Precision::kBf16);
  check.add(tested, expected, Precision::kBf16);
  check.add(tested, expected, Precision::kBf16);
  EXPECT_FALSE(check.within_limits());
}

TEST(InferenceCheckTest, PoliciesAreComparedByTheirDivergence) {
  Evaluation expected;
  expected.policy[0] = 0.5f;
  expected.policy[1] = 0.5f;
  Evaluation tested = expected;
  tested.policy[0] = 0.25f;
  tested.policy[1] = 0.75f;
  InferenceCheck check;
  check.add(std::span(&tested, 1), std::span(&expected, 1), Precision::kBf16);
  EXPECT_NEAR(check.differences().mean_divergence, 0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3.0), 1e-6);
  EXPECT_NEAR(check.differences().largest_policy, 0.25, 1e-7);
  EXPECT_FALSE(check.within_limits());
}

TEST(InferenceCheckTest, WhatIsNotANumberIsBeyondEveryLimit) {
  const std::vector<Evaluation> expected = evaluations_of(random_positions(small_game(), 1));
  std::vector<Evaluation> tested = expected;
  tested[0].margin = std::numeric_limits<float>::quiet_NaN();
  InferenceCheck check;
  check.add(tested, expected, Precision::kFp32);
  EXPECT_FALSE(check.within_limits());
}

TEST(InferenceCheckTest, NothingEvaluatedIsWithinLimitsAndSaidSo) {
  const InferenceCheck check;
  EXPECT_TRUE(check.within_limits());
  EXPECT_NE(check.report().find("no position"), std::string::npos);
}

TEST(InferenceCheckTest, ACheckedNetworkAnswersAsItDoesUncheckedAndPasses) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  testing::learn(trainer, small_game(), 8);
  const Checkpoint checkpoint = trainer.snapshot();
  const std::vector<Position> positions = random_positions(small_game(), 50);
  std::vector<Evaluation> checked(positions.size()), plain(positions.size());
  InferenceCheck check;
  const InferenceOptions options{.device = "cpu", .precision = "fp32"};
  InferenceOptions with_check = options;
  with_check.check = &check;
  make_evaluator(checkpoint, with_check)->evaluate(positions, checked);
  make_evaluator(checkpoint, options)->evaluate(positions, plain);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    EXPECT_EQ(checked[k].policy, plain[k].policy);
    EXPECT_EQ(checked[k].margin, plain[k].margin);
  }
  EXPECT_EQ(check.differences().positions, 50);
  EXPECT_TRUE(check.within_limits()) << check.report();
}

TEST(InferenceCheckTest, AnEvaluatorThatSaysSomethingElseIsCaught) {
  const std::vector<Position> positions = random_positions(small_game(), 10);
  std::vector<Evaluation> evaluations(positions.size());
  InferenceCheck check;
  CheckingEvaluator(std::make_unique<HashEvaluator>(), std::make_unique<UniformEvaluator>(), Precision::kFp32,
                    check)
      .evaluate(positions, evaluations);
  EXPECT_EQ(evaluations[0].policy, evaluations_of(positions)[0].policy);
  EXPECT_FALSE(check.within_limits());
}

}  // namespace
}  // namespace pahtum
