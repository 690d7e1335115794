#include "env/bitboard.h"

#include <gtest/gtest.h>

#include "tests/env/naive.h"

namespace pahtum::test {
namespace {

TEST(Bitboard, RunPointsFollowTheRuleAndItsClosedForm) {
  const std::vector<int> published = {0, 0, 3, 10, 25, 56, 119, 246};
  for (int length = 1; length <= 8; ++length) {
    const int points = kRunPoints[length];
    EXPECT_EQ(points, published[static_cast<std::size_t>(length - 1)]);
    EXPECT_EQ(points, naive_run_points(length));
    EXPECT_EQ(points, length < 2 ? 0 : (1 << length) - length - 2);
  }
}

TEST(Bitboard, EveryRowScoresAsCountedSquareBySquare) {
  for (unsigned row = 0; row < 256; ++row) {
    std::string line;
    for (int column = 0; column < 8; ++column) line += ((row >> column) & 1u) != 0 ? 'w' : '.';
    EXPECT_EQ(kRowPoints[row], naive_line_points(line, 'w')) << line;
  }
}

struct Line {
  std::string squares;
  int white;
};

TEST(Bitboard, SampleLinesScoreAsPublishedInEveryRowAndColumn) {
  const std::vector<Line> lines = {{"wwwwwww", 119}, {"wwbww.b", 0},  {".www.w.", 3},
                                   {"wwwbwww", 6},   {"bwwwwbb", 10}, {"bbbwwww", 10},
                                   {"bwwwwwb", 25},  {"wwwwww.", 56}, {"bwwwwww", 56}};
  for (const Line& line : lines) {
    EXPECT_EQ(naive_line_points(line.squares, 'w'), line.white) << line.squares;
    for (int place = 0; place < 7; ++place) {
      Rows across(7, ".......");
      Rows down = across;
      for (int i = 0; i < 7; ++i) {
        at(across, place, i) = line.squares[static_cast<std::size_t>(i)];
        at(down, i, place) = line.squares[static_cast<std::size_t>(i)];
      }
      EXPECT_EQ(points(position_of(across).white), line.white) << line.squares << " in row " << place;
      EXPECT_EQ(points(position_of(down).white), line.white) << line.squares << " in column " << place;
      EXPECT_EQ(row_points(position_of(across).white), line.white);
      EXPECT_EQ(row_points(position_of(down).white), 0);
    }
  }
}

struct WholeBoard {
  std::string rows;
  int white, black;
};

TEST(Bitboard, WholeBoardsScoreAsPublished) {
  const std::vector<WholeBoard> boards = {
      {"WWWWWBW/BBBWBWB/BBBWWWW/WBBBWWB/BBBWBBB/WBWBWBW/WWWWBBW", 51, 53},
      {"WWWBWBW/BBBBWBW/BBBBWWW/BWBWWWB/WWBBBWB/BWWWBWW/BWWBBBW", 45, 45},
      {"WWWWWWW/WWWWWWW/BBBWBBB/BBBWBBB/WWWWWWW/BBBWBBB/BBBWBBB", 476, 24},
      {"WBWBWWW/BBWBBBB/WWWBBBW/BWWWBBB/WWWWWBB/WBBWBBB/WWWWBBW", 85, 84},
      {"wwww.bb/......x/...xbbb/......./..xx.../www..../x...bb.", 13, 3},
  };
  for (const WholeBoard& board : boards) {
    const Rows rows = split_rows(board.rows);
    const Position position = position_of(rows);
    EXPECT_EQ(points(position.white), board.white) << board.rows;
    EXPECT_EQ(points(position.black), board.black) << board.rows;
    EXPECT_EQ(naive_points(rows, 'w'), board.white) << board.rows;
    EXPECT_EQ(naive_points(rows, 'b'), board.black) << board.rows;
  }
}

TEST(Bitboard, RandomBoardsOfEverySizeScoreAsCountedCellByCell) {
  Random random(1, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (const char* letters : {"wb", "wwwwbx", "wwwb", "wb.x", "w", "wwwwwwwx"}) {
      for (int trial = 0; trial < 500; ++trial) {
        const Rows rows = random_rows(size, letters, random);
        const Position position = position_of(rows);
        ASSERT_EQ(points(position.white), naive_points(rows, 'w')) << NaiveGame{rows}.text();
        ASSERT_EQ(points(position.black), naive_points(rows, 'b')) << NaiveGame{rows}.text();
      }
    }
  }
}

TEST(Bitboard, AFullLargestBoardScoresEveryLine) {
  EXPECT_EQ(points(~Bitboard{0}), 16 * 246);
  EXPECT_EQ(points(board_mask(3)), 6 * 3);
  EXPECT_EQ(points(0), 0);
}

TEST(Bitboard, MaskHoldsTheSquaresOfTheBoardAlone) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int square = 0; square < kMaxSquares; ++square) {
      const bool inside = square / 8 < size && square % 8 < size;
      EXPECT_EQ((board_mask(size) >> square) & 1u, inside ? 1u : 0u) << size << " " << square;
    }
  }
}

TEST(Bitboard, SquaresAreNumberedAlongTheRows) {
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int square = square_at(row, column);
      EXPECT_EQ(square, 8 * row + column);
      EXPECT_EQ(row_of(square), row);
      EXPECT_EQ(column_of(square), column);
      EXPECT_EQ(lowest_square(square_bit(square)), square);
    }
  }
}

TEST(Bitboard, TransposeAndFlipsMoveEverySquareWhereTheySay) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        const Bitboard bit = square_bit(square_at(row, column));
        EXPECT_EQ(transpose(bit), square_bit(square_at(column, row)));
        EXPECT_EQ(flip_rows(bit, size), square_bit(square_at(size - 1 - row, column)));
        EXPECT_EQ(flip_columns(bit, size), square_bit(square_at(row, size - 1 - column)));
      }
    }
  }
}

TEST(Bitboard, TransposeAndFlipsUndoThemselves) {
  Random random(2, Stream::kTest, 0);
  for (int trial = 0; trial < 5000; ++trial) {
    const int size = kMinSize + static_cast<int>(random.below(6));
    const Bitboard board = random.next64() & board_mask(size);
    ASSERT_EQ(transpose(transpose(board)), board);
    ASSERT_EQ(flip_rows(flip_rows(board, size), size), board);
    ASSERT_EQ(flip_columns(flip_columns(board, size), size), board);
    ASSERT_EQ((transpose(board) | flip_rows(board, size) | flip_columns(board, size)) & ~board_mask(size),
              0u);
  }
}

}  // namespace
}  // namespace pahtum::test
