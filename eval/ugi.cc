#include "eval/ugi.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "env/base/error.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostPly = 1000;

}  // namespace

Ugi::Ugi(EngineMind& mind, const GameConfig& rules, Send send, std::int64_t margin, std::uint64_t seed)
    : mind_(mind), game_(rules, seed), send_(std::move(send)), margin_(margin) {}

Ugi::~Ugi() {
  stop();
  wait();
}

void Ugi::send(const std::string& line) {
  const std::lock_guard lock(sending_);
  send_(line);
}

void Ugi::wait() {
  if (thread_.joinable()) thread_.join();
}

void Ugi::stop() {
  stop_.store(true);
  stop_.notify_all();
}

void Ugi::finish() {
  if (infinite_) stop();
  wait();
}

bool Ugi::handle(std::string_view line) {
  const Words words = split_words(line);
  if (words.empty()) return true;
  if (words.front() == "quit") {
    stop();
    wait();
    return false;
  }
  try {
    dispatch(words);
  } catch (const std::exception& error) {
    send("info string error: " + printable(error.what()));
  }
  return true;
}

void Ugi::dispatch(const Words& words) {
  const std::string& command = words.front();
  if (command == "isready") return send("readyok");
  if (command == "stop") return stop();
  if (command == "query") return query(words);
  const bool known = command == "ugi" || command == "setoption" || command == "uginewgame" ||
                     command == "position" || command == "go";
  if (!known) throw request_error(command, "unknown command");
  if (searching()) throw request_error(command, "wait for bestmove, or send stop");
  wait();
  if (command == "ugi") return introduce();
  if (command == "setoption") return set_option(words);
  if (command == "position") return set_position(words);
  if (command == "go") return go(words);
  game_.restart();  // uginewgame
}

void Ugi::introduce() {
  send("id name pahtum " PAHTUM_VERSION);
  send("id author the PahTum project");
  send("option name Margin type spin default " + std::to_string(margin_) + " min 0 max " +
       std::to_string(kMarginMost));
  send("option name OwnBook type check default false");
  send("option name Size type spin default " + std::to_string(int{game_.position().size}) + " min 3 max 8");
  send("option name Seed type spin default " + std::to_string(game_.seed()) + " min 0 max " +
       std::to_string(kMostSeed));
  send("option name Game type spin default 0 min 0 max " + std::to_string(kMostSeed));
  send("option name Ply type spin default 0 min 0 max " + std::to_string(kMostPly));
  send("ugiok");
}

void Ugi::set_option(const Words& words) {
  // setoption name NAME value VALUE
  if (words.size() < 5 || words[1] != "name" || words[3] != "value" || words.size() > 5) {
    throw request_error("setoption", "say: setoption name NAME value VALUE");
  }
  const std::string name = lower_case(words[2]);
  const std::string& value = words[4];
  if (name == "margin") {
    margin_ = parse_whole("Margin", value, 0, kMarginMost);
  } else if (name == "size") {
    EngineGame other = game_;
    other.resize(static_cast<int>(parse_whole("Size", value, kMinSize, kMaxSize)));
    mind_.require_position(other.position());
    game_ = other;
  } else if (name == "seed") {
    const auto seed = static_cast<std::uint64_t>(parse_whole("Seed", value, 0, kMostSeed));
    if (seed != game_.seed()) mind_.reseed(seed);
    game_.set_number(seed, static_cast<std::uint64_t>(number_), game_.turn().ply);
  } else if (name == "game") {
    number_ = parse_whole("Game", value, 0, kMostSeed);
    game_.set_number(game_.seed(), static_cast<std::uint64_t>(number_), game_.turn().ply);
  } else if (name == "ply") {
    ply_ = parse_whole("Ply", value, 0, kMostPly);
  } else if (name != "ownbook") {
    throw request_error(words[2], "unknown option");
  }
}

void Ugi::set_position(const Words& words) {
  EngineGame other = game_;
  const std::size_t moves = static_cast<std::size_t>(std::ranges::find(words, "moves") - words.begin());
  if (words.size() > 1 && words[1] == "startpos" && moves >= 2) {
    if (moves > 2 && words.size() > 2) throw request_error(words[2], "say: position startpos moves …");
    other.restart();
  } else if (words.size() > 2 && words[1] == "fen") {
    other.set_up(parse_position(joined(std::span(words).subspan(2, moves - 2))), static_cast<int>(ply_));
  } else {
    throw request_error("position", "say: position startpos|fen POSITION [moves MOVE…]");
  }
  mind_.require_position(other.position());
  for (std::size_t k = moves + 1; k < words.size(); ++k) {
    other.play(parse_move(words[k], other.position().size));
  }
  game_ = other;
}

ThinkLimits Ugi::limits_of(const Words& words, ThinkLimits::Clock::time_point started) const {
  struct Argument {
    const char* name;
    std::int64_t least;
    std::optional<std::int64_t> value{};
  };
  enum : std::size_t {
    kFirstTime,
    kSecondTime,
    kFirstMore,
    kSecondMore,
    kMovesToGo,
    kMoveTime,
    kDepth,
    kNodes
  };
  std::array<Argument, 8> arguments = {{{"p1time", 0},
                                        {"p2time", 0},
                                        {"p1inc", 0},
                                        {"p2inc", 0},
                                        {"movestogo", 1},
                                        {"movetime", 0},
                                        {"depth", 0},
                                        {"nodes", 1}}};
  ThinkLimits limits;
  for (std::size_t k = 1; k < words.size(); ++k) {
    if (words[k] == "infinite") {
      limits.infinite = true;
      continue;
    }
    const auto argument =
        std::ranges::find_if(arguments, [&](const Argument& known) { return words[k] == known.name; });
    if (argument == arguments.end()) throw request_error(words[k], "`go` has no such argument");
    if (++k == words.size()) throw request_error(argument->name, "a number is missing");
    argument->value = parse_whole(argument->name, words[k], argument->least, kMostMilliseconds);
  }
  const auto seconds_of = [&](std::size_t which) {
    return static_cast<double>(arguments[which].value.value_or(0)) / 1000.0;
  };
  const double margin = static_cast<double>(margin_) / 1000.0;
  const bool first = game_.position().mover == Color::kWhite;
  if (arguments[kMoveTime].value) {
    limits.deadline = deadline_after(started, seconds_of(kMoveTime), margin);
  } else if (arguments[first ? kFirstTime : kSecondTime].value) {
    EngineClock clock{.left = seconds_of(first ? kFirstTime : kSecondTime),
                      .increment = seconds_of(first ? kFirstMore : kSecondMore)};
    if (const auto moves = arguments[kMovesToGo].value)
      clock.moves_to_go = static_cast<int>(std::min<std::int64_t>(*moves, kMaxSquares));
    limits.deadline = deadline_after(started, seconds_for_move(game_.position(), clock, margin), 0.0);
  } else if (arguments[kFirstTime].value || arguments[kSecondTime].value) {
    throw request_error(first ? "p1time" : "p2time", "the time of the player to move is missing");
  }
  if (arguments[kDepth].value)
    limits.depth = static_cast<int>(std::clamp<std::int64_t>(*arguments[kDepth].value, 1, kMaxSquares));
  limits.simulations = arguments[kNodes].value;
  return limits;
}

void Ugi::go(const Words& words) {
  ThinkLimits limits = limits_of(words, ThinkLimits::Clock::now());
  if (game_.position().over()) {
    send("info string error: the game is over");
    send("bestmove none");
    return;
  }
  mind_.require_position(game_.position());
  infinite_ = limits.infinite;
  stop_.store(false);
  limits.stop = &stop_;
  searching_.store(true);
  thread_ = std::thread([this, turn = game_.turn(), limits] { search(turn, limits); });
}

void Ugi::search(const Turn& turn, ThinkLimits limits) {
  try {
    const Analysis found = mind_.think(turn, limits);
    // Whoever asked without an end gets the answer when they ask for that.
    if (limits.infinite && !limits.deadline) stop_.wait(false);
    report(turn, found);
    searching_.store(false);
    send("bestmove " + to_text(found.move, turn.position.size));
  } catch (const std::exception& error) {
    send("info string error: " + printable(error.what()));
    searching_.store(false);
    send("bestmove none");
  }
}

void Ugi::report(const Turn& turn, const Analysis& found) {
  const auto milliseconds = static_cast<std::int64_t>(std::llround(found.seconds * 1000.0));
  const std::int64_t nodes = std::max<std::int64_t>(found.simulations, 1);
  const auto rate = static_cast<std::int64_t>(static_cast<double>(nodes) / std::max(found.seconds, 1e-6));
  std::string line = "info";
  if (found.depth > 0) line += " depth " + std::to_string(found.depth);
  line += " time " + std::to_string(milliseconds) + " nodes " + std::to_string(nodes) + " nps " +
          std::to_string(rate);
  // A hundredth of a win, where the player knows how it expects to fare.
  if (found.value) {
    line += " score cp " + std::to_string(std::lround(100.0 * static_cast<double>(found.value->get())));
  } else if (found.moves.front().line_score) {
    line += " score cp " + std::to_string(std::lround(*found.moves.front().line_score));
  }
  line += " pv";
  for (const Move move : found.variation) line += " " + to_text(move, turn.position.size);
  send(line);
}

void Ugi::query(const Words& words) {
  const Position& position = game_.position();
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  const std::string what = words.size() == 2 ? words[1] : "";
  if (what == "p1turn") return send(std::string("response ") + truth(position.mover == Color::kWhite));
  if (what == "gameover") return send(std::string("response ") + truth(position.over()));
  if (what == "result") {
    const int margin = position.white_margin();
    return send(std::string("response ") + (!position.over() ? "none"
                                            : margin > 0     ? "p1win"
                                            : margin < 0     ? "p2win"
                                                             : "draw"));
  }
  if (what == "fen") return send("response " + to_text(position));
  if (what == "moves") {
    std::string line = "response";
    for_each_legal(position, [&](Move move) { line += " " + to_text(move, position.size); });
    return send(line);
  }
  throw request_error(what.empty() ? "query" : what, "ask for p1turn, gameover, result, fen or moves");
}

}  // namespace pahtum
