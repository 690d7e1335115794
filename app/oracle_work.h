#pragma once

#include <string>
#include <vector>

#include "eval/oracle_data.h"
#include "eval/oracle_make.h"
#include "eval/oracle_score.h"
#include "eval/player.h"

namespace pahtum {

// Draws the positions of a data set and solves them, with progress on standard error; Ctrl-C ends it with a
// kFailure Error.
[[nodiscard]] OracleData make_oracle_data(const OracleRequest& request);

// score_oracle() with progress on standard error, under the player's name.
[[nodiscard]] OracleScore score_with_progress(Player& player, const OracleData& data);

// The numbers of empty squares that an agent of these rules is examined at: all from 2 to 20, as far as
// every game has them after `opening_plies` random moves. The solver needs no more than a tenth of a second
// for any of these.
[[nodiscard]] std::vector<int> examined_empty_squares(const GameConfig& game, int opening_plies);

}  // namespace pahtum
