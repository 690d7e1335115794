#pragma once

#include <filesystem>

#include "model/checkpoint.h"

namespace pahtum {

// The network in a file of any kind that this project writes: a checkpoint, or a TorchScript, ONNX or
// safetensors export, told apart by their first bytes, whatever the name. An export becomes a checkpoint that
// holds the weights that play, in float32, and nothing to train on with. Nothing in a file is executed, and
// no reader takes more memory than a fixed multiple of the file's size. Throws a kRequest Error that names
// the file and what is wrong with it.
[[nodiscard]] Checkpoint load_network_file(const std::filesystem::path& path);

}  // namespace pahtum
