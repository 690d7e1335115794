#include "model/export.h"

#include <torch/script.h>

#include <sstream>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/network.h"

namespace pahtum {
namespace {

// "self.NAME_weight, self.NAME_bias": parameters of a TorchScript module cannot have dots in their names.
std::string arguments(const std::string& name) {
  return "self." + name + "_weight, self." + name + "_bias";
}

std::string convolution(const std::string& input, const std::string& name, int padding) {
  return "torch.conv2d(" + input + ", " + arguments(name) + ", [1, 1], [" + std::to_string(padding) + ", " +
         std::to_string(padding) + "])";
}

std::string dense(const std::string& input, const std::string& name) {
  return "torch.linear(" + input + ", " + arguments(name) + ")";
}

std::string pooled(const std::string& input) {
  return "torch.cat([torch.mean(" + input + ", [2, 3]), torch.amax(" + input + ", [2, 3])], 1)";
}

// The forward pass of NetworkImpl in evaluation mode as TorchScript, block by block.
std::string forward_source(const NetworkConfig& config, NetworkShape shape) {
  std::ostringstream source;
  source << "def forward(self, planes: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:\n";
  const auto line = [&](const std::string& text) { source << "    " << text << "\n"; };
  const auto add_bias = [&](const std::string& variable, const std::string& bias) {
    line(variable + " = " + variable + " + " + bias + ".unsqueeze(-1).unsqueeze(-1)");
  };
  line("x = torch.relu(" + convolution("planes", "stem", 1) + ")");
  for (std::int64_t number = 0; number < config.blocks; ++number) {
    const std::string name = "block" + std::to_string(number);
    line("y = torch.relu(" + convolution("x", name + "_first", 1) + ")");
    if (is_pooled(config, number)) add_bias("y", dense(pooled("y"), name + "_pool"));
    line("x = torch.relu(" + convolution("y", name + "_second", 1) + " + x)");
  }
  line("p = " + convolution("x", "policy", 0));
  line("r = torch.relu(p)");
  line("g = " + pooled("r"));
  add_bias("p", dense("g", "policy_pool"));
  line("policy = torch.flatten(" + convolution("torch.relu(p)", "policy_out", 0) + ", 1)");
  if (shape.swap) line("policy = torch.cat([policy, " + dense("g", "policy_swap") + "], 1)");
  line("v = torch.relu(" + convolution("x", "value", 0) + ")");
  line("h = torch.relu(" + dense(pooled("v"), "value_dense") + ")");
  line("wdl = " + dense("h", "value_wdl"));
  line("margin = torch.squeeze(" + dense("h", "value_margin") + ", 1) * " + std::to_string(kMarginUnit));
  line("ownership = torch.squeeze(torch.tanh(" + convolution("x", "ownership", 0) + "), 1)");
  line("return (policy, wdl, margin, ownership)");
  return source.str();
}

}  // namespace

void export_torchscript(const Checkpoint& checkpoint, const std::filesystem::path& output) {
  const Network network = playing_network(checkpoint);
  std::ostringstream archive;
  try {
    torch::jit::Module module("PahtumNetwork");
    for (const auto& [name, tensor] : network->folded()) {
      std::string attribute = name;
      attribute[attribute.find('.')] = '_';
      module.register_parameter(attribute, tensor, false);
    }
    module.define(forward_source(checkpoint.manifest.network, network->shape()));
    module.eval();
    module.save(archive, {{"manifest.json", manifest_json(checkpoint.manifest).dump(2)}});
  } catch (const c10::Error& error) {
    throw failure(output.string(), "the TorchScript archive cannot be made: " + error.msg());
  }
  write_file_atomically(output, archive.view());
}

}  // namespace pahtum
