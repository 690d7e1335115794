#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "env/game_rules.h"
#include "tests/env/expect_error.h"

namespace pahtum::test {
namespace {

GameConfig rules(int size, int holes, bool unequal_stones = false) {
  GameConfig config;
  config.size = size;
  config.holes = holes;
  config.unequal_stones = unequal_stones;
  return config;
}

TEST(GameConfig, ExactlyTheRulesThatMakeAGameAreAccepted) {
  for (int size = -1; size <= 12; ++size) {
    for (int holes = -2; holes <= 70; ++holes) {
      for (const bool unequal : {false, true}) {
        const bool on_board = size >= 3 && size <= 8;
        const int left = size * size - holes;
        const bool good = on_board && holes >= 0 && left >= 2 && (left % 2 == 0 || unequal);
        if (good) {
          EXPECT_NO_THROW(validate(rules(size, holes, unequal))) << size << " " << holes;
        } else {
          EXPECT_THROW(validate(rules(size, holes, unequal)), Error) << size << " " << holes;
        }
      }
    }
  }
}

TEST(GameConfig, RefusalsNameTheKeyAndWhatWouldBeRight) {
  expect_error(Fault::kRequest,
               {"game.holes", "4 holes", "odd number of squares (45 of 49)", "use an odd number"},
               [] { validate(rules(7, 4)); });
  expect_error(Fault::kRequest,
               {"game.holes", "3 holes", "(13 of 16)", "use an even number", "unequal_stones"},
               [] { validate(rules(4, 3)); });
  expect_error(Fault::kRequest, {"game.holes", "48 holes", "49 squares", "at most 47"},
               [] { validate(rules(7, 48)); });
  expect_error(Fault::kRequest, {"game.holes", "-1 holes"}, [] { validate(rules(7, -1)); });
  expect_error(Fault::kRequest, {"game.size", "9", "3 to 8"}, [] { validate(rules(9, 3)); });
}

TEST(GameConfig, StartHasExactlyItsHolesAndNothingElse) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int holes = 0; holes <= size * size - 2; ++holes) {
      for (std::uint64_t index = 0; index < 20; ++index) {
        const Position start = start_position(rules(size, holes, true), 5, Stream::kTest, index);
        ASSERT_EQ(std::popcount(start.holes), holes);
        ASSERT_EQ(start.holes & ~board_mask(size), 0u);
        ASSERT_EQ(start.white | start.black, 0u);
        ASSERT_EQ(start.size, size);
        ASSERT_EQ(start.mover, Color::kWhite);
        ASSERT_EQ(start.phase, Phase::kPlaying);
        ASSERT_EQ(start.holes_left, 0);
      }
    }
  }
}

TEST(GameConfig, EveryLayoutIsEquallyLikely) {
  // C(9, 3) = 84 layouts.
  constexpr int kDraws = 84 * 1000;
  std::map<Bitboard, int> counts;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    ++counts[start_position(rules(3, 3), 11, Stream::kTest, index).holes];
  }
  ASSERT_EQ(counts.size(), 84u);
  double chi_square = 0.0;
  for (const auto& [layout, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  // Mean 83, variance 166: within five standard deviations, not too even either.
  EXPECT_NEAR(chi_square, 83.0, 5 * std::sqrt(166.0));
}

TEST(GameConfig, EverySquareIsAHoleEquallyOften) {
  constexpr int kDraws = 49'000;
  std::map<int, int> counts;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    Bitboard holes = start_position(rules(7, 5), 12, Stream::kTest, index).holes;
    for (; holes != 0; holes &= holes - 1) ++counts[lowest_square(holes)];
  }
  ASSERT_EQ(counts.size(), 49u);
  for (const auto& [square, count] : counts) {
    EXPECT_NEAR(count, 5000, 5 * std::sqrt(kDraws * (5.0 / 49) * (44.0 / 49))) << square;
  }
}

// Made by a second implementation of the generator and of the sampling, written from their papers. A change
// here changes every recorded game.
TEST(GameConfig, LayoutsOfFixedSeedsNeverChange) {
  const auto layout = [](int size, int holes, std::uint64_t seed, Stream stream, std::uint64_t index,
                         std::uint32_t sub) {
    return to_text(start_position(rules(size, holes), seed, stream, index, sub));
  };
  EXPECT_EQ(layout(7, 5, 0, Stream::kLayout, 0, 0), "7/1x5/3x3/5x1/1x5/1x5/7 w");
  EXPECT_EQ(layout(7, 5, 0, Stream::kLayout, 1, 0), "2x4/1x5/1x5/7/2x4/4x2/7 w");
  EXPECT_EQ(layout(7, 5, 0, Stream::kLayout, 0, 1), "4x2/3x3/7/7/2x1x1x/7/7 w");
  EXPECT_EQ(layout(7, 5, 1, Stream::kLayout, 0, 0), "7/2x4/6x/3x3/7/3x3/3x3 w");
  EXPECT_EQ(layout(7, 5, 0, Stream::kEvaluationLayout, 0, 0), "7/7/6x/x6/x6/x3x2/7 w");
  EXPECT_EQ(layout(7, 13, ~std::uint64_t{0}, Stream::kLayout, (1ull << 40) + 3, (1u << 24) - 1),
            "x5x/7/1x5/xx3x1/3xx1x/1xx2x1/4x2 w");
  EXPECT_EQ(layout(8, 4, 42, Stream::kLayout, 7, 3), "6x1/8/8/8/8/4x3/1x6/3x4 w");
  EXPECT_EQ(layout(3, 3, 42, Stream::kLayout, 7, 3), "x2/2x/2x w");
  EXPECT_EQ(layout(5, 3, 42, Stream::kLayout, 7, 3), "2x2/5/5/1x3/3x1 w");
  EXPECT_EQ(layout(4, 0, 42, Stream::kLayout, 7, 3), "4/4/4/4 w");
}

TEST(GameConfig, SeedStreamGameAndEnvironmentEachChangeTheLayout) {
  const GameConfig config = rules(7, 13);
  std::set<Bitboard> layouts;
  int made = 0;
  const auto add = [&](std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t sub) {
    const Position start = start_position(config, seed, stream, index, sub);
    EXPECT_EQ(start, start_position(config, seed, stream, index, sub));
    layouts.insert(start.holes);
    ++made;
  };
  add(1, Stream::kLayout, 1, 1);
  for (std::uint32_t i = 2; i < 200; ++i) {
    add(i, Stream::kLayout, 1, 1);
    add(1, Stream::kLayout, i, 1);
    add(1, Stream::kLayout, 1, i);
    add(i, Stream::kEvaluationLayout, 1, 1);
  }
  // Among 2.6e11 layouts two alike would be a one in a million chance.
  EXPECT_EQ(layouts.size(), static_cast<std::size_t>(made));
}

TEST(GameConfig, IsDescribedForPeople) {
  EXPECT_EQ(to_text(rules(7, 5)), "7×7, 5 random holes");
}

}  // namespace
}  // namespace pahtum::test
