#include "eval/report.h"

#include <iostream>
#include <memory>

#include "app/common.h"
#include "app/evaluation.h"
#include "app/run_report.h"
#include "env/base/error.h"
#include "env/base/files.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> runs;
  std::string output;
  bool json = false;
};

void warn_of(const ReportData& report) {
  for (const std::string& note : report.notes) std::cerr << "pahtum: " << note << "\n";
}

int report_one(const ReportOptions& options) {
  const fs::path run = options.runs.front();
  const ReportData report = report_of_run(run);
  warn_of(report);
  if (options.json) {
    print_json(to_json(report));
    return 0;
  }
  const fs::path page = options.output.empty() ? report_path(run) : fs::path(options.output);
  if (page.extension() == ".json") {
    throw request_error("--output",
                        "names the page; its data go beside it, into a file of that name ending .json");
  }
  // Beside the page, so that it can be made again from there.
  fs::path data = page;
  data.replace_extension(".json");
  write_file_atomically(data, to_json_text(report));
  write_file_atomically(page, html_report(report));
  std::cout << "report: " << page.string() << "\n";
  return 0;
}

int compare(const ReportOptions& options) {
  std::vector<ReportData> reports;
  for (const std::string& run : options.runs) {
    reports.push_back(report_of_run(run));
    reports.back().title = run;
    warn_of(reports.back());
  }
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ReportData& report : reports) list.push_back(to_json(report));
    print_json({{"format", "pahtum-comparison"}, {"version", kReportVersion}, {"reports", std::move(list)}});
    return 0;
  }
  const fs::path page = options.output.empty() ? "comparison.html" : options.output;
  write_file_atomically(page, html_comparison(reports));
  std::cout << "comparison: " << page.string() << "\n";
  return 0;
}

}  // namespace

void add_report(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "report", "Makes the report of a run from what lies in it, or one page that compares several runs");
  const auto options = std::make_shared<ReportOptions>();
  sub.add_option("RUN", options->runs,
                 "Run directory, or a folder that evaluate --report wrote; several are compared")
      ->required();
  sub.add_option(
      "--output", options->output,
      "The page; without it report.html in the run, or comparison.html here for several. The report of "
      "one run is written as JSON beside it");
  sub.add_flag("--json", options->json, "Print one JSON document, and write nothing");
  sub.footer("Example: pahtum report runs/quick-1 runs/quick-2");
  sub.callback([options, &command] {
    command = [options] { return options->runs.size() == 1 ? report_one(*options) : compare(*options); };
  });
}

}  // namespace pahtum
