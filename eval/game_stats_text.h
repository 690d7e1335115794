#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "eval/game_stats.h"

namespace pahtum {

// For people: tables of results beside people's, of margins, points and lengths, of scoring runs and of games
// by number of holes, and a map of first moves for each board size. At least one game; ends with a newline.
[[nodiscard]] std::string game_stats_text(const GameStats& stats);

// What `pahtum games stats --json` prints: games, distinct_games, results (from White's view), people (the
// same of BrainKing), margin, white_points, black_points, plies, runs, by_holes and first_moves.
// docs/games.md lists the fields. What is not defined is null.
[[nodiscard]] nlohmann::ordered_json game_stats_json(const GameStats& stats);

}  // namespace pahtum
