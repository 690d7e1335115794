#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trainer.h"
#include "selfplay/health_config.h"

namespace pahtum {

enum class HealthKind {
  kNonFinite,  // loss, gradient or output of the network is no number
  kGradient,   // exploding norm of the gradient
  kEntropy,    // collapse of the policy: of the search, or of the network
  kOneSided,   // one colour wins nearly all decisive games
  kRepeated,   // nearly all games were played before
  kStall,      // self-play that produces nothing
};
[[nodiscard]] std::string_view to_text(HealthKind kind) noexcept;  // as in metrics.jsonl

enum class HealthAction { kWarn, kStop, kRollback };
[[nodiscard]] std::string_view to_text(HealthAction action) noexcept;

struct HealthFinding {
  HealthKind kind;
  HealthAction action;
  std::string what;  // in plain words, with value, limit and the key that sets it
  double value = 0;  // may be no finite number
  double limit = 0;
  // The network that plays is at fault, so that going back to where it was learned would play the same games
  // again; otherwise it is the learning since.
  bool of_games = false;
};

// How far the self-play of an iteration is, in this session.
struct SelfplayProgress {
  std::int64_t games = 0, wanted_games = 0;  // finished, of so many
  std::int64_t moves = 0, evaluations = 0;
  std::int64_t workers = 0;  // that still play
};

// Judges what a run does by the limits of its configuration, and keeps what it found until a metrics row
// takes it. What it says depends on the numbers it is shown and their order alone; only the watch over a
// stall is shown seconds, and these are no part of its state. One thread at a time.
class HealthMonitor {
 public:
  explicit HealthMonitor(const HealthConfig& config) : config_(config) {}

  // The state of to_json(), of a run whose checkpoint is `source`. Throws a kRequest Error that names it when
  // that holds no such state. A null is the state of a run that has just begun.
  [[nodiscard]] static HealthMonitor from_json(const HealthConfig& config, const nlohmann::json& state,
                                               const std::string& source);
  [[nodiscard]] nlohmann::json to_json() const;

  // What the loop came upon itself: `what` is no finite number.
  [[nodiscard]] HealthFinding non_finite(const std::string& what, bool of_games) const;
  // The norm of one learner step, compared with those of up to kNorms steps before once there are
  // kFewestNorms. A warning is given once in an iteration.
  [[nodiscard]] std::optional<HealthFinding> observe_step(const Losses& losses);
  // A row of metrics.jsonl, at the end of its iteration; fields it lacks are not judged.
  [[nodiscard]] std::vector<HealthFinding> observe_iteration(const nlohmann::json& row);
  // To be called many times a second while games are played, with the seconds since the last call: of these
  // kLongestPoll count at most, so that a program that was suspended is not taken for a stall.
  [[nodiscard]] std::optional<HealthFinding> observe_progress(const SelfplayProgress& progress,
                                                              double seconds);
  // The next progress is that of another iteration.
  void begin_selfplay() noexcept { stalled_ = 0; }

  // Keeps a finding for the metrics. `target` is the iteration a rollback goes to.
  void record(const HealthFinding& finding, std::int64_t iteration, std::int64_t step,
              std::optional<std::int64_t> target = std::nullopt);
  // The findings recorded since the last row, as they stand in its field `health`.
  [[nodiscard]] const nlohmann::json& findings() const noexcept { return findings_; }
  void clear_findings() { findings_ = nlohmann::json::array(); }

  [[nodiscard]] bool may_roll_back() const noexcept { return rollbacks_ < config_.max_rollbacks; }
  [[nodiscard]] std::int64_t rollbacks() const noexcept { return rollbacks_; }
  // What the learning rate of every step is multiplied with.
  [[nodiscard]] double learning_rate_factor() const noexcept { return learning_rate_factor_; }
  // Of a monitor restored from the checkpoint that a rollback went to: counts the rollback on top of those of
  // the run that `failed`, lowers the learning rate, and takes over its findings.
  void go_on_after(const HealthMonitor& failed);

  static constexpr std::size_t kNorms = 128;
  static constexpr std::size_t kFewestNorms = 32;
  static constexpr double kLongestPoll = 1.0;  // seconds

 private:
  HealthConfig config_;
  std::deque<double> norms_;  // of the newest steps, oldest first
  bool gradient_noted_ = false;
  std::int64_t rollbacks_ = 0;
  double learning_rate_factor_ = 1.0;
  nlohmann::json findings_ = nlohmann::json::array();
  // Of the watch over a stall.
  std::int64_t produced_ = -1;
  double stalled_ = 0;  // seconds
};

}  // namespace pahtum
