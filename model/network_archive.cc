#include "model/network_archive.h"

#include <algorithm>
#include <set>
#include <utility>

#include "env/base/error.h"
#include "env/base/quotes.h"
#include "env/observation.h"
#include "model/network_layers.h"
#include "model/object_reader.h"

namespace pahtum {
namespace {

using nlohmann::json;

constexpr const char* kVersionKey = "pahtum_network";
constexpr const char* kVersion = "1";
constexpr const char* kManifestKey = "manifest";
constexpr const char* kNormalizationKey = "batch_norm";
constexpr const char* kFolded = "folded";
constexpr const char* kSeparate = "separate";

json outputs_text(NetworkShape shape) {
  return {{"policy", std::string("[batch, actions] logits, not masked; action = row * size + column, row 0 "
                                 "the top rank") +
                         (shape.swap ? "; the last action is the swap" : "")},
          {"wdl", "[batch, 3] logits of win, draw and loss"},
          {"margin", "[batch] expected final margin in points"},
          {"ownership", "[batch, row, column] from -1 (the opponent's) to 1 (the mover's)"}};
}

// The text of a key that every export has.
const std::string& text_of(const NetworkArchive& archive, const char* key, const std::string& source,
                           const std::string& what) {
  const auto found = archive.metadata.find(key);
  if (found == archive.metadata.end()) {
    throw request_error(source, "is a " + what +
                                    ", but not one that `pahtum export` wrote: its metadata lack `" +
                                    std::string(key) + "`");
  }
  return found->second;
}

}  // namespace

std::map<std::string, std::string> export_metadata(const Manifest& manifest, WeightsForm form) {
  const NetworkShape shape = shape_of(manifest.game);
  json channels = json::array();
  for (std::int64_t k = 0; k < shape.channels; ++k) {
    channels.push_back(kObservationChannels.at(static_cast<std::size_t>(k)));
  }
  GameConfig game = manifest.game;
  return {{kVersionKey, kVersion},
          {kManifestKey, manifest_json(manifest).dump()},
          {kNormalizationKey, form.folded ? kFolded : kSeparate},
          {"precision", form.half ? "float16" : "float32"},
          {"rules", section_to_json(describe(game)).dump()},
          {"rules_text", to_text(manifest.game)},
          {"observation_version", std::to_string(manifest.observation_version)},
          {"input", "planes: [batch, channel, row, column], 0 or 1, row 0 the top rank"},
          {"input_channels", channels.dump()},
          {"outputs", outputs_text(shape).dump()},
          {"perspective", "everything is seen from the side of the player to move"},
          {"step", std::to_string(manifest.step)},
          {"iteration", std::to_string(manifest.iteration)},
          {"project_version", manifest.project_version}};
}

Checkpoint to_checkpoint(NetworkArchive archive, const std::string& source, const std::string& what) {
  const std::string& version = text_of(archive, kVersionKey, source, what);
  if (version != kVersion) {
    throw request_error(source, std::string("holds a network in version ").append(in_quotes(version)) +
                                    " of its form; this program reads version " + kVersion);
  }
  const std::string& normalization = text_of(archive, kNormalizationKey, source, what);
  if (normalization != kFolded && normalization != kSeparate) {
    throw request_error(source, std::string("has metadata whose `") + kNormalizationKey + "` is " +
                                    in_quotes(normalization) + "; it must be folded or separate");
  }
  const json document = parse_json(text_of(archive, kManifestKey, source, what),
                                   source + ": `" + kManifestKey + "`", kMostHeaderBytes);
  Manifest manifest = read_manifest(ObjectReader(source, what, kManifestKey, document));

  const bool folded = normalization == kFolded;
  const NetworkShape shape = shape_of(manifest.game);
  std::map<std::string, NetworkTensor> expected;
  for (NetworkTensor& tensor : network_tensors(manifest.network, shape, folded)) {
    expected.emplace(tensor.name, std::move(tensor));
  }
  const std::string network =
      std::string("a network of ").append(to_text(manifest.network)) + " with batch_norm " + normalization;
  std::set<std::string> seen;
  for (StoredTensor& tensor : archive.tensors) {
    const std::string name = std::string("tensor ").append(in_quotes(tensor.name));
    const auto wanted = expected.find(tensor.name);
    if (wanted == expected.end()) throw request_error(source, name + " has no place in " + network);
    if (!seen.insert(tensor.name).second) throw request_error(source, name + " is there twice");
    const bool right_type = tensor.dtype == "F32" || (tensor.dtype == "F16" && wanted->second.tower);
    if (!right_type || tensor.shape != wanted->second.shape) {
      throw request_error(source, name + " is " + tensor.dtype + " " + shape_text(tensor.shape) + "; " +
                                      network + " needs F32" + (wanted->second.tower ? " or F16 " : " ") +
                                      shape_text(wanted->second.shape));
    }
    tensor = to_single(std::move(tensor));
  }
  for (const auto& [name, tensor] : expected) {
    if (!seen.contains(name))
      throw request_error(source, "tensor \"" + name + "\" is missing; " + network + " needs it");
  }
  if (folded) archive.tensors = unfold(manifest.network, shape, std::move(archive.tensors));
  for (StoredTensor& tensor : archive.tensors) tensor.name.insert(0, "weights/");
  return {.manifest = std::move(manifest), .tensors = std::move(archive.tensors)};
}

}  // namespace pahtum
