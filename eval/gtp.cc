#include "eval/gtp.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "env/base/error.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

constexpr std::int64_t kMostSeconds = kMostMilliseconds / 1000;

// Section 3.1 of the draft: control characters go but for the tab, which becomes a space, and comments end
// the line.
std::string preprocessed(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c == '#') break;
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      text += ' ';
    } else if (byte >= 32 && byte != 127) {
      text += c;
    }
  }
  return text;
}

bool is_number(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Gtp::Gtp(EngineMind& mind, const GameConfig& rules, std::int64_t margin, std::uint64_t seed)
    : mind_(mind), game_(rules, seed), margin_(static_cast<double>(margin) / 1000.0) {}

const std::map<std::string, Gtp::CommandRow, std::less<>>& Gtp::commands() {
  constexpr std::size_t kAny = 8;
  static const std::map<std::string, CommandRow, std::less<>> kCommands = {
      {"boardsize", {&Gtp::boardsize, 1, 1}},
      {"clear_board", {&Gtp::clear_board, 0, 0}},
      {"final_score", {&Gtp::final_score, 0, 0}},
      {"genmove", {&Gtp::genmove, 1, 1}},
      {"gogui-analyze_commands", {&Gtp::tell, 0, 0}},
      {"gogui-rules_board", {&Gtp::rules_board, 0, 0}},
      {"gogui-rules_board_size", {&Gtp::tell, 0, 0}},
      {"gogui-rules_final_result", {&Gtp::final_result, 0, 0}},
      {"gogui-rules_game_id", {&Gtp::tell, 0, 0}},
      {"gogui-rules_legal_moves", {&Gtp::legal_moves, 0, 0}},
      {"gogui-rules_side_to_move", {&Gtp::tell, 0, 0}},
      {"komi", {&Gtp::komi, 1, 1}},
      {"known_command", {&Gtp::known_command, 1, 1}},
      {"list_commands", {&Gtp::list_commands, 0, 0}},
      {"name", {&Gtp::tell, 0, 0}},
      {"pahtum-analysis", {&Gtp::think, 0, 0}},
      {"pahtum-margin", {&Gtp::margin, 0, 1}},
      {"pahtum-policy", {&Gtp::show_policy, 0, 0}},
      {"pahtum-position", {&Gtp::tell, 0, 0}},
      {"pahtum-random", {&Gtp::random, 2, 3}},
      {"pahtum-setup", {&Gtp::set_up, 2, kAny}},
      {"pahtum-values", {&Gtp::show_values, 0, 0}},
      {"pahtum-variation", {&Gtp::show_variation, 0, 0}},
      {"pahtum-visits", {&Gtp::show_visits, 0, 0}},
      {"play", {&Gtp::play, 2, 2}},
      {"protocol_version", {&Gtp::tell, 0, 0}},
      {"quit", {&Gtp::quit, 0, 0}},
      {"reg_genmove", {&Gtp::reg_genmove, 1, 1}},
      {"showboard", {&Gtp::showboard, 0, 0}},
      {"time_left", {&Gtp::time_left, 3, 3}},
      {"time_settings", {&Gtp::time_settings, 3, 3}},
      {"undo", {&Gtp::undo, 0, 0}},
      {"version", {&Gtp::tell, 0, 0}},
  };
  return kCommands;
}

std::string Gtp::handle(std::string_view line) {
  Words words = split_words(preprocessed(line));
  if (words.empty()) return "";
  std::string id;
  if (is_number(words.front())) {
    id = words.front();
    words.erase(words.begin());
  }
  char status = '=';
  std::string answer;
  try {
    if (words.empty()) throw request_error("", "a command is missing");
    const auto row = commands().find(words.front());
    if (row == commands().end()) throw request_error("", "unknown command");
    const std::size_t arguments = words.size() - 1;
    if (arguments < row->second.least || arguments > row->second.most) {
      throw request_error("", "syntax error: " + words.front() + " has another number of arguments");
    }
    answer = (this->*row->second.run)(words);
  } catch (const std::exception& error) {
    status = '?';
    answer = printable(error.what());  // an empty line would end it
  }
  return status + id + (answer.empty() || answer.front() == '\n' ? "" : " ") + answer + "\n\n";
}

Color Gtp::color_of(const std::string& word) {
  const std::string name = lower_case(word);
  if (name == "w" || name == "white") return Color::kWhite;
  if (name == "b" || name == "black") return Color::kBlack;
  throw request_error("", "syntax error: " + word + " is no colour; give white or black");
}

Move Gtp::move_of(const std::string& word) const {
  return parse_move(lower_case(word), game_.position().size);
}

std::string Gtp::vertex(Move move) const {
  std::string text = to_text(move, game_.position().size);
  if (!move.is_swap())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

void Gtp::require_mover(const std::string& word) const {
  const Color color = color_of(word);
  const Position& position = game_.position();
  if (position.over()) throw request_error("", "the game is over");
  if (color == position.mover) return;
  throw request_error("", "illegal move: " + std::string(color_name(position.mover)) + " is to move");
}

// The answers that only read.
std::string Gtp::tell(const Words& words) {
  const std::string& command = words.front();
  const Position& position = game_.position();
  if (command == "protocol_version") return "2";
  if (command == "name") return "pahtum";
  if (command == "version") return PAHTUM_VERSION;
  if (command == "gogui-rules_game_id") return "PahTum";
  if (command == "gogui-rules_board_size") return std::to_string(int{position.size});
  if (command == "pahtum-position") return to_text(position);
  if (command == "gogui-rules_side_to_move") return std::string(color_name(position.mover));
  // gogui-analyze_commands
  return "dboard/Policy/pahtum-policy\n"
         "sboard/Visits/pahtum-visits\n"
         "sboard/Values/pahtum-values\n"
         "string/Variation/pahtum-variation\n"
         "string/Analysis/pahtum-analysis\n"
         "string/Position/pahtum-position";
}

std::string Gtp::list_commands(const Words& /*words*/) {
  std::string text;
  for (const auto& [name, row] : commands()) text += (text.empty() ? "" : "\n") + name;
  return text;
}

std::string Gtp::known_command(const Words& words) {
  return commands().contains(words[1]) ? "true" : "false";
}

std::string Gtp::quit(const Words& /*words*/) {
  done_ = true;
  return "";
}

std::string Gtp::boardsize(const Words& words) {
  std::int64_t size = 0;
  try {
    size = parse_whole("", words[1], kMinSize, kMaxSize);
  } catch (const Error&) {
    throw request_error("", "unacceptable size");
  }
  EngineGame other = game_;
  other.resize(static_cast<int>(size));
  mind_.require_position(other.position());
  game_ = other;
  reset_clocks();
  return "";
}

std::string Gtp::clear_board(const Words& /*words*/) {
  game_.restart();
  reset_clocks();
  return "";
}

std::string Gtp::komi(const Words& words) {
  const std::string& text = words[1];
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) {
    throw request_error("", "syntax error: " + text + " is no number");
  }
  return "";
}

std::string Gtp::play(const Words& words) {
  require_mover(words[1]);
  try {
    game_.play(move_of(words[2]));
  } catch (const Error& error) {
    throw request_error("", "illegal move: " + std::string(error.what()));
  }
  return "";
}

std::string Gtp::undo(const Words& /*words*/) {
  try {
    game_.undo();
  } catch (const Error&) {
    throw request_error("", "cannot undo");
  }
  return "";
}

ThinkLimits Gtp::limits_now() const {
  ThinkLimits limits;
  if (!settings_) return limits;
  const Clock& clock = clocks_[static_cast<std::size_t>(game_.position().mover)];
  EngineClock left{.left = clock.seconds};
  if (clock.stones > 0) {
    left.moves_to_go = clock.stones;
  } else {
    // What a period gives for each move is there on top of the main time.
    if (settings_->stones > 0) left.left += settings_->period / settings_->stones;
  }
  const double seconds = seconds_for_move(game_.position(), left, margin_);
  limits.deadline = deadline_after(ThinkLimits::Clock::now(), seconds, 0.0);
  return limits;
}

Analysis Gtp::search(const ThinkLimits& limits) {
  mind_.require_position(game_.position());
  return mind_.think(game_.turn(), limits);
}

void Gtp::count_time(double seconds) {
  if (!settings_) return;
  Clock& clock = clocks_[static_cast<std::size_t>(game_.position().mover)];
  clock.seconds -= seconds;
  const bool period = clock.stones > 0;
  if (period) --clock.stones;
  if (settings_->stones > 0 && (period ? clock.stones == 0 : clock.seconds <= 0.0)) {
    clock = {settings_->period, settings_->stones};
  }
}

void Gtp::reset_clocks() {
  if (!settings_) return;
  const bool main = settings_->main > 0.0;
  clocks_.fill(main ? Clock{settings_->main, 0} : Clock{settings_->period, settings_->stones});
}

std::string Gtp::genmove(const Words& words) {
  require_mover(words[1]);
  const auto started = ThinkLimits::Clock::now();
  const Move move = search(limits_now()).move;
  std::string text = vertex(move);
  count_time(thinking_seconds(started));
  game_.play(move);
  return text;
}

std::string Gtp::reg_genmove(const Words& words) {
  require_mover(words[1]);
  return vertex(search(limits_now()).move);
}

std::string Gtp::time_settings(const Words& words) {
  TimeSettings settings{};
  settings.main = static_cast<double>(parse_whole("main time", words[1], 0, kMostSeconds));
  settings.period = static_cast<double>(parse_whole("byo-yomi time", words[2], 0, kMostSeconds));
  settings.stones = static_cast<int>(parse_whole("byo-yomi stones", words[3], 0, 1000));
  // Section 4.2 of the draft: a period without stones means no limit, no period at all the main time alone.
  const bool unlimited = settings.period > 0.0 && settings.stones == 0;
  if (settings.period == 0.0) settings.stones = 0;
  settings_ = unlimited ? std::nullopt : std::optional(settings);
  reset_clocks();
  return "";
}

std::string Gtp::time_left(const Words& words) {
  const Color color = color_of(words[1]);
  const auto seconds = static_cast<double>(parse_whole("time", words[2], 0, kMostSeconds));
  const auto stones = static_cast<int>(parse_whole("stones", words[3], 0, 1000));
  if (!settings_) settings_ = TimeSettings{};
  clocks_[static_cast<std::size_t>(color)] = {seconds, stones};
  return "";
}

std::string Gtp::margin(const Words& words) {
  if (words.size() == 1) return decimal(margin_ * 1000.0, 0);
  margin_ = static_cast<double>(parse_whole("margin", words[1], 0, kMarginMost)) / 1000.0;
  return "";
}

std::string Gtp::random(const Words& words) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t seed = parse_whole("seed", words[1], 0, kMost);
  const std::int64_t number = parse_whole("game", words[2], 0, kMost);
  const std::int64_t ply = words.size() > 3 ? parse_whole("ply", words[3], 0, 1000) : game_.turn().ply;
  const bool reseeds = static_cast<std::uint64_t>(seed) != game_.seed();
  if (reseeds) mind_.reseed(static_cast<std::uint64_t>(seed));
  game_.set_number(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(number),
                   static_cast<int>(ply));
  return "";
}

std::string Gtp::set_up(const Words& words) {
  const Position position = parse_position(joined(std::span(words).subspan(1)));
  mind_.require_position(position);
  game_.set_up(position);
  reset_clocks();
  return "";
}

std::string Gtp::final_score(const Words& /*words*/) {
  const Position& position = game_.position();
  if (!position.over()) throw request_error("", "cannot score: the game is not over");
  const int margin = position.white_margin();
  if (margin == 0) return "0";
  return (margin > 0 ? "W+" : "B+") + std::to_string(std::abs(margin));
}

std::string Gtp::final_result(const Words& /*words*/) {
  const Position& position = game_.position();
  if (!position.over()) throw request_error("", "the game is not over");
  const int margin = position.white_margin();
  const std::string points = std::to_string(position.points_of(Color::kWhite)) + " - " +
                             std::to_string(position.points_of(Color::kBlack));
  if (margin == 0) return "Draw, " + points;
  return (margin > 0 ? "White wins, " : "Black wins, ") + points;
}

template <class Text>
std::string Gtp::squares(const Text& text) const {
  std::string rows;
  const int size = game_.position().size;
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      rows += (column == 0 ? "" : " ") + text(square_at(row, column));
    }
    if (row + 1 < size) rows += '\n';
  }
  return rows;
}

std::string Gtp::rules_board(const Words& /*words*/) {
  const Position& position = game_.position();
  return squares([&](int square) -> std::string {
    const Bitboard bit = square_bit(square);
    return (position.white & bit) != 0   ? "O"
           : (position.black & bit) != 0 ? "X"
           : (position.holes & bit) != 0 ? "?"
                                         : ".";
  });
}

std::string Gtp::showboard(const Words& /*words*/) {
  const Position& position = game_.position();
  const auto rows = board_rows(position);
  std::string files = "  ";
  for (int column = 0; column < position.size; ++column)
    files += std::string(" ") + static_cast<char>('A' + column);
  std::string text = "\n" + files;
  for (int row = 0; row < position.size; ++row) {
    text += "\n " + std::to_string(position.size - row);
    for (const char c : rows[static_cast<std::size_t>(row)]) text += std::string(" ") + c;
  }
  text += "\n" + to_text(position) + "\nWhite " + std::to_string(position.points_of(Color::kWhite)) +
          ", Black " + std::to_string(position.points_of(Color::kBlack));
  return text;
}

std::string Gtp::legal_moves(const Words& /*words*/) {
  std::string text;
  for_each_legal(game_.position(), [&](Move move) { text += (text.empty() ? "" : " ") + vertex(move); });
  return text;
}

const Analysis& Gtp::analysis() {
  if (game_.position().over()) throw request_error("", "the game is over");
  const Turn turn = game_.turn();
  const auto same = [&](const Turn& other) {
    return other.position == turn.position && other.game == turn.game && other.ply == turn.ply;
  };
  if (!analysed_ || !same(analysed_->first)) analysed_.emplace(turn, search({}));
  return analysed_->second;
}

template <class Text>
std::string Gtp::move_squares(const std::string& otherwise, const Text& text) {
  const Analysis& found = analysis();
  return squares([&](int square) -> std::string {
    const auto entry = std::ranges::find(found.moves, Move::at(square), &MoveAnalysis::move);
    return entry == found.moves.end() ? otherwise : text(*entry);
  });
}

std::string Gtp::show_policy(const Words& /*words*/) {
  return move_squares("0.000",
                      [](const MoveAnalysis& entry) { return decimal(entry.prior.value_or(0.0), 3); });
}

std::string Gtp::show_visits(const Words& /*words*/) {
  return move_squares("\"\"", [](const MoveAnalysis& entry) {
    return entry.visits > 0 ? std::to_string(entry.visits) : std::string("\"\"");
  });
}

std::string Gtp::show_values(const Words& /*words*/) {
  return move_squares("\"\"", [](const MoveAnalysis& entry) {
    return entry.value ? decimal(static_cast<double>(entry.value->get()), 2) : std::string("\"\"");
  });
}

std::string Gtp::show_variation(const Words& /*words*/) {
  std::string text;
  for (const Move move : analysis().variation) text += (text.empty() ? "" : " ") + vertex(move);
  return text;
}

std::string Gtp::think(const Words& words) {
  const Analysis& found = analysis();
  std::string text = "move " + vertex(found.move);
  if (found.value) text += " value " + decimal(static_cast<double>(found.value->get()), 3);
  if (found.margin) text += " margin " + decimal(*found.margin, 1);
  if (found.wdl) {
    text += " wdl " + decimal(static_cast<double>(found.wdl->win), 3) + " " +
            decimal(static_cast<double>(found.wdl->draw), 3) + " " +
            decimal(static_cast<double>(found.wdl->loss), 3);
  }
  if (found.exact) text += " exact";
  if (found.depth > 0) text += " depth " + std::to_string(found.depth);
  if (found.simulations > 0) text += " simulations " + std::to_string(found.simulations);
  return text + " variation " + show_variation(words);
}

}  // namespace pahtum
