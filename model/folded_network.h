#pragma once

// Internal to model/: the network as inference runs it.

#include <map>
#include <string>
#include <vector>

#include "model/inference.h"
#include "model/network.h"

namespace pahtum {

// How the tower's activations lie in memory.
enum class FoldedLayout {
  // oneDNN's own blocked layout from the first convolution to the heads: level with the usual layouts in wide
  // batches, and two to three times as fast for a single position. [N, C, n, n] on other devices and where
  // LibTorch has no oneDNN.
  kBlocked,
  kChannelsLast,  // [N, n, n, C]: what a GPU's matrix units read
};

// The same function as an eval-mode NetworkImpl, in fewer passes over memory: BatchNorm folded into the
// convolutions, activations and additions in place, no gradients.
class FoldedNetwork {
 public:
  // `precision` is that of the convolutions' weights and results; the blocked layout has fp32 only. Pooled
  // biases, and heads after their convolution, are float32 always, so that logits of any size stay finite.
  FoldedNetwork(const NetworkImpl& network, torch::Device device,
                FoldedLayout layout = FoldedLayout::kBlocked, Precision precision = Precision::kFp32);

  // planes: float32, or bytes too where the layout is channels last, [N, C, n, n], on the network's device.
  // All outputs are float32. The ownership head costs a pass; leave it out where nobody reads it.
  [[nodiscard]] NetworkOutput forward(const torch::Tensor& planes, bool with_ownership) const;

 private:
  struct Layer {
    torch::Tensor weight, bias;
  };
  struct Block {
    Layer first, second, pool;  // `pool` empty in a block without pooling
  };

  using Tensors = std::map<std::string, torch::Tensor>;

  [[nodiscard]] Layer take(const Tensors& tensors, const std::string& name) const;
  // A convolution whose input is an activation of the tower.
  [[nodiscard]] Layer take_tower(const Tensors& tensors, const std::string& name) const;
  [[nodiscard]] torch::Tensor to_tower(const torch::Tensor& features) const;

  torch::Device device_;
  torch::ScalarType type_;  // of the tower
  bool blocked_;            // oneDNN's layout is in use
  bool channels_last_;
  Layer stem_;
  Layer policy_swap_;  // empty without a swap
  std::vector<Block> blocks_;
  Layer policy_, policy_pool_, policy_out_, value_, value_dense_, value_wdl_, value_margin_, ownership_;
};

}  // namespace pahtum
