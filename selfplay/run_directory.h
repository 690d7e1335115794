#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "model/checkpoint.h"
#include "selfplay/game_record.h"
#include "selfplay/run_config.h"
#include "selfplay/run_lock.h"

namespace pahtum {

// One folder is one training run:
//
//   config.yaml              the resolved configuration
//   version.txt              project version that started the run
//   checkpoints/NNNNNN.ckpt  after iteration NNNNNN (000000: before the first); the newest few are
//                           kept, the best one, and with a gate the one that plays
//   state.ckpt               the run in the middle of an iteration, when it was last saved there
//   games/NNNNNN.games       finished games of iteration NNNNNN
//   games/NNNNNN.part        those of the iteration that is being played, added as they end
//   games/set-aside/         games behind the checkpoint that the run went on from; they are played again
//   metrics.jsonl            one JSON object per finished iteration
//   events.out.tfevents.*    the same for TensorBoard, one file per session of the run
//   evaluation.json, report.html   written by the evaluation
//   lock                     there while a process trains; says which (selfplay/run_lock.h)
//   failed-batch.ckpt        what a learner step failed on
//
// Errors are kRequest when the folder is not what it should be, kFailure when writing fails; both name the
// path.
class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  static constexpr const char* kUnfinishedEnding = ".part";

  // Makes the folder where it is missing, keeps other processes from training in it while the result lives,
  // and removes the temporary files that a killed one left. Refuses as RunLock does, and a path that is a
  // file.
  [[nodiscard]] RunLock lock() const;
  // Makes the folder and writes version.txt and config.yaml; refuses a folder that already holds a run, and
  // then writes nothing. Whatever is missing of a run that has them is made by complete().
  void create(const RunConfig& config) const;
  void complete() const;
  void save_config(const RunConfig& config) const;
  // Refuses a folder that holds no run.
  void require_run() const;
  [[nodiscard]] bool holds_run() const;
  // Whether it was stopped before its first checkpoint and has nothing yet that could be lost.
  [[nodiscard]] bool holds_configuration_only() const;

  [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }
  [[nodiscard]] std::filesystem::path config_path() const { return root_ / "config.yaml"; }
  [[nodiscard]] std::filesystem::path metrics_path() const { return root_ / "metrics.jsonl"; }
  // What the learner failed on: a checkpoint with the batch beside the weights.
  [[nodiscard]] std::filesystem::path failed_batch_path() const { return root_ / "failed-batch.ckpt"; }
  [[nodiscard]] std::filesystem::path checkpoint_path(std::int64_t iteration) const;
  [[nodiscard]] std::filesystem::path state_path() const { return root_ / "state.ckpt"; }
  [[nodiscard]] std::filesystem::path games_path(std::int64_t iteration) const;
  [[nodiscard]] std::filesystem::path unfinished_games_path(std::int64_t iteration) const;

  // The checkpoints there are, by iteration; none without the folder.
  [[nodiscard]] std::vector<std::filesystem::path> checkpoint_paths() const;
  // The shards there are, by iteration; none without the folder.
  [[nodiscard]] std::vector<std::filesystem::path> games_paths() const;
  // The iteration whose checkpoint (000003.ckpt) or games (000003.games, 000003.part) have this name; nothing
  // for other names.
  [[nodiscard]] static std::optional<std::int64_t> iteration_of_checkpoint(const std::filesystem::path& file);
  [[nodiscard]] static std::optional<std::int64_t> iteration_of_games(const std::filesystem::path& file);

  // Keeps the checkpoints of the newest `keep` iterations and those of the iterations `also`.
  void prune_checkpoints(std::int64_t keep, std::span<const std::int64_t> also) const;
  // Moves the games of iterations after `iteration`, whole shards and unfinished ones, into games/set-aside/,
  // in the place of older ones of the same name.
  void set_games_aside_after(std::int64_t iteration) const;
  // Where they exist.
  void remove_unfinished_games(std::int64_t iteration) const;
  void remove_state() const;
  // The newest whole checkpoint of an iteration before `before` whose numbers are all finite.
  [[nodiscard]] std::optional<Checkpoint> good_checkpoint(std::int64_t before) const;
  // Removes checkpoints of iterations after `iteration`, the newest first.
  void drop_checkpoints_after(std::int64_t iteration) const;
  // The newest shards up to `iteration`, oldest first, that together hold at least `games` games (or all
  // there are). Throws when a shard among them is damaged, or missing; one before first_iteration() ends the
  // search instead.
  [[nodiscard]] std::vector<GameRecord> load_newest_games(std::int64_t iteration, std::int64_t games) const;
  // The first iteration that the metrics know of. It is above 1 where a run was carried to this folder with a
  // checkpoint and its newest games alone, and `iteration` + 1 where nothing happened since. 1 where they
  // cannot be read.
  [[nodiscard]] std::int64_t first_iteration(std::int64_t iteration) const;

  // Adds a row to metrics.jsonl, and takes those of iterations after `iteration` away.
  void append_metrics(const nlohmann::json& row) const;
  void drop_metrics_after(std::int64_t iteration) const;

 private:
  void require_folder_or_nothing() const;

  std::filesystem::path root_;
};

// The first tensor of weights or optimizer that holds a number that is not finite; null when all are. Valid
// as long as the checkpoint.
[[nodiscard]] const StoredTensor* first_not_finite(const Checkpoint& checkpoint);

// The rows of a metrics.jsonl in order; none when the file is missing. A last line cut short by a crash is
// passed over; any other broken line is a kRequest Error with its number.
[[nodiscard]] std::vector<nlohmann::json> read_metrics(const std::filesystem::path& path);

}  // namespace pahtum
