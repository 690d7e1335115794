#include "search/charles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "env/game_rules.h"
#include "tests/search/integer_uct.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

// The sum by walking over rows of characters.
int naive_sum(const Position& position, int row, int column) {
  const auto rows = board_rows(position);
  const char own = position.mover == Color::kWhite ? 'w' : 'b';
  const char theirs = position.mover == Color::kWhite ? 'b' : 'w';
  const auto at = [&](int r, int c) {
    if (r < 0 || c < 0 || r >= position.size || c >= position.size) return '#';
    return rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  };
  constexpr int kBonus[] = {0, 2, 3, 10, 25, 56, 119, 246, 501};
  int sum = 0;
  for (const auto& direction : {std::pair(0, 1), std::pair(1, 0)}) {
    const auto down = direction.first;
    const auto right = direction.second;
    int mine = 1;
    int other = 1;
    for (const int sign : {-1, 1}) {
      const auto beside = [&](int k) { return at(row + sign * k * down, column + sign * k * right); };
      for (int k = 1; beside(k) == '.' || beside(k) == own; ++k) {
        sum += 8 - k + (beside(k) == own ? 2 : 0);
      }
      for (int k = 1; beside(k) == own; ++k) ++mine;
      for (int k = 1; beside(k) == theirs; ++k) ++other;
    }
    sum += kBonus[mine] + kBonus[other];
  }
  return sum;
}

int sum_at(const std::string& text, const std::string& square) {
  const Position position = parse_position(text);
  return charles_sums(position)[static_cast<std::size_t>(parse_move(square, position.size).square())];
}

TEST(Charles, AddsUpByHand) {
  // Alone on the board: two empty squares in two directions, 7 + 6 each; runs of one, 2 for each colour and
  // axis.
  EXPECT_EQ(sum_at("3/3/3 w", "a1"), 2 * (7 + 6) + 4 * 2);
  EXPECT_EQ(sum_at("3/3/3 w", "b2"), 4 * 7 + 4 * 2);
  // An own stone beside: 9 instead of 7, and a run of two in that axis.
  EXPECT_EQ(sum_at("3/3/1w1 w", "a1"), (9 + 6) + (7 + 6) + 3 + 3 * 2);
  // The same stone as the opponent's ends the walk at once; its run counts all the same.
  EXPECT_EQ(sum_at("3/3/1w1 b", "a1"), (7 + 6) + 3 + 3 * 2);
  // A hole ends the walk and makes no run. An own stone behind an empty square is worth 6 + 2.
  EXPECT_EQ(sum_at("3/x2/2w w", "a1"), (7 + 8) + 4 * 2);
  // d1 joins two and one: a run of four, 25. The walks: 9 + 8 to the left, 9 + 6 + 5 to the right, 7 + … up.
  EXPECT_EQ(sum_at("7/7/7/7/7/7/1ww1w2 w", "d1"),
            (9 + 8 + 5) + (9 + 6 + 5) + (7 + 6 + 5 + 4 + 3 + 2) + 25 + 3 * 2);
  // The longest runs of the thesis's table, and the one that only a board of eight holds.
  EXPECT_EQ(sum_at("7/7/7/7/7/xxxxxxx/bbbbbb1 w", "g1"), 246 + 3 * 2);
  EXPECT_EQ(sum_at("8/8/8/8/8/8/xxxxxxxx/bbbbbbb1 w", "h1"), 501 + 3 * 2);
}

TEST(Charles, EqualsTheNaiveSumOnRandomPositions) {
  Random random(21, Stream::kTest, 0);
  for (std::uint64_t game = 0; game < 120; ++game) {
    const GameConfig rules = {
        .size = 3 + static_cast<std::int64_t>(game % 6), .holes = 2, .unequal_stones = true};
    const Position start = start_position(rules, 21, Stream::kTest, game);
    for (int empty = start.empty_count(); empty > 0; empty -= 4) {
      Position position = naive::random_position(start, empty, random);
      if (game % 2 == 1) position = swap_colors(position);
      const auto sums = charles_sums(position);
      std::set<Move> best;
      int highest = -1;
      for (const Move move : naive::legal_moves(position)) {
        const int sum = naive_sum(position, row_of(move.square()), column_of(move.square()));
        ASSERT_EQ(sums[static_cast<std::size_t>(move.square())], sum) << to_text(position);
        if (sum > highest) best.clear();
        if (sum >= highest) best.insert(move);
        highest = std::max(highest, sum);
      }
      ASSERT_TRUE(best.contains(charles_move(position, random))) << to_text(position);
    }
  }
}

TEST(Charles, TiesAreDrawnUniformly) {
  Random random(21, Stream::kTest, 1);
  const Position position = parse_position("3/1x1/3 w");  // the four corners have the longest walks
  std::map<std::string, int> counts;
  for (int draw = 0; draw < 4000; ++draw) ++counts[to_text(charles_move(position, random), 3)];
  ASSERT_EQ(counts.size(), 4u);
  for (const auto& [square, count] : counts) EXPECT_NEAR(count, 1000, 120) << square;
}

TEST(Charles, ChoosesLegallyInEveryPhaseAndNeverSwaps) {
  Random random(21, Stream::kTest, 2);
  for (const char* text : {"4/4/4/4 b place=3", "4/4/4/4 w open=2", "4/4/4/4 w open=0"}) {
    const Position position = parse_position(text);
    std::set<Move> seen;
    for (int draw = 0; draw < 400; ++draw) {
      const Move move = charles_move(position, random);
      ASSERT_TRUE(is_legal(position, move));
      seen.insert(move);
    }
    EXPECT_EQ(static_cast<int>(seen.size()), position.empty_count()) << text;
  }
  EXPECT_FALSE(charles_move(parse_position("4/1w2/4/4 b swap"), random).is_swap());
}

// Of Charles against UCT on the board of the thesis.
double score_against(const naive::IntegerUct& uct, int games) {
  double score = 0.0;
  for (int game = 0; game < games; ++game) {
    const auto index = static_cast<std::uint64_t>(game);
    Random random(22, Stream::kTest, index);
    Position position = start_position({.size = 7, .holes = 5}, 22, Stream::kTest, index / 2);
    const Color side = game % 2 == 0 ? Color::kWhite : Color::kBlack;
    while (!position.over()) {
      apply(position, position.mover == side ? charles_move(position, random) : uct.choose(position, random));
    }
    const int margin = side == Color::kWhite ? position.white_margin() : -position.white_margin();
    score += margin > 0 ? 1.0 : margin == 0 ? 0.5 : 0.0;
  }
  return score / games;
}

TEST(Charles, BeatsATreeSearchThatDividesIntegersButNotTheSameOneThatDoesNot) {
  EXPECT_GT(score_against(naive::IntegerUct(1000, true), 10), 0.9);
  EXPECT_LT(score_against(naive::IntegerUct(1000, false), 10), 0.8);
}

}  // namespace
}  // namespace pahtum
