#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "model/checkpoint.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

inline constexpr FrameFormat kFuzzedCheckpoint{"PAHTUMCK", 1, "checkpoint"};

// Input: a checkpoint, see put_framed(). A first byte of 3 and above stands before a header's text, a newline
// and tensor data: the header's length is then put in front of it.
inline void fuzz_checkpoint(std::span<const std::uint8_t> bytes) {
  if (!bytes.empty() && bytes.front() >= 3) {
    const std::string_view rest = text_of(bytes.subspan(1));
    const std::uint64_t length = std::min(rest.find('\n'), rest.size());
    std::string payload(sizeof length, '\0');
    std::memcpy(payload.data(), &length, sizeof length);
    payload += rest.substr(0, length);
    if (length < rest.size()) payload += rest.substr(length + 1);
    write_frame(fuzz_file().path(), kFuzzedCheckpoint, payload);
  } else {
    put_framed(bytes, kFuzzedCheckpoint);
  }
  std::optional<Checkpoint> checkpoint;
  if (is_refused([&] { checkpoint = load_checkpoint(fuzz_file().path()); })) return;
  std::size_t data = 0;
  for (const StoredTensor& tensor : checkpoint->tensors) data += tensor.data.size();
  require(data <= bytes.size(), "tensors are no larger than the file");
  validate(checkpoint->manifest.game);
  save_checkpoint(fuzz_file().path(), *checkpoint);
  const Checkpoint again = load_checkpoint(fuzz_file().path());
  require(manifest_json(again.manifest) == manifest_json(checkpoint->manifest),
          "a manifest is read as it was written");
  const auto same = [](const StoredTensor& one, const StoredTensor& other) {
    return one.name == other.name && one.dtype == other.dtype && one.shape == other.shape &&
           one.data == other.data;
  };
  require(std::ranges::equal(again.tensors, checkpoint->tensors, same),
          "tensors are read as they were written");
}

}  // namespace pahtum::fuzz
