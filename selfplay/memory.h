#pragma once

#include <cstdint>

#include "selfplay/run_config.h"

namespace pahtum {

// Estimate of the resident memory that a run on a CPU reaches at its peak, by part, in bytes: within a
// quarter of what was measured. What each part is made of stands beside its formula in memory.cc.
// `resident` is what the process holds before the run is loaded: LibTorch alone, whose builds differ by much.
struct MemoryEstimate {
  std::int64_t program = 0;  // LibTorch and the rest, before any work
  std::int64_t trees = 0;
  std::int64_t replay = 0;
  std::int64_t network = 0;  // weights, optimizer, evaluators, activations of the largest batch

  [[nodiscard]] std::int64_t total() const noexcept { return program + trees + replay + network; }
};
[[nodiscard]] MemoryEstimate estimate_memory(const RunConfig& config, int workers, std::int64_t resident);

// What this process holds of the machine now. Fields that the system does not tell are 0.
struct ProcessUsage {
  std::int64_t resident_bytes = 0;
  std::int64_t peak_resident_bytes = 0;  // the most since the process started
  std::int64_t allocated_bytes = 0;      // by malloc and new, and not freed
  std::int64_t threads = 0;
  std::int64_t open_files = 0;
};
[[nodiscard]] ProcessUsage process_usage();

}  // namespace pahtum
