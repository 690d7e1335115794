#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "eval/arena.h"
#include "eval/oracle_score.h"

namespace pahtum {

// What `pahtum match --json` prints: first, second, pairs, wins, draws, losses (of the first), score, elo,
// elo_low, elo_high, distinct_games, sprt (null: no sequential test was made) and by_colour {white, black}
// with the wins, draws and losses of the first player with that colour.
[[nodiscard]] nlohmann::ordered_json match_json(const MatchResult& result);

// What `pahtum evaluate --json` prints: target, matches (as above) and oracle, as below (empty: nothing was
// compared with exact results).
[[nodiscard]] nlohmann::ordered_json evaluate_json(const std::string& target,
                                                   std::span<const MatchResult> matches,
                                                   std::span<const OracleScore> oracle = {});

// What `pahtum oracle score --json` prints: player, exact, rows (one for each number of empty squares, which
// is their `empty`) and all, each with positions, decisive and, with their `_low` and `_high`,
// outcome_errors, best_margin, mean_margin_loss and value_brier. What is not defined is null.
[[nodiscard]] nlohmann::ordered_json oracle_json(const OracleScore& score);

}  // namespace pahtum
