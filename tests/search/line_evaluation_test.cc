#include "search/line_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "env/game_rules.h"
#include "env/symmetry.h"
#include "search/line_regions.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

Position some_position(int size, std::uint64_t index) {
  Random random(31, Stream::kTest, index);
  const Position start =
      start_position({.size = size, .holes = 2, .unequal_stones = true}, 31, Stream::kTest, index);
  const auto empty = static_cast<int>(random.below(static_cast<std::uint32_t>(size * size - 3)));
  return naive::random_position(start, empty + 1, random);
}

// By the text of every line, cut square by square.
double naive_sum(const LineWeights& weights, const Position& position) {
  const LineWeights::Phase& phase = weights.phases[LineWeights::phase_of(position.empty_count())];
  const int size = position.size;
  const double side = position.mover == Color::kWhite ? 1.0 : -1.0;
  const auto rows = board_rows(position);
  double sum = phase.to_move;
  for (int number = 0; number < 2 * size; ++number) {
    std::string line;
    for (int k = 0; k < size; ++k) {
      line += rows[static_cast<std::size_t>(number < size ? number : k)]
                  [static_cast<std::size_t>(number < size ? k : number - size)];
    }
    std::string region;
    for (const char square : line + "x") {
      const bool unlike = !region.empty() && region.back() != '.' && square != '.' && region.back() != square;
      if (square == 'x' || unlike) {
        const RegionKinds::Found found = RegionKinds::all().find(region);
        if (found.kind != RegionKinds::kNone) {
          const LineWeights::Kind& kind = phase.kinds[static_cast<std::size_t>(found.kind)];
          sum += side * found.sign * kind.balance + kind.tempo;
        }
        region.clear();
      }
      if (square != 'x') region += square;
    }
  }
  return sum;
}

TEST(LineEvaluation, IsTheSumOverAllLines) {
  for (std::uint64_t index = 0; index < 120; ++index) {
    const int size = 3 + static_cast<int>(index % 6);
    const Position position = some_position(size, index);
    const auto evaluation = LineEvaluation::of(kRunPoints, size);
    const double expected = LineEvaluation::kWin * naive_sum(LineWeights::shipped(), position);
    // Each of up to 16 lines and the term beside them is rounded.
    EXPECT_NEAR(evaluation->evaluate(position), expected, 8.5 + 1e-6) << to_text(position);
  }
}

TEST(LineEvaluation, SeesNoDifferenceBetweenSymmetricPositionsAndBetweenColours) {
  for (std::uint64_t index = 0; index < 60; ++index) {
    const int size = 3 + static_cast<int>(index % 6);
    const Position position = some_position(size, index);
    const auto evaluation = LineEvaluation::of(kRunPoints, size);
    const int value = evaluation->evaluate(position);
    for (int symmetry = 1; symmetry < kSymmetries; ++symmetry) {
      ASSERT_EQ(evaluation->evaluate(apply_symmetry(position, symmetry)), value) << to_text(position);
    }
    ASSERT_EQ(evaluation->evaluate(swap_colors(position)), value) << to_text(position);
  }
}

TEST(LineEvaluation, ExchangingTheStonesNegatesWhatIsNoTempo) {
  LineWeights weights = LineWeights::shipped();
  for (LineWeights::Phase& phase : weights.phases) {
    phase.to_move = 0.0;
    for (LineWeights::Kind& kind : phase.kinds) kind.tempo = 0.0;
  }
  const LineEvaluation evaluation(weights, 7);
  for (std::uint64_t index = 0; index < 40; ++index) {
    Position position = some_position(7, index);
    const int value = evaluation.evaluate(position);
    position.mover = opponent(position.mover);
    ASSERT_EQ(evaluation.evaluate(position), -value) << to_text(position);
  }
}

TEST(LineEvaluation, OtherPointsAreExpectedPoints) {
  constexpr RunPoints kPairs{{0, 2, 3, 10, 25, 56, 119, 246}};
  const auto evaluation = LineEvaluation::of(kPairs, 3);
  // Two stones beside each other make 2 points, those in a line of three with an empty square half of 3 more
  // than that, and nothing else on the board can make any for sure.
  const int sure = evaluation->evaluate(parse_position("wwx/xxx/x1x w"));
  EXPECT_NEAR(sure, 2 * LineEvaluation::kWin / 20.0, 1.0);
  const int open = evaluation->evaluate(parse_position("ww1/xxx/xxx w"));
  EXPECT_NEAR(open, 2.5 * LineEvaluation::kWin / 20.0, 1.0);
  EXPECT_EQ(evaluation->evaluate(parse_position("ww1/xxx/xxx b")), -open);
  // The largest points there are fit into the tables.
  constexpr RunPoints kLarge{{0, 0, 0, 0, 0, 0, 0, 10'000}};
  const auto large = LineEvaluation::of(kLarge, 8);
  EXPECT_GT(large->evaluate(parse_position("wwwwwwww/8/8/8/8/8/8/8 w")),
            large->evaluate(parse_position("wwwwwww1/8/8/8/8/8/8/8 w")));
}

}  // namespace
}  // namespace pahtum
