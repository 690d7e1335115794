#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/network_config.h"

namespace pahtum {

// A network's numbers for inference, BatchNorm folded in, free of LibTorch. Names are those of
// NetworkImpl::folded(): "stem.weight", "block0_first.bias", "block1_pool.weight" …; weights are row-major
// [outputs, inputs] or [outputs, inputs, rows, columns].
struct FrozenWeights {
  NetworkConfig config;
  int size = 7;      // of the board
  int channels = 4;  // C of an observation
  bool swap = false;
  std::map<std::string, std::vector<float>> tensors;

  [[nodiscard]] int squares() const noexcept { return size * size; }
  [[nodiscard]] int actions() const noexcept { return squares() + (swap ? 1 : 0); }
};

}  // namespace pahtum
