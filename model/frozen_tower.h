#pragma once

// Internal to model/.

#include <memory>
#include <span>

#include "env/position.h"
#include "model/frozen_features.h"
#include "model/frozen_weights.h"

namespace pahtum {

// The convolutions of a frozen network on oneDNN: stem, residual blocks with their pooled biases, and the 1×1
// convolution of the policy and value heads. ReLU and the residual addition are part of the convolutions,
// activations stay in the library's layout in buffers that are allocated once, weights are packed once.
//
// A pass takes 1 to kLargestPass positions. The library's programs are made at the first pass of a number of
// positions and kept; pass_of() keeps to few numbers.
//
// One thread at a time; a pass computes on the calling thread alone.
class FrozenTower {
 public:
  static constexpr int kLargestPass = 64;

  // Throws a kRequest Error where the library has no convolutions of this kind.
  FrozenTower(const FrozenWeights& weights, Precision precision);
  ~FrozenTower();

  // The largest number of positions, at most `left`, that one pass should take.
  [[nodiscard]] static int pass_of(int left) noexcept;

  // Encodes the positions into the input of the next pass of that many.
  void encode(std::span<const Position> positions);
  // The pass itself. Views are valid until the next pass.
  struct Output {
    FeatureView tower;
    FeatureView heads;  // float32, channels as FrozenHeads has them
  };
  [[nodiscard]] Output run(int count);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pahtum
