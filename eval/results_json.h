#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "eval/arena.h"
#include "eval/oracle_score.h"
#include "eval/rating.h"

namespace pahtum {

// What `pahtum match --json` prints, all of the first player: first, second, pairs, wins, draws, losses,
// score, score_low, score_high, elo, elo_low, elo_high, pair_scores [five counts: pairs of 0, ½, 1, 1½ and 2
// points], mean_margin (points a game), distinct_games, sprt {verdict (accept, reject or undecided),
// at_limit, llr, lower, upper, elo0, elo1, alpha, beta} (null: no sequential test was made), by_colour
// {white, black} with wins, draws, losses and score with that colour, seconds, and seconds_per_move {first,
// second}.
[[nodiscard]] nlohmann::ordered_json match_json(const MatchResult& result);

// What `pahtum evaluate --json` prints: target, matches (as above) and oracle, as below (empty: nothing was
// compared with exact results).
[[nodiscard]] nlohmann::ordered_json evaluate_json(const std::string& target,
                                                   std::span<const MatchResult> matches,
                                                   std::span<const OracleScore> oracle = {});

// What `pahtum rate --json` prints of the model: anchor, players [{player, elo, elo_low, elo_high, games,
// wins, draws, losses, score}] in the order of the ratings, white_advantage (Elo) and draw_parameter (of
// games between equals ν / (2 + ν) are drawn) with their _low and _high, white_wins, draws and black_wins
// over all games, and superiority [a row and a column for each player: the probability that the row's is
// stronger].
[[nodiscard]] nlohmann::ordered_json ratings_json(const PoolRatings& ratings);

// What `pahtum oracle score --json` prints: player, exact, rows (one for each number of empty squares, which
// is their `empty`) and all, each with positions, decisive and, with their `_low` and `_high`,
// outcome_errors, best_margin, mean_margin_loss and value_brier. What is not defined is null.
[[nodiscard]] nlohmann::ordered_json oracle_json(const OracleScore& score);

}  // namespace pahtum
