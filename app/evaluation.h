#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/arena.h"
#include "eval/player.h"
#include "model/inference.h"

namespace pahtum {

// What every command that plays matches lets its user choose.
class MatchCliOptions {
 public:
  void add_to(CLI::App& app);
  // `pairs` counts where the user names none: kPairs in the help text.
  [[nodiscard]] MatchConfig resolve(const GameConfig& game, std::int64_t pairs = kPairs) const;

  // So many give an interval of about ±50 Elo.
  static constexpr std::int64_t kPairs = 100;

 private:
  std::optional<std::int64_t> pairs_;
  std::uint64_t seed_ = 1;
  int opening_plies_ = 0;
  int threads_ = 0;
};

// The matches that measure one player.
struct EvaluationPlan {
  std::string player;                // SPEC
  std::vector<std::string> against;  // SPECs
  MatchConfig match;
  InferenceOptions inference = {};  // of networks
  std::int64_t simulations = 0;     // of `net:` players whose SPEC gives none; 0: as in training
};

// The rules that the first player with a network insists on, else the usual ones. Throws the kRequest Errors
// of players that cannot be made.
[[nodiscard]] GameConfig rules_of_players(const std::vector<std::string>& specs);

// Makes every player once, so that a missing checkpoint or one of other rules ends the program before any
// game. Throws their kRequest Errors.
void check_players(const EvaluationPlan& plan);

// Plays the matches in order, with progress on standard error. Throws a kFailure Error once `stop` is set.
[[nodiscard]] std::vector<MatchResult> play_evaluation(const EvaluationPlan& plan,
                                                       const std::atomic<bool>& stop);

// The matches of a pool of players.
struct PoolPlan {
  std::vector<std::string> players;                           // SPECs
  std::vector<std::pair<std::size_t, std::size_t>> meetings;  // who plays whom
  MatchConfig match;                                          // of every meeting, on layouts of its own
  InferenceOptions inference = {};                            // of networks
};

// As check_players and play_evaluation above; one result for each meeting.
void check_players(const PoolPlan& plan);
[[nodiscard]] std::vector<MatchResult> play_pool(const PoolPlan& plan, const std::atomic<bool>& stop);

// Writes evaluation.json and report.html into `folder` (made when missing). `target` is what the user named,
// `checkpoint` the file it stands for: facts, configuration and, when it lies in a run, the learning curve of
// the report come from there.
void write_evaluation(const std::filesystem::path& folder, const std::string& target,
                      const std::filesystem::path& checkpoint, const std::vector<MatchResult>& matches);
[[nodiscard]] std::filesystem::path evaluation_path(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path report_path(const std::filesystem::path& folder);

}  // namespace pahtum
