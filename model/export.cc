#include "model/export.h"

#include <torch/script.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <system_error>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/observation.h"
#include "model/network.h"
#include "model/network_file.h"
#include "model/onnx.h"
#include "model/safetensors.h"
#include "model/torchscript.h"

namespace pahtum {
namespace {

// The forward pass of NetworkImpl in evaluation mode as TorchScript. Attributes of a module cannot have dots
// in their names: "stem.weight" is self.stem_weight.
class ForwardSource {
 public:
  ForwardSource(const Manifest& manifest, WeightsForm form) : form_(form) {
    source_ << "def forward(self, planes: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:\n";
    const NetworkConfig& config = manifest.network;
    // Convolutions are computed in the type of `kind`. Not every LibTorch has them in float16 on a CPU.
    line("kind = self.stem_weight if planes.is_cuda else self.value_wdl_weight");
    line("x = torch.relu(" + convolution("planes", "stem", 1) + ")");
    for (std::int64_t number = 0; number < config.blocks; ++number) {
      const std::string name = "block" + std::to_string(number);
      line("y = torch.relu(" + convolution("x", name + "_first", 1) + ")");
      if (is_pooled(config, number)) add_bias("y", dense(pooled("y", name + "_pool"), name + "_pool"));
      line("x = torch.relu(" + convolution("y", name + "_second", 1) + " + x)");
    }
    line("p = torch.type_as(" + convolution("x", "policy", 0) + ", self.policy_out_weight)");
    line("r = torch.relu(p)");
    line("g = " + pooled("r", "policy_pool"));
    add_bias("p", dense("g", "policy_pool"));
    line(
        "policy = torch.flatten(torch.conv2d(torch.relu(p), self.policy_out_weight, self.policy_out_bias), "
        "1)");
    if (shape_of(manifest.game).swap)
      line("policy = torch.cat([policy, " + dense("g", "policy_swap") + "], 1)");
    line("v = torch.relu(" + convolution("x", "value", 0) + ")");
    line("h = torch.relu(" + dense(pooled("v", "value_dense"), "value_dense") + ")");
    line("wdl = " + dense("h", "value_wdl"));
    line("margin = torch.squeeze(" + dense("h", "value_margin") + ", 1) * " + std::to_string(kMarginUnit));
    line("o = torch.type_as(" + convolution("x", "ownership", 0) + ", wdl)");
    line("return (policy, wdl, margin, torch.squeeze(torch.tanh(o), 1))");
  }
  [[nodiscard]] std::string text() const { return source_.str(); }

 private:
  void line(const std::string& text) { source_ << "    " << text << "\n"; }

  static std::string as_kind(const std::string& value) { return "torch.type_as(" + value + ", kind)"; }

  // Of a layer that reads the tower, with its normalisation.
  [[nodiscard]] std::string convolution(const std::string& input, const std::string& name,
                                        int padding) const {
    const bool normalized = !form_.folded && name != "ownership";
    const std::string size = std::to_string(padding);
    const std::string bias = normalized ? "None" : as_kind("self." + name + "_bias");
    const std::string features = "torch.conv2d(" + as_kind(input) + ", " +
                                 as_kind("self." + name + "_weight") + ", " + bias + ", [1, 1], [" + size +
                                 ", " + size + "])";
    if (!normalized) return features;
    std::string arguments;
    for (const char* number : {"scale", "shift", "mean", "variance"})
      arguments += ", self." + name + "_" + number;
    return "torch.batch_norm(torch.type_as(" + features + ", self." + name + "_scale)" + arguments +
           ", False, 0.0, " + epsilon() + ", False)";
  }
  static std::string epsilon() {
    std::ostringstream text;
    text << kNormalizationEpsilon;
    return text.str();
  }
  static std::string dense(const std::string& input, const std::string& name) {
    return "torch.linear(" + input + ", self." + name + "_weight, self." + name + "_bias)";
  }
  // As input of the dense layer `reader`.
  static std::string pooled(const std::string& input, const std::string& reader) {
    const std::string wide = "torch.type_as(" + input + ", self." + reader + "_weight)";
    return "torch.cat([torch.mean(" + wide + ", [2, 3]), torch.amax(" + wide + ", [2, 3])], 1)";
  }
  void add_bias(const std::string& variable, const std::string& bias) {
    line(variable + " = " + variable + " + torch.type_as(" + bias + ".unsqueeze(-1).unsqueeze(-1), " +
         variable + ")");
  }

  WeightsForm form_;
  std::ostringstream source_;
};

bool all_finite(const torch::Tensor& tensor) {
  return torch::isfinite(tensor).all().item<bool>();
}

// The network's tensors in the order of its layers, in the form that is asked for.
std::vector<std::pair<std::string, torch::Tensor>> tensors_of(const Network& network, WeightsForm form) {
  std::map<std::string, torch::Tensor> all;
  for (const auto& [name, tensor] : form.folded ? network->folded() : network->tensors()) {
    all.emplace(name, tensor.detach().to(torch::kCPU));
  }
  std::vector<std::pair<std::string, torch::Tensor>> ordered;
  for (const NetworkTensor& wanted : network_tensors(network->config(), network->shape(), form.folded)) {
    torch::Tensor tensor = all.at(wanted.name);
    if (form.half && wanted.tower) tensor = tensor.to(torch::kFloat16);
    if (!all_finite(tensor)) {
      throw request_error(
          "tensor \"" + wanted.name + "\"",
          form.half ? "holds numbers that are not finite or too large for float16; export without it"
                    : "holds numbers that are not finite");
    }
    ordered.emplace_back(wanted.name, tensor.contiguous());
  }
  return ordered;
}

NetworkArchive archive_of(const Manifest& manifest, const Network& network, WeightsForm form) {
  NetworkArchive archive{.metadata = export_metadata(manifest, form), .tensors = {}};
  for (const auto& [name, tensor] : tensors_of(network, form))
    archive.tensors.push_back(to_stored(name, tensor));
  return archive;
}

std::string to_torchscript(const Manifest& manifest, const NetworkArchive& archive, WeightsForm form) {
  torch::jit::Module module("PahtumNetwork");
  nlohmann::json listing = nlohmann::json::array();
  for (const StoredTensor& tensor : archive.tensors) {
    std::string attribute = tensor.name;
    attribute[attribute.find('.')] = '_';
    module.register_parameter(attribute, to_tensor(tensor), false);
    // LibTorch numbers the tensors in the order in which they became part of the module.
    listing.push_back({{"name", tensor.name},
                       {"dtype", tensor.dtype},
                       {"shape", tensor.shape},
                       {"record", "data/" + std::to_string(listing.size())}});
  }
  module.define(ForwardSource(manifest, form).text());
  module.eval();
  nlohmann::json metadata = archive.metadata;
  metadata.erase("manifest");
  std::ostringstream bytes;
  module.save(bytes, {{kManifestFile, manifest_json(manifest).dump(2)},
                      {kMetadataFile, metadata.dump(2)},
                      {kTensorsFile, listing.dump()}});
  return bytes.str();
}

std::string encoded(const Checkpoint& checkpoint, const NetworkArchive& archive, ExportFormat format,
                    WeightsForm form) {
  switch (format) {
    case ExportFormat::kTorchScript:
      return to_torchscript(checkpoint.manifest, archive, form);
    case ExportFormat::kOnnx:
      return to_onnx(checkpoint.manifest, archive);
    case ExportFormat::kSafetensors:
      return to_safetensors(archive);
  }
  return {};
}

// What was written is what will be read: whatever LibTorch does with the order of tensors, or a disk with
// bytes.
void require_same(const std::filesystem::path& output, NetworkArchive archive) {
  const Checkpoint written = to_checkpoint(std::move(archive), output.string(), "network");
  const Checkpoint read = load_network_file(output);
  const auto same = [](const StoredTensor& one, const StoredTensor& other) {
    return one.name == other.name && one.data == other.data;
  };
  if (!std::ranges::equal(written.tensors, read.tensors, same)) {
    std::error_code ignored;
    std::filesystem::remove(output, ignored);
    throw failure(output.string(), "was written, but reads back with other weights; it was removed");
  }
}

std::vector<float> row_of(const torch::Tensor& tensor, std::int64_t row) {
  const torch::Tensor values = tensor[row].contiguous();
  const auto* data = values.data_ptr<float>();
  return {data, data + values.numel()};
}

}  // namespace

void export_network(const Checkpoint& checkpoint, ExportFormat format, WeightsForm form,
                    const std::filesystem::path& output) {
  NetworkArchive archive = archive_of(checkpoint.manifest, playing_network(checkpoint), form);
  std::string bytes;
  try {
    bytes = encoded(checkpoint, archive, format, form);
  } catch (const c10::Error& error) {
    throw failure(output.string(), "the TorchScript archive cannot be made: " + error.msg());
  }
  write_file_atomically(output, bytes);
  require_same(output, std::move(archive));
}

std::vector<NetworkSample> network_samples(const Checkpoint& checkpoint,
                                           std::span<const Position> positions) {
  const torch::NoGradGuard no_gradients;
  Network network = playing_network(checkpoint);
  const std::int64_t size = checkpoint.manifest.game.size;
  const std::int64_t channels = network->shape().channels;
  torch::Tensor planes = torch::zeros({std::ssize(positions), channels, size, size});
  const auto numbers = static_cast<std::size_t>(channels * size * size);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    write_observation(positions[k], std::span(planes.data_ptr<float>() + k * numbers, numbers));
  }
  const NetworkOutput output = network->forward(planes);
  std::vector<NetworkSample> samples;
  for (std::int64_t k = 0; k < std::ssize(positions); ++k) {
    samples.push_back({.planes = row_of(planes, k),
                       .policy = row_of(output.policy, k),
                       .wdl = row_of(output.wdl, k),
                       .margin = output.margin[k].item<float>() * static_cast<float>(kMarginUnit),
                       .ownership = row_of(output.ownership, k)});
  }
  return samples;
}

}  // namespace pahtum
