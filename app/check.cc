#include <iostream>
#include <memory>

#include "app/common.h"
#include "selfplay/run_check.h"

namespace pahtum {
namespace {

struct CheckOptions {
  std::string run;
  bool json = false;
};

void print(const RunCheck& check, const std::string& run) {
  std::cout << run << ": " << check.checkpoints << " checkpoints, " << check.shards << " shards with "
            << check.games << " games, " << check.metrics_rows << " rows of metrics, " << check.event_files
            << " event files\n";
  for (const RunFinding& note : check.notes) std::cout << "note: " << to_text(note) << "\n";
  for (const RunFinding& finding : check.findings) std::cout << to_text(finding) << "\n";
  if (check.whole()) {
    std::cout << "all whole\n";
  } else {
    std::cout << check.findings.size() << (check.findings.size() == 1 ? " thing is" : " things are")
              << " wrong\n";
  }
}

int check(const CheckOptions& options) {
  const RunCheck found = check_run(options.run);
  if (options.json) {
    print_json(to_json(found, options.run));
  } else {
    print(found, options.run);
  }
  return found.whole() ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, Command& command) {
  CLI::App& sub =
      *app.add_subcommand("check", "Verifies every file of a run and says what is wrong; changes nothing");
  const auto options = std::make_shared<CheckOptions>();
  sub.add_option("RUN", options->run, "Run directory; it may be training meanwhile")->required();
  sub.add_flag("--json", options->json, "Print one JSON document");
  sub.footer(
      "Exit status: 0 all whole, 1 something is wrong, 2 there is no run.\n"
      "Example: pahtum check runs/quick-1");
  sub.callback([options, &command] { command = [options] { return check(*options); }; });
}

}  // namespace pahtum
