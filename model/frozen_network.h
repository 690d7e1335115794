#pragma once

#include <memory>
#include <span>
#include <vector>

#include "env/position.h"
#include "model/frozen_weights.h"
#include "model/inference.h"

namespace pahtum {

// What the network says of N positions, each from the side of its mover, row-major.
struct FrozenOutput {
  std::vector<float> policy;     // [N, A] logits, not masked
  std::vector<float> wdl;        // [N, 3] logits of win, draw, loss
  std::vector<float> margin;     // [N] in units of kMarginUnit
  std::vector<float> ownership;  // [N, n, n] in [−1, 1]; empty where it was not asked for
};

// The network as inference on a CPU runs it: the same function as the module in evaluation mode, from
// positions straight to the outputs of all heads, on oneDNN itself. It owns packed weights and all buffers;
// after the first pass of a batch size nothing is allocated but larger outputs. Batches of any size are cut
// into passes whose activations stay in the caches, without padding: a position's outputs do not depend on
// its neighbours but for rounding.
//
// One thread at a time per object, any number of objects at once; an object computes on the calling thread
// alone, whatever LibTorch's number of threads is.
class FrozenNetwork {
 public:
  // Throws a kRequest Error where this processor or build cannot: see choose_cpu_precision and
  // has_frozen_network.
  FrozenNetwork(const FrozenWeights& weights, Precision precision);
  ~FrozenNetwork();

  // The positions, of the weights' board size, may be none. The result is valid until the next call.
  const FrozenOutput& forward(std::span<const Position> positions, bool with_ownership = false);

  // Once more with the planes of the last call of each pass, nothing encoded: what `bench` calls the bare
  // forward pass of `count` positions.
  void repeat(int count);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pahtum
