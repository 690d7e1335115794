#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "eval/arena.h"
#include "eval/oracle_score.h"
#include "model/trainer.h"
#include "selfplay/game_record.h"
#include "selfplay/memory.h"
#include "selfplay/training_events.h"
#include "selfplay/worker.h"

namespace pahtum {

// Where a run stands at the end of an iteration.
struct IterationPosition {
  std::int64_t iteration = 0;
  std::int64_t step = 0;
  std::int64_t games = 0;
  std::int64_t replay_games = 0;
  double seconds = 0;  // since this session of the run started
  ProcessUsage usage;
};

// Gathers what happened in one iteration and makes its row of metrics.jsonl (docs/formats.md lists the
// fields).
class IterationMetrics {
 public:
  void add_selfplay(const SelfplayCounters& counters, double seconds);
  void add_game(const GameRecord& game);
  void add_duplicates(std::int64_t games) { duplicates_ += games; }
  void add_losses(const Losses& losses, double learning_rate);
  void add_learning(double seconds) { learn_seconds_ += seconds; }
  void add_match(const std::string& against, const MatchResult& result);
  void add_gate(nlohmann::json gate) { gate_ = std::move(gate); }
  // `choice`: how the network chose its moves, "policy" or "search".
  void add_oracle(const std::string& choice, const OracleScore& score);

  // The array of findings, see HealthMonitor.
  void add_health(const nlohmann::json& findings) {
    health_.insert(health_.end(), findings.begin(), findings.end());
  }

  [[nodiscard]] double mean_loss() const noexcept;
  // Of the games added.
  [[nodiscard]] const GameHistograms& histograms() const noexcept { return histograms_; }
  [[nodiscard]] nlohmann::json row(const IterationPosition& position) const;

  // What a run stopped within an iteration needs to go on with the same row: all but the games, which are
  // added again. restore() throws nlohmann::json::exception for what is no such state.
  [[nodiscard]] nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  double selfplay_seconds_ = 0;
  double learn_seconds_ = 0;
  std::int64_t played_games_ = 0, moves_ = 0, evaluations_ = 0, batches_ = 0;
  std::int64_t finished_ = 0, white_wins_ = 0, draws_ = 0, black_wins_ = 0, margin_ = 0, duplicates_ = 0;
  std::int64_t positions_ = 0, solved_ = 0;
  std::int64_t steps_ = 0;
  Losses sums_;
  double learning_rate_ = 0;
  nlohmann::json match_, gate_, oracle_;
  nlohmann::json health_ = nlohmann::json::array();
  GameHistograms histograms_;
};

// One line for people of a metrics row.
[[nodiscard]] std::string iteration_line(const nlohmann::json& row, std::int64_t iterations);

}  // namespace pahtum
