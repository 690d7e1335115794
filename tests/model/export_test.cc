#include "model/export.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include <cmath>
#include <fstream>

#include "env/base/files.h"
#include "model/network.h"
#include "model/network_evaluator.h"
#include "model/network_file.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::random_positions;
using testing::small_game;
using testing::small_network;
using testing::TemporaryFolder;

constexpr float kExportTolerance = 1e-4f;
constexpr int kPositions = 1000;
// The largest difference of any number of any head.
float difference(const std::vector<NetworkSample>& one, const std::vector<NetworkSample>& other) {
  float largest = one.size() == other.size() ? 0.0f : INFINITY;
  const auto compare = [&](const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) largest = INFINITY;
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
      largest = std::max(largest, std::abs(a[k] - b[k]));
  };
  for (std::size_t k = 0; k < one.size() && k < other.size(); ++k) {
    compare(one[k].policy, other[k].policy);
    compare(one[k].wdl, other[k].wdl);
    compare({one[k].margin / 20.0f}, {other[k].margin / 20.0f});
    compare(one[k].ownership, other[k].ownership);
  }
  return largest;
}

class ExportOfRules : public ::testing::TestWithParam<GameConfig> {};
INSTANTIATE_TEST_SUITE_P(Rules, ExportOfRules, ::testing::Values(small_game(), testing::phase_game()),
                         [](const auto& param) {
                           return std::string(param.param.swap ? "Phases" : "Plain");
                         });

TEST_P(ExportOfRules, EveryFormatInEveryFormIsReadBackAsTheSameNetwork) {
  const GameConfig game = GetParam();
  const Checkpoint checkpoint = testing::trained_checkpoint(game, small_network());
  const TemporaryFolder folder;
  const std::vector<Position> positions = random_positions(game, kPositions);
  const std::vector<NetworkSample> expected = network_samples(checkpoint, positions);
  for (const ExportFormat format : testing::kExportFormats) {
    for (const bool folded : {true, false}) {
      SCOPED_TRACE(static_cast<int>(format) * 2 + (folded ? 1 : 0));
      export_network(checkpoint, format, {.folded = folded}, folder / "network");
      const Checkpoint read = load_network_file(folder / "network");
      EXPECT_EQ(manifest_json(read.manifest), manifest_json(checkpoint.manifest));
      EXPECT_LE(difference(network_samples(read, positions), expected), kExportTolerance);
      // From one format to the next nothing is lost.
      export_network(read, ExportFormat::kSafetensors, {.folded = folded}, folder / "again");
      EXPECT_EQ(difference(network_samples(load_network_file(folder / "again"), positions),
                           network_samples(read, positions)),
                0.0f);
    }
  }
}

TEST_P(ExportOfRules, AnExportPlaysAsItsCheckpointDoes) {
  const GameConfig game = GetParam();
  const Checkpoint checkpoint = testing::trained_checkpoint(game, small_network());
  const TemporaryFolder folder;
  const std::vector<Position> positions = random_positions(game, kPositions);
  std::vector<Evaluation> expected(positions.size()), actual(positions.size());
  NetworkEvaluator(checkpoint, "cpu").evaluate(positions, expected);
  for (const ExportFormat format : testing::kExportFormats) {
    export_network(checkpoint, format, {}, folder / "network");
    NetworkEvaluator(load_network_file(folder / "network"), "cpu").evaluate(positions, actual);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      ASSERT_NEAR(actual[k].wdl.value().get(), expected[k].wdl.value().get(), kExportTolerance);
      ASSERT_NEAR(actual[k].margin, expected[k].margin, 20 * kExportTolerance);
      for (std::size_t move = 0; move < actual[k].policy.size(); ++move) {
        ASSERT_NEAR(actual[k].policy[move], expected[k].policy[move], kExportTolerance);
      }
    }
  }
}

TEST_P(ExportOfRules, TheTorchScriptModuleGivesTheNetworksOutputsForAnyBatch) {
  const GameConfig game = GetParam();
  const Checkpoint checkpoint = testing::trained_checkpoint(game, small_network());
  const TemporaryFolder folder;
  const torch::NoGradGuard no_gradients;
  const std::vector<Position> positions = random_positions(game, kPositions);
  const GameRules rules(game);
  std::vector<float> planes = testing::planes_of(positions, rules.channels());
  const torch::Tensor input =
      torch::from_blob(planes.data(), {std::ssize(positions), rules.channels(), game.size, game.size});
  Network network = playing_network(checkpoint);
  const NetworkOutput expected = network->forward(input);
  ASSERT_EQ(expected.policy.size(1), rules.actions());

  for (const WeightsForm form : {WeightsForm{true, false}, {false, false}, {true, true}, {false, true}}) {
    SCOPED_TRACE((form.folded ? "folded" : "separate") + std::string(form.half ? ", half" : ""));
    export_network(checkpoint, ExportFormat::kTorchScript, form, folder / "network.pt");
    torch::jit::Module module = torch::jit::load((folder / "network.pt").string());
    EXPECT_EQ(module.attr("stem_weight").toTensor().scalar_type(),
              form.half ? torch::kFloat16 : torch::kFloat32);
    // Half precision has eleven bits.
    const float tolerance = form.half ? 3e-2f : kExportTolerance;
    for (const std::int64_t count : {1, 3, kPositions}) {
      const auto outputs = module.forward({input.narrow(0, 0, count)}).toTuple()->elements();
      ASSERT_EQ(outputs.size(), 4u);
      const auto close = [&](const torch::Tensor& actual, const torch::Tensor& wanted) {
        const torch::Tensor first = wanted.narrow(0, 0, count);
        return actual.scalar_type() == torch::kFloat32 && actual.sizes() == first.sizes() &&
               (actual - first).abs().max().item<float>() <= tolerance;
      };
      EXPECT_TRUE(close(outputs[0].toTensor(), expected.policy));
      EXPECT_TRUE(close(outputs[1].toTensor(), expected.wdl));
      EXPECT_TRUE(close(outputs[2].toTensor() / kMarginUnit, expected.margin));
      EXPECT_TRUE(close(outputs[3].toTensor(), expected.ownership));
    }
  }
}

TEST(ExportTest, HalfPrecisionHalvesTheFileAndIsReadBack) {
  const NetworkConfig network{.channels = 32, .blocks = 2, .pooling_every = 2, .head_channels = 4};
  const Checkpoint checkpoint = testing::trained_checkpoint(small_game(), network);
  const TemporaryFolder folder;
  const std::vector<Position> positions = random_positions(small_game(), 100);
  for (const ExportFormat format : testing::kExportFormats) {
    export_network(checkpoint, format, {}, folder / "whole");
    export_network(checkpoint, format, {.folded = true, .half = true}, folder / "half");
    EXPECT_LT(10 * std::filesystem::file_size(folder / "half"),
              7 * std::filesystem::file_size(folder / "whole"));
    const Checkpoint read = load_network_file(folder / "half");
    EXPECT_LE(difference(network_samples(read, positions), network_samples(checkpoint, positions)), 3e-2f);
  }
}

TEST(ExportTest, WeightsBeyondHalfPrecisionAreRefused) {
  Checkpoint checkpoint = testing::trained_checkpoint(small_game(), small_network());
  for (StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name != "averaged/stem.scale") continue;
    const torch::Tensor large = to_tensor(tensor) * 1e9;
    tensor = to_stored(tensor.name, large);
  }
  const TemporaryFolder folder;
  export_network(checkpoint, ExportFormat::kOnnx, {}, folder / "whole");
  EXPECT_NE(testing::error_of([&] {
              export_network(checkpoint, ExportFormat::kOnnx, {.folded = true, .half = true},
                             folder / "half");
            }).find("too large for float16"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "half"));
}

TEST(ExportTest, TheManifestTravelsAlongInTorchScript) {
  Checkpoint checkpoint = testing::trained_checkpoint(small_game(), small_network());
  checkpoint.manifest.iteration = 12;
  checkpoint.manifest.config = "run:\n  seed: 1\n";
  const TemporaryFolder folder;
  export_network(checkpoint, ExportFormat::kTorchScript, {}, folder / "network.pt");
  torch::jit::ExtraFilesMap files{{"manifest.json", ""}, {"metadata.json", ""}};
  (void)torch::jit::load((folder / "network.pt").string(), torch::kCPU, files);
  EXPECT_EQ(nlohmann::json::parse(files.at("manifest.json")), manifest_json(checkpoint.manifest));
  const nlohmann::json metadata = nlohmann::json::parse(files.at("metadata.json"));
  EXPECT_EQ(metadata.at("iteration"), "12");
  EXPECT_EQ(metadata.at("batch_norm"), "folded");
}

TEST(ExportTest, AFolderThatDoesNotExistIsAFailureThatNamesTheFile) {
  const Checkpoint checkpoint = testing::trained_checkpoint(small_game(), small_network());
  const TemporaryFolder folder;
  for (const ExportFormat format : testing::kExportFormats) {
    EXPECT_NE(testing::error_of([&] {
                export_network(checkpoint, format, {}, folder.path() / "missing" / "network.pt");
              }).find("missing/network.pt"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace pahtum
