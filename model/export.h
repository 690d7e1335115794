#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "env/position.h"
#include "model/checkpoint.h"
#include "model/network_archive.h"

namespace pahtum {

enum class ExportFormat { kTorchScript, kOnnx, kSafetensors };

// Writes the network of a checkpoint that plays (averaged weights) as a file that loads without this project:
// in C++ (torch::jit::load) or Python's torch, in ONNX runtimes, in readers of safetensors. Input: [N, C, n,
// n] (env/observation.h), any N ≥ 1. Outputs, in this order: policy logits [N, A] (not masked), win/draw/loss
// logits [N, 3], margin in points [N], ownership [N, n, n] in [−1, 1], all from the mover's side. The
// manifest travels along (docs/formats.md). load_network_file() reads the file again, and this function does,
// before it returns.
//
// `form.half` stores the tower's convolutions in float16. The TorchScript module then computes them so on
// CUDA devices; on the CPU, as everywhere in ONNX, it computes in float32.
//
// Throws a kRequest Error where the checkpoint holds no such network or its weights are too large for
// float16, and a kFailure Error that names the file when it cannot be written.
void export_network(const Checkpoint& checkpoint, ExportFormat format, WeightsForm form,
                    const std::filesystem::path& output);

// What the network says of a position, in float32 by LibTorch's operators: as an exported one does.
struct NetworkSample {
  std::vector<float> planes;     // [C, n, n]
  std::vector<float> policy;     // [A] logits, not masked
  std::vector<float> wdl;        // [3] logits
  float margin;                  // points
  std::vector<float> ownership;  // [n, n]
};
[[nodiscard]] std::vector<NetworkSample> network_samples(const Checkpoint& checkpoint,
                                                         std::span<const Position> positions);

}  // namespace pahtum
