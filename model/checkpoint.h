#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "model/network_config.h"
#include "model/object_reader.h"
#include "model/stored_tensor.h"
#include "search/search_config.h"

namespace pahtum {

// What a checkpoint says of itself.
struct Manifest {
  GameConfig game;
  NetworkConfig network;
  SearchConfig search;  // of training: what plays like the trained agent searches by it
  int observation_version = 0;
  std::int64_t step = 0;       // learner steps taken
  std::int64_t iteration = 0;  // training iterations finished
  std::string project_version;
  std::string config;       // the whole resolved configuration as YAML
  nlohmann::json counters;  // what the training loop needs to go on; an object
};

inline constexpr std::string_view kCheckpointMagic = "PAHTUMCK";

// The manifest as JSON, as it stands in checkpoints and exported networks; and read again. Throws the
// reader's kRequest Errors.
[[nodiscard]] nlohmann::json manifest_json(const Manifest& manifest);
[[nodiscard]] Manifest read_manifest(const ObjectReader& reader);

struct Checkpoint {
  Manifest manifest;
  std::vector<StoredTensor> tensors;
};

// One file holds weights, averaged weights, optimizer state and counters (docs/formats.md): the frame of
// env/base/files.h with magic "PAHTUMCK" around
//
//   header length u64 | header JSON {manifest, tensors: [{name, dtype, shape, offset, length}]} | tensor data
//
// Written atomically. Reading checks magic, version, length, checksum, and that every tensor's bytes are
// inside, do not overlap or leave gaps, and match shape × dtype; a kRequest Error names the file and what is
// wrong.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
[[nodiscard]] Checkpoint load_checkpoint(const std::filesystem::path& path);

// Whether the name ends as those of checkpoints and exports do: .ckpt, .safetensors, .onnx or .pt.
[[nodiscard]] bool is_network_name(const std::filesystem::path& path);

// The file a TARGET means: a file is itself; a run directory is its newest whole checkpoint (the file of the
// highest number in DIR/checkpoints/NNNNNN.ckpt whose frame is sound); a folder without checkpoints/ is the
// one network file in it. The names of broken newer checkpoints are put in `skipped` when given. Throws a
// kRequest Error when there is none, or no telling which.
[[nodiscard]] std::filesystem::path resolve_checkpoint(const std::filesystem::path& target,
                                                       std::vector<std::string>* skipped = nullptr);

}  // namespace pahtum
