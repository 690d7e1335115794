#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "eval/player.h"
#include "eval/sprt.h"
#include "eval/statistics.h"

namespace pahtum {

struct MatchConfig {
  GameConfig game;
  std::int64_t pairs = 100;  // each layout is played twice, with colours swapped
  std::uint64_t seed = 1;    // of layouts and openings (streams that training never uses)
  int opening_plies = 0;     // random stones before the players take over, the same in both games of a pair
  int threads = 0;           // 0: one per core
  // Pairs a thread plays at a time: the most turns a network player sees at once, and what bounds its memory.
  std::int64_t pairs_at_once = 128;
  // Number of the first layout: a match can go on with layouts that no other has used.
  std::uint64_t first_layout = 0;
  // The match ends as soon as this test decides; `pairs` is its limit.
  std::optional<SprtConfig> sprt = {};
  // Pairs between two looks of the test. It looks at whole rounds only, so that the number of threads changes
  // nothing.
  std::int64_t pairs_per_look = 32;
};

// One finished game. Game number 2k is the first of pair k, in which the first player has White; in 2k + 1 it
// has Black.
struct MatchGame {
  Position start;
  std::vector<Move> moves;  // opening included
  int white_margin = 0;     // points of White minus points of Black

  friend bool operator==(const MatchGame&, const MatchGame&) = default;
};

// Layout and moves as bytes: equal for equal games only.
[[nodiscard]] std::string identity(const MatchGame& game);

// Wall-clock time a player spent choosing. A network that moves many games at once spends it once for all.
struct TimeUsed {
  double seconds = 0;
  std::int64_t moves = 0;

  [[nodiscard]] double per_move() const noexcept {
    return moves > 0 ? seconds / static_cast<double>(moves) : 0.0;
  }
};

struct MatchResult {
  std::string first, second;  // SPECs
  std::int64_t pairs = 0;
  WinDrawLoss total, as_white, as_black;  // of the first player
  PairResults pair_results{};
  PairScores pair_scores{};
  std::int64_t distinct_games = 0;            // by layout and moves
  double elo = 0, elo_low = 0, elo_high = 0;  // 95 % interval, always finite: see elo_difference()
  double score_low = 0, score_high = 0;       // of total.score(), 95 %: see score_estimate()
  double mean_margin = 0;                     // points of the first minus points of the second
  double seconds = 0;
  TimeUsed first_time, second_time;
  std::optional<SprtResult> sprt;  // of MatchConfig::sprt
  std::vector<MatchGame> games;    // by number
};

// Makes a player for a worker thread; called once per player and thread, possibly by several threads at once.
using PlayerFactory = std::function<std::unique_ptr<Player>()>;

// Plays the match, of fewer pairs when MatchConfig::sprt decides. Deterministic for a seed when both players
// are, for any number of threads up to the rounding of a network's batches. `stop` (may be null) ends it
// early with a kFailure Error "interrupted". `progress` (may be empty) is called from worker threads, one at
// a time, with the number of games finished. An exception in a worker ends the match and is rethrown here.
// Throws a kRequest Error for no pairs, an opening as long as the game, a sequential test that is none, and
// players that cannot play these rules.
[[nodiscard]] MatchResult play_match(const PlayerFactory& first, const PlayerFactory& second,
                                     const MatchConfig& config, const std::atomic<bool>* stop = nullptr,
                                     const std::function<void(std::int64_t)>& progress = {});

// Plays one game on each of `config.pairs` layouts, `player` making the moves of both colours, and returns
// the games by layout. Otherwise as play_match; `config.sprt` has no meaning here.
[[nodiscard]] std::vector<MatchGame> play_alone(const PlayerFactory& player, const MatchConfig& config,
                                                const std::atomic<bool>* stop = nullptr,
                                                const std::function<void(std::int64_t)>& progress = {});

// Counts finished games: everything in a MatchResult but `first`, `second`, times and `sprt`. `games` holds
// both games of each pair.
[[nodiscard]] MatchResult count_games(std::vector<MatchGame> games);

}  // namespace pahtum
