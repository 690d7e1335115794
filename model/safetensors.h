#pragma once

#include <string>
#include <string_view>

#include "model/network_archive.h"

namespace pahtum {

// The safetensors format:
//
//   header length u64 | header JSON {"__metadata__": {texts}, NAME: {dtype, shape, data_offsets}} | data
//
// The header is padded with spaces so that the data begin on a multiple of eight bytes; offsets count from
// there, and tensors lie there one after the other in the archive's order.
[[nodiscard]] std::string to_safetensors(const NetworkArchive& archive);

// Throws a kRequest Error that names `source` (a file) for anything that is not sound: a length behind the
// end, a header that is no JSON object or beyond 16 MiB, offsets with gaps or overlaps, a size that is not
// that of shape and dtype, bytes that belong to no tensor, a dtype other than F32 and F16.
[[nodiscard]] NetworkArchive parse_safetensors(std::string_view bytes, const std::string& source);

}  // namespace pahtum
