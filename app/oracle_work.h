#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/evaluation.h"
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

// How the network of a checkpoint does on solved positions by each of `choices` ("policy", "sims=N",
// "time=S", or empty for the simulations of training), solving positions of at most `exact` empty squares
// itself, and how far its expectations are right: into record.oracle and record.calibration. With progress;
// Ctrl-C ends it with a kFailure Error.
void compare_with_truth(EvaluationRecord& record, const OracleData& data,
                        const std::vector<std::string>& choices, std::int64_t exact = 0);

// The SPEC of the network of a checkpoint that chooses its moves so.
[[nodiscard]] std::string network_spec(const std::filesystem::path& checkpoint, const std::string& choice,
                                       std::int64_t exact = 0);

// One table for each score, under the player's SPEC and behind an empty line.
[[nodiscard]] std::string oracle_tables(const std::vector<OracleScore>& scores);

// The numbers of empty squares that an agent of these rules is examined at: all from 2 to 20, as far as
// every game has them after `opening_plies` random moves. The solver needs no more than a tenth of a second
// for any of these.
[[nodiscard]] std::vector<int> examined_empty_squares(const GameConfig& game, int opening_plies);

}  // namespace pahtum
