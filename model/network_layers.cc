#include "model/network_layers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "env/base/bytes.h"
#include "env/game_rules.h"

namespace pahtum {
namespace {

StoredTensor constant(std::string name, std::int64_t count, float value) {
  StoredTensor tensor{.name = std::move(name), .dtype = "F32", .shape = {count}, .data = {}};
  const std::vector<float> values(static_cast<std::size_t>(count), value);
  append_numbers(tensor.data, std::span(values));
  return tensor;
}

}  // namespace

NetworkShape shape_of(const GameConfig& game) {
  const GameRules rules(game);
  return {rules.channels(), rules.has_swap()};
}

std::vector<NetworkLayer> network_layers(const NetworkConfig& config, NetworkShape shape) {
  constexpr std::int64_t kKernel = 3;
  const std::int64_t width = config.channels;
  const std::int64_t head = config.head_channels;
  std::vector<NetworkLayer> layers;
  const auto tower = [&](const std::string& name, std::int64_t inputs, std::int64_t outputs,
                         std::int64_t kernel) {
    layers.push_back({name, {outputs, inputs, kernel, kernel}, true, true});
  };
  const auto dense = [&](const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    layers.push_back({name, {outputs, inputs}});
  };
  tower("stem", shape.channels, width, kKernel);
  for (std::int64_t number = 0; number < config.blocks; ++number) {
    const std::string name = "block" + std::to_string(number);
    tower(name + "_first", width, width, kKernel);
    if (is_pooled(config, number)) dense(name + "_pool", 2 * width, width);
    tower(name + "_second", width, width, kKernel);
  }
  tower("policy", width, head, 1);
  dense("policy_pool", 2 * head, head);
  layers.push_back({"policy_out", {1, head, 1, 1}});
  if (shape.swap) dense("policy_swap", 2 * head, 1);
  tower("value", width, head, 1);
  dense("value_dense", 2 * head, kValueHidden);
  dense("value_wdl", kValueHidden, 3);
  dense("value_margin", kValueHidden, 1);
  layers.push_back({"ownership", {1, width, 1, 1}, false, true});
  return layers;
}

std::vector<NetworkTensor> network_tensors(const NetworkConfig& config, NetworkShape shape, bool folded) {
  std::vector<NetworkTensor> tensors;
  for (const NetworkLayer& layer : network_layers(config, shape)) {
    const std::vector<std::int64_t> outputs = {layer.weight.front()};
    tensors.push_back({layer.name + ".weight", layer.weight, layer.tower});
    if (!layer.normalized || folded) {
      tensors.push_back({layer.name + ".bias", outputs, layer.tower});
      continue;
    }
    for (const char* number : {".scale", ".shift", ".mean", ".variance"}) {
      tensors.push_back({layer.name + number, outputs, false});
    }
  }
  return tensors;
}

std::vector<StoredTensor> unfold(const NetworkConfig& config, NetworkShape shape,
                                 std::vector<StoredTensor> folded) {
  std::set<std::string> biases;  // that become shifts
  std::vector<StoredTensor> tensors;
  for (const NetworkLayer& layer : network_layers(config, shape)) {
    if (!layer.normalized) continue;
    biases.insert(layer.name + ".bias");
    const std::int64_t outputs = layer.weight.front();
    tensors.push_back(constant(layer.name + ".scale", outputs, 1.0f));
    tensors.push_back(constant(layer.name + ".mean", outputs, 0.0f));
    // With the epsilon it is 1 to the last bit of a float.
    tensors.push_back(
        constant(layer.name + ".variance", outputs, static_cast<float>(1.0 - kNormalizationEpsilon)));
  }
  for (StoredTensor& tensor : folded) {
    if (biases.contains(tensor.name)) {
      tensor.name.replace(tensor.name.rfind('.'), std::string::npos, ".shift");
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace pahtum
