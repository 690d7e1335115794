#include "search/evaluator.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "env/base/random.h"
#include "env/game_config.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

std::vector<Position> sample_positions() {
  std::vector<Position> positions;
  Random random(3, Stream::kTest, 0);
  for (const char* text :
       {"7/7/7/3x3/7/7/7 w", "7/7/7/7/7/7/7 b place=5", "4/4/4/4 w open=2", "8/8/8/8/3w4/8/8/8 b swap"}) {
    const Position start = parse_position(text);
    for (const int empty : {60, 20, 7, 1}) positions.push_back(naive::random_position(start, empty, random));
  }
  return positions;
}

void expect_sound(const Position& position, const Evaluation& evaluation) {
  double sum = 0.0;
  for (int index = 0; index < kMoveIndices; ++index) {
    const Move move = index == kMoveIndices - 1 ? Move::swap() : Move::at(index);
    const float probability = evaluation.policy[static_cast<std::size_t>(index)];
    EXPECT_EQ(probability > 0.0f, is_legal(position, move)) << to_text(position) << " index " << index;
    sum += static_cast<double>(probability);
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);
  EXPECT_GE(evaluation.wdl.win, 0.0f);
  EXPECT_GE(evaluation.wdl.draw, 0.0f);
  EXPECT_GE(evaluation.wdl.loss, 0.0f);
  EXPECT_NEAR(evaluation.wdl.win + evaluation.wdl.draw + evaluation.wdl.loss, 1.0f, 1e-6f);
}

TEST(UniformEvaluator, SharesThePolicyEvenlyAndCallsEverythingADraw) {
  UniformEvaluator evaluator;
  for (const Position& position : sample_positions()) {
    const Evaluation evaluation = naive::evaluate(evaluator, position);
    expect_sound(position, evaluation);
    EXPECT_EQ(evaluation.wdl.value(), Value(0.0f));
    std::set<float> shares(evaluation.policy.begin(), evaluation.policy.end());
    shares.erase(0.0f);
    EXPECT_EQ(shares.size(), 1u);
  }
}

TEST(HashEvaluator, GivesASoundAnswerThatOverwritesTheBuffer) {
  HashEvaluator evaluator;
  Evaluation evaluation;
  for (const Position& position : sample_positions()) {
    evaluation.policy.fill(7.0f);
    evaluator.evaluate({&position, 1}, {&evaluation, 1});
    expect_sound(position, evaluation);
  }
}

TEST(HashEvaluator, TellsPositionsApartByHolesMoverAndPhase) {
  HashEvaluator evaluator;
  std::set<float> values;
  const std::vector<const char*> texts = {"4/4/4/4 w",         "4/4/4/4 b",        "x3/4/4/4 w",
                                          "4/4/4/4 w place=1", "4/4/4/4 w open=1", "w3/4/4/4 b swap",
                                          "w3/4/4/4 b",        "b3/4/4/4 b"};
  for (const char* text : texts) {
    values.insert(naive::evaluate(evaluator, parse_position(text)).wdl.value().get());
  }
  EXPECT_EQ(values.size(), texts.size());
}

TEST(HashEvaluator, AnswersABatchAsItAnswersEachAlone) {
  HashEvaluator evaluator;
  const std::vector<Position> positions = sample_positions();
  std::vector<Evaluation> together(positions.size());
  evaluator.evaluate(positions, together);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const Evaluation alone = naive::evaluate(evaluator, positions[k]);
    EXPECT_EQ(alone.policy, together[k].policy);
    EXPECT_EQ(alone.wdl.value(), together[k].wdl.value());
    EXPECT_EQ(alone.margin, together[k].margin);
  }
  evaluator.evaluate({}, {});
}

}  // namespace
}  // namespace pahtum
