#pragma once

// Internal to model/ and its tests: the only header of the project that shows LibTorch.

#include <torch/torch.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/checkpoint.h"
#include "model/network_config.h"

namespace pahtum {

// The margin head works in units of this many points, so that all heads see targets of about the same size.
inline constexpr double kMarginScale = 20.0;

// What the heads say, from the mover's side.
struct NetworkOutput {
  torch::Tensor policy;     // [N, n²] logits, not masked
  torch::Tensor wdl;        // [N, 3] logits of win, draw, loss
  torch::Tensor margin;     // [N] in units of kMarginScale points
  torch::Tensor ownership;  // [N, n, n] in [−1, 1]
};

// Each channel's mean and maximum over the board: [N, C, n, n] → [N, 2C].
[[nodiscard]] torch::Tensor pool_board(const torch::Tensor& planes);

// A convolution without bias, its batch normalisation and a ReLU that can be left out.
class ConvolutionImpl : public torch::nn::Module {
 public:
  ConvolutionImpl(std::int64_t in, std::int64_t out, std::int64_t kernel);
  torch::Tensor forward(const torch::Tensor& planes);

  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
};
TORCH_MODULE(Convolution);

// x → relu(x + conv₂(relu(conv₁(x)) + pooled bias)); the pooled bias (Wu, "Accelerating Self-Play Learning in
// Go", 2019) is a linear map of each channel's mean and maximum over the board.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(std::int64_t channels, bool pooling);
  torch::Tensor forward(const torch::Tensor& planes);

  Convolution first{nullptr}, second{nullptr};
  torch::nn::Linear pooled{nullptr};  // empty without pooling
};
TORCH_MODULE(ResidualBlock);

// The policy/value network as it is trained. Input: float32 [N, kChannels, n, n] (env/observation.h).
class NetworkImpl : public torch::nn::Module {
 public:
  explicit NetworkImpl(const NetworkConfig& config);
  NetworkOutput forward(const torch::Tensor& planes);

  Convolution input{nullptr};
  std::vector<ResidualBlock> blocks;
  Convolution policy_input{nullptr}, value_input{nullptr};
  torch::nn::Linear policy_pooled{nullptr}, value_hidden{nullptr}, value_output{nullptr};
  torch::nn::Conv2d policy_output{nullptr}, ownership_output{nullptr};
};
TORCH_MODULE(Network);

// Weights drawn from `seed` by the project's own generator: the same on every LibTorch.
void initialize(Network& network, std::uint64_t seed);

// All parameters and running statistics by name, in the order of declaration; they share memory with the
// network.
[[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> named_state(const Network& network);

// The state as stored tensors named `prefix` + name, and back. load_state throws a kRequest Error that names
// the first tensor that is missing or has another shape.
[[nodiscard]] std::vector<StoredTensor> store_state(const Network& network, const std::string& prefix);
void load_state(Network& network, const Checkpoint& checkpoint, const std::string& prefix);
[[nodiscard]] bool has_tensors(const Checkpoint& checkpoint, std::string_view prefix) noexcept;

// The network of a checkpoint with the weights it plays with (averaged ones when there are), in evaluation
// mode.
[[nodiscard]] Network playing_network(const Checkpoint& checkpoint);

// "auto": CUDA when LibTorch sees a device. Throws a kRequest Error for other names than auto, cpu and cuda,
// and for cuda where there is none.
[[nodiscard]] torch::Device choose_device(const std::string& name);

}  // namespace pahtum
