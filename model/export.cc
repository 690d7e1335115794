#include "model/export.h"

#include <torch/script.h>

#include <sstream>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/folded_network.h"

namespace pahtum {
namespace {

// Writes the forward function of a folded network in TorchScript and registers its weights under the names it
// uses.
class ScriptWriter {
 public:
  explicit ScriptWriter(torch::jit::Module& module) : module_(module) {}

  std::string convolution(const std::string& name, const FoldedConvolution& layer, const std::string& from) {
    module_.register_parameter(name + "_w", layer.weight.contiguous(), false);
    module_.register_parameter(name + "_b", layer.bias, false);
    const std::string padding = std::to_string(layer.padding);
    return "torch.conv2d(" + from + ", self." + name + "_w, self." + name + "_b, [1, 1], [" + padding + ", " +
           padding + "])";
  }
  std::string dense(const std::string& name, const DenseLayer& layer, const std::string& from) {
    module_.register_parameter(name + "_w", layer.weight, false);
    module_.register_parameter(name + "_b", layer.bias, false);
    return "torch.addmm(self." + name + "_b, " + from + ", self." + name + "_w.t())";
  }
  void line(const std::string& text) { source_ += "    " + text + "\n"; }

  void define() {
    module_.define(
        "def pool(self, x: Tensor) -> Tensor:\n"
        "    return torch.cat([torch.mean(x, [2, 3]), torch.amax(x, [2, 3])], 1)\n");
    module_.define("def forward(self, planes: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:\n" + source_);
  }

 private:
  torch::jit::Module& module_;
  std::string source_;
};

std::string with_bias(const std::string& planes, const std::string& bias) {
  return planes + " + " + bias + ".unsqueeze(2).unsqueeze(3)";
}

void write_forward(ScriptWriter& script, const FoldedNetwork& network) {
  script.line("x = torch.relu(" + script.convolution("input", network.input, "planes") + ")");
  int number = 0;
  for (const FoldedNetwork::Block& block : network.blocks) {
    const std::string name = "block" + std::to_string(number++);
    script.line("y = torch.relu(" + script.convolution(name + "_first", block.first, "x") + ")");
    if (block.pooled.weight.defined()) {
      script.line("y = " + with_bias("y", script.dense(name + "_pooled", block.pooled, "self.pool(y)")));
    }
    script.line("x = torch.relu(x + " + script.convolution(name + "_second", block.second, "y") + ")");
  }
  script.line("p = torch.relu(" + script.convolution("policy_input", network.policy_input, "x") + ")");
  script.line("p = torch.relu(" +
              with_bias("p", script.dense("policy_pooled", network.policy_pooled, "self.pool(p)")) + ")");
  script.line("policy = torch.flatten(" + script.convolution("policy_output", network.policy_output, "p") +
              ", 1)");
  script.line("v = torch.relu(" + script.convolution("value_input", network.value_input, "x") + ")");
  script.line("v = torch.relu(" + script.dense("value_hidden", network.value_hidden, "self.pool(v)") + ")");
  script.line("r = " + script.dense("value_output", network.value_output, "v"));
  script.line("owner = torch.tanh(" + script.convolution("ownership_output", network.ownership_output, "x") +
              ").squeeze(1)");
  script.line("return policy, r[:, 0:3], r[:, 3] * " + std::to_string(kMarginScale) + ", owner");
}

}  // namespace

void export_torchscript(const Checkpoint& checkpoint, const std::filesystem::path& output) {
  const torch::NoGradGuard no_gradients;
  const FoldedNetwork network(playing_network(checkpoint), torch::kCPU);
  torch::jit::Module module("PahTumNetwork");
  ScriptWriter script(module);
  write_forward(script, network);
  script.define();
  module.eval();
  const torch::jit::ExtraFilesMap extra{{"manifest.json", manifest_json(checkpoint.manifest).dump(2)}};
  std::ostringstream bytes;
  module.save(bytes, extra);
  write_file_atomically(output, std::move(bytes).str());
}

}  // namespace pahtum
