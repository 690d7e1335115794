#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <iostream>

#include "app/common.h"
#include "app/interrupt.h"
#include "env/base/error.h"
#include "model/network_evaluator.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

int report(const std::exception& error, int status) {
  std::cout.flush();
  std::cerr << "pahtum: " << error.what() << std::endl;
  return status;
}

// Runs the subcommand; every fault ends here, as one line on standard error and an exit status.
int execute(const pahtum::Command& command) {
  try {
    const int status = command();
    // A full disk or a closed pipe shows only when the last of the output goes out.
    if (!std::cout.flush()) throw pahtum::failure("standard output", "cannot be written");
    return status;
  } catch (const pahtum::Error& error) {
    if (pahtum::interrupted()) return report(error, pahtum::kExitInterrupted);
    return report(error, error.fault() == pahtum::Fault::kRequest ? kExitUsage : kExitFailure);
  } catch (const std::exception& error) {
    return report(error, kExitFailure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  pahtum::exit_on_interrupt();
  // Writing beyond a limit of file sizes is then an error that names the file, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  spdlog::set_default_logger(spdlog::stderr_color_mt("pahtum"));
  spdlog::set_pattern("%H:%M:%S %^%l%$ %v");

  CLI::App app(
      "Trains agents for the board game PahTum, measures how good they are, and plays.\n"
      "Example: pahtum train configs/quick.yaml",
      "pahtum");
  app.set_version_flag("--version", PAHTUM_VERSION);
  app.require_subcommand(0, 1);
  pahtum::Command command;
  pahtum::add_train(app, command);
  pahtum::add_evaluate(app, command);
  pahtum::add_match(app, command);
  pahtum::add_rate(app, command);
  pahtum::add_show(app, command);
  pahtum::add_solve(app, command);
  pahtum::add_oracle(app, command);
  pahtum::add_play(app, command);
  pahtum::add_engine(app, command);
  pahtum::add_games(app, command);
  pahtum::add_report(app, command);
  pahtum::add_check(app, command);
  pahtum::add_export(app, command);
  pahtum::add_config(app, command);
  pahtum::add_bench(app, command);
  pahtum::add_fit_lines(app, command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // exit() prints the help or version asked for, or the fault and how to get help.
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (!command) {
    std::cerr << app.help();
    return kExitUsage;
  }
  // `bench` shows what it is worth and does it itself.
  if (!app.got_subcommand("bench")) pahtum::tune_allocator();
  return execute(command);
}
