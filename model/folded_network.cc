#include "model/folded_network.h"

#include <ATen/Context.h>
#include <torch/types.h>

namespace pahtum {
namespace {

torch::ScalarType type_of(Precision precision) {
  switch (precision) {
    case Precision::kBf16:
      return torch::kBFloat16;
    case Precision::kFp16:
      return torch::kFloat16;
    case Precision::kFp32:
      break;
  }
  return torch::kFloat32;
}

// As the heads read it.
torch::Tensor dense(const torch::Tensor& features) {
  return features.is_mkldnn() ? features.to_dense() : features.to(torch::kFloat32);
}

torch::Tensor convolve(const torch::Tensor& input, const torch::Tensor& weight, const torch::Tensor& bias) {
  const std::int64_t padding = weight.size(2) / 2;
  if (weight.is_mkldnn()) {
    return torch::mkldnn_convolution(input, weight, bias, {padding, padding}, {1, 1}, {1, 1}, 1);
  }
  // As conv2d, but for two things that it takes from the process: the same batch gives the same bits, and
  // float32 is multiplied as float32, where cuDNN would by default round it to ten bits (TF32).
  return torch::_convolution(input, weight, bias, {1, 1}, {padding, padding}, {1, 1}, /*transposed=*/false,
                             {0, 0}, /*groups=*/1, /*benchmark=*/false, /*deterministic=*/true,
                             /*cudnn_enabled=*/true, /*allow_tf32=*/false);
}

// pool_board() in float32, whatever the features are.
torch::Tensor pool_wide(const torch::Tensor& features) {
  return torch::cat(
      {features.mean({2, 3}, false, torch::kFloat32), features.amax({2, 3}).to(torch::kFloat32)}, 1);
}

// The features plus a linear function of `pooled`, one number per sample and channel. May work in place.
torch::Tensor add_pooled_bias(torch::Tensor features, const torch::Tensor& pooled,
                              const torch::Tensor& weight, const torch::Tensor& bias) {
  return features.add_(torch::linear(pooled, weight, bias).unsqueeze(-1).unsqueeze(-1));
}

}  // namespace

FoldedNetwork::FoldedNetwork(const NetworkImpl& network, torch::Device device, FoldedLayout layout,
                             Precision precision)
    : device_(device),
      type_(type_of(precision)),
      blocked_(layout == FoldedLayout::kBlocked && device.is_cpu() && at::hasMKLDNN()),
      channels_last_(layout == FoldedLayout::kChannelsLast) {
  Tensors tensors;
  for (auto& [name, tensor] : network.folded()) tensors.emplace(name, std::move(tensor));
  stem_ = take_tower(tensors, "stem");
  for (std::int64_t number = 0; number < network.config().blocks; ++number) {
    const std::string name = "block" + std::to_string(number);
    Block block{take_tower(tensors, name + "_first"), take_tower(tensors, name + "_second"), {}};
    if (is_pooled(network.config(), number)) block.pool = take(tensors, name + "_pool");
    blocks_.push_back(std::move(block));
  }
  policy_ = take_tower(tensors, "policy");
  policy_pool_ = take(tensors, "policy_pool");
  policy_out_ = take(tensors, "policy_out");
  if (network.shape().swap) policy_swap_ = take(tensors, "policy_swap");
  value_ = take_tower(tensors, "value");
  value_dense_ = take(tensors, "value_dense");
  value_wdl_ = take(tensors, "value_wdl");
  value_margin_ = take(tensors, "value_margin");
  ownership_ = take_tower(tensors, "ownership");
}

FoldedNetwork::Layer FoldedNetwork::take(const Tensors& tensors, const std::string& name) const {
  return {tensors.at(name + ".weight").to(device_), tensors.at(name + ".bias").to(device_)};
}

FoldedNetwork::Layer FoldedNetwork::take_tower(const Tensors& tensors, const std::string& name) const {
  if (blocked_) {
    Layer layer = take(tensors, name);
    return {layer.weight.to_mkldnn(), layer.bias};
  }
  // Turned before it goes to the device: such a copy ends before it returns, and any stream may read it.
  const torch::Tensor weight = to_tower(tensors.at(name + ".weight"));
  return {weight.to(device_), tensors.at(name + ".bias").to(type_).to(device_)};
}

torch::Tensor FoldedNetwork::to_tower(const torch::Tensor& features) const {
  if (blocked_) return features.to_mkldnn();
  if (!channels_last_) return features.to(type_);
  return features.to(type_, /*non_blocking=*/false, /*copy=*/false, torch::MemoryFormat::ChannelsLast);
}

NetworkOutput FoldedNetwork::forward(const torch::Tensor& planes, bool with_ownership) const {
  torch::Tensor x = convolve(to_tower(planes), stem_.weight, stem_.bias).relu_();
  for (const Block& block : blocks_) {
    torch::Tensor y = convolve(x, block.first.weight, block.first.bias).relu_();
    if (block.pool.weight.defined()) {
      // oneDNN has no addition that broadcasts.
      if (blocked_) y = y.to_dense();
      y = add_pooled_bias(y, pool_wide(y), block.pool.weight, block.pool.bias);
      if (blocked_) y = y.to_mkldnn();
    }
    x = convolve(y, block.second.weight, block.second.bias).add_(x).relu_();
  }
  NetworkOutput output;
  torch::Tensor policy = dense(convolve(x, policy_.weight, policy_.bias));
  const torch::Tensor pooled = pool_board(policy.relu());
  policy = add_pooled_bias(policy, pooled, policy_pool_.weight, policy_pool_.bias).relu_();
  output.policy = convolve(policy, policy_out_.weight, policy_out_.bias).flatten(1);
  if (policy_swap_.weight.defined()) {
    output.policy =
        torch::cat({output.policy, torch::linear(pooled, policy_swap_.weight, policy_swap_.bias)}, 1);
  }
  const torch::Tensor value = dense(convolve(x, value_.weight, value_.bias)).relu_();
  const torch::Tensor hidden =
      torch::linear(pool_board(value), value_dense_.weight, value_dense_.bias).relu_();
  output.wdl = torch::linear(hidden, value_wdl_.weight, value_wdl_.bias);
  output.margin = torch::linear(hidden, value_margin_.weight, value_margin_.bias).squeeze(1);
  if (with_ownership) {
    output.ownership = dense(convolve(x, ownership_.weight, ownership_.bias)).tanh_().squeeze(1);
  }
  return output;
}

}  // namespace pahtum
