#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "model/network_archive.h"
#include "model/network_layers.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/model_game.h"

// What holds for the reader of every format of exported networks.
namespace pahtum::fuzz {

inline bool same_archive(const NetworkArchive& one, const NetworkArchive& other) {
  const auto same = [](const StoredTensor& first, const StoredTensor& second) {
    return first.name == second.name && first.dtype == second.dtype && first.shape == second.shape &&
           first.data == second.data;
  };
  return one.metadata == other.metadata && std::ranges::equal(one.tensors, other.tensors, same);
}

inline void require_bounded(const NetworkArchive& archive, std::size_t file_size) {
  std::size_t data = 0;
  for (const StoredTensor& tensor : archive.tensors) {
    require(byte_count(tensor.dtype, tensor.shape) == tensor.data.size(),
            "data are what dtype and shape say");
    data += tensor.data.size();
  }
  require(data <= file_size, "tensors are no larger than the file");
}

// The network of the archive, whole; nothing when it is refused.
inline std::optional<Checkpoint> network_of(const NetworkArchive& archive) {
  std::optional<Checkpoint> checkpoint;
  if (is_refused([&] { checkpoint = to_checkpoint(archive, "file", "file"); })) return std::nullopt;
  validate(checkpoint->manifest.game);
  const NetworkConfig& config = checkpoint->manifest.network;
  const auto wanted = network_tensors(config, shape_of(checkpoint->manifest.game), false);
  require(wanted.size() == checkpoint->tensors.size(), "a network is whole");
  for (const NetworkTensor& tensor : wanted) {
    const auto found = std::ranges::find(checkpoint->tensors, "weights/" + tensor.name, &StoredTensor::name);
    require(found != checkpoint->tensors.end() && found->shape == tensor.shape && found->dtype == "F32" &&
                byte_count("F32", tensor.shape) == found->data.size(),
            "a network's tensors are those of its manifest");
  }
  return checkpoint;
}

}  // namespace pahtum::fuzz
