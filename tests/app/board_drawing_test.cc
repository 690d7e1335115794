#include "app/board_drawing.h"

#include <gtest/gtest.h>

#include <string>

#include "env/base/random.h"
#include "env/game_rules.h"
#include "env/random_move.h"

namespace pahtum {
namespace {

std::string drawn(const std::string& position, std::optional<Move> last = std::nullopt, bool color = false) {
  const Position parsed = parse_position(position);
  return board_text(parsed, {.last = last, .scoring = scoring_stones(parsed)}, color);
}

std::string without_codes(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\x1b') {
      k = text.find('m', k);
    } else {
      out += text[k];
    }
  }
  return out;
}

// Lines as they would be without the spaces that colours fill.
std::string trimmed_lines(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += c;
  }
  return out;
}

TEST(BoardDrawing, ThreeByThree) {
  EXPECT_EQ(drawn("w2/1x1/2b w", parse_move("c1", 3)),
            "3  w  .  .\n"
            "2  .  x  .\n"
            "1  .  . (b)\n"
            "   a  b  c\n");
  EXPECT_EQ(drawn("www/xxx/bwb b"),
            "3  W  W  W\n"
            "2  x  x  x\n"
            "1  b  w  b\n"
            "   a  b  c\n");
}

TEST(BoardDrawing, SevenBySevenWithRunsAndLastMove) {
  EXPECT_EQ(drawn("wwww1bb/6x/3xbbb/7/2xx3/www4/x3bb1 w", parse_move("b2", 7)),
            "7  W  W  W  W  .  b  b\n"
            "6  .  .  .  .  .  .  x\n"
            "5  .  .  .  x  B  B  B\n"
            "4  .  .  .  .  .  .  .\n"
            "3  .  .  x  x  .  .  .\n"
            "2  W (W) W  .  .  .  .\n"
            "1  x  .  .  .  b  b  .\n"
            "   a  b  c  d  e  f  g\n");
}

TEST(BoardDrawing, EightByEightDown) {
  EXPECT_EQ(drawn("b7/b7/b7/8/8/8/7x/xwww4 b"),
            "8  B  .  .  .  .  .  .  .\n"
            "7  B  .  .  .  .  .  .  .\n"
            "6  B  .  .  .  .  .  .  .\n"
            "5  .  .  .  .  .  .  .  .\n"
            "4  .  .  .  .  .  .  .  .\n"
            "3  .  .  .  .  .  .  .  .\n"
            "2  .  .  .  .  .  .  .  x\n"
            "1  x  W  W  W  .  .  .  .\n"
            "   a  b  c  d  e  f  g  h\n");
}

TEST(BoardDrawing, EveryPhase) {
  EXPECT_EQ(drawn("3/3/x2 b place=2", parse_move("a1", 3)),
            "3  .  .  .\n2  .  .  .\n1 (x) .  .\n   a  b  c\n");
  EXPECT_EQ(drawn("3/1x1/3 w open=0"), "3  .  .  .\n2  .  x  .\n1  .  .  .\n   a  b  c\n");
  EXPECT_EQ(drawn("3/1xw/3 b swap", parse_move("c2", 3)),
            "3  .  .  .\n2  .  x (w)\n1  .  .  .\n   a  b  c\n");
  EXPECT_EQ(drawn("3/1xb/3 w", Move::swap()), "3  .  .  .\n2  .  x  b\n1  .  .  .\n   a  b  c\n");
}

TEST(BoardDrawing, InColor) {
  EXPECT_EQ(drawn("www/1x1/2b w", parse_move("c1", 3), true),
            "3 \x1b[4;30;47m W \x1b[0m\x1b[4;30;47m W \x1b[0m\x1b[4;30;47m W \x1b[0m\n"
            "2  . \x1b[2m x \x1b[0m .\n"
            "1  .  . \x1b[97;44m(b)\x1b[0m\n"
            "   a  b  c\n");
}

TEST(BoardDrawing, NotesStandOnEmptySquares) {
  const Position position = parse_position("w2/1x1/2b w");
  BoardMarks marks;
  marks.notes[static_cast<std::size_t>(parse_move("b3", 3).square())] = "<1";
  marks.notes[static_cast<std::size_t>(parse_move("c2", 3).square())] = "100";
  marks.best = square_bit(parse_move("c2", 3).square());
  EXPECT_EQ(board_text(position, marks, false),
            "3   w   <1  .\n"
            "2   .   x  100\n"
            "1   .   .   b\n"
            "    a   b   c\n");
  EXPECT_NE(board_text(position, marks, true).find("\x1b[1;32m100\x1b[0m"), std::string::npos);
}

// Nothing is said by colour alone; runs add up to the points.
TEST(BoardDrawing, ColorsChangeNoCharacterAndRunsGiveThePoints) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (std::uint64_t game = 0; game < 20; ++game) {
      Position position =
          start_position({.size = size, .holes = size % 2 == 1 ? 3 : 2}, 1, Stream::kTest, game);
      Random random(1, Stream::kTest, game, 1);
      std::optional<Move> last;
      while (true) {
        const BoardMarks marks{.last = last, .scoring = scoring_stones(position)};
        const std::string plain = board_text(position, marks, false);
        ASSERT_EQ(trimmed_lines(without_codes(board_text(position, marks, true))), plain);
        ASSERT_EQ(plain.find('\x1b'), std::string::npos);
        for (const Color color : {Color::kWhite, Color::kBlack}) {
          int sum = 0;
          for (const ScoringRun& run : scoring_runs(position, color)) sum += run.points;
          ASSERT_EQ(sum, position.points_of(color));
        }
        if (position.over()) break;
        last = random_move(position, random);
        apply(position, *last);
      }
    }
  }
}

TEST(BoardDrawing, OtherPointsMakeOtherRuns) {
  Position position = parse_position("ww1/xxx/3 w");
  EXPECT_TRUE(scoring_runs(position, Color::kWhite).empty());
  position.run_points = parse_run_points("0,5,6,7,8,9,10,11");
  ASSERT_EQ(scoring_runs(position, Color::kWhite).size(), 1u);
  EXPECT_EQ(to_text(scoring_runs(position, Color::kWhite).front(), 3), "a3-b3 5");
  EXPECT_EQ(to_text(scoring_runs(parse_position("b2/b2/b2 w"), Color::kBlack).front(), 3), "a1-a3 3");
}

TEST(BoardDrawing, WidthOnTheScreen) {
  EXPECT_EQ(screen_width("a7×7"), 4);
  EXPECT_EQ(screen_width("\x1b[1;32m100\x1b[0m "), 4);
}

}  // namespace
}  // namespace pahtum
