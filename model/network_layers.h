#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "env/observation.h"
#include "model/network_config.h"
#include "model/stored_tensor.h"

namespace pahtum {

inline constexpr std::int64_t kValueHidden = 64;       // width of the value head's dense layer
inline constexpr double kNormalizationEpsilon = 1e-5;  // added to BatchNorm's variance

// What the rules ask of a network.
struct NetworkShape {
  std::int64_t channels = kChannels;  // C of an observation
  bool swap = false;                  // a policy logit for the swap, behind those of the squares
};
[[nodiscard]] NetworkShape shape_of(const GameConfig& game);

[[nodiscard]] inline bool is_pooled(const NetworkConfig& config, std::int64_t block) noexcept {
  return config.pooling_every > 0 && (block + 1) % config.pooling_every == 0;
}

// A layer as files know it, by the names of NetworkImpl (model/network.h); model_test holds both to each
// other.
struct NetworkLayer {
  std::string name;                  // "stem", "block0_first", "policy_pool"
  std::vector<std::int64_t> weight;  // [outputs, inputs] or [outputs, inputs, rows, columns]
  // A convolution without bias, then BatchNorm: `scale`, `shift`, `mean` and `variance` beside the weight.
  // The others have a bias.
  bool normalized = false;
  // Its weight, and the bias where it has one, may be F16 in a file of half precision: convolutions that
  // read the tower. All other numbers are F32.
  bool tower = false;
};

// All layers in the order of the forward pass.
[[nodiscard]] std::vector<NetworkLayer> network_layers(const NetworkConfig& config, NetworkShape shape);

// The tensors of a network as they stand in a file: with BatchNorm of its own, or folded into the
// convolutions, which then have a bias. Names are "LAYER.weight" and so on.
struct NetworkTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  bool tower;
};
[[nodiscard]] std::vector<NetworkTensor> network_tensors(const NetworkConfig& config, NetworkShape shape,
                                                         bool folded);

// The folded tensors of a network as those of one with BatchNorm that does nothing.
[[nodiscard]] std::vector<StoredTensor> unfold(const NetworkConfig& config, NetworkShape shape,
                                               std::vector<StoredTensor> folded);

}  // namespace pahtum
