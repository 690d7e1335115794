#include "model/network_config.h"

#include <torch/cuda.h>

#include "env/base/error.h"

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

DeviceChoice choose_device(const std::string& name) {
  if (name == "cpu") return {.cuda = false};
  if (name == "auto") return {.cuda = torch::cuda::is_available()};
  if (name != "cuda") {
    throw request_error("device", "\"" + name + "\" is not a device; use auto, cpu or cuda");
  }
  if (!torch::cuda::is_available()) {
    throw request_error("device", "cuda was asked for, but LibTorch sees no CUDA device; use auto or cpu");
  }
  return {.cuda = true};
}

}  // namespace pahtum
