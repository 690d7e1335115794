#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "eval/arena.h"
#include "eval/oracle_data.h"
#include "eval/player.h"
#include "eval/report_data.h"
#include "search/evaluator.h"

namespace pahtum {

// Makes parts of a ReportData from what an evaluation has in hand. See docs/report.md.

// A value for the mover, −1 … 1 (beyond that by rounding), as White's.
[[nodiscard]] double white_value(const Position& position, double mover_value) noexcept;

// The games of all matches, in order.
[[nodiscard]] std::vector<MatchGame> games_of(std::span<const MatchResult> matches);

[[nodiscard]] ReportMatch report_match(const MatchResult& match);

// Up to `count` games of a match, spread evenly over its pairs, with the names of their players.
[[nodiscard]] std::vector<ReportGame> sample_games(const MatchResult& match, std::size_t count);

// How finished games ended, and what they looked like. At least one game for statistics.
[[nodiscard]] FirstPlayerResults first_player_results(std::string name, std::span<const MatchGame> games);
[[nodiscard]] GameStatistics game_statistics(std::string name, std::span<const MatchGame> games);

// Fills the parts of `report` that the games of matches give: the samples to replay, three of each match
// and at most twelve, statistics and first-player results of them all. Does nothing for matches without
// games.
void add_match_games(ReportData& report, std::span<const MatchResult> matches);

// The first `count` layouts of an evaluation of this seed, as positions before the first move.
[[nodiscard]] std::vector<Position> sample_layouts(const GameConfig& game, std::uint64_t seed,
                                                   std::size_t count);

// What a network thinks of the first move on each position, in one batch; `source` says whose thoughts.
[[nodiscard]] std::vector<FirstMoveMap> first_move_maps(Evaluator& evaluator,
                                                        std::span<const Position> positions,
                                                        const std::string& source);

// Gives every ply of the games the value and the likeliest moves that the network sees there, in one batch a
// game. `likely` is how many moves are kept.
void judge_games(Evaluator& evaluator, std::span<ReportGame> games, std::size_t likely = 6);

// How the expectations of a player with a network agree with solved positions. Nothing for a player without
// (Player::expectations) or no positions.
[[nodiscard]] std::optional<ReportCalibration> oracle_calibration(Player& player, const OracleData& data);

// How a network's expectations agree with the results of games, over every position of them. Nothing for no
// games. Positions of one game share its result, so the intervals are too narrow; they show the trend.
[[nodiscard]] std::optional<ReportCalibration> game_calibration(Evaluator& evaluator, std::string player,
                                                                std::span<const MatchGame> games);

// The likeliest `count` moves of a policy by Move::index(), in descending order.
[[nodiscard]] MoveShares likeliest_moves(const Position& position, std::span<const float> policy,
                                         std::size_t count);

}  // namespace pahtum
