#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "eval/arena.h"
#include "eval/oracle_score.h"
#include "eval/rating.h"

namespace pahtum {

// Fewer different games than half of those played: the results then say little, for the same games were
// counted again and again.
[[nodiscard]] bool few_distinct_games(const MatchResult& result) noexcept;

// Rows of cells side by side, the first one usually a heading; the first `names` columns are aligned to the
// left, the others, figures, to the right. Width is counted in characters of UTF-8. Ends with a newline;
// nothing for no rows.
[[nodiscard]] std::string table_text(std::span<const std::vector<std::string>> rows, std::size_t names = 1);

// Characters of UTF-8 text.
[[nodiscard]] std::size_t text_width(const std::string& text);

// "67.5 %"
[[nodiscard]] std::string percent_text(double share);
// "+127", with a sign unless it rounds to zero
[[nodiscard]] std::string elo_text(double elo);
// "30 / 2 / 8": wins, draws, losses
[[nodiscard]] std::string results_text(const WinDrawLoss& results);

// "12.50": points on average
[[nodiscard]] std::string mean_points_text(double points);

// "1.24 s", "38.1 ms", "0.9 µs": three digits.
[[nodiscard]] std::string time_text(double seconds);

// "SPRT Elo 0 or 50: accepted, log-likelihood ratio 4.27 (-2.94 .. 2.94)": what was asked and found.
[[nodiscard]] std::string sprt_text(const SprtResult& sprt);

// One match for people, in lines of at most 80 characters unless SPECs are long: results of both colours,
// pairs, score and Elo difference with their intervals, time per move, the verdict of a sequential test, and
// the warning about few distinct games.
[[nodiscard]] std::string match_text(const MatchResult& match);

// A line that warns of few distinct games; nothing where they are not few.
[[nodiscard]] std::string distinct_games_warning(const MatchResult& match);

// A table for people with one row per player, the strongest first, whose last column says how likely a player
// is stronger than the one below it, and a line on White's advantage and draws.
[[nodiscard]] std::string ratings_text(const PoolRatings& ratings);

// A table for people with one row per match, columns aligned, and a line of warning for each match with few
// distinct games. Ends with a newline; nothing for no matches.
[[nodiscard]] std::string results_table(std::span<const MatchResult> matches);

// A table for people with one row per number of empty squares and one for all positions.
[[nodiscard]] std::string oracle_table(const OracleScore& score);

}  // namespace pahtum
