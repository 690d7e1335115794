#include "eval/oracle_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "eval/oracle_make.h"
#include "tests/eval/network_fixture.h"
#include "tests/eval/oracle_fixture.h"

namespace pahtum {
namespace {

// Makes the moves it is given, in the order of the positions, and expects the results it is given.
class ScriptedPlayer final : public Player {
 public:
  ScriptedPlayer(std::vector<std::string> moves, std::vector<Wdl> expected)
      : info_{"scripted", false, std::nullopt}, moves_(std::move(moves)), expected_(std::move(expected)) {}
  void choose(std::span<const Turn> turns, std::span<Move> moves) override {
    for (std::size_t k = 0; k < turns.size(); ++k) {
      moves[k] = parse_move(moves_.at(next_++), turns[k].position.size);
    }
  }
  [[nodiscard]] std::vector<Wdl> expectations(std::span<const Position> positions) override {
    if (expected_.empty()) return {};
    const auto from = expected_.begin() + static_cast<std::ptrdiff_t>(next_ - positions.size());
    return {from, from + static_cast<std::ptrdiff_t>(positions.size())};
  }
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  PlayerInfo info_;
  std::vector<std::string> moves_;
  std::vector<Wdl> expected_;
  std::size_t next_ = 0;
};

void expect_estimate(const Estimate& estimate, double value, double low, double high) {
  EXPECT_NEAR(estimate.value, value, 1e-9);
  EXPECT_NEAR(estimate.low, low, 1e-6);
  EXPECT_NEAR(estimate.high, high, 1e-6);
}

TEST(OracleScore, FiguresWorkedOutByHand) {
  ScriptedPlayer player({"b1", "a3", "b1", "a3"}, {{0.5f, 0.25f, 0.25f}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}});
  const OracleScore score = score_oracle(player, small_oracle_data());
  EXPECT_EQ(score.player, "scripted");
  EXPECT_EQ(score.exact, 0);
  ASSERT_EQ(score.rows.size(), 2u);

  // The draw is given away for a loss by 3.
  const OracleRow& three = score.rows[0];
  EXPECT_EQ(three.empty, 3);
  EXPECT_EQ(three.positions, 1);
  EXPECT_EQ(three.decisive, 1);
  expect_estimate(*three.outcome_errors, 1.0, 0.2065493, 1.0);
  expect_estimate(three.best_margin, 0.0, 0.0, 0.7934507);
  EXPECT_DOUBLE_EQ(three.mean_margin_loss.value, 3.0);
  EXPECT_TRUE(std::isinf(three.mean_margin_loss.low) && std::isinf(three.mean_margin_loss.high));
  EXPECT_DOUBLE_EQ(three.value_brier->value, 0.25 + 0.5625 + 0.0625);

  // Three points of a win, a win for a draw, and nothing.
  const OracleRow& four = score.rows[1];
  EXPECT_EQ(four.empty, 4);
  EXPECT_EQ(four.positions, 3);
  EXPECT_EQ(four.decisive, 1);
  expect_estimate(*four.outcome_errors, 1.0, 0.2065493, 1.0);
  expect_estimate(four.best_margin, 1.0 / 3.0, 0.0614919, 0.7923404);
  expect_estimate(four.mean_margin_loss, 2.0, 2.0 - 1.959964, 2.0 + 1.959964);
  EXPECT_DOUBLE_EQ(four.value_brier->value, 2.0 / 3.0);

  EXPECT_EQ(score.all.positions, 4);
  EXPECT_EQ(score.all.decisive, 2);
  EXPECT_DOUBLE_EQ(score.all.outcome_errors->value, 1.0);
  EXPECT_DOUBLE_EQ(score.all.best_margin.value, 0.25);
  expect_estimate(score.all.mean_margin_loss, 2.25, 2.25 - 1.469973, 2.25 + 1.469973);
  EXPECT_DOUBLE_EQ(score.all.value_brier->value, 2.875 / 4.0);
}

TEST(OracleScore, WhatCannotBeSaidIsAbsent) {
  OracleData data = small_oracle_data();
  data.positions.erase(data.positions.begin(), data.positions.begin() + 3);
  ScriptedPlayer player({"c1"}, {});
  const OracleScore score = score_oracle(player, data);
  EXPECT_EQ(score.all.decisive, 0);
  EXPECT_FALSE(score.all.outcome_errors.has_value());
  EXPECT_FALSE(score.all.value_brier.has_value());
  EXPECT_DOUBLE_EQ(score.all.best_margin.value, 1.0);
}

TEST(OracleScore, AnIllegalMoveEndsIt) {
  ScriptedPlayer player({"a1"}, {});
  EXPECT_THROW((void)score_oracle(player, small_oracle_data()), Error);
}

// Solved positions of random games on a small board.
OracleData solved_data(std::vector<int> empty, std::int64_t positions) {
  OracleRequest request;
  request.game = GameConfig{4, 2, false};
  request.players = {"random"};
  request.empty = std::move(empty);
  request.positions = positions;
  return {request.game, request.seed, request.opening_plies, request.players,
          solve_oracle_positions(draw_oracle_positions(request), 0)};
}

TEST(OracleScore, PerfectPlayMakesNoErrors) {
  const OracleData data = solved_data({4, 7}, 60);
  const auto solver = make_player("solver:7", {});
  const OracleScore score = score_oracle(*solver, data);
  EXPECT_EQ(score.exact, 7);
  ASSERT_EQ(score.rows.size(), 2u);
  for (const OracleRow& row : {score.rows[0], score.rows[1], score.all}) {
    ASSERT_GT(row.decisive, 0);
    EXPECT_EQ(row.outcome_errors->value, 0.0);
    EXPECT_EQ(row.outcome_errors->low, 0.0);
    EXPECT_GT(row.outcome_errors->high, 0.0);
    EXPECT_EQ(row.best_margin.value, 1.0);
    EXPECT_EQ(row.mean_margin_loss.value, 0.0);
    EXPECT_FALSE(row.value_brier.has_value());
  }
}

TEST(OracleScore, RandomPlayScoresWhatTheValuesLetExpect) {
  const OracleData data = solved_data({5}, 150);
  double errors = 0;
  double best = 0;
  double loss = 0;
  double decisive = 0;
  for (const OraclePosition& entry : data.positions) {
    const auto moves = static_cast<double>(entry.moves.size());
    best += static_cast<double>(entry.best_by_margin().size()) / moves;
    for (const auto& [move, margin] : entry.moves) loss += (entry.margin() - margin) / moves;
    if (!entry.decisive()) continue;
    ++decisive;
    errors += 1.0 - static_cast<double>(entry.best_by_outcome().size()) / moves;
  }
  const auto count = static_cast<double>(data.positions.size());
  // The mean over many seeds, each of which makes other choices.
  constexpr int kSeeds = 40;
  double error_share = 0;
  double best_share = 0;
  double mean_loss = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto player = make_player("random", {.seed = static_cast<std::uint64_t>(seed)});
    const OracleScore score = score_oracle(*player, data);
    EXPECT_EQ(score.all.decisive, static_cast<std::int64_t>(decisive));
    error_share += score.all.outcome_errors->value / kSeeds;
    best_share += score.all.best_margin.value / kSeeds;
    mean_loss += score.all.mean_margin_loss.value / kSeeds;
  }
  EXPECT_NEAR(error_share, errors / decisive, 0.03);
  EXPECT_NEAR(best_share, best / count, 0.03);
  EXPECT_NEAR(mean_loss, loss / count, 0.15);
}

TEST(OracleScore, NetworksAreJudgedByTheirValuesToo) {
  const OracleData data = solved_data({4}, 140);  // more than a network sees at once
  const std::string path = write_untrained_checkpoint(data.game, "oracle_score");
  const auto player = make_player("net:" + path + ",policy",
                                  {.seed = 1, .inference = {.device = "cpu", .precision = "fp32"}});
  std::int64_t done = 0;
  const OracleScore score = score_oracle(*player, data, [&](std::int64_t positions) { done = positions; });
  EXPECT_EQ(done, 140);
  ASSERT_TRUE(score.all.value_brier.has_value());
  EXPECT_GT(score.all.value_brier->value, 0.0);
  EXPECT_LT(score.all.value_brier->value, 2.0);

  const std::atomic<bool> stop{true};
  EXPECT_THROW((void)score_oracle(*player, data, {}, &stop), Error);

  OracleData other = data;
  other.game.swap = true;
  EXPECT_THROW((void)score_oracle(*player, other), Error);
}

}  // namespace
}  // namespace pahtum
