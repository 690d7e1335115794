#include "search/uct.h"

#include <gtest/gtest.h>

#include "env/game_rules.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

TEST(Uct, FindsTheOnlyWinningMoveForWhiteAndForBlack) {
  const Position white = parse_position("ww1/bxb/1xx w");
  UctSearch search(100);
  Random random(7, Stream::kTest, 1);
  for (const Position& position : {white, swap_colors(white)}) {
    EXPECT_EQ(to_text(search.choose(position, random), 3), "c3") << to_text(position);
  }
}

TEST(Uct, KeepsTheBestOutcomeNearTheEnd) {
  UctSearch search(5000);
  Random random(7, Stream::kTest, 2);
  for (std::uint64_t game = 0; game < 20; ++game) {
    const GameConfig rules = {.size = 4, .holes = 3, .unequal_stones = true};
    const Position position = naive::random_position(start_position(rules, 7, Stream::kTest, game),
                                                     3 + static_cast<int>(game % 4), random);
    const Move move = search.choose(position, random);
    EXPECT_EQ(naive::outcome_after(position, move), naive::negamax(position)) << to_text(position);
  }
}

TEST(Uct, PlaysEveryPhaseLegally) {
  UctSearch search(60);
  Random random(7, Stream::kTest, 3);
  for (const char* text : {"4/4/4/4 b place=4", "4/4/4/4 w open=2", "4/1w2/4/4 b swap"}) {
    Position position = parse_position(text);
    while (!position.over()) {
      const Move move = search.choose(position, random);
      ASSERT_TRUE(is_legal(position, move)) << to_text(position);
      apply(position, move);
    }
  }
}

TEST(Uct, OneRolloutAndOneLegalMoveAreEnough) {
  Random random(7, Stream::kTest, 4);
  UctSearch search(1);
  const Position wide = parse_position("4/4/4/4 w");
  EXPECT_TRUE(is_legal(wide, search.choose(wide, random)));
  EXPECT_EQ(to_text(search.choose(parse_position("ww1/bbx/wbw w"), random), 3), "c3");
}

TEST(Uct, BeatsRandomPlay) {
  UctSearch search(300);
  Random random(7, Stream::kTest, 5);
  double score = 0.0;
  constexpr int kGames = 40;
  for (int game = 0; game < kGames; ++game) {
    Position position =
        start_position({.size = 5, .holes = 3}, 7, Stream::kTest, static_cast<std::uint64_t>(game / 2));
    const Color side = game % 2 == 0 ? Color::kWhite : Color::kBlack;
    while (!position.over()) {
      const auto choices = static_cast<std::uint32_t>(legal_count(position));
      apply(position, position.mover == side ? search.choose(position, random)
                                             : nth_legal(position, static_cast<int>(random.below(choices))));
    }
    const int margin = side == Color::kWhite ? position.white_margin() : -position.white_margin();
    score += margin > 0 ? 1.0 : margin == 0 ? 0.5 : 0.0;
  }
  EXPECT_GT(score / kGames, 0.9);
}

TEST(Uct, EveryChoiceStartsFromAnEmptyTree) {
  const Position first = parse_position("5/1x3/5/3x1/x4 w");
  const Position second = parse_position("4/1x2/4/x3 b");
  UctSearch fresh(2000);
  Random random(7, Stream::kTest, 6);
  const Move expected = fresh.choose(second, random);
  UctSearch used(2000);
  Random other(7, Stream::kTest, 7);
  (void)used.choose(first, other);
  Random same(7, Stream::kTest, 6);
  EXPECT_EQ(used.choose(second, same), expected);
  const std::size_t memory = used.memory_bytes();
  for (int k = 0; k < 3; ++k) (void)used.choose(second, other);
  EXPECT_EQ(used.memory_bytes(), memory);
}

}  // namespace
}  // namespace pahtum
