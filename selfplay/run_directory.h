#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "model/checkpoint.h"
#include "selfplay/game_record.h"
#include "selfplay/run_config.h"

namespace pahtum {

// One folder is one training run:
//
//   config.yaml              the resolved configuration
//   version.txt              project version that started the run
//   checkpoints/NNNNNN.ckpt  after iteration NNNNNN (000000: before the first); the newest few are
//                           kept, and with a gate the one that plays
//   games/NNNNNN.games       finished games of iteration NNNNNN
//   metrics.jsonl            one JSON object per finished iteration
//   events.out.tfevents.*    the same for TensorBoard, one file per session of the run
//   evaluation.json, report.html   written by the evaluation
//
// Errors are kRequest when the folder is not what it should be, kFailure when writing fails; both name the
// path.
class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  // Makes the folders and writes config.yaml and version.txt; refuses a folder that already holds a run, and
  // then writes nothing.
  void create(const RunConfig& config) const;
  void save_config(const RunConfig& config) const;
  // Refuses a folder that holds no run.
  void require_run() const;
  [[nodiscard]] bool holds_run() const;

  [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }
  [[nodiscard]] std::filesystem::path config_path() const { return root_ / "config.yaml"; }
  [[nodiscard]] std::filesystem::path metrics_path() const { return root_ / "metrics.jsonl"; }
  [[nodiscard]] std::filesystem::path checkpoint_path(std::int64_t iteration) const;
  [[nodiscard]] std::filesystem::path games_path(std::int64_t iteration) const;

  // The checkpoints there are, by iteration; none without the folder.
  [[nodiscard]] std::vector<std::filesystem::path> checkpoint_paths() const;
  // The shards there are, by iteration; none without the folder.
  [[nodiscard]] std::vector<std::filesystem::path> games_paths() const;
  // The iteration whose checkpoint (000003.ckpt) or shard (000003.games) has this name; nothing for other
  // names.
  [[nodiscard]] static std::optional<std::int64_t> iteration_of_checkpoint(const std::filesystem::path& file);
  [[nodiscard]] static std::optional<std::int64_t> iteration_of_games(const std::filesystem::path& file);

  // Keeps the checkpoints of the newest `keep` iterations and that of iteration `playing`.
  void prune_checkpoints(std::int64_t keep, std::int64_t playing) const;
  // Removes shards that iterations after `iteration` left behind.
  void drop_games_after(std::int64_t iteration) const;
  // The newest shards up to `iteration`, oldest first, that together hold at least `games` games (or all
  // there are). Throws when a shard among them is missing or damaged.
  [[nodiscard]] std::vector<GameRecord> load_newest_games(std::int64_t iteration, std::int64_t games) const;

  // Adds a row to metrics.jsonl, and takes those of iterations after `iteration` away.
  void append_metrics(const nlohmann::json& row) const;
  void drop_metrics_after(std::int64_t iteration) const;

 private:
  std::filesystem::path root_;
};

// The rows of a metrics.jsonl in order; none when the file is missing. A last line cut short by a crash is
// passed over; any other broken line is a kRequest Error with its number.
[[nodiscard]] std::vector<nlohmann::json> read_metrics(const std::filesystem::path& path);

}  // namespace pahtum
