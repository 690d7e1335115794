#pragma once

#include <filesystem>

#include "model/checkpoint.h"

namespace pahtum {

// Writes the averaged network of a checkpoint as a TorchScript archive that loads without this project, in
// C++ (torch::jit::load) and in Python's torch. Input: float32 [N, C, n, n] (env/observation.h), any N ≥ 1.
// Output: a tuple of policy logits [N, n²] (not masked), win/draw/loss logits [N, 3], margin in points [N],
// ownership [N, n, n] in [−1, 1], all from the mover's side. The manifest travels along as the extra file
// "manifest.json".
void export_torchscript(const Checkpoint& checkpoint, const std::filesystem::path& output);

}  // namespace pahtum
