#pragma once

#include <filesystem>

#include "eval/report_data.h"

namespace pahtum {

// Takes the matches and oracle scores of an evaluation.json (what `pahtum evaluate --json` prints) into
// `report`. A match that the report knows already, with the same players and results, stays as it is there,
// where more is known of it. Fields that a report has no use for are passed over. Throws a kRequest Error
// that names the file and the field.
void merge_evaluation(ReportData& report, const std::filesystem::path& path);

}  // namespace pahtum
