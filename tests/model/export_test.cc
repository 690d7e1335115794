#include "model/export.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include "model/network.h"
#include "model/network_evaluator.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::random_positions;
using testing::small_game;
using testing::small_network;
using testing::TemporaryFolder;

constexpr float kTolerance = 1e-4f;

class ExportOfRules : public ::testing::TestWithParam<GameConfig> {};
INSTANTIATE_TEST_SUITE_P(Rules, ExportOfRules, ::testing::Values(small_game(), testing::phase_game()),
                         [](const auto& param) {
                           return std::string(param.param.swap ? "Phases" : "Plain");
                         });

TEST_P(ExportOfRules, TheArchiveGivesTheNetworksOutputsForAnyBatch) {
  const GameConfig game = GetParam();
  Trainer trainer(game, small_network(), {}, 1, "cpu");
  testing::learn(trainer, game, 8);
  const Checkpoint checkpoint = trainer.snapshot();
  const TemporaryFolder folder;
  export_torchscript(checkpoint, folder / "network.pt");

  torch::jit::Module module = torch::jit::load((folder / "network.pt").string());
  const torch::NoGradGuard no_gradients;
  const std::vector<Position> positions = random_positions(game, 200);
  const GameRules rules(game);
  std::vector<float> planes = testing::planes_of(positions, rules.channels());
  const torch::Tensor input =
      torch::from_blob(planes.data(), {std::ssize(positions), rules.channels(), game.size, game.size});
  Network network = playing_network(checkpoint);
  const NetworkOutput expected = network->forward(input);
  ASSERT_EQ(expected.policy.size(1), rules.actions());
  std::vector<Evaluation> evaluations(positions.size());
  NetworkEvaluator(checkpoint, "cpu").evaluate(positions, evaluations);

  for (const std::int64_t count : {1, 3, 200}) {
    const auto outputs = module.forward({input.narrow(0, 0, count)}).toTuple()->elements();
    ASSERT_EQ(outputs.size(), 4u);
    const auto close = [&](const torch::Tensor& actual, const torch::Tensor& wanted) {
      const torch::Tensor first = wanted.narrow(0, 0, count);
      return actual.sizes() == first.sizes() && (actual - first).abs().max().item<float>() <= kTolerance;
    };
    EXPECT_TRUE(close(outputs[0].toTensor(), expected.policy));
    EXPECT_TRUE(close(outputs[1].toTensor(), expected.wdl));
    EXPECT_TRUE(close(outputs[2].toTensor() / kMarginUnit, expected.margin));
    EXPECT_TRUE(close(outputs[3].toTensor(), expected.ownership));
    for (std::int64_t k = 0; k < count; ++k) {
      EXPECT_NEAR(evaluations[static_cast<std::size_t>(k)].margin, outputs[2].toTensor()[k].item<float>(),
                  2e-3f);
    }
  }
}

TEST(ExportTest, TheManifestTravelsAlong) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  Checkpoint checkpoint = trainer.snapshot();
  checkpoint.manifest.iteration = 12;
  checkpoint.manifest.config = "run:\n  seed: 1\n";
  const TemporaryFolder folder;
  export_torchscript(checkpoint, folder / "network.pt");
  torch::jit::ExtraFilesMap files{{"manifest.json", ""}};
  (void)torch::jit::load((folder / "network.pt").string(), torch::kCPU, files);
  EXPECT_EQ(nlohmann::json::parse(files.at("manifest.json")), manifest_json(checkpoint.manifest));
}

TEST(ExportTest, AFolderThatDoesNotExistIsAFailureThatNamesTheFile) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  const TemporaryFolder folder;
  EXPECT_NE(testing::error_of([&] {
              export_torchscript(trainer.snapshot(), folder.path() / "missing" / "network.pt");
            }).find("missing/network.pt"),
            std::string::npos);
}

}  // namespace
}  // namespace pahtum
