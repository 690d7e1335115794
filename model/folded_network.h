#pragma once

// Internal to model/: shows LibTorch through network.h.

#include <vector>

#include "model/network.h"

namespace pahtum {

// A convolution with its batch normalisation folded in: w' = w · γ/√(σ² + ε), b' = β − μ · γ/√(σ² + ε).
struct FoldedConvolution {
  torch::Tensor weight, bias;
  std::int64_t padding = 0;

  [[nodiscard]] torch::Tensor operator()(const torch::Tensor& planes) const;
};

struct DenseLayer {
  torch::Tensor weight, bias;
};

// The network in its form for inference: no normalisation layers, no autograd, in-place where a temporary
// allows it, channels-last memory. Weights are copies; it does not follow the network it was made from.
class FoldedNetwork {
 public:
  FoldedNetwork(const Network& network, torch::Device device);

  // Planes as for Network::forward, on the device given, in any memory format. Call under
  // torch::InferenceMode.
  [[nodiscard]] NetworkOutput forward(const torch::Tensor& planes) const;

  struct Block {
    FoldedConvolution first, second;
    DenseLayer pooled;  // undefined tensors without pooling
  };

  FoldedConvolution input, policy_input, value_input, policy_output, ownership_output;
  std::vector<Block> blocks;
  DenseLayer policy_pooled, value_hidden, value_output;
};

}  // namespace pahtum
