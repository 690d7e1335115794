#include "model/network.h"

#include <cmath>
#include <cstring>

#include "env/base/error.h"
#include "env/base/random.h"
#include "env/observation.h"

namespace pahtum {
namespace {

constexpr std::int64_t kValueHidden = 64;

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).padding(kernel / 2).bias(bias));
}

torch::Tensor add_bias(const torch::Tensor& planes, const torch::Tensor& bias) {
  return planes + bias.unsqueeze(2).unsqueeze(3);
}

}  // namespace

torch::Tensor pool_board(const torch::Tensor& planes) {
  return torch::cat({planes.mean({2, 3}), planes.amax({2, 3})}, 1);
}

ConvolutionImpl::ConvolutionImpl(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  conv = register_module("conv", convolution(in, out, kernel, false));
  norm = register_module("norm", torch::nn::BatchNorm2d(out));
}

torch::Tensor ConvolutionImpl::forward(const torch::Tensor& planes) {
  return norm(conv(planes));
}

ResidualBlockImpl::ResidualBlockImpl(std::int64_t channels, bool pooling) {
  first = register_module("first", Convolution(channels, channels, 3));
  if (pooling) pooled = register_module("pooled", torch::nn::Linear(2 * channels, channels));
  second = register_module("second", Convolution(channels, channels, 3));
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& planes) {
  torch::Tensor inner = torch::relu(first(planes));
  if (pooled) inner = add_bias(inner, pooled(pool_board(inner)));
  return torch::relu(planes + second(inner));
}

NetworkImpl::NetworkImpl(const NetworkConfig& config) {
  const std::int64_t channels = config.channels;
  const std::int64_t head = config.head_channels;
  input = register_module("input", Convolution(kChannels, channels, 3));
  for (std::int64_t block = 0; block < config.blocks; ++block) {
    const bool pooling = config.pooling_every > 0 && (block + 1) % config.pooling_every == 0;
    blocks.push_back(register_module("block" + std::to_string(block), ResidualBlock(channels, pooling)));
  }
  policy_input = register_module("policy_input", Convolution(channels, head, 1));
  policy_pooled = register_module("policy_pooled", torch::nn::Linear(2 * head, head));
  policy_output = register_module("policy_output", convolution(head, 1, 1, true));
  value_input = register_module("value_input", Convolution(channels, head, 1));
  value_hidden = register_module("value_hidden", torch::nn::Linear(2 * head, kValueHidden));
  value_output = register_module("value_output", torch::nn::Linear(kValueHidden, 4));
  ownership_output = register_module("ownership_output", convolution(channels, 1, 1, true));
}

NetworkOutput NetworkImpl::forward(const torch::Tensor& planes) {
  torch::Tensor tower = torch::relu(input(planes));
  for (ResidualBlock& block : blocks) tower = block(tower);

  torch::Tensor policy = torch::relu(policy_input(tower));
  policy = torch::relu(add_bias(policy, policy_pooled(pool_board(policy))));

  const torch::Tensor value = torch::relu(value_input(tower));
  const torch::Tensor results = value_output(torch::relu(value_hidden(pool_board(value))));
  return {policy_output(policy).flatten(1), results.slice(1, 0, 3), results.select(1, 3),
          torch::tanh(ownership_output(tower)).squeeze(1)};
}

void initialize(Network& network, std::uint64_t seed) {
  const torch::NoGradGuard no_gradients;
  std::uint64_t index = 0;
  for (auto& item : network->named_parameters()) {
    torch::Tensor& parameter = item.value();
    Random random(seed, Stream::kWeights, index++);
    if (parameter.dim() < 2) {
      // Normalisations start as the identity, except that a residual branch starts as nothing; biases at
      // zero.
      const bool scale = item.key().ends_with("norm.weight");
      const bool branch = item.key().find("second.norm") != std::string::npos;
      parameter.fill_(scale && !branch ? 1.0 : 0.0);
      continue;
    }
    // He et al. 2015: variance 2 / fan-in.
    const double deviation = std::sqrt(2.0 / static_cast<double>(parameter[0].numel()));
    torch::Tensor values = torch::empty({parameter.numel()});
    auto* data = values.data_ptr<float>();
    for (std::int64_t k = 0; k < values.numel(); ++k)
      data[k] = static_cast<float>(deviation * random.normal());
    parameter.copy_(values.view(parameter.sizes()));
  }
}

std::vector<std::pair<std::string, torch::Tensor>> named_state(const Network& network) {
  std::vector<std::pair<std::string, torch::Tensor>> state;
  for (const auto& item : network->named_parameters()) state.emplace_back(item.key(), item.value().detach());
  for (const auto& item : network->named_buffers()) state.emplace_back(item.key(), item.value());
  return state;
}

std::vector<StoredTensor> store_state(const Network& network, const std::string& prefix) {
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : named_state(network)) {
    const torch::Tensor plain = tensor.to(torch::kCPU).contiguous();
    StoredTensor entry;
    entry.name = prefix + name;
    entry.dtype = plain.scalar_type() == torch::kLong ? "I64" : "F32";
    entry.shape = plain.sizes().vec();
    entry.data.resize(static_cast<std::size_t>(plain.numel()) * plain.element_size());
    std::memcpy(entry.data.data(), plain.data_ptr(), entry.data.size());
    stored.push_back(std::move(entry));
  }
  return stored;
}

void load_state(Network& network, const Checkpoint& checkpoint, const std::string& prefix) {
  const torch::NoGradGuard no_gradients;
  for (auto& [name, tensor] : named_state(network)) {
    const StoredTensor* found = nullptr;
    for (const StoredTensor& stored : checkpoint.tensors) {
      if (stored.name == prefix + name) found = &stored;
    }
    if (found == nullptr) {
      throw request_error("checkpoint",
                          "has no tensor " + prefix + name + "; it belongs to another network shape");
    }
    if (found->shape != tensor.sizes().vec() ||
        (found->dtype == "I64") != (tensor.scalar_type() == torch::kLong)) {
      throw request_error(
          "checkpoint",
          "tensor " + prefix + name + " has another shape than the network; it belongs to another network");
    }
    torch::Tensor values = torch::empty(tensor.sizes(), torch::TensorOptions().dtype(tensor.scalar_type()));
    std::memcpy(values.data_ptr(), found->data.data(), found->data.size());
    tensor.copy_(values);
  }
}

bool has_tensors(const Checkpoint& checkpoint, std::string_view prefix) noexcept {
  for (const StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name.starts_with(prefix)) return true;
  }
  return false;
}

Network playing_network(const Checkpoint& checkpoint) {
  if (checkpoint.manifest.observation_version != kObservationVersion) {
    throw request_error("checkpoint", "was trained on observation version " +
                                          std::to_string(checkpoint.manifest.observation_version) +
                                          "; this program makes version " +
                                          std::to_string(kObservationVersion));
  }
  Network network(checkpoint.manifest.network);
  load_state(network, checkpoint, has_tensors(checkpoint, "averaged/") ? "averaged/" : "weights/");
  network->eval();
  return network;
}

torch::Device choose_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto") return torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  if (name != "cuda") throw request_error("device", "\"" + name + "\" is unknown; use auto, cpu or cuda");
  if (!torch::cuda::is_available()) {
    throw request_error("device", "cuda was asked for and LibTorch sees no CUDA device; use auto or cpu");
  }
  return torch::kCUDA;
}

}  // namespace pahtum
