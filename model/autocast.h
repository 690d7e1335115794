#pragma once

// Internal to model/: LibTorch's automatic mixed precision on a CPU.

#include <string>

#include "model/inference.h"

namespace pahtum {

// While it lives, convolutions and dense layers of the calling thread that LibTorch computes on the CPU take
// their inputs in bf16 and return bf16, where `precision` is kBf16; else nothing changes. Weights are rounded
// on the way in, once for each guard. The backward pass follows the types of the forward pass and needs no
// guard.
class AutocastGuard {
 public:
  explicit AutocastGuard(Precision precision);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  bool active_;
};

}  // namespace pahtum
