#include "env/game_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "env/base/files.h"
#include "env/base/random.h"
#include "env/game_rules.h"
#include "tests/env/expect_error.h"

namespace pahtum::test {
namespace {

// The game of the rules' description: White 85, Black 84.
constexpr const char* kLongGame =
    "pahtum-game 1\twhite=greedy\tblack=uct:1000\tpoints=85-84\tseed=7\tgame=12\tstart=7/7/7/7/7/7/7 w\t"
    "moves=d4 e4 d3 d5 d2 c2 d1 e5 e3 f4 c3 f3 b3 b2 a3 f5 c5 f6 c4 f2 c6 f1 f7 e6 c7 d6 b4 a4 b5 b6 a5 d7 "
    "g5 g4 c1 g6 b1 e2 a1 e1 e7 g2 a2 g3 g1 a6 g7 b7 a7";

// White fills the top rank: three points to none.
const std::string kShortGame =
    "pahtum-game 1\twhite=ann\tblack=bob\tpoints=3-0\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3";

PlayedGame random_game(const GameConfig& rules, std::uint64_t index) {
  PlayedGame game;
  game.start = start_position(rules, 1, Stream::kTest, index);
  Random random(2, Stream::kTest, index);
  for (Position position = game.start; !position.over(); apply(position, game.moves.back())) {
    const auto choices = static_cast<std::uint32_t>(legal_count(position));
    game.moves.push_back(nth_legal(position, static_cast<int>(random.below(choices))));
  }
  return game;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

TEST(GameText, ReadsAndWritesAWholeGame) {
  const PlayedGame game = parse_game(kLongGame, "test");
  EXPECT_EQ(game.white, "greedy");
  EXPECT_EQ(game.black, "uct:1000");
  EXPECT_EQ(game.seed, 7u);
  EXPECT_EQ(game.number, 12u);
  EXPECT_FALSE(game.slot);
  EXPECT_EQ(game.moves.size(), 49u);
  EXPECT_EQ(game.final_position().points_of(Color::kWhite), 85);
  EXPECT_EQ(game.final_position().points_of(Color::kBlack), 84);
  EXPECT_EQ(to_text(game), kLongGame);
}

TEST(GameText, EveryRuleVariantComesBackAsItWas) {
  const std::vector<GameConfig> variants = {
      {},
      {.size = 3, .holes = 1},
      {.size = 8, .holes = 6},
      {.size = 4, .holes = 3, .unequal_stones = true},
      {.size = 5, .holes = 3, .hole_mode = HoleMode::kPlaced, .swap = true},
      {.size = 5, .holes = 5, .hole_mode = HoleMode::kCentre},
      {.size = 5, .holes = 5, .hole_mode = HoleMode::kOpening},
      {.size = 5, .holes = 3, .swap = true},
      {.size = 5, .holes = 3, .run_points = {{0, 1, 2, 3, 4, 5, 6, 7}}}};
  std::vector<PlayedGame> games;
  int swaps = 0;
  for (const GameConfig& rules : variants) {
    for (std::uint64_t index = 0; index < 60; ++index) {
      games.push_back(random_game(rules, index));
      swaps += static_cast<int>(std::ranges::count(games.back().moves, Move::swap()));
    }
  }
  EXPECT_GT(swaps, 0);
  EXPECT_EQ(parse_games_text(games_text(games), "test"), games);
}

TEST(GameText, NamesKeepEveryByte) {
  PlayedGame game = parse_game(kShortGame, "test");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  game.white = all;
  game.black = "engine:ugi:my engine --a=b,c /x\ty";
  game.source = "runs/ä b/games/000001.games";
  game.slot = 3;
  game.seed = 18446744073709551615u;
  game.opening = 2;
  const std::string line = to_text(game);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("black=engine:ugi:my engine --a=b,c /x\\x09y\t"), std::string::npos) << line;
  EXPECT_EQ(parse_game(line, "test"), game);
}

TEST(GameText, FieldsMayComeInAnyOrder) {
  EXPECT_EQ(
      parse_game("pahtum-game 1\tmoves=a3 a1 b3 b1 c3\tblack=bob\tpoints=3-0\tstart=3/xxx/2x w\twhite=ann",
                 "x"),
      parse_game(kShortGame, "x"));
}

TEST(GameText, RunPointsAreNamedWhereTheyAreNotTheUsualOnes) {
  EXPECT_EQ(kShortGame.find("run_points"), std::string::npos);
  const std::string other =
      replaced(kShortGame, "points=3-0", "points=7-1\trun_points=0,1,7,10,25,56,119,246");
  const PlayedGame game = parse_game(other, "x");
  EXPECT_EQ(game.start.run_points[3], 7);
  EXPECT_EQ(to_text(game), other);
  expect_error(Fault::kRequest, {"points", "3-0", "7-1"},
               [&] { (void)parse_game(replaced(other, "7-1", "3-0"), "x"); });
}

TEST(GameText, AGameOverFromTheStartHasNoMoves) {
  const PlayedGame game = parse_game("pahtum-game 1\tpoints=3-0\tstart=www/xxx/xxx b\tmoves=", "x");
  EXPECT_TRUE(game.moves.empty());
  EXPECT_EQ(parse_game(to_text(game), "x"), game);
}

TEST(GameText, FilesHaveCommentsEmptyLinesAndCarriageReturns) {
  const std::string text = "# two games\r\n\r\n" + kShortGame + "\r\n\n" + kShortGame;
  EXPECT_EQ(parse_games_text(text, "x").size(), 2u);
  EXPECT_TRUE(parse_games_text("", "x").empty());
  expect_error(Fault::kRequest, {"games.txt:4:1: is no game record"},
               [&] { (void)parse_games_text("#\n" + kShortGame + "\n\nhello\n", "games.txt"); });
}

TEST(GameText, ReadsFilesAndNamesThem) {
  const auto path = std::filesystem::temp_directory_path() / "pahtum-game-text-test.txt";
  write_file_atomically(path, kShortGame + "\n" + kLongGame + "\nwrong\n");
  expect_error(Fault::kRequest, {path.string() + ":3:1"}, [&] { (void)read_games_text(path); });
  write_file_atomically(path, kShortGame + "\n" + kLongGame + "\n");
  EXPECT_EQ(read_games_text(path).size(), 2u);
  std::filesystem::remove(path);
  expect_error(Fault::kRequest, {path.string()}, [&] { (void)read_games_text(path); });
}

TEST(GameText, FaultsNameTheirColumnAndWhatWouldBeRight) {
  struct Case {
    const char* part;
    const char* by;
    std::initializer_list<std::string_view> message;
  };
  // kShortGame: the field `white` starts at column 15, `points` at 35, `start` at 46, its value at 52, the
  // moves at 69.
  const Case cases[] = {
      {"game 1", "game 2", {"x:1: ", "version", "pahtum-game 1"}},
      {"game 1", "game 10", {"x:1: ", "version"}},
      {"pahtum-game 1", "pahtum", {"x:1: ", "no game record"}},
      {"white=", "weiss=", {"x:15: ", "weiss", "white, black, points"}},
      {"white=", "white", {"x:15: ", "no field"}},
      {"white=ann", "white=", {"x:21: ", "empty"}},
      {"black=bob", "white=bob", {"x:25: ", "second time"}},
      {"\tpoints=3-0", "", {"points=", "missing"}},
      {"\tmoves=a3 a1 b3 b1 c3", "", {"x:62: ", "moves=", "missing"}},
      {"3-0", "0-3", {"x:42: ", "0-3", "3-0"}},
      {"3-0", "3", {"x:42: ", "WHITE-BLACK"}},
      {"3-0", "3-", {"x:44: ", "no whole number"}},
      {"3-0", "3--0", {"x:44: ", "no whole number"}},
      {"3-0", "99999999999999999999-0", {"x:42: ", "no whole number"}},
      {"3-0", "3-0\tseed=-1", {"x:51: ", "seed", "no whole number"}},
      {"3-0", "3-0\topening=6", {"opening", "5"}},
      {"3-0", "3-0\trun_points=1,2", {"run_points", "eight"}},
      {"ann", "an\\n", {"x:23: ", "backslash"}},
      {"ann", "an\\x4", {"x:23: ", "backslash"}},
      {"ann", "an\\xG0", {"x:23: ", "backslash"}},
      {"3/xxx/2x w", "3/xxx/2x", {"x:52: ", "start", "mover"}},
      {"a3 a1", "a3 a4", {"x:72: ", "move 2", "a1 … c3"}},
      {"a3 a1", "a3 a3", {"x:72: ", "move 2", "taken"}},
      {"a3 a1", "a3 a2", {"x:72: ", "move 2", "hole"}},
      {"a3 a1", "a3 swap", {"x:72: ", "move 2", "swapped"}},
      {"a3 a1", "a3  a1", {"x:72: ", "move 2"}},
      {"b1 c3", "b1 c3 ", {"space at the end"}},
      {"b1 c3", "b1 c3 c3", {"move 6", "over"}},
      {"b1 c3", "b1", {"x:80: ", "not over after 4 moves", "left: 1"}},
      {"3-0", "3-0\tend=stopped", {"x:50: ", "not played to its end"}},
      {"3-0", "3-0\tend=full", {"x:50: ", "neither stopped, white-resigned nor black-resigned"}},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(std::string(wrong.part) + " -> " + wrong.by);
    const std::string line = replaced(kShortGame, wrong.part, wrong.by);
    expect_error(Fault::kRequest, wrong.message, [&] { (void)parse_game(line, "x"); });
  }
}

TEST(GameText, GamesThatWereNotPlayedToTheirEnd) {
  for (const auto& [text, end] :
       {std::pair{"stopped", GameEnd::kStopped}, std::pair{"white-resigned", GameEnd::kWhiteResigned},
        std::pair{"black-resigned", GameEnd::kBlackResigned}}) {
    PlayedGame game = parse_game(kShortGame, "x");
    game.moves.pop_back();
    game.end = end;
    const std::string line = to_text(game);
    EXPECT_NE(line.find("\tpoints=0-0\tend=" + std::string(text) + "\tstart="), std::string::npos) << line;
    EXPECT_EQ(parse_game(line, "x", GamesTaken::kAll), game);
    EXPECT_EQ(parse_games_text(line + "\n" + kShortGame, "x", GamesTaken::kAll).size(), 2u);
    expect_error(Fault::kRequest, {"x:50: ", "not played to its end"}, [&] { (void)parse_game(line, "x"); });
    game.moves.clear();
    EXPECT_EQ(parse_game(to_text(game), "x", GamesTaken::kAll), game);
  }
  expect_error(Fault::kRequest, {"x:50: ", "the moves end the game"}, [&] {
    (void)parse_game(replaced(kShortGame, "3-0", "3-0\tend=stopped"), "x", GamesTaken::kAll);
  });
}

// What any line of bytes does: it is refused as a wrong request, or it is a finished game that its own text
// gives back.
void check_any_line(const std::string& line) {
  PlayedGame game;
  try {
    game = parse_game(line, "x");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest) << line;
    EXPECT_LT(std::string(error.what()).size(), 600u) << line;
    return;
  }
  EXPECT_TRUE(game.final_position().over()) << line;
  EXPECT_EQ(parse_game(to_text(game), "x"), game) << line;
}

TEST(GameText, NoLineOfBytesDoesAnythingElse) {
  const std::vector<std::string> seeds = {
      kShortGame, kLongGame,
      to_text(random_game({.size = 5, .holes = 3, .hole_mode = HoleMode::kPlaced, .swap = true}, 1)),
      to_text(random_game({.size = 3, .holes = 1, .run_points = {{0, 1, 2, 3, 4, 5, 6, 7}}}, 1))};
  const std::string words[] = {"\t",
                               "=",
                               " ",
                               "-",
                               "swap",
                               "place=9",
                               "open=0",
                               "\\x",
                               "\\",
                               "w",
                               "seed=",
                               "game",
                               "8",
                               "/",
                               "x",
                               "a1",
                               "points=",
                               "moves=",
                               "\n",
                               "\r",
                               "#",
                               "start",
                               "99999999999999999999999"};
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(3, Stream::kTest, round);
    const auto below = [&](std::size_t bound) {
      return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(bound)));
    };
    std::string line = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(3); changes > 0 && !line.empty(); --changes) {
      const std::size_t at = below(line.size());
      switch (below(6)) {
        case 0:
          line[at] = static_cast<char>(below(256));
          break;
        case 1:
          line.erase(at, 1 + below(8));
          break;
        case 2:
          line.insert(at, words[below(std::size(words))]);
          break;
        case 3:
          line.insert(below(line.size()), line.substr(at, below(40)));
          break;
        case 4:
          line.resize(at);
          break;
        default:
          std::swap(line[at], line[below(line.size())]);
      }
    }
    check_any_line(line);
  }
  check_any_line(std::string(100000, 'x'));
  check_any_line("pahtum-game 1\tpoints=0-0\tmoves=\tstart=" + std::string(100000, '/'));
  check_any_line(replaced(kShortGame, "moves=", "moves=" + std::string(100000, 'a')));
}

}  // namespace
}  // namespace pahtum::test
