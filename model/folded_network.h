#pragma once

// Internal to model/: the network as inference runs it.

#include <map>
#include <string>
#include <vector>

#include "model/network.h"

namespace pahtum {

// The same function as an eval-mode NetworkImpl, in fewer passes over memory: BatchNorm folded into the
// convolutions, activations and additions in place, no gradients. On a CPU weights and the tower's
// activations keep oneDNN's own blocked layout from the first convolution to the heads: level with the usual
// layouts in wide batches, and two to three times as fast for a single position.
class FoldedNetwork {
 public:
  FoldedNetwork(const NetworkImpl& network, torch::Device device);

  // planes: float32 [N, C, n, n], on the network's device. The ownership head costs a pass; leave it out
  // where nobody reads it.
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

  torch::Device device_;
  bool blocked_;  // oneDNN's layout is in use
  Layer stem_;
  Layer policy_swap_;  // empty without a swap
  std::vector<Block> blocks_;
  Layer policy_, policy_pool_, policy_out_, value_, value_dense_, value_wdl_, value_margin_, ownership_;
};

}  // namespace pahtum
