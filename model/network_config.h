#pragma once

#include <cstdint>
#include <string>

#include "env/base/schema.h"

namespace pahtum {

// The unit the margin head works in: its output of 1 means this many points.
inline constexpr double kMarginUnit = 20.0;

// The shape of the policy/value network: the `network` section of a configuration.
struct NetworkConfig {
  std::int64_t channels = 32;  // of every convolution of the tower
  std::int64_t blocks = 4;     // residual blocks of two 3×3 convolutions
  std::int64_t pooling_every =
      2;  // every k-th block mixes the board's mean and maximum back in; 0: none does
  std::int64_t head_channels = 16;

  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

[[nodiscard]] Schema describe(NetworkConfig& config);

// One line for people: "4 blocks × 32 channels".
[[nodiscard]] std::string to_text(const NetworkConfig& config);

}  // namespace pahtum
