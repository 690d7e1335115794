#pragma once

#include <optional>
#include <span>

#include "model/torchscript.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/network_checks.h"

namespace pahtum::fuzz {

// Input: an archive.
inline void fuzz_torchscript(std::span<const std::uint8_t> bytes) {
  fuzz_file().put(text_of(bytes));
  std::optional<NetworkArchive> archive;
  if (is_refused([&] { archive = read_torchscript(fuzz_file().path()); })) return;
  require_bounded(*archive, bytes.size());
  static_cast<void>(network_of(*archive));
}

}  // namespace pahtum::fuzz
