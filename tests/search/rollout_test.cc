#include "search/rollout.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "env/game_rules.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

// Probability of each final margin when every move is drawn uniformly, by trying all lines of play.
void add_margins(const Position& position, double probability, std::map<int, double>& margins) {
  if (position.over()) {
    margins[position.white_margin()] += probability;
    return;
  }
  const double share = probability / legal_count(position);
  for (const Move move : naive::legal_moves(position)) add_margins(after(position, move), share, margins);
}

TEST(RandomRollout, MarginsAreDistributedAsByRandomMovesOneByOne) {
  constexpr int kRollouts = 30'000;
  for (const char* text : {"w2/1b1/2b w", "3/1x1/bw1 b", "xxx/1x1/xxx b", "3/1x1/xxx w open=1",
                           "2x/1w1/xx1 b swap", "3/xxx/3 b place=1", "www/bbb/wxw b"}) {
    const Position position = parse_position(text);
    std::map<int, double> expected;
    add_margins(position, 1.0, expected);
    std::map<int, int> counts;
    RandomWords words(7);
    for (int k = 0; k < kRollouts; ++k) ++counts[random_rollout(position, words)];
    for (const auto& [margin, count] : counts)
      EXPECT_TRUE(expected.contains(margin)) << text << ' ' << margin;
    for (const auto& [margin, probability] : expected) {
      const double deviation = std::sqrt(probability * (1.0 - probability) / kRollouts);
      EXPECT_NEAR(counts[margin] / static_cast<double>(kRollouts), probability, 5.0 * deviation + 1e-9)
          << text << " margin " << margin;
    }
  }
}

TEST(RandomHalf, EverySetOfTheSizeIsEquallyLikely) {
  constexpr int kDraws = 100'000;
  RandomWords words(9);
  for (const Bitboard squares : {0x8001020010084001ull, 0x8001020010084000ull, 0x10ull, 0x81ull}) {
    const int all = std::popcount(squares);
    const int half = (all + 1) / 2;
    double sets = 1.0;
    for (int k = 0; k < half; ++k) sets = sets * (all - k) / (k + 1);
    std::map<Bitboard, int> counts;
    for (int k = 0; k < kDraws; ++k) ++counts[random_half(squares, words)];
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(std::lround(sets))) << all;
    const double expected = kDraws / sets;
    for (const auto& [subset, times] : counts) {
      EXPECT_EQ(subset & ~squares, 0u);
      EXPECT_EQ(std::popcount(subset), half);
      EXPECT_NEAR(times, expected, 5.0 * std::sqrt(expected) + 1e-9);
    }
  }
}

TEST(RandomHalf, LargeSetsHoldEverySquareHalfTheTime) {
  constexpr int kDraws = 20'000;
  RandomWords words(10);
  const Bitboard squares = ~Bitboard{0} ^ 0x0008000000100000ull;
  std::array<int, kMaxSquares> counts{};
  for (int k = 0; k < kDraws; ++k) {
    Bitboard left = random_half(squares, words);
    ASSERT_EQ(std::popcount(left), 31);
    for (; left != 0; left &= left - 1) ++counts[static_cast<std::size_t>(lowest_square(left))];
  }
  for (int square = 0; square < kMaxSquares; ++square) {
    const double expected = (squares & square_bit(square)) != 0 ? kDraws / 2.0 : 0.0;
    EXPECT_NEAR(counts[static_cast<std::size_t>(square)], expected, 5.0 * std::sqrt(kDraws) / 2.0) << square;
  }
}

TEST(FilledBoards, CountWhatThePositionCounts) {
  Random random(7, Stream::kTest, 0);
  RandomWords words(11);
  FilledBoards filled;
  const RunPoints steep{{10'000, 0, 10'000, 1, 2, 3, 4, 10'000}};
  for (std::uint64_t game = 0; game < 60; ++game) {
    const GameConfig rules = {.size = 4 + static_cast<int>(game % 5),
                              .holes = static_cast<int>(game % 6),
                              .unequal_stones = true,
                              .run_points = game % 4 == 3 ? steep : kRunPoints};
    const Position start = start_position(rules, 7, Stream::kTest, game);
    const Position middle = naive::random_position(start, 5, random);
    filled.use(middle);
    for (int k = 0; k < 20; ++k) {
      Position end = middle;
      end.white = random_white(middle.white, middle.empty(), middle.mover == Color::kWhite, words);
      end.black = board_mask(end.size) & ~(end.holes | end.white);
      EXPECT_EQ(end.white & (middle.black | middle.holes), 0u);
      EXPECT_EQ(filled.white_margin(end.white), end.white_margin()) << to_text(end);
    }
  }
}

}  // namespace
}  // namespace pahtum
