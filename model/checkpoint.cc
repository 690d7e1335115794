#include "model/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "env/base/error.h"
#include "env/base/files.h"

namespace pahtum {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr FrameFormat kCheckpointFormat{"PAHTUMCK", 1, "checkpoint"};

// Reads a manifest; every fault is a nlohmann exception or an Error of the caller.
Manifest manifest_from(const json& document) {
  Manifest manifest;
  const json& game = document.at("game");
  game.at("size").get_to(manifest.game.size);
  game.at("holes").get_to(manifest.game.holes);
  game.at("unequal_stones").get_to(manifest.game.unequal_stones);
  const json& network = document.at("network");
  network.at("channels").get_to(manifest.network.channels);
  network.at("blocks").get_to(manifest.network.blocks);
  network.at("pooling_every").get_to(manifest.network.pooling_every);
  network.at("head_channels").get_to(manifest.network.head_channels);
  document.at("observation_version").get_to(manifest.observation_version);
  document.at("step").get_to(manifest.step);
  document.at("iteration").get_to(manifest.iteration);
  document.at("simulations").get_to(manifest.simulations);
  document.at("project_version").get_to(manifest.project_version);
  document.at("config").get_to(manifest.config);
  manifest.counters = document.at("counters");
  return manifest;
}

// The ranges a configuration must keep hold for a manifest too: what is outside would size absurd
// allocations.
template <class Config>
void check_ranges(Config config, const std::string& path) {
  const Schema schema = describe(config);
  for (const Field& field : schema.fields()) {
    const auto* integer = std::get_if<Field::Integer>(&field.target);
    if (integer == nullptr) continue;
    if (*integer->value < integer->minimum || *integer->value > integer->maximum) {
      throw request_error(path, "is damaged: its manifest says " + schema.name() + "." + field.name + " = " +
                                    std::to_string(*integer->value));
    }
  }
}

std::uint64_t element_size(const std::string& dtype) noexcept {
  if (dtype == "F32") return 4;
  if (dtype == "I64") return 8;
  return dtype == "U8" ? 1 : 0;
}

StoredTensor tensor_from(const json& entry, std::string_view data, std::uint64_t& next,
                         const std::string& path) {
  StoredTensor tensor;
  entry.at("name").get_to(tensor.name);
  entry.at("dtype").get_to(tensor.dtype);
  entry.at("shape").get_to(tensor.shape);
  const auto offset = entry.at("offset").get<std::uint64_t>();
  const auto length = entry.at("length").get<std::uint64_t>();
  const auto refuse = [&](const std::string& why) {
    throw request_error(path, "is damaged: tensor " + tensor.name + " " + why);
  };
  std::uint64_t bytes = element_size(tensor.dtype);
  if (bytes == 0) refuse("has the unknown type " + tensor.dtype);
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0 || (extent > 0 && bytes > data.size() / static_cast<std::uint64_t>(extent))) {
      refuse("has an impossible shape");
    }
    bytes *= static_cast<std::uint64_t>(extent);
  }
  if (offset != next) refuse("overlaps another or leaves a gap");
  if (length != bytes) refuse("has a length that does not fit its shape");
  if (length > data.size() - offset) refuse("lies outside the file");
  tensor.data = data.substr(offset, length);
  next = offset + length;
  return tensor;
}

}  // namespace

json manifest_json(const Manifest& manifest) {
  return {{"game",
           {{"size", manifest.game.size},
            {"holes", manifest.game.holes},
            {"unequal_stones", manifest.game.unequal_stones}}},
          {"network",
           {{"channels", manifest.network.channels},
            {"blocks", manifest.network.blocks},
            {"pooling_every", manifest.network.pooling_every},
            {"head_channels", manifest.network.head_channels}}},
          {"observation_version", manifest.observation_version},
          {"step", manifest.step},
          {"iteration", manifest.iteration},
          {"simulations", manifest.simulations},
          {"project_version", manifest.project_version},
          {"config", manifest.config},
          {"counters", manifest.counters}};
}

void save_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  json tensors = json::array();
  std::uint64_t offset = 0;
  for (const StoredTensor& tensor : checkpoint.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"dtype", tensor.dtype},
                       {"shape", tensor.shape},
                       {"offset", offset},
                       {"length", tensor.data.size()}});
    offset += tensor.data.size();
  }
  const std::string header =
      json{{"manifest", manifest_json(checkpoint.manifest)}, {"tensors", tensors}}.dump();
  const std::uint64_t length = header.size();
  std::string payload(sizeof(length), '\0');
  std::memcpy(payload.data(), &length, sizeof(length));
  payload.reserve(payload.size() + header.size() + offset);
  payload += header;
  for (const StoredTensor& tensor : checkpoint.tensors) payload += tensor.data;
  write_frame(path, kCheckpointFormat, payload);
}

Checkpoint load_checkpoint(const fs::path& path) {
  const std::string payload = read_frame(path, kCheckpointFormat);
  std::uint64_t length = 0;
  if (payload.size() < sizeof(length)) throw request_error(path.string(), "is damaged: it has no header");
  std::memcpy(&length, payload.data(), sizeof(length));
  if (length > payload.size() - sizeof(length)) {
    throw request_error(path.string(), "is damaged: its header is longer than the file");
  }
  const std::string_view header = std::string_view(payload).substr(sizeof(length), length);
  const std::string_view data = std::string_view(payload).substr(sizeof(length) + length);
  Checkpoint checkpoint;
  std::uint64_t next = 0;
  try {
    const json document = json::parse(header);
    checkpoint.manifest = manifest_from(document.at("manifest"));
    for (const json& entry : document.at("tensors")) {
      checkpoint.tensors.push_back(tensor_from(entry, data, next, path.string()));
    }
  } catch (const json::exception& error) {
    throw request_error(path.string(),
                        std::string("is damaged: its header does not read (") + error.what() + ")");
  }
  if (next != data.size())
    throw request_error(path.string(), "is damaged: it has bytes that belong to no tensor");
  check_ranges(checkpoint.manifest.game, path.string());
  check_ranges(checkpoint.manifest.network, path.string());
  return checkpoint;
}

fs::path resolve_checkpoint(const fs::path& target, std::vector<std::string>* skipped) {
  if (!fs::is_directory(target)) {
    if (!fs::exists(target)) {
      throw request_error(target.string(), "no such checkpoint file or run directory");
    }
    return target;
  }
  const fs::path folder = target / "checkpoints";
  std::vector<std::pair<std::int64_t, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string stem = entry.path().stem().string();
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    if (entry.path().extension() == ".ckpt" && fault == std::errc{} && end == stem.data() + stem.size()) {
      files.emplace_back(number, entry.path());
    }
  }
  std::sort(files.rbegin(), files.rend());
  std::string last_fault;
  for (const auto& [number, path] : files) {
    try {
      (void)read_frame(path, kCheckpointFormat);
      return path;
    } catch (const Error& fault) {
      last_fault = fault.what();
      if (skipped != nullptr) skipped->push_back(path.string());
    }
  }
  throw request_error(target.string(), files.empty()
                                           ? "holds no checkpoint (no checkpoints/NNNNNN.ckpt in it)"
                                           : "holds no whole checkpoint; " + last_fault);
}

}  // namespace pahtum
