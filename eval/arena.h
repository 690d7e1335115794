#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "eval/player.h"

namespace pahtum {

struct WinDrawLoss {
  std::int64_t wins = 0, draws = 0, losses = 0;

  [[nodiscard]] std::int64_t games() const noexcept { return wins + draws + losses; }
  // (wins + draws / 2) / games; 0.5 without games.
  [[nodiscard]] double score() const noexcept;
};

struct MatchConfig {
  GameConfig game;
  std::int64_t pairs = 100;  // each layout is played twice, with colours swapped
  std::uint64_t seed = 1;    // of layouts and openings (streams that training never uses)
  int opening_plies = 0;     // random stones before the players take over, the same in both games of a pair
  int threads = 0;           // 0: one per core
};

struct MatchResult {
  std::string first, second;  // SPECs
  std::int64_t pairs = 0;
  WinDrawLoss total, as_white, as_black;      // of the first player
  std::array<std::int64_t, 5> pair_scores{};  // pairs in which the first scored 0, ½, 1, 1½, 2
  std::int64_t distinct_games = 0;            // by layout and moves
  double elo = 0, elo_low = 0, elo_high = 0;  // 95 % interval from pairs; always finite
  double score_low = 0, score_high = 0;       // of score(), 95 %
  double mean_margin = 0;                     // points of the first minus points of the second
  double seconds = 0;
};

// Makes a player for a worker thread; called once per player and thread.
using PlayerFactory = std::function<std::unique_ptr<Player>()>;

// Plays the match. Deterministic for a seed when both players are, for any number of threads up to the
// rounding of a network's batches. `stop` (may be null) ends it early with a kFailure Error "interrupted".
// `progress` (may be empty) is called from worker threads, one at a time, with the number of games finished.
// An exception in a worker ends the match and is rethrown here.
[[nodiscard]] MatchResult play_match(const PlayerFactory& first, const PlayerFactory& second,
                                     const MatchConfig& config, const std::atomic<bool>* stop = nullptr,
                                     const std::function<void(std::int64_t)>& progress = {});

}  // namespace pahtum
