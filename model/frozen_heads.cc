#include "model/frozen_heads.h"

#include <algorithm>
#include <cmath>

namespace pahtum {
namespace {

constexpr int kAlignment = 16;  // channels: the widest block of oneDNN's layouts

int aligned(std::int64_t channels) noexcept {
  return (static_cast<int>(channels) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

DenseLayer::DenseLayer(const FrozenWeights& weights, const std::string& name)
    : bias_(weights.tensors.at(name + ".bias")) {
  const std::vector<float>& rows = weights.tensors.at(name + ".weight");
  outputs_ = static_cast<int>(bias_.size());
  inputs_ = static_cast<int>(rows.size() / bias_.size());
  weights_.resize(rows.size());
  for (std::size_t output = 0; output < bias_.size(); ++output) {
    const auto inputs = static_cast<std::size_t>(inputs_);
    for (std::size_t input = 0; input < inputs; ++input) {
      weights_[input * bias_.size() + output] = rows[output * inputs + input];
    }
  }
}

void DenseLayer::apply(const float* inputs, float* outputs) const noexcept {
  std::ranges::copy(bias_, outputs);
  const float* row = weights_.data();
  for (int input = 0; input < inputs_; ++input, row += outputs_) {
    const float value = inputs[input];
    for (int output = 0; output < outputs_; ++output) outputs[output] += row[output] * value;
  }
}

FrozenHeads::FrozenHeads(const FrozenWeights& weights)
    : channels_(static_cast<int>(weights.config.head_channels)),
      squares_(weights.squares()),
      value_begin_(value_begin(weights)),
      policy_pool_(weights, "policy_pool"),
      value_dense_(weights, "value_dense"),
      value_wdl_(weights, "value_wdl"),
      value_margin_(weights, "value_margin"),
      policy_out_(weights.tensors.at("policy_out.weight")),
      ownership_(weights.tensors.at("ownership.weight")),
      policy_bias_(weights.tensors.at("policy_out.bias").front()),
      ownership_bias_(weights.tensors.at("ownership.bias").front()),
      pooled_(static_cast<std::size_t>(2 * channels_)),
      bias_(static_cast<std::size_t>(channels_)),
      hidden_(static_cast<std::size_t>(value_dense_.outputs())) {
  if (weights.swap) policy_swap_ = DenseLayer(weights, "policy_swap");
}

int FrozenHeads::value_begin(const FrozenWeights& weights) noexcept {
  return aligned(weights.config.head_channels);
}

int FrozenHeads::head_outputs(const FrozenWeights& weights) noexcept {
  return 2 * value_begin(weights);
}

void FrozenHeads::run(const FeatureView& features, std::int64_t sample, float* policy, float* wdl,
                      float* margin) {
  pool_board(features, sample, 0, channels_, true, pooled_.data());
  policy_pool_.apply(pooled_.data(), bias_.data());
  sum_channels(features, sample, 0, channels_, bias_.data(), policy_out_.data(), policy);
  for (int square = 0; square < squares_; ++square) policy[square] += policy_bias_;
  if (policy_swap_.outputs() > 0) policy_swap_.apply(pooled_.data(), policy + squares_);

  pool_board(features, sample, value_begin_, channels_, true, pooled_.data());
  value_dense_.apply(pooled_.data(), hidden_.data());
  for (float& value : hidden_) value = value < 0.0f ? 0.0f : value;
  value_wdl_.apply(hidden_.data(), wdl);
  value_margin_.apply(hidden_.data(), margin);
}

void FrozenHeads::run_ownership(const FeatureView& tower, std::int64_t sample, float* ownership) const {
  sum_channels(tower, sample, 0, static_cast<int>(ownership_.size()), nullptr, ownership_.data(), ownership);
  for (int square = 0; square < squares_; ++square) {
    ownership[square] = std::tanh(ownership[square] + ownership_bias_);
  }
}

}  // namespace pahtum
