#include "app/oracle_work.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>

#include "app/interrupt.h"
#include "env/game_rules.h"
#include "eval/report_build.h"
#include "eval/results_text.h"
#include "selfplay/progress.h"

namespace pahtum {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostExamined = 20;  // empty squares

}  // namespace

OracleData make_oracle_data(const OracleRequest& request) {
  const std::atomic<bool>& stop = stop_on_interrupt();
  Progress progress;
  const auto show_games = [&](std::int64_t done, std::int64_t total) {
    progress.update(fmt::format("drawing positions: {}/{} games", done, total));
  };
  const std::vector<Position> positions = draw_oracle_positions(request, &stop, show_games);
  progress.line(fmt::format("{} positions to solve", positions.size()));
  const auto start = Clock::now();
  const auto show_solved = [&](std::int64_t done, std::int64_t total) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double left = seconds / static_cast<double>(done) * static_cast<double>(total - done);
    progress.update(fmt::format("{} of {} positions solved, {} left", done, total, duration_text(left)));
  };
  return {request.game, request.seed, request.opening_plies, request.players,
          solve_oracle_positions(positions, request.threads, &stop, show_solved)};
}

OracleScore score_with_progress(Player& player, const OracleData& data) {
  Progress progress;
  return score_oracle(
      player, data,
      [&](std::int64_t done) {
        progress.update(fmt::format("{}: {}/{} positions", player.info().spec, done, data.positions.size()));
      },
      &stop_on_interrupt());
}

std::string network_spec(const std::filesystem::path& checkpoint, const std::string& choice,
                         std::int64_t exact) {
  return "net:" + checkpoint.string() + (choice.empty() ? "" : "," + choice) +
         (exact > 0 ? ",exact=" + std::to_string(exact) : "");
}

void compare_with_truth(EvaluationRecord& record, const OracleData& data,
                        const std::vector<std::string>& choices, std::int64_t exact) {
  for (const std::string& choice : choices) {
    const auto player = make_player(network_spec(record.checkpoint, choice, exact),
                                    {.seed = record.plan.match.seed, .inference = record.plan.inference});
    record.oracle.push_back(score_with_progress(*player, data));
    if (!record.calibration) record.calibration = oracle_calibration(*player, data);
  }
}

std::string oracle_tables(const std::vector<OracleScore>& scores) {
  std::string text;
  for (const OracleScore& score : scores) text += "\n" + score.player + "\n" + oracle_table(score);
  return text;
}

std::vector<int> examined_empty_squares(const GameConfig& game, int opening_plies) {
  const int most = std::min(kMostExamined, GameRules(game).shortest_game() - opening_plies);
  std::vector<int> numbers;
  for (int empty = 2; empty <= most; ++empty) numbers.push_back(empty);
  return numbers;
}

}  // namespace pahtum
