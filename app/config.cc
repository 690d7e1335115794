#include <iostream>
#include <memory>

#include "app/common.h"
#include "selfplay/config_file.h"

namespace pahtum {
namespace {

struct ConfigOptions {
  std::string file;
  std::vector<std::string> changes;
};

void add_file_options(CLI::App& sub, ConfigOptions& options) {
  sub.add_option("CONFIG", options.file, "YAML configuration")->required();
  sub.add_option("--set", options.changes, "section.key=value on top of the file; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
}

int check(const ConfigOptions& options) {
  static_cast<void>(load_run_config(options.file, options.changes));
  std::cout << options.file << ": sound\n";
  return 0;
}

int show(const ConfigOptions& options) {
  std::cout << to_yaml(load_run_config(options.file, options.changes), true);
  return 0;
}

int reference() {
  std::cout << reference_page();
  return 0;
}

}  // namespace

void add_config(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("config", "Checks and explains configurations");
  sub.require_subcommand(1);
  sub.footer("Example: pahtum config check configs/quick.yaml");
  const auto options = std::make_shared<ConfigOptions>();

  CLI::App& check_sub = *sub.add_subcommand("check", "Says whether a configuration is sound");
  add_file_options(check_sub, *options);
  check_sub.footer("Example: pahtum config check configs/quick.yaml --set game.holes=7");
  check_sub.callback([options, &command] { command = [options] { return check(*options); }; });

  CLI::App& show_sub = *sub.add_subcommand("show", "Prints every key with the value a run gets");
  add_file_options(show_sub, *options);
  show_sub.footer("Example: pahtum config show configs/quick.yaml");
  show_sub.callback([options, &command] { command = [options] { return show(*options); }; });

  CLI::App& reference_sub = *sub.add_subcommand("reference", "Prints the reference of every key as Markdown");
  reference_sub.footer("Example: pahtum config reference > docs/config.md");
  reference_sub.callback([&command] { command = reference; });
}

}  // namespace pahtum
