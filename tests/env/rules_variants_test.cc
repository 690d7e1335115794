#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "env/game_rules.h"
#include "env/observation.h"
#include "tests/env/expect_error.h"
#include "tests/env/naive.h"
#include "tests/env/naive_rules.h"

namespace pahtum::test {
namespace {

GameConfig rules(HoleMode mode, int size, const HoleCounts& holes, bool swap = false) {
  GameConfig config;
  config.size = size;
  config.holes = holes;
  config.hole_mode = mode;
  config.swap = swap;
  return config;
}
GameConfig with_layouts(int size, const std::vector<std::string>& layouts) {
  GameConfig config;
  config.size = size;
  config.layouts = layouts;
  return config;
}
std::string start_text(const GameConfig& config, std::uint64_t index = 0) {
  return to_text(start_position(config, 42, Stream::kLayout, index, 3));
}

TEST(HoleCounts, AreReadAndWritten) {
  EXPECT_EQ(HoleCounts::parse("5"), HoleCounts(5));
  EXPECT_EQ(HoleCounts::parse("0"), HoleCounts(0));
  EXPECT_EQ(HoleCounts::parse("62"), HoleCounts(62));
  EXPECT_EQ(HoleCounts::parse("3,5,7"), (HoleCounts{{3, 1.0}, {5, 1.0}, {7, 1.0}}));
  EXPECT_EQ(HoleCounts::parse("3:1,5:2"), (HoleCounts{{3, 1.0}, {5, 2.0}}));
  EXPECT_EQ(HoleCounts::parse("13:0.25,5"), (HoleCounts{{13, 0.25}, {5, 1.0}}));
  EXPECT_EQ(HoleCounts::parse("13:1e-3,5").choices()[0].weight, 0.001);
  EXPECT_EQ(HoleCounts::parse("7,3,13").most(), 13);
  EXPECT_EQ(HoleCounts::parse("7,3,13").fewest(), 3);
  for (const char* text : {"5", "3,5,7", "3:1,5:2", "13:0.25,5:1", "0,62"}) {
    EXPECT_EQ(HoleCounts::parse(text).text(), text);
  }
  const HoleCounts third{{3, 1.0 / 3}, {5, 0.1}};
  EXPECT_EQ(HoleCounts::parse(third.text()), third) << "no digit of a weight is lost";
}

TEST(HoleCounts, WhatIsNoneIsRefusedByName) {
  for (const char* text :
       {"", ",", "5,", ",5", "a", "5;7", "5 7", "+5", "5.5", "0x5", "99999999999999999999"}) {
    expect_error(Fault::kRequest, {"\"" + std::string(text) + "\"", "number"},
                 [&] { return HoleCounts::parse(text); });
  }
  for (const char* text : {"3:0", "3:-1", "3:inf", "3:nan", "3:1e999", "3:", "3:x", "3:1:2", "3:0x10"}) {
    expect_error(Fault::kRequest, {"\"" + std::string(text) + "\"", "weight", "above 0"},
                 [&] { return HoleCounts::parse(text); });
  }
  expect_error(Fault::kRequest, {"3 holes twice"}, [] { return HoleCounts::parse("3,5,3"); });
  expect_error(Fault::kRequest, {"63 holes", "0 to 62"}, [] { return HoleCounts::parse("63"); });
  expect_error(Fault::kRequest, {"-1 holes", "0 to 62"}, [] { return HoleCounts::parse("5,-1"); });
}

TEST(RunPointsText, AreReadAndWritten) {
  EXPECT_EQ(to_text(kRunPoints), "0,0,3,10,25,56,119,246");
  EXPECT_EQ(parse_run_points("0,0,3,10,25,56,119,246"), kRunPoints);
  const RunPoints table{{1, 2, 4, 8, 16, 0, 10000, 5}};
  EXPECT_EQ(parse_run_points("1,2,4,8,16,0,10000,5"), table);
  EXPECT_EQ(parse_run_points(to_text(table)), table);
  for (int length = 0; length <= kMaxSize; ++length) {
    EXPECT_EQ(kRunPoints[length], naive_run_points(length)) << length;
  }
}

TEST(RunPointsText, WhatIsNoTableIsRefusedByName) {
  for (const char* text : {"", "0", "0,0,3,10,25,56,119", "0,0,3,10,25,56,119,246,501", "0,0,3,10,25,56,119,",
                           "0,0,3,10,25,56,119,x", "0,0,3,10,25,56,119,-1", "0,0,3,10,25,56,119,10001",
                           "0,0,3,10,25,56,119,1.5", "0,0,3,10,25,56,119,65536", "0;0;3;10;25;56;119;246"}) {
    expect_error(Fault::kRequest, {"\"" + std::string(text) + "\"", "eight"},
                 [&] { return parse_run_points(text); });
  }
}

TEST(Layouts, AreReadAsSquaresAndAsBoards) {
  Random random(50, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int trial = 0; trial < 40; ++trial) {
      const Rows rows = random_rows(size, trial < 20 ? "x..." : "xxx.", random);
      NaiveGame game;
      game.rows = rows;
      const std::string board = game.text().substr(0, game.text().find(' '));
      std::vector<std::string> squares;
      for (int action = 0; action < size * size; ++action) {
        if (at(rows, action / size, action % size) == 'x') squares.push_back(naive_square(action, size));
      }
      const Bitboard holes = position_of(rows).holes;
      EXPECT_EQ(parse_layout(board, size), holes) << board;
      if (squares.empty()) continue;
      random.shuffle(std::span(squares));
      std::string list;
      for (const std::string& square : squares) list += (list.empty() ? "" : ",") + square;
      EXPECT_EQ(parse_layout(list, size), holes) << list;
    }
  }
}

TEST(Layouts, WhatIsNoneIsRefusedByName) {
  for (const char* text :
       {"h1", "a8", "a0", "c4,h4", "c4;d4", "", "c4,", "4c", "swap", "c4,swap", "c44", "x"}) {
    expect_error(Fault::kRequest, {"\"" + std::string(text) + "\"", "square"},
                 [&] { return parse_layout(text, 7); });
  }
  expect_error(Fault::kRequest, {"c4,d4,c4", "c4 twice"}, [] { return parse_layout("c4,d4,c4", 7); });
  for (const char* text : {"7/7/7/2xw3/7/7/7", "7/7/7/2xb3/7/7/7"}) {
    expect_error(Fault::kRequest, {text, "stones"}, [&] { return parse_layout(text, 7); });
  }
  for (const char* text :
       {"7/7/7/7/7/7", "7/7/7/7/7/7/7/7", "7/7/7/8/7/7/7", "7/7/7/6/7/7/7", "7/7/7/2xy3/7/7/7",
        "7/7/7/7/7/7/7 w", "7/7/7/7/7/7/", "8/8/8/8/8/8/8/8", "6/6/6/6/6/6"}) {
    expect_error(Fault::kRequest, {text}, [&] { return parse_layout(text, 7); });
  }
}

class LayoutFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("layouts-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(LayoutFiles, AreReplacedByTheirLinesInPlace) {
  write("some.txt", "# ours\n\nc4,d4,e5  # three\n   7/7/7/2xx2x/7/7/7\r\n#x\na1");
  GameConfig config = with_layouts(7, {"b2", "@some.txt", "c3", "@" + (folder_ / "some.txt").string()});
  expand_layout_files(config, folder_);
  const std::vector<std::string> lines = {"c4,d4,e5", "7/7/7/2xx2x/7/7/7", "a1"};
  std::vector<std::string> expected = {"b2"};
  expected.insert(expected.end(), lines.begin(), lines.end());
  expected.emplace_back("c3");
  expected.insert(expected.end(), lines.begin(), lines.end());
  EXPECT_EQ(config.layouts, expected);
  EXPECT_NO_THROW(validate(config));
  const GameConfig before = config;
  expand_layout_files(config, folder_);
  EXPECT_EQ(config, before);
}

TEST_F(LayoutFiles, ThatCannotBeReadOrHoldNothingAreNamed) {
  write("none.txt", "# nothing\n\n   \n");
  for (const char* name : {"missing.txt", "none.txt", "."}) {
    GameConfig config = with_layouts(7, {"@" + std::string(name)});
    expect_error(Fault::kRequest, {(folder_ / name).string()}, [&] { expand_layout_files(config, folder_); });
  }
}

TEST(RulesVariants, WhatMakesNoGameIsRefusedByItsKey) {
  const auto refuse = [](std::initializer_list<std::string_view> parts, const GameConfig& config) {
    expect_error(Fault::kRequest, parts, [&] { validate(config); });
    expect_error(Fault::kRequest, parts, [&] { GameRules{config}; });
  };
  for (const HoleMode mode : kHoleModes) {
    const bool swap = mode == HoleMode::kPlaced;
    refuse({"game.holes", "4 holes", "odd number of squares (45 of 49)", "unequal_stones"},
           rules(mode, 7, 4, swap));
    refuse({"game.holes", "6 holes", "odd number"}, rules(mode, 7, {{5, 1.0}, {6, 1.0}}, swap));
    refuse({"game.holes", "49"}, rules(mode, 7, 49));
    refuse({"game.size", "3 to 8"}, rules(mode, 2, 1));
    refuse({"game.size", "3 to 8"}, rules(mode, 9, 1));
  }
  refuse({"game.holes", "49 squares", "at most 47"}, rules(HoleMode::kRandom, 7, {{5, 1.0}, {49, 1.0}}));
  refuse({"game.hole_mode", "centre", "6×6"}, rules(HoleMode::kCentre, 6, 2));
  GameConfig config = rules(HoleMode::kCentre, 7, 0);
  config.unequal_stones = true;
  refuse({"game.holes", "centre", "at least 1"}, config);
  config.holes = {{1, 1.0}, {0, 1.0}};
  refuse({"game.holes", "centre", "at least 1"}, config);
  for (const HoleMode mode : {HoleMode::kPlaced, HoleMode::kCentre, HoleMode::kOpening}) {
    config = with_layouts(7, {"c4"});
    config.hole_mode = mode;
    refuse({"game.layouts", "hole_mode", std::string(hole_mode_name(mode))}, config);
  }
  refuse({"game.layouts", "\"c4,d4\"", "odd number"}, with_layouts(7, {"a1", "c4,d4"}));
  refuse({"game.layouts", "\"h1\""}, with_layouts(7, {"a1", "h1"}));
  refuse({"game.layouts", "xxx/xxx/xx1", "at most 7"}, with_layouts(3, {"xxx/xxx/xx1"}));
  config = rules(HoleMode::kRandom, 7, 5);
  config.run_points.by_length[2] = 10'001;
  refuse({"game.run_points", "10001", "10000"}, config);
  config.run_points.by_length[2] = 10'000;
  EXPECT_NO_THROW(validate(config));
}

// The header of HoleCounts asks for positive finite weights; a caller who builds one by hand can break that.
TEST(RulesVariants, WeightsThatAreNoneAreRefused) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double weight : {0.0, -1.0, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    const GameConfig config = rules(HoleMode::kRandom, 7, {{3, weight}, {5, 1.0}});
    expect_error(Fault::kRequest, {"game.holes", "weight"}, [&] { validate(config); });
  }
}

TEST(RulesVariants, StartsAreThoseOfTheRules) {
  EXPECT_EQ(start_text(rules(HoleMode::kPlaced, 7, 5)), "7/7/7/7/7/7/7 b place=5");
  EXPECT_EQ(start_text(rules(HoleMode::kCentre, 7, 5)), "7/7/7/3x3/7/7/7 w place=4");
  EXPECT_EQ(start_text(rules(HoleMode::kOpening, 7, 5)), "7/7/7/7/7/7/7 w open=5");
  EXPECT_EQ(start_text(rules(HoleMode::kPlaced, 6, 4)), "6/6/6/6/6/6 w place=4");
  EXPECT_EQ(start_text(rules(HoleMode::kPlaced, 7, 5, true)), "7/7/7/7/7/7/7 b place=5 swap");
  EXPECT_EQ(start_text(rules(HoleMode::kCentre, 5, 3, true)), "5/5/2x2/5/5 w place=2 swap");
  EXPECT_EQ(start_text(rules(HoleMode::kCentre, 5, 1)), "5/5/2x2/5/5 w");
  EXPECT_EQ(start_text(rules(HoleMode::kCentre, 5, 1, true)), "5/5/2x2/5/5 w open=0");
  EXPECT_EQ(start_text(rules(HoleMode::kPlaced, 4, 0)), "4/4/4/4 w");
  EXPECT_EQ(start_text(rules(HoleMode::kRandom, 4, 0, true)), "4/4/4/4 w open=0");
  EXPECT_EQ(start_text(rules(HoleMode::kOpening, 4, 0)), "4/4/4/4 w open=0");
  GameConfig unequal = rules(HoleMode::kRandom, 7, 0);
  unequal.unequal_stones = true;
  EXPECT_EQ(start_text(unequal), "7/7/7/7/7/7/7 w");
  unequal.hole_mode = HoleMode::kPlaced;
  unequal.holes = 4;
  EXPECT_EQ(start_text(unequal), "7/7/7/7/7/7/7 w place=4");
  EXPECT_EQ(start_text(with_layouts(7, {"a7,b6,g1"})), "x6/1x5/7/7/7/7/6x w");
}

TEST(RulesVariants, WithoutHolesAndWithUnequalStonesWhiteHasTheFirstAndTheLastMove) {
  GameConfig config = rules(HoleMode::kRandom, 7, 0);
  config.unequal_stones = true;
  Position position = start_position(config, 1, Stream::kLayout, 0);
  Color last = Color::kBlack;
  while (!position.over()) {
    EXPECT_NE(position.mover, last);
    last = position.mover;
    apply(position, nth_legal(position, 0));
  }
  EXPECT_EQ(last, Color::kWhite);
  EXPECT_EQ(std::popcount(position.white), 25);
  EXPECT_EQ(std::popcount(position.black), 24);
}

// A made game move by move: text after each of the moves.
void expect_texts(Position position, const std::vector<std::pair<std::string, std::string>>& moves) {
  for (const auto& [move, text] : moves) {
    const Move parsed = parse_move(move, position.size);
    ASSERT_TRUE(is_legal(position, parsed)) << move;
    apply(position, parsed);
    EXPECT_EQ(to_text(position), text) << move;
  }
}

TEST(RulesVariants, ThePieRuleRecoloursTheOneStoneAndPassesTheTurn) {
  GameConfig config = with_layouts(3, {"a3"});
  config.swap = true;
  const Position start = start_position(config, 1, Stream::kLayout, 0);
  EXPECT_EQ(to_text(start), "x2/3/3 w open=0");
  EXPECT_FALSE(may_swap(start));
  expect_texts(start, {{"b2", "x2/1w1/3 b swap"}, {"swap", "x2/1b1/3 w"}, {"c3", "x1w/1b1/3 b"}});
  expect_texts(start, {{"b2", "x2/1w1/3 b swap"}, {"c3", "x1b/1w1/3 w"}, {"a1", "x1b/1w1/w2 b"}});
  for (const bool swapped : {false, true}) {
    Position position = after(start, parse_move("b2", 3));
    ASSERT_TRUE(may_swap(position));
    apply(position, swapped ? Move::swap() : parse_move("a2", 3));
    while (!position.over()) {
      EXPECT_FALSE(may_swap(position)) << "only once";
      apply(position, nth_legal(position, 0));
    }
    EXPECT_EQ(std::popcount(position.white), 4);
    EXPECT_EQ(std::popcount(position.black), 4);
  }
}

TEST(RulesVariants, ThePieRuleFollowsPlacedHoles) {
  expect_texts(start_position(rules(HoleMode::kPlaced, 3, 3, true), 1, Stream::kLayout, 0),
               {{"a1", "3/3/x2 w place=2 swap"},
                {"a2", "3/x2/x2 b place=1 swap"},
                {"a3", "x2/x2/x2 w open=0"},
                {"b3", "xw1/x2/x2 b swap"},
                {"swap", "xb1/x2/x2 w"},
                {"c3", "xbw/x2/x2 b"}});
  expect_texts(start_position(rules(HoleMode::kCentre, 3, 3, true), 1, Stream::kLayout, 0),
               {{"a1", "3/1x1/x2 b place=1 swap"},
                {"c3", "2x/1x1/x2 w open=0"},
                {"a3", "w1x/1x1/x2 b swap"},
                {"b3", "wbx/1x1/x2 w"}});
  expect_texts(start_position(rules(HoleMode::kPlaced, 3, 1), 1, Stream::kLayout, 0),
               {{"a1", "3/3/x2 w"}, {"a2", "3/w2/x2 b"}, {"a3", "b2/w2/x2 w"}});
  expect_texts(start_position(rules(HoleMode::kOpening, 4, 2), 1, Stream::kLayout, 0),
               {{"a1", "4/4/4/x3 w open=1"},
                {"d4", "3x/4/4/x3 w open=0"},
                {"b2", "3x/4/1w2/x3 b swap"},
                {"swap", "3x/4/1b2/x3 w"},
                {"a4", "w2x/4/1b2/x3 b"}});
}

double chi_square(const std::map<int, int>& counts, const std::map<int, double>& expected) {
  double sum = 0.0;
  for (const auto& [key, mean] : expected) {
    const auto found = counts.find(key);
    const double difference = (found == counts.end() ? 0 : found->second) - mean;
    sum += difference * difference / mean;
  }
  return sum;
}

TEST(RulesVariants, NumbersOfHolesAreDrawnByTheirWeights) {
  constexpr int kDraws = 100'000;
  const HoleCounts counts{{13, 0.5}, {3, 1.0}, {7, 2.5}, {1, 4.0}};
  for (const HoleMode mode : kHoleModes) {
    const GameRules game(rules(mode, 7, counts, mode == HoleMode::kPlaced));
    std::map<int, int> drawn;
    for (std::uint64_t index = 0; index < kDraws; ++index) {
      const Position start = game.start(9, Stream::kTest, index);
      ++drawn[std::popcount(start.holes) + start.holes_left];
    }
    ASSERT_EQ(drawn.size(), 4u);
    std::map<int, double> expected;
    for (const HoleCounts::Choice& choice : counts.choices())
      expected[choice.holes] = kDraws * choice.weight / 8.0;
    // Three degrees of freedom: 1 in 10^5 is above 25.9.
    EXPECT_LT(chi_square(drawn, expected), 25.9) << hole_mode_name(mode);
  }
}

TEST(RulesVariants, LayoutsStayEquallyLikelyForEveryNumberOfHoles) {
  constexpr int kDraws = 84 * 1000;
  GameConfig config = rules(HoleMode::kRandom, 3, {{3, 1.0}, {1, 0.2}});
  std::map<Bitboard, int> drawn;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    ++drawn[start_position(config, 10, Stream::kTest, index).holes];
  }
  ASSERT_EQ(drawn.size(), 84u + 9u);
  double sum = 0.0;
  for (const auto& [holes, count] : drawn) {
    const double mean = std::popcount(holes) == 3 ? kDraws / 1.2 / 84 : kDraws * 0.2 / 1.2 / 9;
    sum += (count - mean) * (count - mean) / mean;
  }
  EXPECT_LT(sum, 92 + 5 * std::sqrt(2 * 92.0));
}

TEST(RulesVariants, FixedLayoutsAreEquallyLikely) {
  constexpr int kDraws = 70'000;
  const std::vector<std::string> layouts = {"a1", "b2,c3,d4", "7/7/7/2xx2x/7/7/7", "g7", "g6", "g5", "g4"};
  const GameRules game(with_layouts(7, layouts));
  std::map<Bitboard, int> numbers;
  for (const std::string& layout : layouts)
    numbers.emplace(parse_layout(layout, 7), static_cast<int>(numbers.size()));
  std::map<int, int> drawn;
  std::map<int, double> expected;
  for (int i = 0; i < 7; ++i) expected[i] = kDraws / 7.0;
  for (std::uint64_t index = 0; index < kDraws; ++index) {
    const Position start = game.start(9, Stream::kTest, index);
    ASSERT_TRUE(numbers.contains(start.holes));
    ASSERT_EQ(start.phase, Phase::kPlaying);
    ++drawn[numbers.at(start.holes)];
  }
  // Six degrees of freedom: 1 in 10^5 is above 33.1.
  EXPECT_LT(chi_square(drawn, expected), 33.1);
}

// The drawing written a second time: the number of holes by cumulated weights, a layout by one number, holes
// by Floyd's algorithm (Bentley and Floyd, "A Sample of Brilliance", 1987).
std::string second_draw(const GameConfig& config, std::uint64_t seed, std::uint64_t index,
                        std::uint32_t sub) {
  Random random(seed, Stream::kLayout, index, sub);
  const int size = static_cast<int>(config.size);
  if (!config.layouts.empty()) {
    const auto number = random.below(static_cast<std::uint32_t>(config.layouts.size()));
    return naive_layout(config.layouts[number], size);
  }
  int holes = config.holes.choices()[0].holes;
  if (config.holes.choices().size() > 1) {
    double sum = 0.0;
    for (const HoleCounts::Choice& choice : config.holes.choices()) sum += choice.weight;
    double left = random.uniform() * sum;
    for (const HoleCounts::Choice& choice : config.holes.choices()) {
      holes = choice.holes;
      left -= choice.weight;
      if (left < 0) break;
    }
  }
  std::string squares(static_cast<std::size_t>(size * size), '.');
  if (config.hole_mode != HoleMode::kRandom) {
    return squares + "+" + std::to_string(holes);
  }
  for (int top = size * size - holes; top < size * size; ++top) {
    const std::size_t square = random.below(static_cast<std::uint32_t>(top) + 1);
    squares[squares[square] == 'x' ? static_cast<std::size_t>(top) : square] = 'x';
  }
  return squares;
}

TEST(RulesVariants, StartsAreThoseOfASecondDrawing) {
  for (const GameConfig& config :
       {rules(HoleMode::kRandom, 7, 5), rules(HoleMode::kRandom, 8, {{4, 1.0}, {6, 2.0}, {62, 0.5}}),
        rules(HoleMode::kRandom, 3, {{1, 1.0}, {7, 1.0}}, true),
        with_layouts(5, {"a1", "b2", "5/5/2x2/xx3/5"}),
        rules(HoleMode::kPlaced, 7, {{3, 1.0}, {5, 1.5}, {13, 2.0}}),
        rules(HoleMode::kOpening, 6, {{2, 0.3}, {4, 0.7}})}) {
    const GameRules game(config);
    for (std::uint64_t index = 0; index < 500; ++index) {
      const std::uint64_t seed = index * 0x9E3779B97F4A7C15u;
      const auto sub = static_cast<std::uint32_t>(index * 37);
      const Position start = game.start(seed, Stream::kLayout, index, sub);
      std::string found;
      for (int row = 0; row < start.size; ++row) found += board_rows(start)[static_cast<std::size_t>(row)];
      if (config.hole_mode != HoleMode::kRandom) found += "+" + std::to_string(start.holes_left);
      ASSERT_EQ(found, second_draw(config, seed, index, sub)) << to_text(config);
    }
  }
}

TEST(RulesVariants, StartsOfFixedSeedsNeverChangeInAnyMode) {
  const auto starts = [](const GameConfig& config) {
    std::vector<std::string> texts;
    for (std::uint64_t index = 7; index < 10; ++index) texts.push_back(start_text(config, index));
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(starts(rules(HoleMode::kRandom, 7, {{3, 1.0}, {5, 1.0}, {13, 2.0}})),
            (Texts{"x6/7/7/7/7/2x4/2x4 w", "6x/2x1xxx/3x3/1xx2xx/3xxx1/7/7 w",
                   "2x4/4x2/x6/4xxx/3x3/1x1xxx1/x1x4 w"}));
  EXPECT_EQ(starts(rules(HoleMode::kRandom, 7, 5, true)),
            (Texts{"x3x2/7/7/7/4x2/2x4/2x4 w open=0", "7/7/7/7/x2x2x/5x1/1x5 w open=0",
                   "7/7/x3x2/x6/5x1/4x2/7 w open=0"}));
  EXPECT_EQ(starts(rules(HoleMode::kPlaced, 7, {{3, 1.0}, {5, 1.0}, {13, 2.0}}, true)),
            (Texts{"7/7/7/7/7/7/7 b place=3 swap", "7/7/7/7/7/7/7 b place=13 swap",
                   "7/7/7/7/7/7/7 b place=13 swap"}));
  EXPECT_EQ(starts(rules(HoleMode::kCentre, 7, {{3, 1.0}, {5, 1.0}})),
            (Texts{"7/7/7/3x3/7/7/7 w place=2", "7/7/7/3x3/7/7/7 w place=4", "7/7/7/3x3/7/7/7 w place=4"}));
  EXPECT_EQ(starts(rules(HoleMode::kOpening, 6, {{2, 1.0}, {4, 1.0}})),
            (Texts{"6/6/6/6/6/6 w open=2", "6/6/6/6/6/6 w open=4", "6/6/6/6/6/6 w open=4"}));
  EXPECT_EQ(starts(with_layouts(5, {"a1", "b2", "c3", "d4", "e5"})),
            (Texts{"5/3x1/5/5/5 w", "5/3x1/5/5/5 w", "5/5/2x2/5/5 w"}));
}

TEST(RulesVariants, AnyTableOfPointsScoresRunByRun) {
  Random random(51, Stream::kTest, 0);
  for (int trial = 0; trial < 3'000; ++trial) {
    GameConfig config = rules(HoleMode::kRandom, kMinSize + static_cast<int>(random.below(6)), 0);
    config.unequal_stones = true;
    for (std::uint16_t& points : config.run_points.by_length) {
      points = static_cast<std::uint16_t>(random.below(trial % 2 == 0 ? 10'001 : 7));
    }
    const VariantRules naive(config);
    VariantGame game;
    game.size = naive.size();
    const char* letters = trial % 3 == 0 ? "wwwwwwb" : trial % 3 == 1 ? "wbx." : "w";
    const Rows rows = random_rows(game.size, letters, random);
    for (int action = 0; action < naive.squares(); ++action) {
      game.put(action, at(rows, action / game.size, action % game.size));
    }
    const Position position = naive.position(game);
    ASSERT_EQ(position.points_of(Color::kWhite), naive.points(game, 'w'));
    ASSERT_EQ(position.points_of(Color::kBlack), naive.points(game, 'b'));
    const LinePoints lines = GameRules(config).line_points();
    const auto line = random.below(256);
    int sum = 0;
    for (int square = 0, run = 0; square <= 8; ++square) {
      const bool set = square < 8 && (line >> square & 1) != 0;
      if (!set) sum += naive.run_value(run);
      run = set ? run + 1 : 0;
    }
    ASSERT_EQ(lines[line], sum);
  }
}

TEST(RulesVariants, SizesOfRulesAreThoseOfPlayedGames) {
  Random random(52, Stream::kTest, 0);
  std::vector<GameConfig> variants = {with_layouts(3, {"a1", "a1,b2,c3"}), with_layouts(4, {"a1,b2"})};
  variants.push_back(variants[0]);
  variants.back().swap = true;
  for (const HoleMode mode : kHoleModes) {
    for (const bool swap : {false, true}) {
      variants.push_back(rules(mode, 3, 3, swap));
      variants.push_back(rules(mode, 5, {{1, 1.0}, {5, 1.0}, {3, 1.0}}, swap));
      if (mode != HoleMode::kCentre) variants.push_back(rules(mode, 4, {{2, 1.0}, {14, 1.0}}, swap));
    }
  }
  for (const GameConfig& config : variants) {
    const GameRules game(config);
    const VariantRules naive(config);
    int longest = 0;
    int shortest = 1000;
    bool swaps = false;
    bool phases = false;
    for (std::uint64_t index = 0; index < 300; ++index) {
      Position position = game.start(3, Stream::kTest, index);
      ASSERT_EQ(naive.start_fault(position), "") << to_text(config);
      int moves = 0;
      for (; !position.over(); ++moves) {
        phases = phases || position.phase != Phase::kPlaying;
        swaps = swaps || may_swap(position);
        const int legal = legal_count(position);
        const bool swap = may_swap(position) && random.below(2) == 0;
        const auto any = random.below(static_cast<std::uint32_t>(legal));
        apply(position, swap ? Move::swap() : nth_legal(position, static_cast<int>(any)));
      }
      longest = std::max(longest, moves);
      shortest = std::min(shortest, moves);
    }
    EXPECT_EQ(game.longest_game(), longest) << to_text(config);
    EXPECT_EQ(game.shortest_game(), shortest) << to_text(config);
    EXPECT_EQ(game.has_swap(), swaps) << to_text(config);
    EXPECT_EQ(game.has_phases(), phases) << to_text(config);
    EXPECT_EQ(game.actions(), naive.squares() + (swaps ? 1 : 0)) << to_text(config);
    EXPECT_EQ(game.channels(), phases ? kPhaseChannels : kChannels) << to_text(config);
  }
}

TEST(RulesVariants, NamesOfHoleModesAreThoseOfTheConfiguration) {
  std::string names;
  for (const HoleMode mode : kHoleModes) names += std::string(hole_mode_name(mode)) + " ";
  EXPECT_EQ(names, "random placed centre opening ");
  EXPECT_EQ(hole_mode_name(static_cast<HoleMode>(17)), "");
}

}  // namespace
}  // namespace pahtum::test
