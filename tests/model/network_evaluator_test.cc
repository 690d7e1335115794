#include "model/network_evaluator.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <numeric>

#include "model/folded_network.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::random_positions;
using testing::small_game;
using testing::small_network;
using testing::trained_checkpoint;

constexpr float kTolerance = 1e-4f;

struct ParityCase {
  GameConfig game;
  NetworkConfig network;
};

class ParityTest : public ::testing::TestWithParam<ParityCase> {};

TEST_P(ParityTest, FoldedNetworkEqualsTheModuleInEvaluationModeOnEveryHead) {
  const auto& [game, shape] = GetParam();
  Network network = playing_network(trained_checkpoint(game, shape));
  const FoldedNetwork folded(*network, torch::kCPU);
  const std::vector<Position> positions = random_positions(game, 300);
  const int channels = GameRules(game).channels();
  std::vector<float> planes = testing::planes_of(positions, channels);
  const torch::NoGradGuard no_gradients;
  const torch::Tensor input =
      torch::from_blob(planes.data(), {std::ssize(positions), channels, game.size, game.size});
  const NetworkOutput expected = network->forward(input);
  for (const std::int64_t count : {1, 7, 300}) {
    const NetworkOutput actual = folded.forward(input.narrow(0, 0, count), true);
    const auto difference = [&](const torch::Tensor& left, const torch::Tensor& right) {
      return (left - right.narrow(0, 0, count)).abs().max().item<float>();
    };
    EXPECT_LE(difference(actual.policy, expected.policy), kTolerance);
    EXPECT_LE(difference(actual.wdl, expected.wdl), kTolerance);
    EXPECT_LE(difference(actual.margin, expected.margin), kTolerance);
    EXPECT_LE(difference(actual.ownership, expected.ownership), kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ParityTest,
    ::testing::Values(ParityCase{small_game(), small_network()},
                      ParityCase{{.size = 7, .holes = 5},
                                 {.channels = 32, .blocks = 4, .pooling_every = 2, .head_channels = 16}},
                      ParityCase{testing::phase_game(),
                                 {.channels = 8, .blocks = 2, .pooling_every = 2, .head_channels = 4}},
                      ParityCase{{.size = 8, .holes = 4},
                                 {.channels = 13, .blocks = 3, .pooling_every = 0, .head_channels = 5}},
                      ParityCase{{.size = 3, .holes = 1},
                                 {.channels = 1, .blocks = 1, .pooling_every = 1, .head_channels = 1}}));

TEST(NetworkEvaluatorTest, EvaluationsAreTheModulesOutputsMaskedToTheLegalMoves) {
  const GameConfig game = small_game();
  const Checkpoint checkpoint = trained_checkpoint(game, small_network());
  const std::vector<Position> positions = random_positions(game, 200);
  std::vector<Evaluation> evaluations(positions.size());
  NetworkEvaluator(checkpoint, "cpu").evaluate(positions, evaluations);

  Network network = playing_network(checkpoint);
  std::vector<float> planes = testing::planes_of(positions);
  const NetworkOutput output = network->forward(
      torch::from_blob(planes.data(), {std::ssize(positions), kChannels, game.size, game.size}));
  const torch::Tensor wdl = torch::softmax(output.wdl, 1);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto row = static_cast<std::int64_t>(k);
    double total = 0.0;
    for_each_legal(positions[k], [&](Move move) {
      total += std::exp(output.policy[row][action_of(move, positions[k].size)].item<double>());
    });
    for (int index = 0; index < kMoveIndices; ++index) {
      const Move move = index == 64 ? Move::swap() : Move::at(index);
      const bool legal = is_legal(positions[k], move);
      const double expected =
          legal ? std::exp(output.policy[row][action_of(move, positions[k].size)].item<double>()) / total
                : 0.0;
      EXPECT_NEAR(evaluations[k].policy[static_cast<std::size_t>(index)], expected, kTolerance);
    }
    EXPECT_NEAR(evaluations[k].wdl.win, wdl[row][0].item<float>(), kTolerance);
    EXPECT_NEAR(evaluations[k].wdl.draw, wdl[row][1].item<float>(), kTolerance);
    EXPECT_NEAR(evaluations[k].wdl.loss, wdl[row][2].item<float>(), kTolerance);
    EXPECT_NEAR(evaluations[k].margin, output.margin[row].item<float>() * 20.0f, 20 * kTolerance);
  }
}

TEST(NetworkEvaluatorTest, PiecesAndOrderOfABatchDoNotMatter) {
  const Checkpoint checkpoint = trained_checkpoint(small_game(), small_network());
  const std::vector<Position> positions = random_positions(small_game(), 50);
  std::vector<Evaluation> whole(positions.size()), pieces(positions.size()), single(1);
  NetworkEvaluator evaluator(checkpoint, "cpu");
  evaluator.evaluate(positions, whole);
  NetworkEvaluator(checkpoint, "cpu", 7).evaluate(positions, pieces);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    evaluator.evaluate(std::span(positions).subspan(k, 1), single);
    for (std::size_t index = 0; index < kMoveIndices; ++index) {
      EXPECT_NEAR(whole[k].policy[index], pieces[k].policy[index], kTolerance);
      EXPECT_NEAR(whole[k].policy[index], single[0].policy[index], kTolerance);
    }
    EXPECT_NEAR(whole[k].wdl.value().get(), pieces[k].wdl.value().get(), kTolerance);
    EXPECT_NEAR(whole[k].wdl.value().get(), single[0].wdl.value().get(), kTolerance);
  }
  evaluator.evaluate({}, {});
}

TEST(NetworkEvaluatorTest, EveryPhaseHasPriorsOfItsLegalMovesThatSumToOne) {
  const Checkpoint checkpoint = trained_checkpoint({.size = 7, .holes = 5}, small_network());
  NetworkEvaluator evaluator(checkpoint, "cpu");
  for (const char* text : {"7/7/7/7/7/7/7 b place=5", "7/7/7/3x3/7/7/7 w place=4", "7/7/7/7/7/7/7 w open=5",
                           "7/7/3w3/7/7/7/7 b swap", "wwww1bb/6x/3xbbb/7/2xx3/www4/x3bb1 w",
                           "wwwwbbb/wwwwwww/bbbbbbb/wwwwwww/bbbbbbb/wwwwwww/bbbbbb1 b"}) {
    const Position position = parse_position(text);
    Evaluation evaluation;
    evaluator.evaluate(std::span(&position, 1), std::span(&evaluation, 1));
    EXPECT_NEAR(std::accumulate(evaluation.policy.begin(), evaluation.policy.end(), 0.0), 1.0, 1e-5) << text;
    for (int index = 0; index < kMoveIndices; ++index) {
      const Move move = index == 64 ? Move::swap() : Move::at(index);
      const float prior = evaluation.policy[static_cast<std::size_t>(index)];
      if (is_legal(position, move)) {
        EXPECT_GT(prior, 0.0f) << text;
      } else {
        EXPECT_EQ(prior, 0.0f) << text;
      }
    }
    if (may_swap(position)) {
      EXPECT_FLOAT_EQ(evaluation.policy[64], 1.0f / static_cast<float>(legal_count(position)));
    }
  }
}

TEST(NetworkEvaluatorTest, HugeLogitsStayProbabilities) {
  Checkpoint checkpoint = trained_checkpoint(small_game(), small_network());
  for (StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name == "averaged/policy_out.weight" || tensor.name == "averaged/value_wdl.weight") {
      tensor = to_stored(tensor.name, to_tensor(tensor) * 1e6);
    }
  }
  const std::vector<Position> positions = random_positions(small_game(), 20);
  std::vector<Evaluation> evaluations(positions.size());
  NetworkEvaluator(checkpoint, "cpu").evaluate(positions, evaluations);
  for (const Evaluation& evaluation : evaluations) {
    EXPECT_NEAR(std::accumulate(evaluation.policy.begin(), evaluation.policy.end(), 0.0), 1.0, 1e-5);
    EXPECT_NEAR(evaluation.wdl.win + evaluation.wdl.draw + evaluation.wdl.loss, 1.0f, 1e-5f);
  }
}

TEST(NetworkEvaluatorTest, OutputsThatAreNoNumbersAreAFailure) {
  for (const char* broken :
       {"averaged/policy_out.bias", "averaged/value_wdl.bias", "averaged/value_margin.bias"}) {
    Checkpoint checkpoint = trained_checkpoint(small_game(), small_network());
    for (StoredTensor& tensor : checkpoint.tensors) {
      if (tensor.name == broken) tensor = to_stored(tensor.name, to_tensor(tensor) * std::nanf(""));
    }
    const std::vector<Position> positions = random_positions(small_game(), 2);
    std::vector<Evaluation> evaluations(positions.size());
    NetworkEvaluator evaluator(checkpoint, "cpu");
    EXPECT_NE(error_of([&] { evaluator.evaluate(positions, evaluations); }).find("is not finite"),
              std::string::npos)
        << broken;
  }
}

TEST(NetworkEvaluatorTest, PlaysWithAveragedWeightsAndWithRawOnesWhereNoneWereAveraged) {
  const std::vector<Position> positions = random_positions(small_game(), 4);
  const auto margin_with = [&](const Checkpoint& checkpoint) {
    std::vector<Evaluation> evaluations(positions.size());
    NetworkEvaluator(checkpoint, "cpu").evaluate(positions, evaluations);
    return evaluations[0].margin;
  };
  const Checkpoint averaged = trained_checkpoint(small_game(), small_network(), 0.9);
  const Checkpoint raw = trained_checkpoint(small_game(), small_network(), 0.0);
  Checkpoint stripped = averaged;
  std::erase_if(stripped.tensors, [](const StoredTensor& t) { return t.name.starts_with("averaged/"); });
  EXPECT_EQ(margin_with(stripped), margin_with(raw));
  EXPECT_NE(margin_with(averaged), margin_with(raw));
}

TEST(NetworkEvaluatorTest, RefusesAPositionOfAnotherBoard) {
  NetworkEvaluator evaluator(trained_checkpoint(small_game(), small_network()), "cpu");
  const Position position = parse_position("7/7/7/7/7/7/7 w");
  Evaluation evaluation;
  EXPECT_NE(error_of([&] {
              evaluator.evaluate(std::span(&position, 1), std::span(&evaluation, 1));
            }).find("boards of size 5, not 7"),
            std::string::npos);
}

TEST(NetworkEvaluatorTest, RawRateIsPositiveAndChecksItsBatch) {
  tune_allocator();
  NetworkEvaluator evaluator(trained_checkpoint(small_game(), small_network()), "cpu");
  EXPECT_GT(evaluator.raw_rate(8, 0.01), 0.0);
  EXPECT_NE(error_of([&] { (void)evaluator.raw_rate(0, 0.01); }), "");
}

}  // namespace
}  // namespace pahtum
