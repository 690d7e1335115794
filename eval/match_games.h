#pragma once

#include <string>
#include <vector>

#include "env/game_text.h"
#include "eval/arena.h"

namespace pahtum {

// The games of a match as records, by number: players by the match's SPECs, seed and number of the game
// (which tells its layout) from `config`, with which the match was played.
[[nodiscard]] std::vector<PlayedGame> played_games(const MatchResult& match, const MatchConfig& config);

// The same as text, one game a line (env/game_text.h).
[[nodiscard]] std::string games_text(const MatchResult& match, const MatchConfig& config);

}  // namespace pahtum
