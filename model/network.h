#pragma once

// Internal to model/ and its tests: the one header of the floor that shows LibTorch.

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/checkpoint.h"
#include "model/frozen_weights.h"
#include "model/network_config.h"
#include "model/network_layers.h"

namespace pahtum {

inline constexpr double kNormalizationMomentum = 0.1;  // share of the newest batch in its running statistics

// What the network says of N positions, each from the side of its mover.
struct NetworkOutput {
  torch::Tensor policy;     // [N, A] logits, not masked
  torch::Tensor wdl;        // [N, 3] logits of win, draw, loss
  torch::Tensor margin;     // [N] in units of kMarginUnit
  torch::Tensor ownership;  // [N, n, n] in [−1, 1]; undefined where a caller did not ask for it
  torch::Tensor tower;      // [N, channels, n, n] what the heads read; of NetworkImpl::forward only
};

// Convolution without bias that keeps the size of the board, then BatchNorm. No activation.
class NormalizedConvolutionImpl : public torch::nn::Module {
 public:
  NormalizedConvolutionImpl(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel);
  torch::Tensor forward(const torch::Tensor& input);
  // relu(forward(input) + residual); without the residual where that is undefined.
  torch::Tensor forward_relu(const torch::Tensor& input, const torch::Tensor& residual = {});

  // Weight and bias of the one convolution that does the same in evaluation mode.
  [[nodiscard]] std::pair<torch::Tensor, torch::Tensor> fold() const;

  torch::Tensor weight, scale, shift;  // parameters
  torch::Tensor mean, variance;        // running statistics
  bool fuse = false;                   // see NetworkImpl::fuse_training

 private:
  [[nodiscard]] torch::Tensor convolve(const torch::Tensor& input) const;
  [[nodiscard]] torch::Tensor normalize(const torch::Tensor& features) const;
};
TORCH_MODULE(NormalizedConvolution);

// The residual tower with global pooling (Wu, "Accelerating Self-Play Learning in Go", 2019, section 3.3) and
// its heads:
//
//   planes [N, C, n, n] ─ stem ─ blocks ─┬─ policy     1×1, plus a bias from its own pooled features, 1×1
//                                        ├─ value      1×1, pooled, dense, then WDL and margin
//                                        └─ ownership  1×1, tanh
//
// A pooled block adds, to every channel between its two convolutions, a linear function of the mean and
// maximum of all channels over the board. Parameter names are part of the checkpoint format.
class NetworkImpl : public torch::nn::Module {
 public:
  explicit NetworkImpl(const NetworkConfig& config, NetworkShape shape = {});

  // Weights drawn from (seed, Stream::kWeights, number of the tensor): He's normal initialisation (2015),
  // with small outputs and small residual branches, so that a new network is nearly uniform.
  void initialize(std::uint64_t seed);

  NetworkOutput forward(const torch::Tensor& planes);

  // From now on the training forward pass computes what lies between convolutions by model/fused_layers.h,
  // where that takes its activations. Otherwise, as in evaluation mode always, LibTorch's operators do.
  void fuse_training();

  [[nodiscard]] const NetworkConfig& config() const noexcept { return config_; }
  [[nodiscard]] const NetworkShape& shape() const noexcept { return shape_; }
  // Parameters and running statistics, in a fixed order.
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> tensors() const;
  // Every convolution with its normalisation folded in, as "NAME.weight" and "NAME.bias"; other layers as
  // they are. Detached copies.
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> folded() const;

 private:
  struct Block {
    NormalizedConvolution first{nullptr}, second{nullptr};
    torch::nn::Linear pool{nullptr};  // empty in a block without pooling
  };

  [[nodiscard]] bool fused(const torch::Tensor& activations) const;

  NetworkConfig config_;
  NetworkShape shape_;
  bool fuse_ = false;
  NormalizedConvolution stem_{nullptr};
  std::vector<Block> blocks_;
  NormalizedConvolution policy_{nullptr};
  torch::nn::Linear policy_pool_{nullptr}, policy_swap_{nullptr};  // the swap's is empty without one
  torch::nn::Conv2d policy_out_{nullptr};
  NormalizedConvolution value_{nullptr};
  torch::nn::Linear value_dense_{nullptr}, value_wdl_{nullptr}, value_margin_{nullptr};
  torch::nn::Conv2d ownership_{nullptr};
};
TORCH_MODULE(Network);

// Mean and maximum of every channel over the board: [N, C, n, n] → [N, 2C].
[[nodiscard]] torch::Tensor pool_board(const torch::Tensor& features);

// Of planes as write_observation() makes them [N, C, n, n]: true for each action that is not legal [N, n² (+
// 1 with a swap)].
[[nodiscard]] torch::Tensor illegal_moves(const torch::Tensor& planes, const NetworkShape& shape);
// The logit of such an action. Minus infinity would make 0 · (−∞), which is no number, of a target of zero.
inline constexpr double kIllegalLogit = -1e9;

// The tensor as it goes into a file, and back (on the CPU, contiguous). float32, float16 and int64 only.
[[nodiscard]] StoredTensor to_stored(std::string name, const torch::Tensor& tensor);
[[nodiscard]] torch::Tensor to_tensor(const StoredTensor& stored);

// Copies "PREFIX/NAME" of the checkpoint into every tensor of the network. Throws a kRequest Error naming the
// tensor that is missing, of another type or shape, or that the network does not have.
void load_network(const Checkpoint& checkpoint, const std::string& prefix, NetworkImpl& network);

// The network a checkpoint plays with: averaged weights, or the raw ones where none were averaged; in
// evaluation mode. Throws a kRequest Error also when the observation version is not this program's.
[[nodiscard]] Network playing_network(const Checkpoint& checkpoint);

// The numbers of folded() for a board of size n, free of LibTorch.
[[nodiscard]] FrozenWeights freeze(const NetworkImpl& network, int size);

// The device a configuration's name stands for. "auto" is CUDA when LibTorch sees a device, else the CPU.
// Throws a kRequest Error naming the value for anything but auto, cpu and cuda, and for cuda where there is
// none.
[[nodiscard]] torch::Device choose_device(const std::string& name);

}  // namespace pahtum
