#pragma once

#include <string>
#include <string_view>

#include "model/network_archive.h"

namespace pahtum {

// The ONNX form of a network: IR version 8, opset 17, one graph in float32 from `planes` [batch, C, n, n] to
// `policy` [batch, A], `wdl` [batch, 3], `margin` [batch] in points and `ownership` [batch, n, n], the batch
// being symbolic. Initializers are the tensors of the archive by their names (F16 ones are cast where they
// are used), metadata_props its metadata.
[[nodiscard]] std::string to_onnx(const Manifest& manifest, const NetworkArchive& archive);

// The initializers and metadata of a model; its graph is not looked at. Throws a kRequest Error that names
// `source` (a file) for what is no model, and for initializers that are not F32 or F16, are kept elsewhere
// than in `raw_data`, or have another size than their shape. Nothing is copied but the data of initializers.
[[nodiscard]] NetworkArchive parse_onnx(std::string_view bytes, const std::string& source);

}  // namespace pahtum
