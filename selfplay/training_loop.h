#pragma once

// Internal to selfplay/: what start_training() and resume_training() run.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/arena.h"
#include "eval/oracle_data.h"
#include "model/checkpoint.h"
#include "model/trainer.h"
#include "selfplay/event_file.h"
#include "selfplay/health.h"
#include "selfplay/iteration_metrics.h"
#include "selfplay/memory.h"
#include "selfplay/progress.h"
#include "selfplay/replay.h"
#include "selfplay/run_config.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "selfplay/worker.h"

namespace pahtum {

// Thrown out of a stage that a rule of `health` gives up: the run goes back to the checkpoint.
struct Rollback {
  Checkpoint checkpoint;
};

// Keeps the loop's state and takes it through its stages. An iteration plays games, learns, saves.
class TrainingLoop {
 public:
  // `oracle`: the positions of evaluation.oracle, of the configuration's rules; nothing where there are none.
  TrainingLoop(const RunConfig& config, RunDirectory directory, std::optional<OracleData> oracle,
               const std::atomic<bool>& stop, InferenceCheck* check)
      : config_(config),
        directory_(std::move(directory)),
        oracle_(std::move(oracle)),
        stop_(stop),
        inference_(inference_of(config.run, check)),
        trainer_(config.game, config.network, config.learner, static_cast<std::uint64_t>(config.run.seed),
                 config.run.device),
        replay_(config.replay.window_games, config.replay.solved_weight, config.replay.surprise_weight),
        workers_(make_workers(config)),
        health_(config.health) {}

  // `within`: the checkpoint is of a run within an iteration, not of a finished one.
  void restore(const Checkpoint& checkpoint, const std::string& source, bool within);
  TrainingSummary run();

  // The checkpoint of the finished iteration.
  void save();

 private:
  [[nodiscard]] bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }
  [[nodiscard]] Checkpoint snapshot() const;
  // The run as it stands within an iteration.
  void save_state();
  void restore_counters(const Checkpoint& checkpoint, const std::string& source);
  void restore_games(const Checkpoint& checkpoint, const std::string& source);
  [[nodiscard]] std::int64_t planned_steps() const;
  [[nodiscard]] std::int64_t steps_of_iteration() const noexcept;
  [[nodiscard]] std::string progress_prefix() const;
  [[nodiscard]] std::string time_left() const;
  void announce() const;
  void advance();
  void play();
  void play_until(std::int64_t games);
  void play_with_workers(const Checkpoint& weights, std::int64_t games, SelfplayCounters& counters,
                         std::vector<std::vector<GameRecord>>& finished);
  void learn();
  void learn_step(const TrainingBatch& batch);
  void dump_batch(const TrainingBatch& batch) const;
  void finish_iteration();
  void close_iteration();
  void judge_iteration(std::int64_t played_by);
  void watch_workers(std::int64_t games, const std::atomic<std::int64_t>& running,
                     const std::atomic<bool>& failed, std::atomic<bool>& halt,
                     const SelfplayCounters& counters);
  [[noreturn]] void abandon_workers() const;
  void heed(HealthFinding finding, std::int64_t iteration, std::int64_t before,
            const TrainingBatch* batch = nullptr);
  void roll_back(const Checkpoint& target);
  [[nodiscard]] nlohmann::json metrics_row(std::int64_t iteration) const;
  void append_events(const nlohmann::json& row);
  [[nodiscard]] std::string newest_network() const;  // SPEC
  void measure();
  void play_checking_match();
  void compare_with_truth();
  [[nodiscard]] MatchResult play_match_of_candidate(const std::string& opponent, MatchConfig match);
  void require_playing_network();
  [[nodiscard]] Checkpoint playing_weights() const;
  void settle_gate();

  const std::int64_t resident_before_ = process_usage().resident_bytes;  // what follows is not loaded yet
  RunConfig config_;
  RunDirectory directory_;
  std::optional<OracleData> oracle_;
  const std::atomic<bool>& stop_;
  InferenceOptions inference_;
  Trainer trainer_;
  Replay replay_;
  std::vector<std::unique_ptr<SelfplayWorker>> workers_;
  Progress progress_;

  std::int64_t iteration_ = 0;        // finished ones
  std::int64_t games_ = 0;            // finished over the whole run, this iteration's not yet counted
  bool played_ = false;               // this iteration's games are finished and in its shard
  std::vector<GameRecord> finished_;  // this iteration's games while it plays
  std::int64_t saves_ = 0;            // within this iteration's games, by run.save_every_games
  bool closing_ = false;              // the checkpoint is saved; its matches and its row of metrics are not
  bool within_ = false;               // something has happened since that checkpoint
  double new_samples_ = 0;            // plies of this iteration's games to learn from, weighted
  std::int64_t steps_done_ = 0;       // learner steps of this iteration
  std::int64_t playing_ = 0;          // the iteration whose network plays
  bool gate_pending_ = false;         // the newest network has yet to play its match against that one
  IterationMetrics metrics_;
  HealthMonitor health_;
  std::optional<HealthFinding> stall_;  // that stopped the workers
  std::chrono::steady_clock::time_point session_start_ = std::chrono::steady_clock::now();
  std::int64_t session_iterations_ = 0;
  std::int64_t first_event_ = 1;     // the first number of games that this session has events of
  std::optional<EventFile> events_;  // this session's, from its first finished iteration on
};

}  // namespace pahtum
