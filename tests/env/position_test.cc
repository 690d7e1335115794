#include "env/position.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "env/observation.h"
#include "tests/env/expect_error.h"
#include "tests/env/naive.h"

namespace pahtum::test {
namespace {

// The naive game and the position side by side, compared after every move.
void expect_same(const Position& position, const NaiveGame& game) {
  const int n = size_of(game.rows);
  ASSERT_EQ(to_text(position), game.text());
  ASSERT_EQ(parse_position(game.text()), position);
  ASSERT_EQ(phase_name(position.phase), game.phase);
  ASSERT_EQ(color_name(position.mover), game.mover == 'w' ? "white" : "black");
  ASSERT_EQ(position.over(), game.over());
  ASSERT_EQ(points(position.white), naive_points(game.rows, 'w'));
  ASSERT_EQ(points(position.black), naive_points(game.rows, 'b'));
  const bool swap = game.phase == "swapping" && !game.over();
  std::vector<int> legal = game.legal_actions();
  ASSERT_EQ(position.empty_count(), static_cast<int>(legal.size()));
  if (swap) legal.push_back(n * n);
  ASSERT_EQ(may_swap(position), swap);
  ASSERT_EQ(is_legal(position, Move::swap()), swap);
  ASSERT_EQ(legal_count(position), static_cast<int>(legal.size()));
  std::vector<int> listed;
  for_each_legal(position, [&](Move move) {
    EXPECT_EQ(nth_legal(position, static_cast<int>(listed.size())), move);
    listed.push_back(action_of(move, n));
  });
  ASSERT_EQ(listed, legal);
  for (int action = 0; action < n * n; ++action) {
    ASSERT_EQ(is_legal(position, move_of(action, n)), at(game.rows, action / n, action % n) == '.');
  }
  for (int row = 0; row < n; ++row) {
    ASSERT_EQ(board_rows(position)[static_cast<std::size_t>(row)], game.rows[static_cast<std::size_t>(row)]);
  }
}

NaiveGame empty_game(int size) {
  NaiveGame game;
  game.rows = Rows(static_cast<std::size_t>(size), std::string(static_cast<std::size_t>(size), '.'));
  return game;
}

TEST(Position, RandomGamesOfEverySizeAndOpeningFollowTheRulesPlayedOnACharacterBoard) {
  Random random(3, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (const std::string phase : {"playing", "placing", "opening"}) {
      for (int trial = 0; trial < 12; ++trial) {
        NaiveGame game = empty_game(size);
        game.phase = phase;
        game.mover = random.below(2) == 0 ? 'w' : 'b';
        if (phase != "playing") {
          game.holes_left = static_cast<int>(random.below(5)) + (phase == "placing" ? 1 : 0);
        }
        Position position = parse_position(game.text());
        ASSERT_NO_FATAL_FAILURE(expect_same(position, game));
        while (!game.over()) {
          const std::vector<int> legal = game.legal_actions();
          if (game.phase == "swapping" && random.below(2) == 0) {
            game.swap();
            apply(position, Move::swap());
          } else {
            const int action = legal[random.below(static_cast<std::uint32_t>(legal.size()))];
            game.play(action);
            position = after(position, move_of(action, size));
          }
          ASSERT_NO_FATAL_FAILURE(expect_same(position, game));
        }
      }
    }
  }
}

TEST(Position, AnyBoardSurvivesBeingPrintedAndRead) {
  Random random(4, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (const char* letters : {"wb.x", "wb", "........w", "x.", "b", "."}) {
      for (int trial = 0; trial < 50; ++trial) {
        NaiveGame game;
        game.rows = random_rows(size, letters, random);
        game.mover = random.below(2) == 0 ? 'w' : 'b';
        const int room = static_cast<int>(game.legal_actions().size());
        if (room > 0 && random.below(2) == 0) {
          game.phase = "placing";
          game.holes_left = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(room)));
        }
        ASSERT_NO_FATAL_FAILURE(expect_same(parse_position(game.text()), game));
      }
    }
  }
}

TEST(Position, SampleOfTheRulesScoresThirteenToThree) {
  const Position position = parse_position("wwww1bb/6x/3xbbb/7/2xx3/www4/x3bb1 w");
  EXPECT_EQ(points(position.white), 13);
  EXPECT_EQ(points(position.black), 3);
  EXPECT_EQ(position.white_margin(), 10);
  EXPECT_EQ(position.margin(), Margin{10});
  EXPECT_EQ(std::popcount(position.holes), 5);
  EXPECT_FALSE(position.over());
  EXPECT_EQ(to_text(position), "wwww1bb/6x/3xbbb/7/2xx3/www4/x3bb1 w");
}

TEST(Position, ResultIsForTheMover) {
  const std::string full = "WWWWWBW/BBBWBWB/BBBWWWW/WBBBWWB/BBBWBBB/WBWBWBW/WWWWBBW";
  const Rows lost = split_rows(full);
  EXPECT_EQ(outcome(position_of(lost, Color::kWhite)), Outcome::kLoss);
  EXPECT_EQ(outcome(position_of(lost, Color::kBlack)), Outcome::kWin);
  EXPECT_EQ(position_of(lost, Color::kWhite).margin(), Margin{-2});
  EXPECT_EQ(position_of(lost, Color::kBlack).margin(), Margin{2});
  const Rows drawn = split_rows("WWWBWBW/BBBBWBW/BBBBWWW/BWBWWWB/WWBBBWB/BWWWBWW/BWWBBBW");
  for (const Color mover : {Color::kWhite, Color::kBlack}) {
    EXPECT_EQ(outcome(position_of(drawn, mover)), Outcome::kDraw);
    EXPECT_EQ(Value(outcome(position_of(drawn, mover))).get(), 0.0f);
  }
  EXPECT_EQ(-Outcome::kWin, Outcome::kLoss);
  EXPECT_EQ(-Outcome::kDraw, Outcome::kDraw);
  EXPECT_EQ(-Margin{7}, Margin{-7});
  EXPECT_EQ(-Value(0.25f), Value(-0.25f));
}

TEST(Position, StartsOfTheRuleVariantsAreRead) {
  const Position placed = parse_position("7/7/7/7/7/7/7 b place=5");
  EXPECT_EQ(placed.phase, Phase::kPlacing);
  EXPECT_EQ(placed.holes_left, 5);
  EXPECT_EQ(placed.mover, Color::kBlack);
  const Position centre = parse_position("7/7/7/3x3/7/7/7 w place=4");
  EXPECT_EQ(centre.holes, square_bit(square_at(3, 3)));
  EXPECT_EQ(centre.holes_left, 4);
  EXPECT_EQ(centre.mover, Color::kWhite);
  const Position opening = parse_position("7/7/7/7/7/7/7 w open=5");
  EXPECT_EQ(opening.phase, Phase::kOpening);
  EXPECT_EQ(opening.holes_left, 5);
}

TEST(Position, WhitePlaysTheFirstStoneAfterBlacksLastHole) {
  for (const auto& [start, count] :
       {std::pair{"7/7/7/7/7/7/7 b place=5", 5}, std::pair{"7/7/7/3x3/7/7/7 w place=4", 4},
        std::pair{"7/7/7/7/7/7/7 b place=1", 1}}) {
    Position position = parse_position(start);
    Color last = Color::kWhite;
    for (int hole = 0; hole < count; ++hole) {
      EXPECT_EQ(position.phase, Phase::kPlacing);
      last = position.mover;
      apply(position, nth_legal(position, 7 * hole % legal_count(position)));
    }
    EXPECT_EQ(last, Color::kBlack) << start;
    EXPECT_EQ(position.mover, Color::kWhite) << start;
    EXPECT_EQ(position.phase, Phase::kPlaying) << start;
    EXPECT_EQ(std::popcount(position.holes), 5 - (count == 1 ? 4 : 0)) << start;
    EXPECT_EQ(position.white | position.black, 0u) << start;
  }
}

TEST(Position, OpeningPlacesHolesAndAStoneInARowThenTheOtherMaySwap) {
  Position position = parse_position("7/7/7/7/7/7/7 w open=5");
  for (const char* square : {"a7", "g1", "c3", "e5", "b2"}) {
    EXPECT_EQ(position.mover, Color::kWhite);
    apply(position, parse_move(square, 7));
  }
  EXPECT_EQ(to_text(position), "x6/7/4x2/7/2x4/1x5/6x w open=0");
  apply(position, parse_move("d4", 7));
  EXPECT_EQ(to_text(position), "x6/7/4x2/3w3/2x4/1x5/6x b swap");
  EXPECT_EQ(to_text(after(position, Move::swap())), "x6/7/4x2/3b3/2x4/1x5/6x w");
  EXPECT_EQ(to_text(after(position, parse_move("d5", 7))), "x6/7/3bx2/3w3/2x4/1x5/6x w");
}

TEST(Position, SwapIsGoneOnceTheBoardIsFull) {
  const Position position = parse_position("xxx/xwx/xxx b swap");
  EXPECT_TRUE(position.over());
  EXPECT_EQ(legal_count(position), 0);
  EXPECT_FALSE(is_legal(position, Move::swap()));
}

TEST(Position, PublishedGameEndsInThePublishedBoard) {
  std::istringstream moves(
      "d4 e4 d3 d5 d2 c2 d1 e5 e3 f4 c3 f3 b3 b2 a3 f5 c5 f6 c4 f2 "
      "c6 f1 f7 e6 c7 d6 b4 a4 b5 b6 a5 d7 g5 g4 c1 g6 b1 e2 a1 e1 e7 g2 a2 g3 g1 a6 g7 b7 a7");
  Position position = parse_position("7/7/7/7/7/7/7 w");
  int stones = 0;
  for (std::string square; moves >> square; ++stones) {
    const Move move = parse_move(square, 7);
    ASSERT_TRUE(is_legal(position, move)) << square;
    EXPECT_EQ(position.mover, stones % 2 == 0 ? Color::kWhite : Color::kBlack);
    apply(position, move);
  }
  EXPECT_EQ(stones, 49);
  EXPECT_TRUE(position.over());
  EXPECT_EQ(to_text(position), "wbwbwww/bbwbbbb/wwwbbbw/bwwwbbb/wwwwwbb/wbbwbbb/wwwwbbw b");
  EXPECT_EQ(points(position.white), 85);
  EXPECT_EQ(points(position.black), 84);
  EXPECT_EQ(outcome(position), Outcome::kLoss);
}

struct BadText {
  std::string text;
  std::vector<std::string> parts;
};

TEST(Position, WrongTextIsRefusedWithWhatIsWrong) {
  const std::vector<BadText> texts = {
      {"", {"is empty"}},
      {"7/7/7/7/7/7/8 w", {"rank 1", "\"8\"", "too long", "7 squares"}},
      {"7/7/7/7/7/7/6 w", {"rank 1", "\"6\"", "too short", "6 of 7"}},
      {"7/7/wwwwwwww/7/7/7/7 w", {"rank 5", "too long"}},
      {"7/7/3x2/7/7/7/7 w", {"rank 5", "\"3x2\"", "too short"}},
      {"7/7//7/7/7/7 w", {"rank 5", "too short", "0 of 7"}},
      {"7/7/7/7/7/7/7/ w", {"rank 8", "too short"}},
      {"8/8/8/8/8/8/8/8/8 w", {"9 ranks", "3 to 8"}},
      {"2/2 w", {"2 ranks", "3 to 8"}},
      {"w", {"1 ranks", "3 to 8"}},
      {"7/7/3k3/7/7/7/7 w", {"rank 5", "unknown letter 'k'"}},
      {"7/7/3W3/7/7/7/7 w", {"rank 5", "unknown letter 'W'"}},
      {"7/7/7/7/7/7/9 w", {"rank 1", "unknown letter '9'"}},
      {"7/7/7/7/7/7/07 w", {"rank 1", "unknown letter '0'"}},
      {"7/7/3é3/7/7/7/7 w", {"rank 5", "unknown letter 'é'"}},
      {"7/7/7/7/7/7/7", {"the mover is missing", "`w` or `b`"}},
      {"7/7/7/7/7/7/7 ", {"the mover is missing"}},
      {"7/7/7/7/7/7/7 x", {"\"x\" is not a mover", "`w` or `b`"}},
      {"7/7/7/7/7/7/7 white", {"\"white\" is not a mover"}},
      {"7/7/7/7/7/7/7 place=5", {"\"place=5\" is not a mover"}},
      {"7/7/7/7/7/7/7 b place=50", {"\"place=50\"", "49 empty squares"}},
      {"www/bbb/2x b place=3", {"\"place=3\"", "2 empty squares"}},
      {"7/7/7/7/7/7/7 b place=99999999999999999999", {"49 empty squares"}},
      {"7/7/7/7/7/7/7 b place=4294967295", {"49 empty squares"}},
      {"7/7/7/7/7/7/7 b place=0", {"place=K"}},
      {"7/7/7/7/7/7/7 b place=", {"place=K"}},
      {"7/7/7/7/7/7/7 b place=-1", {"place=K"}},
      {"7/7/7/7/7/7/7 b place=5x", {"place=K"}},
      {"7/7/7/7/7/7/7 w open=49", {"\"open=49\"", "49 empty squares"}},
      {"7/7/7/3w3/7/7/7 w open=5", {"`open=K`", "without stones"}},
      {"7/7/7/7/7/7/7 w Swap", {"\"Swap\" is not a phase", "swap"}},
      {"7/7/7/7/7/7/7 w ", {"is not a phase"}},
      {"7/7/7/7/7/7/7 b swap", {"`swap`", "exactly one stone"}},
      {"7/7/7/2wb3/7/7/7 b swap", {"`swap`", "exactly one stone"}},
      {"7/7/7/3w3/7/7/7 b swap extra", {"\"extra\"", "too much"}},
      {"7/7/7/7/7/7/7 b place=3 open=3", {"\"open=3\"", "too much"}},
      {"7/7/7/3w3/7/7/7 b place=3 swap", {"`place=K swap`", "without stones"}},
      {"3/3/3 b place=9 swap", {"`place=K swap`", "no square"}},
      {"3/3/3 b place=4 swap swap", {"\"swap\"", "too much"}},
      {"3/3/3 b open=4 swap", {"\"swap\"", "too much"}},
  };
  for (const BadText& bad : texts) {
    SCOPED_TRACE(bad.text);
    expect_error(Fault::kRequest, {"position \"" + bad.text + "\""},
                 [&] { static_cast<void>(parse_position(bad.text)); });
    for (const std::string& part : bad.parts) {
      expect_error(Fault::kRequest, {part}, [&] { static_cast<void>(parse_position(bad.text)); });
    }
  }
}

TEST(Position, LargestCountsOfHolesAreAccepted) {
  EXPECT_EQ(parse_position("7/7/7/7/7/7/7 b place=49").holes_left, 49);
  EXPECT_EQ(parse_position("7/7/7/7/7/7/7 w open=48").holes_left, 48);
  EXPECT_EQ(parse_position("8/8/8/8/8/8/8/8 w place=64").holes_left, 64);
}

TEST(Position, EmptySquaresMayBeWrittenInSeveralDigits) {
  EXPECT_EQ(parse_position("1111111/34/7/7/7/7/7 w"), parse_position("7/7/7/7/7/7/7 w"));
}

TEST(Position, SquaresAreNamedFromTheBottomLeft) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int action = 0; action < size * size; ++action) {
      const std::string name = naive_square(action, size);
      const Move move = Move::at(8 * (action / size) + action % size);
      EXPECT_EQ(to_text(move, size), name);
      EXPECT_EQ(parse_move(name, size), move);
    }
    EXPECT_EQ(parse_move("swap", size), Move::swap());
    EXPECT_EQ(to_text(Move::swap(), size), "swap");
  }
  EXPECT_EQ(parse_move("a7", 7), Move::at(0));
  EXPECT_EQ(parse_move("g1", 7), Move::at(54));
}

TEST(Position, WrongSquaresAreRefusedWithTheSquaresOfTheBoard) {
  for (const char* text :
       {"", "a", "a0", "a8", "h1", "A1", "11", "aa", "a1 ", "a10", "swap ", "Swap", "`1", "a:"}) {
    SCOPED_TRACE(text);
    expect_error(Fault::kRequest, {"move \"" + std::string(text) + "\"", "a1 … g7", "`swap`"},
                 [&] { static_cast<void>(parse_move(text, 7)); });
  }
  expect_error(Fault::kRequest, {"a1 … c3"}, [] { static_cast<void>(parse_move("d1", 3)); });
}

TEST(Position, HashTellsPositionsApart) {
  const std::vector<std::string> texts = {
      "7/7/7/7/7/7/7 w",         "7/7/7/7/7/7/7 b",        "x6/7/7/7/7/7/7 w",
      "w6/7/7/7/7/7/7 w",        "b6/7/7/7/7/7/7 w",       "b6/7/7/7/7/7/7 b",
      "b6/7/7/7/7/7/7 b swap",   "w6/7/7/7/7/7/7 b swap",  "7/7/7/7/7/7/7 w place=1",
      "7/7/7/7/7/7/7 w place=2", "7/7/7/7/7/7/7 w open=1", "7/7/7/7/7/7/7 w open=2",
      "8/8/8/8/8/8/8/8 w",       "6/6/6/6/6/6 w",          "7/7/7/7/7/7/6x w",
      "1x5/7/7/7/7/7/7 w",       "7/x6/7/7/7/7/7 w",       "7/7/7/7/7/7/7 b place=1",
  };
  std::set<std::uint64_t> hashes;
  for (const std::string& text : texts) {
    hashes.insert(hash(parse_position(text)));
    EXPECT_EQ(hash(parse_position(text)), hash(parse_position(text)));
  }
  EXPECT_EQ(hashes.size(), texts.size());
}

TEST(Position, HashSpreadsNeighbouringPositionsOverAllBits) {
  const Position base = parse_position("8/8/8/8/8/8/8/8 w");
  int flipped = 0;
  for (int square = 0; square < kMaxSquares; ++square) {
    flipped += std::popcount(hash(base) ^ hash(after(base, Move::at(square))));
  }
  EXPECT_NEAR(flipped / 64.0, 32.0, 3.0);
}

TEST(Position, SwappingColorsExchangesStonesAndMoverAndUndoesItself) {
  Random random(5, Stream::kTest, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const int size = kMinSize + static_cast<int>(random.below(6));
    NaiveGame game;
    game.rows = random_rows(size, "wb.x", random);
    const Position position = parse_position(game.text());
    game.swap();
    const Position swapped = swap_colors(position);
    ASSERT_EQ(to_text(swapped), game.text());
    ASSERT_EQ(swap_colors(swapped), position);
    ASSERT_EQ(swapped.margin(), position.margin());
    ASSERT_EQ(swapped.white_margin(), -position.white_margin());
  }
}

}  // namespace
}  // namespace pahtum::test
