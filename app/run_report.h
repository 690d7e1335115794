#pragma once

#include <cstddef>
#include <filesystem>

#include "eval/report_data.h"

namespace pahtum {

// First moves are shown on so many.
inline constexpr std::size_t kSampleLayouts = 6;

// The report of a run from what lies in its folder, or in one that `evaluate --report` wrote: report.json and
// evaluation.json (its matches and oracle scores are the newer ones), metrics.jsonl, the newest checkpoint's
// manifest, and the newest games of self-play. No game is played and no network asked. What is broken is left
// out and named in `notes`. Throws a kRequest Error when the folder holds none of these.
[[nodiscard]] ReportData report_of_run(const std::filesystem::path& run);

// What a checkpoint and the rows of its run's metrics.jsonl say of the agent. `name` is what the user named.
[[nodiscard]] ReportTarget report_target(const std::string& name, const std::filesystem::path& checkpoint,
                                         const std::vector<nlohmann::json>& metrics);

}  // namespace pahtum
