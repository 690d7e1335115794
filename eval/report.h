#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "eval/arena.h"

namespace pahtum {

struct ReportInput {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // of the run: what and its value
  std::vector<nlohmann::json> metrics;  // the objects of a run's metrics.jsonl, oldest first
  std::vector<MatchResult> matches;
  std::string config;  // as YAML; empty: the report has no such part
};

// The results of a run as one HTML page that needs nothing else: no scripts, no other files, light or dark as
// the reader prefers. Metrics may lack any field; curves show what is there.
[[nodiscard]] std::string html_report(const ReportInput& input);

}  // namespace pahtum
