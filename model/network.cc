#include "model/network.h"

#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "env/base/error.h"
#include "env/base/random.h"
#include "env/observation.h"
#include "model/fused_layers.h"

namespace pahtum {
namespace {

// Starting scale of the last normalisation of a residual branch, and starting size of pooled biases and
// outputs relative to He's initialisation.
constexpr double kResidualScale = 0.2;
constexpr double kPoolGain = 0.1;
constexpr double kOutputGain = 0.02;

torch::nn::Conv2d pointwise(std::int64_t inputs, std::int64_t outputs) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(inputs, outputs, 1));
}

double gain_of(const std::string& name) {
  if (name.ends_with("pool.weight")) return kPoolGain;
  const bool output = name == "policy_out.weight" || name == "policy_swap.weight" ||
                      name == "value_wdl.weight" || name == "value_margin.weight" ||
                      name == "ownership.weight";
  return output ? kOutputGain : 1.0;
}

void fill_normal(torch::Tensor& tensor, double deviation, Random random) {
  torch::Tensor values = torch::empty(tensor.sizes(), torch::kFloat32);
  auto* data = values.data_ptr<float>();
  for (std::int64_t k = 0; k < values.numel(); ++k) data[k] = static_cast<float>(random.normal() * deviation);
  tensor.copy_(values);
}

// A small file must not make its reader build a large network: the convolutions of the tower are in it, which
// are nearly all of a large network, before memory is taken for any.
void require_tower(const Checkpoint& checkpoint, const std::string& prefix) {
  const NetworkConfig& config = checkpoint.manifest.network;
  constexpr std::int64_t kKernel = 9;
  const auto needed =
      static_cast<std::uint64_t>(2 * config.blocks * kKernel * config.channels * config.channels) *
      sizeof(float);
  std::uint64_t present = 0;
  for (const StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name.starts_with(prefix)) present += tensor.data.size();
  }
  if (present < needed) {
    throw request_error("checkpoint", "holds " + std::to_string(present) + " bytes of " + prefix +
                                          "; a network of " + to_text(config) + " has more");
  }
}

}  // namespace

NormalizedConvolutionImpl::NormalizedConvolutionImpl(std::int64_t inputs, std::int64_t outputs,
                                                     std::int64_t kernel) {
  weight = register_parameter("weight", torch::zeros({outputs, inputs, kernel, kernel}));
  scale = register_parameter("scale", torch::ones({outputs}));
  shift = register_parameter("shift", torch::zeros({outputs}));
  mean = register_buffer("mean", torch::zeros({outputs}));
  variance = register_buffer("variance", torch::ones({outputs}));
}

torch::Tensor NormalizedConvolutionImpl::convolve(const torch::Tensor& input) const {
  return torch::conv2d(input, weight, {}, 1, weight.size(2) / 2);
}

torch::Tensor NormalizedConvolutionImpl::normalize(const torch::Tensor& features) const {
  return torch::batch_norm(features, scale, shift, mean, variance, is_training(), kNormalizationMomentum,
                           kNormalizationEpsilon, torch::cuda::is_available());
}

torch::Tensor NormalizedConvolutionImpl::forward(const torch::Tensor& input) {
  return normalize(convolve(input));
}

torch::Tensor NormalizedConvolutionImpl::forward_relu(const torch::Tensor& input,
                                                      const torch::Tensor& residual) {
  const torch::Tensor features = convolve(input);
  if (fuse && is_training() && can_fuse(features)) {
    return normalize_relu(features, scale, shift, mean, variance, residual);
  }
  const torch::Tensor normalized = normalize(features);
  return torch::relu(residual.defined() ? normalized + residual : normalized);
}

std::pair<torch::Tensor, torch::Tensor> NormalizedConvolutionImpl::fold() const {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor factor = scale / (variance + kNormalizationEpsilon).sqrt();
  return {weight * factor.reshape({-1, 1, 1, 1}), shift - mean * factor};
}

NetworkImpl::NetworkImpl(const NetworkConfig& config, NetworkShape shape) : config_(config), shape_(shape) {
  const std::int64_t width = config.channels;
  const std::int64_t head = config.head_channels;
  stem_ = register_module("stem", NormalizedConvolution(shape.channels, width, 3));
  for (std::int64_t number = 0; number < config.blocks; ++number) {
    const std::string name = "block" + std::to_string(number);
    Block block;
    block.first = register_module(name + "_first", NormalizedConvolution(width, width, 3));
    if (is_pooled(config, number)) {
      block.pool = register_module(name + "_pool", torch::nn::Linear(2 * width, width));
    }
    block.second = register_module(name + "_second", NormalizedConvolution(width, width, 3));
    blocks_.push_back(block);
  }
  policy_ = register_module("policy", NormalizedConvolution(width, head, 1));
  policy_pool_ = register_module("policy_pool", torch::nn::Linear(2 * head, head));
  policy_out_ = register_module("policy_out", pointwise(head, 1));
  if (shape.swap) policy_swap_ = register_module("policy_swap", torch::nn::Linear(2 * head, 1));
  value_ = register_module("value", NormalizedConvolution(width, head, 1));
  value_dense_ = register_module("value_dense", torch::nn::Linear(2 * head, kValueHidden));
  value_wdl_ = register_module("value_wdl", torch::nn::Linear(kValueHidden, 3));
  value_margin_ = register_module("value_margin", torch::nn::Linear(kValueHidden, 1));
  ownership_ = register_module("ownership", pointwise(width, 1));
}

void NetworkImpl::initialize(std::uint64_t seed) {
  const torch::NoGradGuard no_gradients;
  std::uint64_t number = 0;
  for (auto& [name, tensor] : tensors()) {
    const Random random(seed, Stream::kWeights, number++);
    if (name.ends_with("second.scale")) {
      tensor.fill_(kResidualScale);
    } else if (name.ends_with(".scale") || name.ends_with(".variance")) {
      tensor.fill_(1.0);
    } else if (tensor.dim() < 2) {
      tensor.zero_();
    } else {
      const auto inputs = static_cast<double>(tensor[0].numel());
      fill_normal(tensor, gain_of(name) * std::sqrt(2.0 / inputs), random);
    }
  }
}

NetworkOutput NetworkImpl::forward(const torch::Tensor& planes) {
  const auto pool = [this](const torch::Tensor& activations) {
    return fused(activations) ? pool_activations(activations) : pool_board(activations);
  };
  const auto add_bias = [this](const torch::Tensor& features, const torch::Tensor& bias) {
    return fused(features) ? add_to_channels(features, bias) : features + bias.unsqueeze(-1).unsqueeze(-1);
  };
  torch::Tensor x = stem_->forward_relu(planes);
  for (Block& block : blocks_) {
    torch::Tensor y = block.first->forward_relu(x);
    if (block.pool) y = add_bias(y, block.pool->forward(pool(y)));
    x = block.second->forward_relu(y, x);
  }
  NetworkOutput output;
  output.tower = x;
  // The pooled bias goes in before an activation: behind the last one it would shift all logits alike.
  const torch::Tensor policy = policy_->forward(x);
  const torch::Tensor pooled = pool(torch::relu(policy));
  const torch::Tensor bias = policy_pool_->forward(pooled);
  output.policy = policy_out_->forward(torch::relu(add_bias(policy, bias))).flatten(1);
  if (shape_.swap) output.policy = torch::cat({output.policy, policy_swap_->forward(pooled)}, 1);
  const torch::Tensor hidden = torch::relu(value_dense_->forward(pool(value_->forward_relu(x))));
  output.wdl = value_wdl_->forward(hidden);
  output.margin = value_margin_->forward(hidden).squeeze(1);
  output.ownership = torch::tanh(ownership_->forward(x)).squeeze(1);
  return output;
}

void NetworkImpl::fuse_training() {
  fuse_ = true;
  for (const auto& child : children()) {
    if (auto* convolution = child->as<NormalizedConvolutionImpl>()) convolution->fuse = true;
  }
}

bool NetworkImpl::fused(const torch::Tensor& activations) const {
  return fuse_ && is_training() && can_fuse(activations);
}

std::vector<std::pair<std::string, torch::Tensor>> NetworkImpl::tensors() const {
  std::vector<std::pair<std::string, torch::Tensor>> all;
  for (const auto& item : named_parameters()) all.emplace_back(item.key(), item.value());
  for (const auto& item : named_buffers()) all.emplace_back(item.key(), item.value());
  return all;
}

std::vector<std::pair<std::string, torch::Tensor>> NetworkImpl::folded() const {
  std::vector<std::pair<std::string, torch::Tensor>> all;
  for (const auto& child : named_children()) {
    if (const auto* convolution = child.value()->as<NormalizedConvolutionImpl>()) {
      auto [weight, bias] = convolution->fold();
      all.emplace_back(child.key() + ".weight", std::move(weight));
      all.emplace_back(child.key() + ".bias", std::move(bias));
    } else {
      for (const auto& item : child.value()->named_parameters()) {
        all.emplace_back(child.key() + "." + item.key(), item.value().detach().clone());
      }
    }
  }
  return all;
}

torch::Tensor illegal_moves(const torch::Tensor& planes, const NetworkShape& shape) {
  constexpr std::int64_t kEmptyChannel = 2;  // the squares a move may be made on
  static_assert(kObservationChannels[kEmptyChannel] == "empty squares");
  constexpr std::int64_t kSwapChannel = 4;
  static_assert(kObservationChannels[kSwapChannel] == "all ones while the mover may swap colours");
  torch::Tensor legal = planes.select(1, kEmptyChannel).flatten(1);
  if (shape.swap) legal = torch::cat({legal, planes.select(1, kSwapChannel).select(1, 0).narrow(1, 0, 1)}, 1);
  return legal < 0.5;
}

torch::Tensor pool_board(const torch::Tensor& features) {
  return torch::cat({features.mean({2, 3}), features.amax({2, 3})}, 1);
}

StoredTensor to_stored(std::string name, const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().to(torch::kCPU).contiguous();
  const auto type = values.scalar_type();
  StoredTensor stored{.name = std::move(name),
                      .dtype = type == torch::kInt64     ? "I64"
                               : type == torch::kFloat16 ? "F16"
                                                         : "F32",
                      .shape = values.sizes().vec(),
                      .data = {}};
  stored.data.assign(static_cast<const char*>(values.data_ptr()), values.nbytes());
  return stored;
}

torch::Tensor to_tensor(const StoredTensor& stored) {
  const auto type = stored.dtype == "I64"   ? torch::kInt64
                    : stored.dtype == "F16" ? torch::kFloat16
                                            : torch::kFloat32;
  torch::Tensor tensor = torch::empty(stored.shape, type);
  if (tensor.nbytes() != stored.data.size()) {
    throw request_error(stored.name, "holds " + std::to_string(stored.data.size()) +
                                         " bytes where its shape " + shape_text(stored.shape) + " needs " +
                                         std::to_string(tensor.nbytes()));
  }
  std::memcpy(tensor.data_ptr(), stored.data.data(), stored.data.size());
  return tensor;
}

void load_network(const Checkpoint& checkpoint, const std::string& prefix, NetworkImpl& network) {
  const torch::NoGradGuard no_gradients;
  const std::string shape = "a network of " + to_text(network.config());
  std::set<std::string> expected;
  for (auto& [name, tensor] : network.tensors()) {
    const std::string full_name = prefix + "/" + name;
    expected.insert(full_name);
    const StoredTensor* stored = find_tensor(checkpoint.tensors, full_name);
    if (stored == nullptr) {
      throw request_error("checkpoint", "tensor \"" + full_name + "\" is missing; " + shape + " needs it");
    }
    if (stored->dtype != "F32" || c10::IntArrayRef(stored->shape) != tensor.sizes()) {
      throw request_error(
          "checkpoint", "tensor \"" + full_name + "\" is " + stored->dtype + " " + shape_text(stored->shape) +
                            "; " + shape + " needs F32 " +
                            shape_text(std::span(tensor.sizes().data(), tensor.sizes().size())));
    }
    tensor.copy_(to_tensor(*stored));
  }
  for (const StoredTensor& stored : checkpoint.tensors) {
    if (stored.name.starts_with(prefix + "/") && !expected.contains(stored.name)) {
      throw request_error("checkpoint", "tensor \"" + stored.name + "\" has no place in " + shape);
    }
  }
}

Network playing_network(const Checkpoint& checkpoint) {
  if (checkpoint.manifest.observation_version != kObservationVersion) {
    throw request_error("checkpoint", "was trained on observations of version " +
                                          std::to_string(checkpoint.manifest.observation_version) +
                                          "; this program makes version " +
                                          std::to_string(kObservationVersion));
  }
  const bool averaged = std::ranges::any_of(
      checkpoint.tensors, [](const StoredTensor& tensor) { return tensor.name.starts_with("averaged/"); });
  const std::string prefix = averaged ? "averaged" : "weights";
  require_tower(checkpoint, prefix + "/");
  Network network(checkpoint.manifest.network, shape_of(checkpoint.manifest.game));
  load_network(checkpoint, prefix, *network);
  network->eval();
  return network;
}

FrozenWeights freeze(const NetworkImpl& network, int size) {
  FrozenWeights weights{.config = network.config(),
                        .size = size,
                        .channels = static_cast<int>(network.shape().channels),
                        .swap = network.shape().swap,
                        .tensors = {}};
  for (const auto& [name, tensor] : network.folded()) {
    const torch::Tensor values = tensor.to(torch::kCPU, torch::kFloat32).contiguous();
    const auto* data = values.data_ptr<float>();
    weights.tensors.emplace(name, std::vector<float>(data, data + values.numel()));
  }
  return weights;
}

torch::Device choose_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto") return torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  if (name != "cuda") {
    throw request_error("device", "\"" + name + "\" is not a device; use auto, cpu or cuda");
  }
  if (!torch::cuda::is_available()) {
    throw request_error("device", "cuda was asked for, but LibTorch sees no CUDA device; use auto or cpu");
  }
  return torch::kCUDA;
}

}  // namespace pahtum
