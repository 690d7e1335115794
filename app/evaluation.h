#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/arena.h"
#include "eval/oracle_score.h"
#include "eval/player.h"
#include "eval/rating.h"
#include "eval/report_data.h"
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

// Ratings are counted from this player, unless the user names another.
inline constexpr const char* kRatingAnchor = "random";

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

void check_players(const PoolPlan& plan);  // as above

struct PlayedPool {
  std::vector<MatchResult> matches;  // finished ones, in the order of their meetings
  std::exception_ptr ended_by;       // what ended the pool before its last meeting; null: nothing did
};
// Plays the meetings in order, with progress on standard error, until all are played, `stop` is set or a
// match fails. A player whose checkpoint has been removed meanwhile, as training does with old ones, is
// warned of, and its other meetings are left out. Throws what ended the pool only when no match is finished.
[[nodiscard]] PlayedPool play_pool(const PoolPlan& plan, const std::atomic<bool>& stop);

// The SPEC with a run directory replaced by its newest whole checkpoint: who that is, is settled once, so
// that it remains the same player while its training goes on. Other SPECs are returned as they are.
[[nodiscard]] std::string settled(const std::string& spec);

// All an evaluation found out.
struct EvaluationRecord {
  std::string target;                // what the user named
  std::filesystem::path checkpoint;  // the file it stands for
  EvaluationPlan plan;
  std::vector<MatchResult> matches = {};
  std::vector<OracleScore> oracle = {};
  std::optional<ReportCalibration> calibration = {};  // by solved positions
};

// Writes evaluation.json, games.txt, report.json and report.html into `folder` (made when missing). Facts,
// configuration and, when the checkpoint lies in a run, the learning curve come from there; the network is
// asked for its first moves on some layouts and for its opinion of the games shown.
void write_evaluation(const std::filesystem::path& folder, const EvaluationRecord& record);
[[nodiscard]] std::filesystem::path evaluation_path(const std::filesystem::path& folder);
// The players of the matches rated together, as a report shows them.
// `pairings` are pool_matches() of `matches`, which were rated.
[[nodiscard]] ReportPool report_pool(const PoolRatings& ratings, std::span<const PoolMatch> pairings,
                                     std::span<const MatchResult> matches);
// Places in `names` and the results of each match, as the rating model takes them.
[[nodiscard]] std::vector<PoolMatch> pool_matches(const std::vector<std::string>& names,
                                                  std::span<const MatchResult> matches);

[[nodiscard]] std::filesystem::path report_path(const std::filesystem::path& folder);

}  // namespace pahtum
