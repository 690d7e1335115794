#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pahtum {

// Something about one file of a run, in plain words; the three texts are sentences without their full stop.
struct RunFinding {
  std::string file;     // as it lies in the run directory: "games/000003.games"
  std::string what;     // is wrong with it
  std::string meaning;  // for the run
  std::string advice;   // what to do
};

// What check_run() looked at and found.
struct RunCheck {
  std::int64_t checkpoints = 0;
  std::int64_t shards = 0;
  std::int64_t games = 0;  // in the shards that are whole
  std::int64_t metrics_rows = 0;
  std::int64_t event_files = 0;
  std::vector<RunFinding> findings;  // wrong things
  std::vector<RunFinding> notes;     // what is worth knowing and no fault: traces of a crash, files of others

  [[nodiscard]] bool whole() const noexcept { return findings.empty(); }
};

// Reads everything in a run directory (selfplay/run_directory.h) and changes nothing: configuration, version,
// every checkpoint down to its weights and games, every shard, the numbers that files should have, metrics,
// event files, and what evaluations wrote. A run that trains meanwhile gives no findings for that: what
// disagrees is looked at again when files have changed. Throws a kRequest Error when there is no run at all.
[[nodiscard]] RunCheck check_run(const std::filesystem::path& run);

// One line: "FILE: WHAT. MEANING. ADVICE."
[[nodiscard]] std::string to_text(const RunFinding& finding);
[[nodiscard]] nlohmann::ordered_json to_json(const RunCheck& check, const std::filesystem::path& run);

}  // namespace pahtum
