#include "app/play_command.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "app/play_game.h"
#include "app/play_text.h"
#include "env/base/error.h"
#include "env/base/quotes.h"
#include "env/base/text.h"
#include "selfplay/config_values.h"

namespace pahtum {
namespace {

struct Row {
  PlayVerb verb;
  std::size_t least, most;  // words behind the name
  PlayCommandHelp help;
};

constexpr std::size_t kAnyNumber = 99;
constexpr int kWidest = 78;  // characters of a line of help

constexpr auto kRows = std::to_array<Row>({
    {PlayVerb::kUndo, 0, 0, {"undo", "undo", "take back your last move and the answer to it"}},
    {PlayVerb::kRedo, 0, 0, {"redo", "redo", "play again what was taken back"}},
    {PlayVerb::kHint, 0, 0, {"hint", "hint", "what the engine would play, and what it expects"}},
    {PlayVerb::kAnalysis,
     0,
     1,
     {"analysis", "analysis [on|off]", "show the engine's thoughts with every board"}},
    {PlayVerb::kMoves, 0, 0, {"moves", "moves", "list the legal moves"}},
    {PlayVerb::kBoard, 0, 0, {"board", "board", "draw the board again"}},
    {PlayVerb::kGo, 0, 0, {"go", "go", "let the engine make this move; go on watching"}},
    {PlayVerb::kSide, 1, 1, {"side", "side white|black|both|none", "choose what you play"}},
    {PlayVerb::kSwitch, 0, 0, {"switch", "switch", "change sides with the engine"}},
    {PlayVerb::kSims, 1, 1, {"sims", "sims N", "the engine thinks for N simulations a move"}},
    {PlayVerb::kTime, 1, 1, {"time", "time S", "the engine thinks for S seconds a move"}},
    {PlayVerb::kDefault, 0, 0, {"default", "default", "the engine's own strength again"}},
    {PlayVerb::kNew, 0, kAnyNumber, {"new", "new [--size 5 ...]", "new game; rules as on the command line"}},
    {PlayVerb::kAgain, 0, 0, {"again", "again", "new game from the same start"}},
    {PlayVerb::kHoles, 1, 1, {"holes", "holes N|c4,d4,...|MODE", "new game with such holes (`help holes`)"}},
    {PlayVerb::kSave, 1, 1, {"save", "save FILE", "save the game; a file of games gets one more"}},
    {PlayVerb::kLoad, 1, 2, {"load", "load FILE [N]", "go on with a saved game, number N or the last"}},
    {PlayVerb::kResume, 0, 0, {"resume", "resume", "go on with the newest game that was left"}},
    {PlayVerb::kResign, 0, 0, {"resign", "resign", "give the game up"}},
    {PlayVerb::kHelp, 0, 1, {"help", "help [COMMAND]", "this list, or more on one command"}},
    {PlayVerb::kQuit, 0, 0, {"quit", "quit", "leave"}},
});

// Other names that people try.
struct OtherName {
  std::string_view name, command;
};
constexpr auto kOtherNames = std::to_array<OtherName>({{"exit", "quit"},
                                                       {"?", "help"},
                                                       {"takeback", "undo"},
                                                       {"back", "undo"},
                                                       {"restart", "again"},
                                                       {"analyse", "analysis"},
                                                       {"analyze", "analysis"},
                                                       {"play", "go"},
                                                       {"show", "board"}});

constexpr auto kHelp = [] {
  std::array<PlayCommandHelp, kRows.size()> help{};
  std::ranges::transform(kRows, help.begin(), [](const Row& row) { return row.help; });
  return help;
}();

// More on a command than fits into the list.
std::string_view more_on(PlayVerb verb) {
  switch (verb) {
    case PlayVerb::kUndo:
      return "Goes back to the last position in which you were to move. When both sides are yours, or none, "
             "one move is taken back. `redo` undoes it until another move is played.";
    case PlayVerb::kAnalysis:
      return "Squares show the share of the search (or the network's first choice) in percent; the table "
             "names the best moves. Values are expected results: 1 won, 0 drawn, -1 lost, for the side to "
             "move. Once few squares are empty the truth is shown: exactly solved.";
    case PlayVerb::kNew:
      return "Without options the rules stay and the layout is another. With options they are those of the "
             "agent but for what is said, as in `pahtum play --help`: --size, --holes, --hole-mode, "
             "--layout, "
             "--swap, --unequal-stones, --run-points, --rules FILE. Example: new --size 5 --holes 3 --swap";
    case PlayVerb::kHoles:
      return "`holes 7` draws seven at random, `holes c4,d4,e5` sets these, `holes placed` lets the players "
             "place them in turn, `holes centre` puts one in the centre and lets them place the others, and "
             "with `holes opening` White places all and a first stone, and Black may swap colours.";
    case PlayVerb::kSave:
      return "FILE holds game records, one a line (docs/formats.md); `pahtum games replay FILE --game N` "
             "shows "
             "one. Nothing in a file is overwritten but this game's own earlier record.";
    case PlayVerb::kResume:
      return "Games on a terminal are kept from the first move on. This goes on with the newest that was "
             "left "
             "before its end.";
    case PlayVerb::kSims:
    case PlayVerb::kTime:
      return "`sims N` bounds a move by simulations (rollouts of uct, nodes of alphabeta), `time S` by "
             "seconds; "
             "`default` goes back to what the engine was started with.";
    default:
      return "";
  }
}

// Names of commands as text, in quotes of code.
std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

// The row of the command that `word` means; null when it means none.
const Row* find_row(const std::string& word) {
  std::string name = lower_case(word);
  const auto other = std::ranges::find(kOtherNames, name, &OtherName::name);
  if (other != kOtherNames.end()) name = other->command;
  std::vector<const Row*> begun;
  for (const Row& row : kRows) {
    if (row.help.name == name) return &row;
    if (row.help.name.starts_with(name)) begun.push_back(&row);
  }
  if (begun.size() == 1) return begun.front();
  if (begun.empty()) return nullptr;
  std::vector<std::string> names;
  for (const Row* row : begun) names.emplace_back(row->help.name);
  throw request_error("", in_quotes(word) + " may be " + quoted(names) + "; type one more letter");
}

[[noreturn]] void refuse_unknown(const std::string& word) {
  std::vector<std::string> names = {"swap"};
  for (const Row& row : kRows) names.emplace_back(row.help.name);
  const std::string nearest = suggestion(lower_case(word), names);
  throw request_error("",
                      in_quotes(word) + " is neither a move, such as d4, nor a command" +
                          (nearest.starts_with("; did you mean") ? nearest : "; `help` lists the commands"));
}

}  // namespace

std::span<const PlayCommandHelp> play_command_help() noexcept {
  return kHelp;
}

PlayCommand parse_play_command(std::string_view line) {
  std::istringstream stream{std::string(line)};
  PlayCommand command;
  std::string first;
  stream >> first;
  for (std::string word; stream >> word;) command.words.push_back(word);
  if (looks_like_move(first)) {
    if (!command.words.empty()) {
      throw request_error("", in_quotes(line) + " is too much: one move a line, " + first + " first");
    }
    command.words = {first};
    return command;
  }
  const Row* row = find_row(first);
  if (row == nullptr) refuse_unknown(first);
  command.verb = row->verb;
  const std::string usage(row->help.usage);
  if (command.words.size() < row->least) {
    throw request_error(std::string(row->help.name), "needs something behind it: `" + usage + "`");
  }
  if (command.words.size() > row->most) {
    throw request_error(std::string(row->help.name),
                        in_quotes(command.words[row->most]) + " is too much; it is `" + usage + "`");
  }
  return command;
}

std::string play_help(int width) {
  constexpr std::size_t kColumn = 31;
  const auto line = [&](std::string_view usage, std::string_view help) {
    const std::string name = "  " + std::string(usage);
    if (width < kWidest) return name + "\n" + wrapped("    " + std::string(help), width, 4);
    return name + std::string(kColumn - name.size(), ' ') + std::string(help) + "\n";
  };
  std::string text = line("d4", "set a stone there, or a hole in that phase") +
                     line("swap", "swap the colours, where the rules allow it");
  for (const Row& row : kRows) text += line(row.help.usage, row.help.help);
  return text +
         wrapped(
             "A beginning is enough where no other command has it. On the board: w, b are stones, W, B "
             "stones in runs that score, ( ) the last move, x hole, . empty.",
             std::min(width, kWidest));
}

std::string play_help(const std::string& command, int width) {
  const Row* row = find_row(command);
  if (row == nullptr) refuse_unknown(command);
  const int room = std::min(width, kWidest);
  const std::string more(more_on(row->verb));
  return wrapped("  " + std::string(row->help.usage) + ": " + std::string(row->help.help), room, 4) +
         (more.empty() ? "" : wrapped(more, room));
}

}  // namespace pahtum
