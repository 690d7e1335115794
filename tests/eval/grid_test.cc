#include "eval/grid.h"

#include <gtest/gtest.h>

#include <string>

#include "env/base/error.h"
#include "env/game_rules.h"
#include "tests/fuzz/first_move_mind.h"

namespace pahtum {
namespace {

const std::string kSample = "-------\n------+\n---+---\n-------\n--++---\n-------\n+------\n";

std::string answer(Grid& grid, const std::string& text) {
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    all += grid.handle(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

TEST(Grid, TheContestsSampleIsReadAndAnswered) {
  const Position position = parse_grid(kSample);
  EXPECT_EQ(to_text(position), "7/6x/3x3/7/2xx3/7/x6 w");
  EXPECT_EQ(grid_text(position), kSample);
  FirstMoveMind mind;
  Grid grid(mind);
  EXPECT_EQ(answer(grid, kSample), "X" + kSample.substr(1));
  EXPECT_EQ(mind.last_turn.ply, 0);
  EXPECT_EQ(answer(grid, "\nX" + kSample.substr(1)), "XO" + kSample.substr(2)) << "boards follow each other";
  EXPECT_EQ(mind.last_turn.ply, 1);
}

TEST(Grid, RefusesWhatIsNoBoardAndGoesOn) {
  FirstMoveMind mind;
  Grid grid(mind);
  for (const char* const text : {"--\n--\n", "---\n--\n", "---\n-?-\n---\n", "O--\n---\n---\n",
                                 "XX-\n---\n---\n", "XOX\nO+O\nXOX\n"}) {
    EXPECT_THROW(static_cast<void>(answer(grid, text)), Error) << text;
    while (grid.within_board()) {
      try {
        static_cast<void>(grid.handle(""));
      } catch (const Error&) {
      }
    }
  }
  EXPECT_EQ(answer(grid, "---\n---\n---\n"), "X--\n---\n---\n");
}

TEST(Grid, BoardsOfRandomGamesComeBackAsTheyWere) {
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const GameConfig rules{.size = 3 + static_cast<std::int64_t>(index % 6), .holes = index % 2 == 0 ? 1 : 2};
    Position position = start_position(rules, 1, Stream::kTest, index);
    Random random(1, Stream::kTest, index);
    FirstMoveMind mind;
    Grid grid(mind);
    while (!position.over()) {
      ASSERT_EQ(parse_grid(grid_text(position)), position);
      ASSERT_EQ(answer(grid, grid_text(position)), grid_text(after(position, nth_legal(position, 0))));
      const auto count = static_cast<std::uint32_t>(legal_count(position));
      apply(position, nth_legal(position, static_cast<int>(random.below(count))));
    }
  }
}

}  // namespace
}  // namespace pahtum
