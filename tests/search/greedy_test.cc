#include "search/greedy.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "env/game_rules.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

// The best squares by playing both plies out on the board.
std::set<Move> best_moves(const Position& position) {
  std::set<Move> best;
  int best_score = std::numeric_limits<int>::min();
  const auto stones = [](const Position& p, Color color) { return points(p.stones(color)); };
  for (const Move move : naive::legal_moves(position)) {
    if (move.is_swap()) continue;
    const Position next = after(position, move);
    int answer = 0;
    for (const Move reply : naive::legal_moves(next)) {
      answer = std::max(answer, stones(after(next, reply), next.mover) - stones(next, next.mover));
    }
    const int score = stones(next, position.mover) - stones(position, position.mover) - answer;
    if (score > best_score) best.clear();
    if (score >= best_score) best.insert(move);
    best_score = std::max(best_score, score);
  }
  return best;
}

TEST(Greedy, EqualsBruteForceOnRandomPositions) {
  Random random(6, Stream::kTest, 0);
  int single = 0;
  for (std::uint64_t game = 0; game < 60; ++game) {
    const GameConfig rules = {
        .size = 3 + static_cast<std::int64_t>(game % 6), .holes = 1, .unequal_stones = true};
    const Position start = start_position(rules, 6, Stream::kTest, game);
    for (int empty = start.empty_count(); empty > 0; empty -= 3) {
      const Position position = naive::random_position(start, empty, random);
      const std::set<Move> best = best_moves(position);
      single += best.size() == 1 ? 1 : 0;
      for (int draw = 0; draw < 3; ++draw) {
        ASSERT_TRUE(best.contains(greedy_move(position, random))) << to_text(position);
      }
    }
  }
  EXPECT_GT(single, 30) << "too few positions with one best move to mean anything";
}

TEST(Greedy, TakesPointsAndTakesThemAway) {
  Random random(6, Stream::kTest, 1);
  EXPECT_EQ(to_text(greedy_move(parse_position("ww3/5/5/1b2b/5 w"), random), 5), "c5");
  EXPECT_EQ(to_text(greedy_move(parse_position("bbb2/5/5/w3w/5 w"), random), 5), "d5");
}

TEST(Greedy, TiesAreDrawnUniformly) {
  Random random(6, Stream::kTest, 2);
  const Position position = parse_position("3/1x1/3 w");
  std::map<int, int> counts;
  for (int draw = 0; draw < 8000; ++draw) ++counts[greedy_move(position, random).index()];
  EXPECT_EQ(counts.size(), 8u);
  for (const auto& [index, count] : counts) EXPECT_NEAR(count, 1000, 150) << index;
}

TEST(Greedy, ChoosesLegallyInEveryPhaseAndNeverSwaps) {
  Random random(6, Stream::kTest, 3);
  for (const char* text : {"4/4/4/4 b place=3", "4/4/4/4 w open=2", "4/4/4/4 w open=0", "4/1w2/4/4 b swap"}) {
    const Position position = parse_position(text);
    std::set<Move> seen;
    for (int draw = 0; draw < 500; ++draw) {
      const Move move = greedy_move(position, random);
      ASSERT_TRUE(is_legal(position, move));
      ASSERT_FALSE(move.is_swap());
      seen.insert(move);
    }
    EXPECT_EQ(static_cast<int>(seen.size()), position.empty_count()) << text;
  }
}

}  // namespace
}  // namespace pahtum
