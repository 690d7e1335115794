#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "env/position.h"
#include "tests/env/naive.h"

namespace pahtum::test {
namespace {

// Games by margin, White's points minus Black's.
using Games = std::map<int, std::int64_t>;

std::int64_t sum_of(const Games& games) {
  std::int64_t sum = 0;
  for (const auto& [margin, count] : games) sum += count;
  return sum;
}

// One line of tests/data/exhaustive.txt, which scripts/exhaustive_counts.py writes.
struct Golden {
  std::string position;
  std::int64_t games = 0, white_wins = 0, draws = 0, black_wins = 0;
  Games by_margin;
};

std::vector<Golden> read_golden() {
  std::ifstream file(std::string(PAHTUM_TEST_DATA) + "/exhaustive.txt");
  std::vector<Golden> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    Golden golden;
    std::istringstream words(line);
    std::getline(words, golden.position, '\t');
    words >> golden.games >> golden.white_wins >> golden.draws >> golden.black_wins;
    int margin = 0;
    char colon = 0;
    std::int64_t count = 0;
    while (words >> margin >> colon >> count) golden.by_margin[margin] = count;
    all.push_back(golden);
  }
  return all;
}

// Plays every order of moves, one by one.
template <class Margin>
void play_all(const Position& position, const Margin& margin, Games& games) {
  if (position.over()) {
    ++games[margin(position)];
    return;
  }
  for_each_legal(position, [&](Move move) { play_all(after(position, move), margin, games); });
}

struct PositionHash {
  std::size_t operator()(const Position& position) const noexcept { return hash(position); }
};
using Known = std::unordered_map<Position, Games, PositionHash>;

// The same, counting the games from equal positions once.
const Games& count_all(const Position& position, Known& known) {
  if (const auto found = known.find(position); found != known.end()) return found->second;
  Games games;
  if (position.over()) games[position.white_margin()] = 1;
  for_each_legal(position, [&](Move move) {
    for (const auto& [margin, count] : count_all(after(position, move), known)) games[margin] += count;
  });
  return known.emplace(position, std::move(games)).first->second;
}

Games play_by_the_rules(const Position& position) {
  Games games;
  play_all(
      position, [](const Position& end) { return end.white_margin(); }, games);
  return games;
}

constexpr std::int64_t kMostPlayed = 4'000'000;

class Exhaustive : public testing::TestWithParam<Golden> {};

TEST_P(Exhaustive, EveryOrderOfMovesEndsAsTheOtherImplementationCounts) {
  const Golden& golden = GetParam();
  const Position start = parse_position(golden.position);
  Known known;
  const Games games = golden.games <= kMostPlayed ? play_by_the_rules(start) : count_all(start, known);
  EXPECT_EQ(games, golden.by_margin);
  EXPECT_EQ(sum_of(games), golden.games);
  std::int64_t white_wins = 0;
  std::int64_t draws = 0;
  std::int64_t black_wins = 0;
  for (const auto& [margin, count] : games)
    (margin > 0 ? white_wins : margin < 0 ? black_wins : draws) += count;
  EXPECT_EQ(white_wins, golden.white_wins);
  EXPECT_EQ(draws, golden.draws);
  EXPECT_EQ(black_wins, golden.black_wins);
}

INSTANTIATE_TEST_SUITE_P(Golden, Exhaustive, testing::ValuesIn(read_golden()), [](const auto& golden) {
  std::string name = golden.param.position;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(Exhaustive, TheGoldenNumbersAreThereAndCountBothWays) {
  const std::vector<Golden> all = read_golden();
  EXPECT_GE(all.size(), 25u);
  for (const Golden& golden : all) {
    if (golden.games > 50'000) continue;
    Known known;
    const Position start = parse_position(golden.position);
    EXPECT_EQ(count_all(start, known), play_by_the_rules(start)) << golden.position;
  }
}

std::vector<int> runs_of(const std::string& line, char stone) {
  std::vector<int> runs;
  int run = 0;
  for (const char c : line + ' ') {
    if (c == stone) {
      ++run;
    } else {
      if (run > 0) runs.push_back(run);
      run = 0;
    }
  }
  return runs;
}

// Sums line_points(runs of the line) over ranks and files.
template <class LinePoints>
int points_by_line(const Rows& rows, char stone, const LinePoints& line_points) {
  int sum = 0;
  for (int line = 0; line < size_of(rows); ++line) {
    std::string file;
    for (int row = 0; row < size_of(rows); ++row) file += at(rows, row, line);
    sum +=
        line_points(runs_of(rows[static_cast<std::size_t>(line)], stone)) + line_points(runs_of(file, stone));
  }
  return sum;
}

// The two mistakes that programs have made: a run that counts again for each of its beginnings, and a line
// that counts its best run only.
int prefix_points(const Rows& rows, char stone) {
  return points_by_line(rows, stone, [](const std::vector<int>& runs) {
    int sum = 0;
    for (const int run : runs) {
      for (int length = 1; length <= run; ++length) sum += naive_run_points(length);
    }
    return sum;
  });
}
int best_run_points(const Rows& rows, char stone) {
  return points_by_line(rows, stone, [](const std::vector<int>& runs) {
    return runs.empty() ? 0 : naive_run_points(std::ranges::max(runs));
  });
}

using Scorer = int (*)(const Rows&, char);

Games play_by_scorer(const std::string& text, Scorer scorer) {
  Games games;
  play_all(
      parse_position(text),
      [scorer](const Position& end) {
        const auto all = board_rows(end);
        const Rows rows(all.begin(), all.begin() + end.size);
        return scorer(rows, 'w') - scorer(rows, 'b');
      },
      games);
  return games;
}

const std::string kShortRuns = "3/1x1/3 w";        // no run is longer than three
const std::string kLongRuns = "4/x2x/x2x/xxxx w";  // runs of four
const std::string kTwoRuns = "ww1xw2/bb1xbb1/xxxxxxx/1w1xxxx/xxxxxxx/xxxxxxx/xxxxxxx w";  // two in a line
const std::string kLateGame = "wbwbw1w/bb1bbbb/www1bbw/b1wwbbb/ww1wwb1/w1bwbbb/wwwwbbw b";

Games golden_games(const std::string& position) {
  for (const Golden& golden : read_golden()) {
    if (golden.position == position) return golden.by_margin;
  }
  ADD_FAILURE() << "no golden numbers for " << position;
  return {};
}

TEST(ExhaustiveMutation, TheMistakesComeToTheGoldenNumbersOnlyWhereTheyCannotShow) {
  EXPECT_EQ(play_by_scorer(kShortRuns, naive_points), golden_games(kShortRuns));
  EXPECT_EQ(play_by_scorer(kShortRuns, prefix_points), golden_games(kShortRuns));
  EXPECT_EQ(play_by_scorer(kShortRuns, best_run_points), golden_games(kShortRuns));
  EXPECT_EQ(play_by_scorer(kLongRuns, best_run_points), golden_games(kLongRuns));
  EXPECT_EQ(play_by_scorer(kTwoRuns, prefix_points), golden_games(kTwoRuns));
}

TEST(ExhaustiveMutation, CountingPrefixesOfRunsMissesTheGoldenNumbers) {
  for (const std::string& text : {kLongRuns, kLateGame}) {
    EXPECT_NE(play_by_scorer(text, prefix_points), golden_games(text)) << text;
  }
}

TEST(ExhaustiveMutation, CountingOneRunALineMissesTheGoldenNumbers) {
  EXPECT_NE(play_by_scorer(kTwoRuns, best_run_points), golden_games(kTwoRuns));
}

TEST(ExhaustiveMutation, TheMistakesFlipTheWinnersOfThePublicBoards) {
  const Rows first = split_rows("WWWWWBW/BBBWBWB/BBBWWWW/WBBBWWB/BBBWBBB/WBWBWBW/WWWWBBW");
  const Rows last = split_rows("WBWBWWW/BBWBBBB/WWWBBBW/BWWWBBB/WWWWWBB/WBBWBBB/WWWWBBW");
  const auto score = [](const Rows& rows, Scorer scorer) {
    return std::pair(scorer(rows, 'w'), scorer(rows, 'b'));
  };
  const auto project = [](const Rows& rows) {
    const Position position = position_of(rows);
    return std::pair(position.points_of(Color::kWhite), position.points_of(Color::kBlack));
  };
  EXPECT_EQ(project(first), std::pair(51, 53));
  EXPECT_EQ(score(first, naive_points), std::pair(51, 53));
  EXPECT_EQ(score(first, best_run_points), std::pair(51, 50));
  EXPECT_EQ(score(first, prefix_points), std::pair(70, 69));
  EXPECT_EQ(project(last), std::pair(85, 84));
  EXPECT_EQ(score(last, naive_points), std::pair(85, 84));
  const auto [white, black] = score(last, prefix_points);
  EXPECT_LT(white, black);
}

}  // namespace
}  // namespace pahtum::test
