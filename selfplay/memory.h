#pragma once

#include <cstdint>

#include "selfplay/run_config.h"

namespace pahtum {

// Upper estimate of the memory a run will hold, by part, in bytes. What each part is made of stands beside
// its formula in memory.cc.
struct MemoryEstimate {
  std::int64_t program = 0;  // LibTorch and the rest, before any work
  std::int64_t trees = 0;
  std::int64_t replay = 0;
  std::int64_t network = 0;  // weights, optimizer, evaluators, activations of the largest batch

  [[nodiscard]] std::int64_t total() const noexcept { return program + trees + replay + network; }
};
[[nodiscard]] MemoryEstimate estimate_memory(const RunConfig& config, int workers);

// Resident memory of this process now, in bytes.
[[nodiscard]] std::int64_t resident_bytes();

}  // namespace pahtum
