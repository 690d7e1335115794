#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "eval/arena.h"
#include "eval/report_data.h"

namespace pahtum {

// A report as one HTML page that needs nothing else: no other files, no network, light or dark as the reader
// prefers. Its only script steps through games; all else is there without. The page shows the parts that the
// report has and says how to get the others. Metrics may lack any field; curves show what is there.
[[nodiscard]] std::string html_report(const ReportData& report);

// A page that compares runs: each curve for all of them, and their results side by side. Reports are told
// apart by their titles. At least one.
[[nodiscard]] std::string html_comparison(const std::vector<ReportData>& reports);

// What `evaluate` and `train` know without a report's other parts.
struct ReportInput {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // of the run: what and its value
  std::vector<nlohmann::json> metrics;  // the objects of a run's metrics.jsonl, oldest first
  std::vector<MatchResult> matches;
  std::string config;  // as YAML; empty: the report has no such part
};

[[nodiscard]] std::string html_report(const ReportInput& input);

}  // namespace pahtum
