#pragma once

// Internal to model/: all that only a LibTorch with CUDA has.

#include <memory>

#include "model/device_stream.h"

namespace pahtum {

// Whether this build has streams for CUDA devices; without them LibTorch's own order of work is all there is.
[[nodiscard]] bool has_cuda_streams() noexcept;

// 10 · major + minor of the current CUDA device's compute capability. Only where has_cuda_streams().
[[nodiscard]] int cuda_capability();

// A stream of its own on the current CUDA device. It records work as a CUDA graph. Only where
// has_cuda_streams(); throws a kFailure Error where the driver makes none.
[[nodiscard]] std::unique_ptr<DeviceStream> make_cuda_stream();

}  // namespace pahtum
