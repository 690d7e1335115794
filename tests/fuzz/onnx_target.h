#pragma once

#include <optional>
#include <span>

#include "model/onnx.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/network_checks.h"

namespace pahtum::fuzz {

// Input: a model.
inline void fuzz_onnx(std::span<const std::uint8_t> bytes) {
  std::optional<NetworkArchive> archive;
  if (is_refused([&] { archive = parse_onnx(text_of(bytes), "file"); })) return;
  require_bounded(*archive, bytes.size());
  const std::optional<Checkpoint> checkpoint = network_of(*archive);
  if (!checkpoint) return;
  NetworkArchive written = *archive;
  written.metadata["input"];  // stands in the graph, too
  require(same_archive(parse_onnx(to_onnx(checkpoint->manifest, written), "file"), written),
          "a model is read as it was written");
}

}  // namespace pahtum::fuzz
