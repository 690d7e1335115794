#pragma once

// Internal to model/: what follows the tower in the frozen network, in plain loops over one sample.

#include <span>
#include <vector>

#include "model/frozen_features.h"
#include "model/frozen_weights.h"

namespace pahtum {

// outputs = weights · inputs + bias, the weights [inputs][outputs] so that outputs are side by side.
class DenseLayer {
 public:
  DenseLayer() = default;
  // Takes NAME.weight [outputs, inputs] and NAME.bias.
  DenseLayer(const FrozenWeights& weights, const std::string& name);
  void apply(const float* inputs, float* outputs) const noexcept;
  [[nodiscard]] int inputs() const noexcept { return inputs_; }
  [[nodiscard]] int outputs() const noexcept { return outputs_; }

 private:
  int inputs_ = 0, outputs_ = 0;
  std::vector<float> weights_, bias_;
};

// The policy and the value head behind their 1×1 convolutions, which one convolution of head_outputs()
// channels makes: the policy's first, the value's from value_begin() on, zeros between.
class FrozenHeads {
 public:
  explicit FrozenHeads(const FrozenWeights& weights);

  // From head features of one sample: `policy` receives the logits of all actions, `wdl` three logits and
  // `margin` one number in units of kMarginUnit.
  void run(const FeatureView& features, std::int64_t sample, float* policy, float* wdl, float* margin);
  // From the tower's features of one sample: every square's owner in [−1, 1].
  void run_ownership(const FeatureView& tower, std::int64_t sample, float* ownership) const;

  [[nodiscard]] static int head_outputs(const FrozenWeights& weights) noexcept;
  [[nodiscard]] static int value_begin(const FrozenWeights& weights) noexcept;

 private:
  int channels_, squares_, value_begin_;
  DenseLayer policy_pool_, policy_swap_, value_dense_, value_wdl_, value_margin_;
  std::vector<float> policy_out_, ownership_;  // one weight for each channel
  float policy_bias_, ownership_bias_;
  std::vector<float> pooled_, bias_, hidden_;
};

}  // namespace pahtum
