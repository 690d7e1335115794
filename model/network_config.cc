#include "model/network_config.h"

namespace pahtum {

Schema describe(NetworkConfig& config) {
  Schema schema("network", "The shape of the policy/value network.");
  schema.integer("channels", &config.channels, 4, 1024, "planes", "Width of every convolution of the tower.")
      .integer("blocks", &config.blocks, 1, 100, "blocks", "Residual blocks of two 3×3 convolutions.")
      .integer("pooling_every", &config.pooling_every, 0, 100, "blocks",
               "Every k-th block mixes each channel's mean and maximum over the board back in; 0: none does.")
      .integer("head_channels", &config.head_channels, 1, 256, "planes",
               "Width of the policy and value heads.");
  return schema;
}

std::string to_text(const NetworkConfig& config) {
  return std::to_string(config.blocks) + " blocks × " + std::to_string(config.channels) + " channels";
}

}  // namespace pahtum
