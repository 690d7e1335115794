#include "eval/engine_player.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "env/base/error.h"
#include "env/base/text.h"
#include "eval/engine_game.h"
#include "eval/grid.h"

namespace pahtum {
namespace {

// Beyond the time for a move, where the SPEC has one: a program that is still silent then is taken for hung.
constexpr std::chrono::seconds kPatience{120};

}  // namespace

EnginePlayer::EnginePlayer(PlayerInfo info, const PlayerSpec& spec, std::uint64_t seed)
    : info_(std::move(info)),
      spec_(spec),
      seed_(seed),
      patience_(kPatience + std::chrono::milliseconds(std::llround(1000.0 * spec.seconds.value_or(0.0)))) {
  try {
    start();
  } catch (const Error& error) {
    throw Error(error.fault(), player_subject(info_.spec), error.what());
  }
}

EnginePlayer::~EnginePlayer() {
  try {
    if (process_) process_->write("quit\n");
  } catch (const std::exception&) {
    // It has ended already.
  }
}

void EnginePlayer::fail(const std::string& why) const {
  throw failure("command \"" + spec_.command + "\"", why);
}

void EnginePlayer::start() {
  if (spec_.protocol == EngineProtocol::kGrid) return;
  process_ = std::make_unique<Subprocess>(spec_.command);
  if (spec_.protocol == EngineProtocol::kGtp) {
    if (gtp("known_command pahtum-setup") != "true") {
      fail("does not know `pahtum-setup`, without which it cannot be given a position");
    }
    takes_numbers_ = gtp("known_command pahtum-random") == "true";
    if (spec_.seconds) {
      // Whole seconds are all that GTP has.
      gtp("time_settings 0 " + std::to_string(std::max(1L, std::lround(*spec_.seconds))) + " 1");
    }
    return;
  }
  process_->write("ugi\n");
  while (true) {
    const std::string line = process_->read_line(patience_);
    if (line.starts_with("option name Ply ")) takes_numbers_ = true;
    if (line.starts_with("ugiok")) break;
  }
  process_->write("isready\n");
  ugi_line("readyok");
}

void EnginePlayer::choose(std::span<const Turn> turns, std::span<Move> moves) {
  for (std::size_t k = 0; k < turns.size(); ++k) {
    try {
      moves[k] = ask(turns[k]);
    } catch (const Error& error) {
      throw Error(error.fault(), player_subject(info_.spec), error.what());
    }
  }
}

Move EnginePlayer::ask(const Turn& turn) {
  if (turn.position.run_points != kRunPoints) {
    throw request_error("rules", "protocols have no form for other points of runs than the game's own");
  }
  switch (spec_.protocol) {
    case EngineProtocol::kGtp:
      return ask_gtp(turn);
    case EngineProtocol::kUgi:
      return ask_ugi(turn);
    case EngineProtocol::kGrid:
      return ask_grid(turn);
  }
  throw failure("protocol", "is none that is spoken");
}

Move EnginePlayer::legal(const Turn& turn, const std::string& move, const std::string& line) const {
  Move parsed;
  try {
    parsed = parse_move(lower_case(move), turn.position.size);
  } catch (const Error&) {
    fail("has answered \"" + line + "\", which names no move, to \"" + to_text(turn.position) + "\"");
  }
  if (is_legal(turn.position, parsed)) return parsed;
  fail("has answered \"" + line + "\" to \"" + to_text(turn.position) + "\": illegal, " +
       EngineGame::illegal_reason(turn.position, parsed));
}

std::string EnginePlayer::gtp(const std::string& command) {
  process_->write(command + "\n");
  std::string line = process_->read_line(patience_);
  while (line.empty()) line = process_->read_line(patience_);
  if (line.front() != '=' && line.front() != '?') {
    fail("has answered \"" + line + "\" to `" + command + "`, which is no answer of GTP");
  }
  std::string text = line;
  for (std::string more = process_->read_line(patience_); !more.empty();
       more = process_->read_line(patience_)) {
    text += "\n" + more;
  }
  if (line.front() == '?') fail("has answered \"" + text + "\" to `" + command + "`");
  const std::size_t begin = text.find_first_not_of(' ', 1);
  return begin == std::string::npos ? "" : text.substr(begin);
}

Move EnginePlayer::ask_gtp(const Turn& turn) {
  gtp("pahtum-setup " + to_text(turn.position));
  if (takes_numbers_) {
    gtp("pahtum-random " + std::to_string(seed_) + " " + std::to_string(turn.game) + " " +
        std::to_string(turn.ply));
  }
  const std::string answer = gtp("genmove " + std::string(color_name(turn.position.mover)));
  return legal(turn, answer, "= " + answer);
}

std::string EnginePlayer::ugi_line(const std::string& word) {
  while (true) {
    std::string line = process_->read_line(patience_);
    if (line == word || line.starts_with(word + " ")) return line;
    if (line.starts_with("info string error")) fail("has answered \"" + line + "\"");
  }
}

void EnginePlayer::set_ugi_option(const std::string& name, std::uint64_t value) {
  process_->write("setoption name " + name + " value " + std::to_string(value) + "\n");
}

Move EnginePlayer::ask_ugi(const Turn& turn) {
  if (takes_numbers_) {
    set_ugi_option("Seed", seed_);
    set_ugi_option("Game", turn.game);
    set_ugi_option("Ply", static_cast<std::uint64_t>(turn.ply));
  }
  process_->write("position fen " + to_text(turn.position) + "\nisready\n");
  ugi_line("readyok");
  std::string go = "go";
  if (spec_.seconds) go += " movetime " + std::to_string(std::lround(1000.0 * *spec_.seconds));
  if (spec_.simulations) go += " nodes " + std::to_string(*spec_.simulations);
  if (spec_.depth) go += " depth " + std::to_string(*spec_.depth);
  process_->write(go + "\n");
  const std::string line = ugi_line("bestmove");
  const std::vector<std::string> words = split_words(line);
  return legal(turn, words.size() > 1 ? words[1] : "", line);
}

Move EnginePlayer::ask_grid(const Turn& turn) {
  const Position& position = turn.position;
  const std::string board = grid_text(position);
  if (position.phase != Phase::kPlaying || parse_grid(board) != position) {
    throw request_error("\"" + to_text(position) + "\"",
                        "the grid protocol has no form for it: only stones are placed there, in turn");
  }
  Subprocess process(spec_.command, {{"PAHTUM_SEED", std::to_string(seed_)},
                                     {"PAHTUM_GAME", std::to_string(turn.game)},
                                     {"PAHTUM_PLY", std::to_string(turn.ply)}});
  process.write(board);
  process.close_input();
  std::string answer;
  for (int row = 0; row < position.size;) {
    const std::string line = process.read_line(patience_);
    if (line.empty() && row == 0) continue;
    answer += line + "\n";
    ++row;
  }
  Position next;
  try {
    next = parse_grid(answer);
  } catch (const Error& error) {
    fail("has answered a board that is none: " + std::string(error.what()) + "\n" + answer);
  }
  std::optional<Move> found;
  for_each_legal(position, [&](Move move) {
    if (grid_text(after(position, move)) == grid_text(next)) found = move;
  });
  if (!found) fail("has answered a board that no move leads to:\n" + answer);
  return *found;
}

}  // namespace pahtum
