#include "app/play_session.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "app/game_file.h"
#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/random.h"
#include "env/game_rules.h"
#include "env/random_move.h"
#include "tests/app/program.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using test::expect_error;

struct Played {
  std::string out;
  int status = -1;
  Position end;
};

Played play(const PlayConfig& config, const std::string& lines, const std::string& white = "greedy",
            const std::string& black = "") {
  std::istringstream in(lines);
  std::ostringstream out;
  StreamInput input(in);
  auto second = black.empty() ? nullptr : make_player(black, {.seed = config.seed});
  PlaySession session(config, make_player(white, {.seed = config.seed}), std::move(second), input, out);
  Played played;
  played.status = session.run();
  played.out = out.str();
  played.end = session.game().position();
  return played;
}

PlayConfig both_sides(const std::string& position) {
  PlayConfig config;
  config.start = parse_position(position);
  config.side = Side::kBoth;
  return config;
}

void expect_in(const std::string& out, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(out.find(part), std::string::npos) << part << "\nis missing in\n" << out;
  }
}

const std::vector<GameConfig> kVariants = {
    {.size = 3, .holes = 1},
    {.size = 4, .holes = 2, .swap = true},
    {.size = 5, .holes = 4, .hole_mode = HoleMode::kOpening, .swap = false},
    {.size = 5, .holes = 3, .hole_mode = HoleMode::kPlaced, .swap = true},
    {.size = 7, .holes = 5},
    {.size = 7, .holes = 5, .hole_mode = HoleMode::kCentre},
    {.size = 8, .holes = 6},
};

void expect_reads_legal_moves(const Position& position, bool capitals) {
  const auto typed = [&](Move move, int size) {
    std::string word = to_text(move, size);
    if (capitals) word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    return word;
  };
  std::set<std::string> legal;
  for_each_legal(position, [&](Move move) { legal.insert(typed(move, position.size)); });
  std::size_t taken = 0;
  for (int index = 0; index < kMoveIndices; ++index) {
    const std::string word = typed(index == 64 ? Move::swap() : Move::at(index), kMaxSize);
    ASSERT_TRUE(looks_like_move(word)) << word;
    try {
      const Move move = read_move(word, position);
      ASSERT_TRUE(legal.contains(word) && is_legal(position, move)) << word << " in " << to_text(position);
      ++taken;
    } catch (const Error& error) {
      ASSERT_FALSE(legal.contains(word)) << error.what();
    }
  }
  ASSERT_EQ(taken, legal.size()) << to_text(position);
}

// Every word a person may type for a move is taken when and only when it is legal in `env`, and means that
// move.
TEST(PlaySession, ReadsExactlyTheLegalMoves) {
  std::int64_t games = 0;
  for (const GameConfig& base : kVariants) {
    GameConfig rules = base;
    if (rules.hole_mode == HoleMode::kOpening) rules.unequal_stones = true;
    for (std::uint64_t game = 0; game < 400; ++game, ++games) {
      Position position = start_position(rules, 3, Stream::kTest, game);
      Random random(3, Stream::kTest, game, 1);
      int ply = 0;
      while (!position.over()) {
        const int here = ply++;
        // All words are tried at every place of some games, and at one place of each.
        if (game < 5 || here == static_cast<int>(game % 40))
          expect_reads_legal_moves(position, game % 2 == 1);
        const Move move = random_move(position, random);
        ASSERT_EQ(read_move(to_text(move, position.size), position), move);
        apply(position, move);
      }
    }
  }
  EXPECT_GE(games, 2800);
}

// A whole game typed into a session ends as the same moves do in `env`.
TEST(PlaySession, PlaysWhatItIsTold) {
  for (const GameConfig& base : kVariants) {
    GameConfig rules = base;
    if (rules.hole_mode == HoleMode::kOpening) rules.unequal_stones = true;
    for (std::uint64_t game = 0; game < 30; ++game) {
      Position position = start_position(rules, 4, Stream::kTest, game);
      PlayConfig config;
      config.start = position;
      config.side = Side::kBoth;
      Random random(4, Stream::kTest, game, 1);
      std::string lines;
      while (!position.over()) {
        const Move move = random_move(position, random);
        lines += to_text(move, position.size) + "\n";
        if (game % 5 == 0) lines += "undo\nredo\n";
        apply(position, move);
      }
      const Played played = play(config, lines);
      EXPECT_EQ(played.end, position) << played.out;
      EXPECT_EQ(played.status, 0);
      expect_in(played.out, {position.white_margin() == 0 ? "a draw" : " wins by "});
    }
  }
}

TEST(PlaySession, ReadsNoMoveThatIsNone) {
  const Position position = parse_position("w2/1x1/2b w");
  expect_error(Fault::kRequest, {"d9", "no such square on a 3x3 board", "files are a-c, ranks 1-3"},
               [&] { (void)read_move("d9", position); });
  expect_error(Fault::kRequest, {"B2", "hole"}, [&] { (void)read_move("B2", position); });
  expect_error(Fault::kRequest, {"a3", "taken: a white stone"}, [&] { (void)read_move("a3", position); });
  expect_error(Fault::kRequest, {"c1", "taken: a black stone"}, [&] { (void)read_move("c1", position); });
  expect_error(Fault::kRequest, {"1a", "the letter comes first: a1"},
               [&] { (void)read_move("1a", position); });
  expect_error(Fault::kRequest, {"swap", "cannot be swapped now", "--swap"},
               [&] { (void)read_move("swap", position); });
  expect_error(Fault::kRequest, {"swap", "only after the first stone"},
               [&] { (void)read_move("swap", parse_position("3/1x1/3 w open=0")); });
  expect_error(Fault::kRequest, {"the game is over"},
               [&] { (void)read_move("a1", parse_position("wwb/bxw/wwb b")); });
}

TEST(PlayCommand, NamesBeginningsAndOtherNames) {
  EXPECT_EQ(parse_play_command("  UNDO ").verb, PlayVerb::kUndo);
  EXPECT_EQ(parse_play_command("u").verb, PlayVerb::kUndo);
  EXPECT_EQ(parse_play_command("exit").verb, PlayVerb::kQuit);
  EXPECT_EQ(parse_play_command("?").verb, PlayVerb::kHelp);
  EXPECT_EQ(parse_play_command("Swap").verb, PlayVerb::kMove);
  EXPECT_EQ(parse_play_command("save My.txt").words, std::vector<std::string>{"My.txt"});
  for (const PlayCommandHelp& row : play_command_help()) {
    EXPECT_FALSE(play_help(std::string(row.name)).empty());
    EXPECT_NE(play_help().find(row.usage), std::string::npos);
  }
  std::istringstream lines(play_help());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 78u) << line;
}

TEST(PlayCommand, ExplainsWhatIsWrong) {
  const auto refuses = [](const std::string& line, std::initializer_list<std::string_view> parts) {
    expect_error(Fault::kRequest, parts, [&] { (void)parse_play_command(line); });
  };
  refuses("undoo", {"undoo", "did you mean `undo`?"});
  refuses("hnit", {"did you mean `hint`?"});
  refuses("spaghetti", {"neither a move, such as d4, nor a command", "`help` lists"});
  refuses("s", {"may be", "`side`", "`save`", "one more letter"});
  refuses("save", {"needs something behind it", "save FILE"});
  refuses("undo 3", {"\"3\" is too much", "`undo`"});
  refuses("d4 e5", {"one move a line, d4 first"});
  expect_error(Fault::kRequest, {"did you mean `hint`"}, [] { (void)play_help("hnt"); });
}

TEST(PlaySession, WrongInputChangesNothing) {
  const Played played = play(both_sides("w2/1x1/2b w"),
                             "z9\nb2\na3\nswap\nfoo\nside green\nsims 10\nanalysis maybe\nload nowhere.txt\n"
                             "resume\nredo\nnew --size 9\nholes 40\nhelp nothing\nundo\nswitch\n\n");
  expect_in(played.out, {"z9: no such square on a 3x3 board", "b2: that square is a hole", "a3: taken",
                         "swap: colours cannot", "\"foo\" is neither a move",
                         "side: \"green\" is none; use white, black, both or none",
                         "sims: greedy does not search", "\"maybe\" is neither `on` nor `off`",
                         "nowhere.txt: ", "games are kept only on a terminal", "nothing was taken back",
                         "--size: ", "--holes: ", "\"nothing\" is neither", "there is no move of yours",
                         "say `side white`", "No more input; the game ends here, after 0 moves."});
  EXPECT_EQ(played.end, parse_position("w2/1x1/2b w"));
  EXPECT_EQ(played.status, 0);
}

TEST(PlaySession, UndoAndRedoGoToOnesOwnMoves) {
  PlayConfig config;
  config.start = parse_position("3/1x1/3 w");
  const Played played = play(config, "a1\nundo\nundo\nredo\nundo\nb1\nredo\n");
  expect_in(played.out, {"undo: there is no move of yours to take back", "redo: nothing was taken back"});
  EXPECT_EQ(played.end.empty_count(), 6);
  EXPECT_NE(played.end.white & square_bit(parse_move("b1", 3).square()), 0u);
  PlayConfig black = config;
  black.side = Side::kBlack;
  EXPECT_EQ(play(black, "undo\nquit\n").end.empty_count(), 7) << "the engine's first move stays";
}

TEST(PlaySession, SidesChangeDuringTheGame) {
  PlayConfig config;
  config.start = parse_position("3/1x1/3 w");
  const Played switched = play(config, "a1\nswitch\nquit\n");
  expect_in(switched.out, {"You play Black.", "greedy (white) plays", "black to move (you)"});
  EXPECT_EQ(switched.end.empty_count(), 5);
  const Played watched = play(config, "side none\n");
  EXPECT_TRUE(watched.end.over());
  const Played went = play(both_sides("3/1x1/3 w"), "go\ngo\nquit\n");
  EXPECT_EQ(went.end.empty_count(), 6);
}

TEST(PlaySession, PhasesAreExplained) {
  PlayConfig config;
  config.side = Side::kBoth;
  config.rules = {.size = 3, .holes = 3, .hole_mode = HoleMode::kPlaced, .swap = true};
  expect_in(play(config, "a1\nb1\nc1\na2\nswap\n").out,
            {"Black places a hole: name an empty square. 3 are still to come, in turn; Black\n"
             "places the last one. After the first stone, colours may be swapped.\n",
             "Black places a hole: name an empty square. It is the last one; then White sets\n",
             "White sets the first stone; then Black may swap colours.",
             "Black may answer with a stone, or type `swap`", "1 (x)"});
  config.rules = {.size = 3, .holes = 3, .hole_mode = HoleMode::kOpening};
  expect_in(play(config, "a1\n").out, {"White places 3 holes more and then the first stone, all in a"});
}

TEST(PlaySession, NewGamesAndOtherRules) {
  PlayConfig config;
  config.side = Side::kBoth;
  config.rules = config.usual_rules = {.size = 3, .holes = 1};
  const Played played =
      play(config, "a1\nnew\nnew --size 4 --holes 2 --swap\nholes a1,b2\nholes placed\nholes 4\nagain\n");
  expect_in(played.out, {"The game was not saved (`save FILE` does it, or --save FILE for all games).",
                         "4×4, 2 random holes, pie rule", "No more input"});
  EXPECT_EQ(played.end.size, 4);
  EXPECT_EQ(std::popcount(played.end.holes), 4);
  const Played layout = play(config, "new --size 4 --holes 2\nholes a1,b2\n");
  EXPECT_EQ(layout.end.holes, parse_layout("a1,b2", 4));
}

TEST(PlaySession, SavesAndLoads) {
  const TemporaryFolder folder;
  const std::string file = (folder / "mine.txt").string();
  const Played first = play(both_sides("3/1x1/3 w"), "a1\nsave " + file + "\nb1\nsave " + file + "\n");
  expect_in(first.out, {"Saved in " + file, "Saved again, as game 1 of " + file});
  const Played second = play(both_sides("3/xxx/2x w"), "a3\na1\nb3\nb1\nc3\nsave " + file + "\n");
  expect_in(second.out, {"Added to " + file + " as game 2"});
  const std::vector<PlayedGame> games = read_games_text(file, GamesTaken::kAll);
  ASSERT_EQ(games.size(), 2u);
  EXPECT_EQ(games[0].end, GameEnd::kStopped);
  EXPECT_EQ(games[0].moves.size(), 2u);
  EXPECT_EQ(games[0].white, "person");
  EXPECT_EQ(games[1].end, GameEnd::kFull);

  const Played loaded = play(both_sides("3/3/3 w"),
                             "load " + file + " 1\nundo\nload " + file + " 3\nload " + file + "\nundo\n");
  expect_in(loaded.out, {"Game 1 of 2: White person, Black person; 2 moves.", "has games 1 to 2, not \"3\"",
                         "Game 2 of 2", "White wins by 3"});
  EXPECT_EQ(loaded.end, parse_position("ww1/xxx/bbx w"));

  write_file_atomically(folder / "other.txt", "my shopping list\n");
  const Played refused = play(both_sides("3/1x1/3 w"), "a1\nsave " + (folder / "other.txt").string() + "\n");
  expect_in(refused.out, {"no game record", "left as it is"});
  EXPECT_EQ(read_file(folder / "other.txt"), "my shopping list\n");
}

TEST(PlaySession, EveryGameIsSavedWhereAsked) {
  const TemporaryFolder folder;
  PlayConfig config = both_sides("3/xxx/2x w");
  config.save = folder / "all.txt";
  play(config, "a3\na1\nb3\nb1\nc3\nagain\na3\nresign\nnew\na3\nnew\nb3\n");
  const std::vector<PlayedGame> games = read_games_text(*config.save, GamesTaken::kAll);
  ASSERT_EQ(games.size(), 4u);
  EXPECT_EQ(games[0].end, GameEnd::kFull);
  EXPECT_EQ(games[1].end, GameEnd::kBlackResigned);
  EXPECT_EQ(games[2].end, GameEnd::kStopped);
  EXPECT_EQ(games[3].moves.front(), parse_move("b3", 3));
}

TEST(PlaySession, GamesAreKeptFromTheFirstMoveOn) {
  const TemporaryFolder folder;
  PlayConfig config = both_sides("3/1x1/3 w");
  config.kept = folder / "state/games.txt";
  expect_in(play(config, "a1\nb1\nquit\n").out, {"The game is kept"});
  EXPECT_EQ(newest_stopped_game(*config.kept)->moves.size(), 2u);
  const Played resumed = play(config, "c1\nresume\nc3\nquit\n");
  EXPECT_EQ(resumed.end, parse_position("2w/1x1/wb1 b"));
  const std::vector<PlayedGame> games = read_games_text(*config.kept, GamesTaken::kAll);
  ASSERT_EQ(games.size(), 2u) << "a resumed game is no second one";
  EXPECT_EQ(games[0].moves.size(), 3u);
  EXPECT_EQ(games[1].moves.size(), 1u);
  for (int k = 0; k < 60; ++k) play(config, "a1\n");
  EXPECT_EQ(read_games_text(*config.kept, GamesTaken::kAll).size(), 50u) << "the newest are kept";
}

TEST(PlaySession, ResignationAndItsUndo) {
  const Played played = play(both_sides("3/1x1/3 w"), "a1\nresign\nb1\nundo\nb1\n");
  expect_in(played.out, {"Black resigns; White wins. The points were White 0, Black 0.",
                         "b1: the game is over; `undo` takes the resignation back"});
  EXPECT_EQ(played.end.empty_count(), 6);
}

TEST(PlaySession, TheEndTellsHowTheGameWent) {
  expect_in(play(both_sides("3/xxx/2x w"), "a3\na1\nb3\nb1\nc3\n").out,
            {"White plays c3 (+3 points)\n", "3  W  W (W)",
             "The game is over: White wins by 3, 3 to 0.\n"
             "White: a3-c3 3\n"
             "Black: no run of three or more\n"
             "Points after move 3: 0-0\n"
             "White led from move 5 (c3) on. Most points at once: 3, White at move 5 (c3).\n"});
}

TEST(PlaySession, WatchedPlayersPlayTheGameOut) {
  PlayConfig config;
  config.side = Side::kNone;
  config.rules = {.size = 3, .holes = 1};
  const Played played = play(config, "", "greedy", "random");
  EXPECT_TRUE(played.end.over());
  expect_in(played.out, {"greedy (white) plays", "random (black) plays", "The game is over"});
}

TEST(PlaySession, StrengthIsForPlayersThatSearch) {
  PlayConfig config;
  config.start = parse_position("3/1x1/3 w");
  expect_in(
      play(config, "sims 0\nsims 5\nsims x\ntime 0\ntime 0.001\ndefault\na1\n", "uct:50").out,
      {"sims: \"0\" is no whole number from 1 to 10000000", "The engine thinks for 5 simulations a move.",
       "\"x\" is no whole number", "time: \"0\" is no number of seconds", "thinks for 0.001 s a move.",
       "at its own strength: uct:50", "uct:50 (black) plays"});
}

}  // namespace
}  // namespace pahtum
