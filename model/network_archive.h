#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint.h"
#include "model/stored_tensor.h"

namespace pahtum {

// What an exported network is in any of its formats: weights by the names of docs/formats.md, and texts that
// say what they are.
struct NetworkArchive {
  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> tensors;  // F32 or F16
};

// How the numbers of a network stand in an exported file.
struct WeightsForm {
  bool folded = true;  // BatchNorm folded into the convolutions, or beside them
  bool half = false;   // the tower's convolutions in float16
  friend bool operator==(const WeightsForm&, const WeightsForm&) = default;
};

// All an exported file says of its network: the manifest; version of these metadata, rules, input channels,
// outputs, perspective, form of the weights, training step and project version by keys of their own, for
// readers that do not know the manifest (docs/formats.md).
[[nodiscard]] std::map<std::string, std::string> export_metadata(const Manifest& manifest, WeightsForm form);

// The archive as a checkpoint that plays: its weights in float32 with BatchNorm beside them, as "weights/…".
// Throws a kRequest Error that names `source` (a file) and what in it is not as it must be: no metadata of
// this project, a manifest that is not sound, a tensor that is missing, foreign, twice there, or of another
// type or shape than the manifest's network. `what` the file is: "ONNX model".
[[nodiscard]] Checkpoint to_checkpoint(NetworkArchive archive, const std::string& source,
                                       const std::string& what);

}  // namespace pahtum
