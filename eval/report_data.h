#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/position.h"
#include "eval/calibration.h"
#include "eval/oracle_score.h"
#include "eval/statistics.h"

namespace pahtum {

// All a report shows, and nothing else: report.html is made from this alone, report.json is this as JSON.
// docs/report.md lists every field. Every part may be absent (an empty list, an empty text, no value); the
// page then says how to get it. Shares and probabilities are 0 … 1; numbers are finite unless said otherwise.

inline constexpr int kReportVersion = 1;

// Of the checkpoint that was measured.
struct ReportTarget {
  std::string name;                    // what the user named
  std::string checkpoint;              // its file
  std::string network, search, rules;  // one line each, for people
  std::string project_version;
  std::optional<std::int64_t> iteration, step, games;
  std::optional<double> training_seconds;                  // over all sessions of the run
  std::vector<std::pair<std::string, std::string>> facts;  // what else is worth knowing: what and its value
  std::string config;                                      // YAML
};

// A match of two players, results from the side of the first.
struct ReportMatch {
  std::string first, second;
  WinDrawLoss as_white, as_black;
  Estimate score, elo;
  std::optional<PairScores> pair_scores;
  std::int64_t distinct_games = 0;    // by layout and moves
  std::optional<double> mean_margin;  // points of the first minus points of the second
  std::optional<double> seconds;      // of the match
  std::optional<double> first_move_seconds, second_move_seconds;  // mean time per move
  std::string verdict;                                            // of a sequential test

  [[nodiscard]] WinDrawLoss total() const noexcept {
    return {as_white.wins + as_black.wins, as_white.draws + as_black.draws,
            as_white.losses + as_black.losses};
  }
  // Fewer than half of the games differ: the results say little.
  [[nodiscard]] bool few_distinct_games() const noexcept { return 2 * distinct_games < total().games(); }
};

// The strength of one checkpoint of a run, in Elo above the player `random`, with its 95 % interval.
struct RatingPoint {
  std::string checkpoint;
  std::int64_t iteration = 0, step = 0, games = 0;
  double seconds = 0;  // of training, over all sessions of the run
  double elo = 0, low = 0, high = 0;
};

// Players rated together.
struct PoolPlayer {
  std::string name;
  double elo = 0, low = 0, high = 0;
  std::int64_t games = 0;
};
struct PoolPairing {
  std::int64_t first = 0, second = 0;  // numbers of two different players
  WinDrawLoss results;                 // of the first
};
struct ReportPool {
  std::vector<PoolPlayer> players;
  // [i][j]: probability that player i is stronger than player j; no rows, or one for each player.
  std::vector<std::vector<double>> superiority;
  std::vector<PoolPairing> pairings;
  std::optional<double> first_move_advantage;  // Elo that having White is worth
};

struct ReportCalibration {
  std::string player;  // whose expectations
  std::string truth;   // what they are compared with: "exact outcomes", "results of games"
  Calibration calibration;
};

// How games ended.
struct FirstPlayerResults {
  std::string name;  // whose games
  std::int64_t white = 0, draws = 0, black = 0;

  [[nodiscard]] std::int64_t games() const noexcept { return white + draws + black; }
};

using MoveShares = std::vector<std::pair<Move, double>>;
// Equal shares keep their order.
void sort_likeliest_first(MoveShares& shares);

// How likely each first move is in a position.
struct FirstMoveMap {
  Position position;
  std::string source;                 // "policy", "search visits"
  MoveShares shares;                  // legal moves; those left out have none
  std::optional<double> white_value;  // expected result for White, −1 … 1
};

// What was thought before a move.
struct ReportPly {
  std::optional<double> white_value;  // expected result for White, −1 … 1
  MoveShares policy;                  // the likeliest moves
  bool solved = false;                // the value is proven
};

// A game for the replay viewer. Its points follow from the moves.
struct ReportGame {
  std::string white, black;      // players
  Position start;                // with the table of points the game is played by
  std::vector<Move> moves;       // legal one after another
  std::vector<ReportPly> plies;  // none, or one for each move
};

struct HistogramBin {
  std::int64_t low = 0, high = 0;  // both included
  std::int64_t count = 0;
};
struct RunCount {
  int length = 0;
  std::int64_t white = 0, black = 0;  // runs of that length at the end of the games
};
struct GameStatistics {
  std::string name;  // which games
  std::int64_t games = 0, distinct = 0;
  double mean_plies = 0, mean_margin = 0;  // margin: points of White minus points of Black
  std::int64_t fewest_plies = 0, most_plies = 0;
  std::vector<HistogramBin> margins;  // ascending
  std::vector<RunCount> runs;         // ascending in length
};

struct ReportData {
  std::string title;
  std::vector<std::string>
      notes;  // what went wrong while the report was made: a broken file and what is wrong
  ReportTarget target;
  std::vector<nlohmann::json> metrics;    // the objects of metrics.jsonl, oldest first (docs/formats.md)
  std::vector<RatingPoint> rating_curve;  // oldest first
  std::vector<ReportMatch> matches;
  std::optional<ReportPool> pool;
  std::vector<OracleScore> oracle;
  std::vector<ReportCalibration> calibration;
  std::vector<FirstPlayerResults> first_player;
  std::vector<FirstMoveMap> first_moves;
  std::vector<ReportGame> games;
  std::vector<GameStatistics> statistics;
};

[[nodiscard]] nlohmann::ordered_json to_json(const ReportData& report);
// The document as text, ending with a newline; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string to_json_text(const ReportData& report);

// Reading checks every value: types, ranges, unknown fields, legality of moves. Throws a kRequest Error that
// names `source`, the field (`games[2].moves`) and what would be right.
[[nodiscard]] ReportData report_from_json(const nlohmann::json& document,
                                          const std::filesystem::path& source);
[[nodiscard]] ReportData load_report(const std::filesystem::path& path);

// Seconds of training after each row of metrics.jsonl. A row counts those of its session alone; where they
// fall, a session was resumed.
[[nodiscard]] std::vector<double> training_seconds(const std::vector<nlohmann::json>& metrics);

}  // namespace pahtum
