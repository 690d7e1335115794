#include "model/checkpoint.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

using nlohmann::json;

constexpr int kManifestVersion = 1;
constexpr FrameFormat kFormat{.magic = kCheckpointMagic, .version = 1, .what = "checkpoint"};
constexpr std::size_t kLengthSize = sizeof(std::uint64_t);

constexpr const char* kNoCheckpoint =
    "holds no checkpoint; a run directory has checkpoints/NNNNNN.ckpt, another folder one network file";

// Of a folder that is no run: models/ has such.
std::filesystem::path only_network_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> networks;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (is_network_name(entry.path())) networks.push_back(entry.path());
  }
  if (networks.empty()) throw request_error(folder.string(), kNoCheckpoint);
  if (networks.size() == 1) return networks.front();
  std::ranges::sort(networks);
  throw request_error(folder.string(), "holds " + std::to_string(networks.size()) +
                                           " networks; name one: " + networks[0].string() + ", " +
                                           networks[1].string() + (networks.size() > 2 ? ", ..." : ""));
}

// Tensors lie one after another in the order of the header, which rules out gaps and overlaps.
std::vector<StoredTensor> read_tensors(const ObjectReader& header, std::string_view data) {
  std::vector<StoredTensor> tensors;
  std::set<std::string> names;
  std::uint64_t end = 0;
  for (std::size_t index = 0; index < header.list("tensors").size(); ++index) {
    const ObjectReader reader = header.entry("tensors", index);
    StoredTensor tensor{.name = reader.text("name"), .dtype = reader.text("dtype"), .shape = {}, .data = {}};
    if (!names.insert(tensor.name).second)
      throw reader.refuse("name", "\"" + tensor.name + "\" is there twice");
    if (element_size(tensor.dtype) == 0 || tensor.dtype == "F16")
      throw reader.refuse("dtype", "is none of F32, I64 and U8");
    tensor.shape = reader.integers("shape");
    const auto offset = static_cast<std::uint64_t>(reader.integer("offset", 0));
    const auto length = static_cast<std::uint64_t>(reader.integer("length", 0));
    if (offset != end) {
      throw reader.refuse("offset", "leaves a gap or overlaps the tensor before: it is " +
                                        std::to_string(offset) + " and must be " + std::to_string(end));
    }
    if (length > data.size() - end) throw reader.refuse("length", "reaches behind the end of the file");
    if (byte_count(tensor.dtype, tensor.shape) != length) {
      throw reader.refuse("length", "does not match shape and dtype");
    }
    tensor.data.assign(data.substr(end, length));
    end += length;
    tensors.push_back(std::move(tensor));
  }
  if (end != data.size()) {
    throw header.refuse("tensors", "end too soon: " + std::to_string(data.size() - end) +
                                       " bytes behind the last tensor belong to none");
  }
  return tensors;
}

// The number NNNNNN of NNNNNN.ckpt.
std::optional<std::uint64_t> checkpoint_number(const std::filesystem::path& path) {
  if (path.extension() != ".ckpt") return std::nullopt;
  return parse_number<std::uint64_t>(path.stem().string());
}

}  // namespace

json manifest_json(const Manifest& manifest) {
  Manifest copy = manifest;
  return {
      {"format_version", kManifestVersion},
      {"game", section_to_json(describe(copy.game))},
      {"network", section_to_json(describe(copy.network))},
      {"search", section_to_json(describe(copy.search))},
      {"observation_version", manifest.observation_version},
      {"step", manifest.step},
      {"iteration", manifest.iteration},
      {"project_version", manifest.project_version},
      {"config", manifest.config},
      {"counters", manifest.counters.is_null() ? json::object() : manifest.counters},
  };
}

Manifest read_manifest(const ObjectReader& reader) {
  Manifest manifest;
  (void)reader.integer("format_version", kManifestVersion, kManifestVersion);
  reader.object("game").section(describe(manifest.game));
  reader.object("network").section(describe(manifest.network));
  // How a player searches can be said anew at any time, so a file may lack what came later.
  reader.object("search").partial_section(describe(manifest.search));
  manifest.observation_version =
      static_cast<int>(reader.integer("observation_version", 1, std::numeric_limits<int>::max()));
  manifest.step = reader.integer("step", 0);
  manifest.iteration = reader.integer("iteration", 0);
  manifest.project_version = reader.text("project_version");
  manifest.config = reader.text("config");
  manifest.counters = reader.field("counters");
  if (!manifest.counters.is_object()) throw reader.refuse("counters", "is not an object");
  try {
    validate(manifest.game);
  } catch (const Error& error) {
    throw reader.refuse("game", std::string("makes no game: ") + error.what());
  }
  return manifest;
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  json entries = json::array();
  std::uint64_t offset = 0;
  for (const StoredTensor& tensor : checkpoint.tensors) {
    if (byte_count(tensor.dtype, tensor.shape) != tensor.data.size()) {
      throw failure(path.string(), "tensor \"" + tensor.name + "\" has data of another size than its shape");
    }
    entries.push_back({{"name", tensor.name},
                       {"dtype", tensor.dtype},
                       {"shape", tensor.shape},
                       {"offset", offset},
                       {"length", tensor.data.size()}});
    offset += tensor.data.size();
  }
  const std::string header =
      json{{"manifest", manifest_json(checkpoint.manifest)}, {"tensors", std::move(entries)}}.dump();
  const std::uint64_t header_length = header.size();
  std::string payload(kLengthSize, '\0');
  std::memcpy(payload.data(), &header_length, kLengthSize);
  payload.reserve(kLengthSize + header.size() + offset);
  payload += header;
  for (const StoredTensor& tensor : checkpoint.tensors) payload += tensor.data;
  write_frame(path, kFormat, payload);
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const std::string payload = read_frame(path, kFormat);
  std::uint64_t header_length = 0;
  if (payload.size() < kLengthSize)
    throw request_error(path.string(), "is too short for a checkpoint's header");
  std::memcpy(&header_length, payload.data(), kLengthSize);
  if (header_length > payload.size() - kLengthSize) {
    throw request_error(path.string(),
                        "is not a sound checkpoint: its header reaches behind the end of the file");
  }
  const std::string_view rest = std::string_view(payload).substr(kLengthSize);
  const json header = parse_json(rest.substr(0, header_length), path.string(), kMostHeaderBytes);
  const ObjectReader reader(path, "checkpoint", "", header);
  return {.manifest = read_manifest(reader.object("manifest")),
          .tensors = read_tensors(reader, rest.substr(header_length))};
}

bool is_network_name(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 4> kEndings = {".ckpt", ".safetensors", ".onnx", ".pt"};
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

std::filesystem::path resolve_checkpoint(const std::filesystem::path& target,
                                         std::vector<std::string>* skipped) {
  std::error_code error;
  if (!std::filesystem::exists(target, error)) {
    throw request_error(target.string(), "no such checkpoint file or run directory");
  }
  if (!std::filesystem::is_directory(target, error)) return target;

  const std::filesystem::path folder = target / "checkpoints";
  if (!std::filesystem::is_directory(folder, error)) return only_network_in(target);
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> candidates;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (const auto number = checkpoint_number(entry->path())) candidates.emplace_back(*number, entry->path());
  }
  std::ranges::sort(candidates, std::greater{});
  std::string newest_fault;
  for (const auto& [number, path] : candidates) {
    try {
      const std::string payload = read_frame(path, kFormat);
      return path;
    } catch (const Error& fault) {
      if (newest_fault.empty()) newest_fault = fault.what();
      if (skipped != nullptr) skipped->push_back(path.string());
    }
  }
  if (candidates.empty()) {
    throw request_error(target.string(), kNoCheckpoint);
  }
  throw request_error(target.string(), "none of its " + std::to_string(candidates.size()) +
                                           " checkpoints is whole; the newest: " + newest_fault);
}

}  // namespace pahtum
