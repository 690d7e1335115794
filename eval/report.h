#pragma once

#include <string>
#include <vector>

#include "eval/report_data.h"

namespace pahtum {

// A report as one HTML page that needs nothing else: no other files, no network, light or dark as the reader
// prefers. Its only script steps through games; all else is there without. The page shows the parts that the
// report has and says how to get the others. Metrics may lack any field; curves show what is there.
[[nodiscard]] std::string html_report(const ReportData& report);

// A page that compares runs: each curve for all of them, and their results side by side. Reports are told
// apart by their titles. At least one.
[[nodiscard]] std::string html_comparison(const std::vector<ReportData>& reports);

}  // namespace pahtum
