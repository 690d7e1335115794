#include "model/network_config.h"

namespace pahtum {

Schema describe(NetworkConfig& config) {
  Schema schema("network", "The shape of the policy/value network.");
  schema
      .integer("channels", &config.channels, 1, 1024, "channels",
               "Width of every convolution of the residual tower; multiples of 16 run fastest.")
      .integer("blocks", &config.blocks, 1, 100, "blocks",
               "Depth of the tower: residual blocks of two 3×3 convolutions.")
      .integer("pooling_every", &config.pooling_every, 0, 100, "blocks",
               "Every k-th block mixes the mean and maximum over the board back in (global pooling); 0: none "
               "does.")
      .integer("head_channels", &config.head_channels, 1, 256, "channels",
               "Width of the policy and the value head.");
  return schema;
}

std::string to_text(const NetworkConfig& config) {
  return std::to_string(config.blocks) + (config.blocks == 1 ? " block × " : " blocks × ") +
         std::to_string(config.channels) + " channels";
}

}  // namespace pahtum
