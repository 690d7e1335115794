#include "env/game_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/quotes.h"
#include "env/base/text.h"
#include "env/game_config.h"

namespace pahtum {
namespace {

// The fields in the order in which they are written.
enum Key : std::size_t {
  kWhite,
  kBlack,
  kPoints,
  kSeed,
  kSlot,
  kGame,
  kOpening,
  kFrom,
  kEnd,
  kRunPointsKey,
  kStart,
  kMoves,
  kKeys
};
constexpr std::array<std::string_view, kKeys> kKeyNames = {"white", "black",      "points",  "seed",
                                                           "slot",  "game",       "opening", "from",
                                                           "end",   "run_points", "start",   "moves"};

// The values of `end=`, by GameEnd; a game played to its end has no such field.
constexpr std::array<std::string_view, 4> kEndNames = {"full", "stopped", "white-resigned", "black-resigned"};

std::string version_word() {
  return std::string(kGameTextTag) + " " + std::to_string(kGameTextVersion);
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (is_control(c)) {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

std::string illegal_reason(const Position& position, Move move) {
  if (move.is_swap()) return "the colours cannot be swapped here";
  return (position.holes & square_bit(move.square())) != 0 ? "the square is a hole" : "the square is taken";
}

// Takes one line apart; every fault names its column, counted in bytes from 1.
class LineParser {
 public:
  LineParser(std::string_view line, const std::string& place, GamesTaken taken)
      : line_(line), place_(place), taken_(taken) {}

  PlayedGame parse() {
    split();
    PlayedGame game;
    if (fields_[kWhite].present) game.white = text(kWhite);
    if (fields_[kBlack].present) game.black = text(kBlack);
    if (fields_[kFrom].present) game.source = text(kFrom);
    if (fields_[kSeed].present) game.seed = number(fields_[kSeed], kSeed);
    if (fields_[kSlot].present) game.slot = number(fields_[kSlot], kSlot);
    if (fields_[kGame].present) game.number = number(fields_[kGame], kGame);
    if (fields_[kOpening].present) game.opening = number(fields_[kOpening], kOpening);
    if (fields_[kEnd].present) game.end = end();
    game.start = start();
    const Position end = replay(game);
    if (game.opening > game.moves.size()) {
      fail(fields_[kOpening].at, "opening: " + std::to_string(game.opening) + " moves of a game of " +
                                     std::to_string(game.moves.size()));
    }
    check_points(end);
    return game;
  }

 private:
  struct Part {
    std::size_t at = 0;  // where it starts in the line
    std::string_view text;
    bool present = false;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw request_error(place_ + ":" + std::to_string(at + 1), message);
  }

  // What stands from `at` up to the next `separator` before `end`.
  [[nodiscard]] Part part_at(std::size_t at, std::size_t end, char separator) const {
    const std::size_t stop = std::min(line_.find(separator, at), end);
    return {at, line_.substr(at, stop - at), true};
  }

  void split() {
    const Part tag = part_at(0, line_.size(), '\t');
    if (tag.text != version_word()) {
      if (tag.text.starts_with(std::string(kGameTextTag) + " ")) {
        fail(0, in_quotes(tag.text) + " is another version; this program reads \"" + version_word() + "\"");
      }
      fail(0, "is no game record: the line must start with \"" + version_word() + "\" and a tab");
    }
    for (std::size_t at = tag.text.size(); at < line_.size();) {
      const Part field = part_at(at + 1, line_.size(), '\t');
      add(field);
      at = field.at + field.text.size();
    }
    for (const Key key : {kPoints, kStart, kMoves}) {
      if (!fields_[key].present) {
        fail(line_.size(), "the field \"" + std::string(kKeyNames[key]) + "=\" is missing");
      }
    }
  }

  void add(const Part& field) {
    const std::size_t equals = field.text.find('=');
    const std::string_view name = field.text.substr(0, equals);
    const auto known = std::ranges::find(kKeyNames, name);
    if (equals == std::string_view::npos || known == kKeyNames.end()) {
      std::string names;
      for (const std::string_view key : kKeyNames) names += (names.empty() ? "" : ", ") + std::string(key);
      fail(field.at,
           in_quotes(field.text) + " is no field; between tabs stand KEY=VALUE, with the keys " + names);
    }
    Part& place = fields_[static_cast<std::size_t>(known - kKeyNames.begin())];
    if (place.present) fail(field.at, "the field \"" + std::string(name) + "=\" stands here a second time");
    place = {field.at + equals + 1, field.text.substr(equals + 1), true};
  }

  [[nodiscard]] std::uint64_t number(const Part& part, Key key) const {
    const auto value = parse_number<std::uint64_t>(part.text);
    if (!value) {
      fail(part.at, std::string(kKeyNames[key]) + ": " + in_quotes(part.text) +
                        " is no whole number from 0 to 18446744073709551615");
    }
    return *value;
  }

  [[nodiscard]] std::string text(Key key) const {
    const Part& part = fields_[key];
    const std::string name(kKeyNames[key]);
    if (part.text.empty()) fail(part.at, name + ": is empty; leave the field out where nothing is known");
    std::string out;
    for (std::size_t k = 0; k < part.text.size(); ++k) {
      const char c = part.text[k];
      if (is_control(c)) fail(part.at + k, name + ": holds a control character; write it as \\xHH");
      if (c != '\\') {
        out += c;
        continue;
      }
      const std::string_view rest = part.text.substr(k + 1);
      if (rest.starts_with('\\')) {
        out += '\\';
        k += 1;
        continue;
      }
      const std::size_t high = rest.size() >= 3 && rest[0] == 'x' ? kHexDigits.find(rest[1]) : rest.npos;
      const std::size_t low = high != rest.npos ? kHexDigits.find(rest[2]) : rest.npos;
      if (low == rest.npos) {
        fail(part.at + k, name + ": a backslash is followed by neither a backslash nor xHH (two of 0-9a-f)");
      }
      out += static_cast<char>(high << 4 | low);
      k += 3;
    }
    return out;
  }

  [[nodiscard]] Position start() const {
    // A position's own message quotes it whole.
    constexpr std::size_t kLongestPosition = 128;
    const Part& part = fields_[kStart];
    if (part.text.size() > kLongestPosition) {
      fail(part.at, "start: " + in_quotes(part.text) + " is too long for a position");
    }
    Position position;
    try {
      position = parse_position(part.text);
    } catch (const Error& error) {
      fail(part.at, "start: " + std::string(error.what()));
    }
    const Part& points = fields_[kRunPointsKey];
    if (!points.present) return position;
    try {
      position.run_points = parse_run_points(points.text);
    } catch (const Error& error) {
      fail(points.at, "run_points: " + std::string(error.what()));
    }
    return position;
  }

  [[nodiscard]] GameEnd end() const {
    const Part& part = fields_[kEnd];
    const auto known = std::ranges::find(kEndNames, part.text);
    if (known == kEndNames.end() || known == kEndNames.begin()) {
      fail(part.at,
           "end: " + in_quotes(part.text) +
               " is neither stopped, white-resigned nor black-resigned; leave the field out where the "
               "game was played to its end");
    }
    if (taken_ == GamesTaken::kFinished) {
      fail(part.at, "end: the game was not played to its end; only such games are read here");
    }
    return static_cast<GameEnd>(known - kEndNames.begin());
  }

  // Reads the moves into `game` and returns the position after them.
  Position replay(PlayedGame& game) const {
    const Part& field = fields_[kMoves];
    const std::size_t end = field.at + field.text.size();
    Position position = game.start;
    for (std::size_t at = field.at; at < end;) {
      const Part word = part_at(at, end, ' ');
      const auto refuse = [&](const std::string& why) {
        fail(word.at, "moves: move " + std::to_string(game.moves.size() + 1) + ", " + in_quotes(word.text) +
                          ": " + why);
      };
      if (position.over()) refuse("the game is over before it");
      const Move move = read_move(word.text, position.size, refuse);
      if (!is_legal(position, move)) refuse(illegal_reason(position, move));
      apply(position, move);
      game.moves.push_back(move);
      at = word.at + word.text.size() + 1;
      if (at == end) fail(end - 1, "moves: a space at the end");
    }
    if (game.end != GameEnd::kFull) {
      if (position.over()) fail(fields_[kEnd].at, "end: the moves end the game; leave the field out");
      return position;
    }
    if (!position.over()) {
      fail(end, "moves: the game is not over after " + std::to_string(game.moves.size()) +
                    " moves; empty squares left: " + std::to_string(position.empty_count()));
    }
    return position;
  }

  template <class Refuse>
  static Move read_move(std::string_view word, int size, const Refuse& refuse) {
    constexpr std::size_t kLongestMove = 4;
    if (word.size() > kLongestMove) refuse("is no move");
    try {
      return parse_move(word, size);
    } catch (const Error& error) {
      refuse(error.message());
      throw;
    }
  }

  void check_points(const Position& end) const {
    const Part& field = fields_[kPoints];
    const Part white = part_at(field.at, field.at + field.text.size(), '-');
    if (white.text.size() == field.text.size()) {
      fail(field.at, "points: " + in_quotes(field.text) + " is not WHITE-BLACK, such as 13-3");
    }
    const std::size_t second = white.at + white.text.size() + 1;
    const Part black{second, line_.substr(second, field.at + field.text.size() - second), true};
    const auto expected = [](int points) { return static_cast<std::uint64_t>(points); };
    if (number(white, kPoints) != expected(end.points_of(Color::kWhite)) ||
        number(black, kPoints) != expected(end.points_of(Color::kBlack))) {
      fail(field.at, "points: " + std::string(field.text) + ", but the moves end with " +
                         std::to_string(end.points_of(Color::kWhite)) + "-" +
                         std::to_string(end.points_of(Color::kBlack)));
    }
  }

  std::string_view line_;
  const std::string& place_;
  GamesTaken taken_;
  std::array<Part, kKeys> fields_{};
};

}  // namespace

std::string_view end_name(GameEnd end) noexcept {
  return kEndNames[static_cast<std::size_t>(end)];
}

Position PlayedGame::final_position() const noexcept {
  Position position = start;
  for (const Move move : moves) apply(position, move);
  return position;
}

std::string to_text(const PlayedGame& game) {
  const Position end = game.final_position();
  assert(end.over() == (game.end == GameEnd::kFull) && game.opening <= game.moves.size());
  std::array<std::string, kKeys> values;
  values[kWhite] = escaped(game.white);
  values[kBlack] = escaped(game.black);
  values[kPoints] =
      std::to_string(end.points_of(Color::kWhite)) + "-" + std::to_string(end.points_of(Color::kBlack));
  if (game.seed) values[kSeed] = std::to_string(*game.seed);
  if (game.slot) values[kSlot] = std::to_string(*game.slot);
  if (game.number) values[kGame] = std::to_string(*game.number);
  if (game.opening > 0) values[kOpening] = std::to_string(game.opening);
  values[kFrom] = escaped(game.source);
  if (game.end != GameEnd::kFull) values[kEnd] = end_name(game.end);
  if (game.start.run_points != kRunPoints) values[kRunPointsKey] = to_text(game.start.run_points);
  values[kStart] = to_text(game.start);
  for (const Move move : game.moves) {
    values[kMoves] += (values[kMoves].empty() ? "" : " ") + to_text(move, game.start.size);
  }
  std::string line = version_word();
  for (std::size_t key = 0; key < kKeys; ++key) {
    // Only a game that was over or left at its start has no moves.
    if (values[key].empty() && key != kMoves) continue;
    line += '\t' + std::string(kKeyNames[key]) + '=' + values[key];
  }
  return line;
}

std::string games_text(const std::vector<PlayedGame>& games) {
  std::string text;
  for (const PlayedGame& game : games) text += to_text(game) + '\n';
  return text;
}

PlayedGame parse_game(std::string_view line, const std::string& place, GamesTaken taken) {
  return LineParser(line, place, taken).parse();
}

std::vector<PlayedGame> parse_games_text(std::string_view text, const std::string& source, GamesTaken taken) {
  std::vector<PlayedGame> games;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++number;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    if (line.empty() || line.starts_with('#')) continue;
    games.push_back(parse_game(line, source + ":" + std::to_string(number), taken));
  }
  return games;
}

std::vector<PlayedGame> read_games_text(const std::filesystem::path& path, GamesTaken taken) {
  return parse_games_text(read_file(path), path.string(), taken);
}

}  // namespace pahtum
