#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "eval/oracle_data.h"
#include "model/inference.h"

namespace pahtum {

// Which positions a data set is to hold.
struct OracleRequest {
  GameConfig game;
  std::vector<std::string> players;  // SPECs; each plays alone, making the moves of both colours
  std::vector<int> empty;            // numbers of empty squares, in any order
  std::int64_t positions = 200;      // for each of these, shared out evenly over the players
  int opening_plies = 2;             // random moves at the start of each game
  std::uint64_t seed = 1;
  InferenceOptions inference = {};  // of networks
  int threads = 0;                  // 0: one per core
  // Takes what there is where games do not hold enough different positions; otherwise that is an error.
  bool accept_fewer = false;
};

// Both call `progress` (which may be empty) from worker threads, one at a time, with how much is done of how
// much, and end early with a kFailure Error "interrupted" once `stop` (which may be null) is set. Their
// results do not depend on the number of threads, up to the rounding of a network's batches.
using OracleProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// Plays games, each on a layout of its own, and takes from each at most one position for every number of
// empty squares, from the phase in which stones are placed in turn and after the random opening. No two
// positions are alike, turned and mirrored ones included. In ascending order of empty squares, then by
// player. Throws a kRequest Error that names the value at fault: no players, fewer positions than players,
// numbers of empty squares that no such game has, and games that do not hold enough different positions.
[[nodiscard]] std::vector<Position> draw_oracle_positions(const OracleRequest& request,
                                                          const std::atomic<bool>* stop = nullptr,
                                                          const OracleProgress& progress = {});

// Solves positions as in OraclePosition, in the order given.
[[nodiscard]] std::vector<OraclePosition> solve_oracle_positions(std::span<const Position> positions,
                                                                 int threads,
                                                                 const std::atomic<bool>* stop = nullptr,
                                                                 const OracleProgress& progress = {});

}  // namespace pahtum
