#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/game_rules.h"
#include "eval/report_build.h"
#include "eval/report_data.h"

namespace pahtum {

// Every field a row of metrics.jsonl can have, of a run that learns.
inline nlohmann::json full_row(int iteration) {
  const double progress = 1.0 - std::exp(-iteration / 12.0);
  return {{"iteration", iteration},
          {"step", 100 * iteration},
          {"games", 256 * iteration},
          {"seconds", 50.0 * iteration},
          {"white_wins", 130},
          {"draws", 30},
          {"black_wins", 96},
          {"games_per_second", 41.5},
          {"evaluations_per_second", 90'000.0},
          {"duplicate_games", 0.02},
          {"loss",
           {{"total", 4.0 - 2.0 * progress},
            {"policy", 3.0 - 1.5 * progress},
            {"value", 0.9 - 0.3 * progress},
            {"margin", 0.5 - 0.2 * progress},
            {"ownership", 0.4 - 0.1 * progress},
            {"policy_entropy", 1.0 - 0.2 * progress}}},
          {"policy_accuracy", 0.2 + 0.3 * progress},
          {"value_accuracy", 0.4 + 0.3 * progress},
          {"match",
           {{"against", "greedy"},
            {"score", 0.3 + 0.6 * progress},
            {"score_low", 0.2 + 0.6 * progress},
            {"score_high", 0.4 + 0.6 * progress}}},
          {"oracle",
           {{"policy",
             {{"all",
               {{"outcome_errors", 0.3 - 0.2 * progress},
                {"outcome_errors_low", 0.25 - 0.2 * progress},
                {"outcome_errors_high", 0.35 - 0.2 * progress}}}}},
            {"search", {{"all", {{"outcome_errors", nullptr}}}}}}}};
}

// Games of random moves on layouts of their own, the two of a pair on the same.
inline std::vector<MatchGame> random_games(const GameConfig& rules, int pairs, std::uint64_t seed = 3) {
  std::vector<MatchGame> games;
  for (int k = 0; k < 2 * pairs; ++k) {
    MatchGame game{
        start_position(rules, seed, Stream::kEvaluationLayout, static_cast<std::uint64_t>(k / 2)), {}, 0};
    Random random(seed, Stream::kTest, static_cast<std::uint64_t>(k));
    Position position = game.start;
    while (!position.over()) {
      const auto choice = random.below(static_cast<std::uint32_t>(legal_count(position)));
      game.moves.push_back(nth_legal(position, static_cast<int>(choice)));
      apply(position, game.moves.back());
    }
    game.white_margin = position.white_margin();
    games.push_back(std::move(game));
  }
  return games;
}

inline MatchResult random_match(const std::string& first, const std::string& second, int pairs = 20) {
  MatchResult result = count_games(random_games(GameConfig{}, pairs));
  result.first = first;
  result.second = second;
  return result;
}

inline OracleScore made_up_oracle(const std::string& player, double errors) {
  OracleScore score{player, 0, {}, {}};
  for (const int empty : {6, 8, 10, 12, 14}) {
    const double share = errors * empty / 10;
    score.rows.push_back({empty, 200, 150, Estimate{share, share / 2, share * 1.5},
                          Estimate{1 - share, 1 - 1.5 * share, 1 - share / 2},
                          Estimate{share * 9, share * 6, share * 12}, Estimate{0.2, 0.15, 0.25}});
  }
  score.all = score.rows[2];
  score.all.empty = 0;
  return score;
}

// A report with every part, its numbers made up.
inline ReportData full_report() {
  ReportData report;
  report.title = "quick-1";
  ReportTarget& target = report.target;
  target = {"runs/quick-1",
            "runs/quick-1/checkpoints/000040.ckpt",
            "4 blocks × 32 channels",
            "64 simulations a move in training",
            "7×7, 5 random holes",
            "0.1.0",
            40,
            4000,
            10'240,
            2000.0,
            {{"Machine", "two cores"}},
            "game:\n  size: 7\n  holes: 5\n"};
  for (int iteration = 1; iteration <= 40; ++iteration) report.metrics.push_back(full_row(iteration));
  for (int k = 0; k <= 8; ++k) {
    const double elo = 900 * (1 - std::exp(-k / 2.5));
    report.rating_curve.push_back(
        {"00000" + std::to_string(k), 5 * k, 500 * k, 1280 * k, 250.0 * k, elo, elo - 40, elo + 45});
  }
  const std::vector<MatchResult> matches = {random_match("net:runs/quick-1", "random"),
                                            random_match("net:runs/quick-1", "uct:1000", 15)};
  for (const MatchResult& match : matches) report.matches.push_back(report_match(match));
  report.matches[0].as_white = {19, 1, 0};
  report.matches[0].as_black = {17, 2, 1};
  report.matches[0].pair_scores = PairScores{0, 1, 1, 2, 16};
  report.matches[0].score = {0.9375, 0.86, 0.975};
  report.matches[0].first_move_seconds = 0.0123;
  report.matches[0].second_move_seconds = 3e-6;
  add_match_games(report, matches);
  HashEvaluator evaluator;
  judge_games(evaluator, report.games);
  const std::vector<Position> layouts = sample_layouts(GameConfig{}, 1, 3);
  report.first_moves = first_move_maps(evaluator, layouts, "policy");
  report.pool = ReportPool{
      {{"random", 0, 0, 0, 80}, {"greedy", 310.5, 260, 360, 80}, {"net:runs/quick-1", 702, 640, 770, 80}},
      {{0.5, 0.01, 0}, {0.99, 0.5, 0.002}, {1, 0.998, 0.5}},
      {{0, 1, {5, 2, 33}}, {1, 2, {3, 1, 36}}, {0, 2, {0, 1, 39}}},
      35.0};
  report.oracle = {made_up_oracle("net:runs/quick-1,policy", 0.2), made_up_oracle("net:runs/quick-1", 0.06)};
  report.calibration = {*game_calibration(evaluator, "net:runs/quick-1", matches[0].games)};
  return report;
}

}  // namespace pahtum
