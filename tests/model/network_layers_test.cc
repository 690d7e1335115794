#include "model/network_layers.h"

#include <gtest/gtest.h>

#include <map>

#include "model/network.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

Shapes shapes_of(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  Shapes shapes;
  for (const auto& [name, tensor] : tensors) shapes[name] = tensor.sizes().vec();
  return shapes;
}

Shapes shapes_of(const std::vector<NetworkTensor>& tensors) {
  Shapes shapes;
  for (const NetworkTensor& tensor : tensors) shapes[tensor.name] = tensor.shape;
  return shapes;
}

TEST(NetworkLayers, AreThoseOfTheNetwork) {
  for (const GameConfig& game : {testing::small_game(), testing::phase_game()}) {
    for (const std::int64_t pooling : {0, 1, 2}) {
      const NetworkConfig config{.channels = 8, .blocks = 3, .pooling_every = pooling, .head_channels = 4};
      const NetworkShape shape = shape_of(game);
      const Network network(config, shape);
      EXPECT_EQ(shapes_of(network_tensors(config, shape, false)), shapes_of(network->tensors()));
      EXPECT_EQ(shapes_of(network_tensors(config, shape, true)), shapes_of(network->folded()));
    }
  }
}

TEST(NetworkLayers, FoldedWeightsAreUnfoldedWithoutChangingABit) {
  const Checkpoint checkpoint = testing::trained_checkpoint(testing::phase_game(), testing::small_network());
  const Network network = playing_network(checkpoint);
  std::vector<StoredTensor> folded;
  for (const auto& [name, tensor] : network->folded()) folded.push_back(to_stored(name, tensor));
  Checkpoint unfolded{.manifest = checkpoint.manifest,
                      .tensors = unfold(network->config(), network->shape(), folded)};
  for (StoredTensor& tensor : unfolded.tensors) tensor.name.insert(0, "weights/");
  std::vector<StoredTensor> again;
  for (const auto& [name, tensor] : playing_network(unfolded)->folded())
    again.push_back(to_stored(name, tensor));
  ASSERT_EQ(again.size(), folded.size());
  for (std::size_t k = 0; k < again.size(); ++k) {
    EXPECT_EQ(again[k].name, folded[k].name);
    EXPECT_TRUE(again[k].data == folded[k].data) << again[k].name;
  }
}

}  // namespace
}  // namespace pahtum
