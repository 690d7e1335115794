#include "model/network.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::random_positions;
using testing::small_game;
using testing::small_network;

torch::Tensor planes_tensor(const std::vector<Position>& positions) {
  const auto size = static_cast<std::int64_t>(positions.front().size);
  std::vector<float> planes = testing::planes_of(positions);
  return torch::from_blob(planes.data(), {std::ssize(positions), kChannels, size, size}).clone();
}

bool all_equal(const NetworkImpl& first, const NetworkImpl& second) {
  const auto left = first.tensors();
  const auto right = second.tensors();
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (!torch::equal(left[k].second, right[k].second)) return false;
  }
  return true;
}

TEST(NetworkTest, ShapesOfAllHeads) {
  Network network(small_network());
  network->initialize(1);
  network->eval();
  const NetworkOutput output = network->forward(planes_tensor(random_positions(small_game(), 3)));
  EXPECT_EQ(output.policy.sizes(), (c10::IntArrayRef{3, 25}));
  EXPECT_EQ(output.wdl.sizes(), (c10::IntArrayRef{3, 3}));
  EXPECT_EQ(output.margin.sizes(), (c10::IntArrayRef{3}));
  EXPECT_EQ(output.ownership.sizes(), (c10::IntArrayRef{3, 5, 5}));
  EXPECT_LE(output.ownership.abs().max().item<float>(), 1.0f);
}

TEST(NetworkTest, WeightsDependOnTheSeedAloneAndLeaveTheGlobalGeneratorAlone) {
  Network first(small_network()), second(small_network()), other(small_network());
  torch::manual_seed(5);
  const torch::Tensor expected = torch::rand(4);
  torch::manual_seed(5);
  first->initialize(1);
  EXPECT_TRUE(torch::equal(torch::rand(4), expected));
  second->initialize(1);
  other->initialize(2);
  EXPECT_TRUE(all_equal(*first, *second));
  EXPECT_FALSE(all_equal(*first, *other));
}

TEST(NetworkTest, ANewNetworkIsNearlyUniform) {
  Network network(NetworkConfig{.channels = 32, .blocks = 4, .pooling_every = 2, .head_channels = 16});
  network->initialize(7);
  network->eval();
  const NetworkOutput output = network->forward(planes_tensor(random_positions({}, 32)));
  EXPECT_LT(torch::softmax(output.policy, 1).max().item<float>(), 0.25f);
  EXPECT_LT(torch::softmax(output.wdl, 1).max().item<float>(), 0.7f);
}

TEST(NetworkTest, PoolingCarriesAFarSquareIntoTheWholeBoardAndOnlyWhereConfigured) {
  // One block reaches three squares far by its convolutions: the stem and two of the block. On an 8×8 board
  // what a corner holds can reach the opposite corner's tower features by pooling alone. Ownership is read
  // straight from the tower.
  const auto far_change = [](std::int64_t pooling_every) {
    Network network(
        NetworkConfig{.channels = 8, .blocks = 1, .pooling_every = pooling_every, .head_channels = 4});
    network->initialize(3);
    network->eval();
    torch::Tensor planes = torch::zeros({1, kChannels, 8, 8});
    const torch::Tensor before = network->forward(planes).ownership;
    planes.index_put_({0, torch::indexing::Slice(), 0, 0}, 5.0);
    const torch::Tensor after = network->forward(planes).ownership;
    return (after - before).index({0, 7, 7}).abs().item<float>();
  };
  EXPECT_EQ(far_change(0), 0.0f);
  EXPECT_GT(far_change(1), 0.0f);
}

TEST(NetworkTest, StoredTensorsComeBack) {
  const torch::Tensor values = torch::rand({2, 3, 4}).transpose(0, 2);
  const StoredTensor stored = to_stored("x", values);
  EXPECT_EQ(stored.dtype, "F32");
  EXPECT_EQ(stored.shape, (std::vector<std::int64_t>{4, 3, 2}));
  EXPECT_TRUE(torch::equal(to_tensor(stored), values));
  const torch::Tensor counts = torch::full({1}, std::int64_t{1} << 40, torch::kInt64);
  EXPECT_EQ(to_stored("n", counts).dtype, "I64");
  EXPECT_TRUE(torch::equal(to_tensor(to_stored("n", counts)), counts));
}

TEST(NetworkTest, LoadingNamesWhatDoesNotFit) {
  Trainer trainer(small_game(), small_network(), {}, 1, "cpu");
  const Checkpoint whole = trainer.snapshot();
  const auto load = [](const Checkpoint& checkpoint) { (void)playing_network(checkpoint); };
  EXPECT_EQ(error_of([&] { load(whole); }), "");

  Checkpoint changed = whole;
  changed.manifest.network.channels = 16;
  EXPECT_NE(error_of([&] { load(changed); }).find("bytes of averaged/; a network of"), std::string::npos);

  changed = whole;
  changed.manifest.network.blocks = 1;
  EXPECT_NE(error_of([&] { load(changed); }).find("has no place in a network of 1 block"), std::string::npos);

  changed = whole;
  std::erase_if(changed.tensors, [](const StoredTensor& t) { return t.name == "averaged/value_wdl.bias"; });
  EXPECT_NE(error_of([&] { load(changed); }).find("\"averaged/value_wdl.bias\" is missing"),
            std::string::npos);

  changed = whole;
  changed.manifest.observation_version = kObservationVersion + 1;
  EXPECT_NE(error_of([&] { load(changed); }).find("observations of version"), std::string::npos);
}

TEST(ChooseDeviceTest, KnowsAutoCpuAndCudaOnly) {
  EXPECT_TRUE(choose_device("cpu").is_cpu());
  EXPECT_NO_THROW((void)choose_device("auto"));
  EXPECT_NE(error_of([] { (void)choose_device("tpu"); }).find("\"tpu\""), std::string::npos);
}

}  // namespace
}  // namespace pahtum
