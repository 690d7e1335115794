#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "env/base/bytes.h"
#include "model/safetensors.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/network_checks.h"

namespace pahtum::fuzz {

// Input: a file as it is where the first byte is 0; otherwise, behind the first byte, a header's text, a
// newline and the data: the header's length is then put in front.
inline void fuzz_safetensors(std::span<const std::uint8_t> bytes) {
  const std::string_view rest = text_of(bytes.empty() ? bytes : bytes.subspan(1));
  std::string file(rest);
  if (!bytes.empty() && bytes.front() != 0) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    file.clear();
    append_number(file, std::uint64_t{length});
    file += rest.substr(0, length);
    if (length < rest.size()) file += rest.substr(length + 1);
  }
  std::optional<NetworkArchive> archive;
  if (is_refused([&] { archive = parse_safetensors(file, "file"); })) return;
  require_bounded(*archive, file.size());
  static_cast<void>(network_of(*archive));
  // The order of empty tensors is not kept.
  const bool some_empty =
      std::ranges::any_of(archive->tensors, [](const auto& tensor) { return tensor.data.empty(); });
  if (some_empty) return;
  require(same_archive(parse_safetensors(to_safetensors(*archive), "file"), *archive),
          "an archive is read as it was written");
}

}  // namespace pahtum::fuzz
