#include "model/export.h"

#include <iostream>
#include <memory>

#include "app/common.h"
#include "model/checkpoint.h"

namespace pahtum {
namespace {

struct Options {
  std::string target, format, output;
};

int export_network(const Options& options) {
  const std::filesystem::path checkpoint = resolve_checkpoint_with_warnings(options.target);
  export_torchscript(load_checkpoint(checkpoint), options.output);
  std::cout << "exported " << checkpoint.string() << " to " << options.output << "\n";
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Command& command) {
  CLI::App& sub =
      *app.add_subcommand("export", "Writes a checkpoint's network in a format other programs load");
  const auto options = std::make_shared<Options>();
  sub.add_option("CHECKPOINT", options->target, "Checkpoint file, or run directory for its newest one")
      ->required();
  sub.add_option("--format", options->format, "File format: torchscript")
      ->required()
      ->check(CLI::IsMember({"torchscript"}));
  sub.add_option("--output", options->output, "File to write")->required();
  sub.footer("Example: pahtum export runs/quick-1 --format torchscript --output agent.pt");
  sub.callback([options, &command] { command = [options] { return export_network(*options); }; });
}

}  // namespace pahtum
