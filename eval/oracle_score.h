#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eval/oracle_data.h"
#include "eval/player.h"
#include "eval/statistics.h"

namespace pahtum {

// How a player does on solved positions. Intervals are 95 %; they count positions as independent, which those
// with equally many empty squares are, each being from another game.
struct OracleRow {
  int empty = 0;               // squares; 0: all positions of the data set
  std::int64_t positions = 0;  // at least 1
  std::int64_t decisive = 0;   // not all moves lead to the same outcome
  // Share of the decisive positions in which the move gives away the best outcome; nothing without any.
  std::optional<Estimate> outcome_errors;
  Estimate best_margin;       // share of all positions in which the move keeps the best margin
  Estimate mean_margin_loss;  // points given away by a move, see mean_estimate()
  // Mean of Σ (p − truth)² over win, draw and loss, 0 … 2, of the player's expectations (Brier, "Verification
  // of forecasts expressed in terms of probability", 1950); nothing for players without.
  std::optional<Estimate> value_brier;
};

struct OracleScore {
  std::string player;           // SPEC
  int exact = 0;                // as in PlayerInfo
  std::vector<OracleRow> rows;  // by ascending number of empty squares
  OracleRow all;
};

// Asks the player for a move in each position. `progress` (may be empty) is called with the number of
// positions done. Throws a kRequest Error when the player cannot play these rules, and a kFailure Error
// "interrupted" soon after `stop` (which may be null) is set: a network looks at 32 positions at once.
[[nodiscard]] OracleScore score_oracle(Player& player, const OracleData& data,
                                       const std::function<void(std::int64_t)>& progress = {},
                                       const std::atomic<bool>* stop = nullptr);

}  // namespace pahtum
