#include <algorithm>
#include <ostream>
#include <utility>

#include "app/common.h"
#include "app/game_file.h"
#include "app/play_session.h"
#include "app/play_text.h"
#include "env/base/error.h"
#include "env/base/quotes.h"
#include "env/base/text.h"
#include "env/game_rules.h"

namespace pahtum {
namespace {

// The rules that words such as `--size 5 --holes 3` make of `usual`.
GameConfig rules_in(std::vector<std::string> words, const GameConfig& usual) {
  CLI::App app;
  app.set_help_flag();
  RulesOptions options;
  options.add_to(app);
  std::ranges::reverse(words);  // the order in which CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw request_error("new", std::string(error.what()) + " (`help new` shows what it takes)");
  }
  return options.resolve(usual);
}

}  // namespace

void PlaySession::execute(const PlayCommand& command) {
  const std::string word = command.words.empty() ? "" : command.words.front();
  switch (command.verb) {
    case PlayVerb::kMove:
      return play_move(word);
    case PlayVerb::kUndo:
      return undo();
    case PlayVerb::kRedo:
      return redo();
    case PlayVerb::kHint:
      return hint();
    case PlayVerb::kAnalysis:
      return set_analysis(command.words);
    case PlayVerb::kMoves:
      return list_moves();
    case PlayVerb::kBoard:
      return draw();
    case PlayVerb::kGo:
      return go();
    case PlayVerb::kSide:
      return set_side(word);
    case PlayVerb::kSwitch:
      return switch_sides();
    case PlayVerb::kSims:
      return set_strength("sims", word);
    case PlayVerb::kTime:
      return set_strength("time", word);
    case PlayVerb::kDefault:
      return default_strength();
    case PlayVerb::kNew:
      return new_game(command.words);
    case PlayVerb::kAgain:
      return again();
    case PlayVerb::kHoles:
      return set_holes(word);
    case PlayVerb::kSave:
      return save_to(word);
    case PlayVerb::kLoad:
      return load(command.words);
    case PlayVerb::kResume:
      return resume();
    case PlayVerb::kResign:
      return resign();
    case PlayVerb::kHelp:
      out_ << (word.empty() ? play_help(config_.width) : play_help(word, config_.width));
      return;
    case PlayVerb::kQuit:
      return leave(0);
  }
}

void PlaySession::play_move(const std::string& word) {
  if (game_.resigned()) throw request_error(word, "the game is over; `undo` takes the resignation back");
  const Position before = game_.position();
  const Move move = read_move(word, before);
  if (!is_person(before.mover)) {
    throw request_error(word,
                        "it is the engine's move; `go` lets it play, `side both` gives both sides to you");
  }
  const std::string text = move_text(before, move);
  game_.play(move);
  // Points are worth a word; that the stone was set shows on the board.
  if (text.ends_with(")")) out_ << color_text(before.mover) << " " << text << "\n";
  made_move();
}

void PlaySession::undo() {
  if (game_.resigned()) {
    game_.undo();
  } else {
    const bool any = config_.side == Side::kNone || config_.side == Side::kBoth;
    std::size_t to = game_.ply();
    do {
      if (to == 0) throw request_error("undo", "there is no move of yours to take back");
      --to;
    } while (!any && !is_person(game_.position_at(to).mover));
    while (game_.ply() > to) game_.undo();
  }
  paused_ = true;
  thought_.reset();
  keep();
  draw();
}

void PlaySession::redo() {
  if (!game_.can_redo()) throw request_error("redo", "nothing was taken back that could be played again");
  const bool any = config_.side == Side::kNone || config_.side == Side::kBoth;
  do {
    game_.redo();
  } while (!any && game_.can_redo() && !is_person(game_.position().mover));
  paused_ = true;
  made_move();
}

void PlaySession::hint() {
  if (game_.over()) throw request_error("hint", "the game is over");
  const Position& position = game_.position();
  out_ << wrapped(engine(position.mover).info().spec + " would play " + hint_text(think(), position),
                  config_.width, 2);
}

void PlaySession::set_analysis(const std::vector<std::string>& words) {
  const std::string word = words.empty() ? (config_.analysis ? "off" : "on") : words.front();
  if (word != "on" && word != "off") {
    throw request_error("analysis", in_quotes(word) + " is neither `on` nor `off`");
  }
  config_.analysis = word == "on";
  if (!config_.analysis) {
    out_ << "Analysis is off.\n";
  } else if (game_.over()) {
    out_ << "Analysis is on; there is nothing to analyse in a game that is over.\n";
  } else {
    draw();
  }
}

void PlaySession::list_moves() {
  if (game_.over()) throw request_error("moves", "the game is over, so there are none");
  std::string text;
  for_each_legal(game_.position(), [&](Move move) {
    text += (text.empty() ? "" : " ") + to_text(move, game_.position().size);
  });
  out_ << wrapped(text, config_.width);
}

void PlaySession::go() {
  if (game_.over()) throw request_error("go", "the game is over; `new` starts another");
  paused_ = false;
  if (config_.side != Side::kNone) engine_moves();
}

void PlaySession::set_side(const std::string& name) {
  const auto side = side_named(name);
  if (!side) throw request_error("side", in_quotes(name) + " is none; use white, black, both or none");
  config_.side = *side;
  paused_ = false;
  switch (*side) {
    case Side::kWhite:
      out_ << "You play White.\n";
      break;
    case Side::kBlack:
      out_ << "You play Black.\n";
      break;
    case Side::kBoth:
      out_ << "You play both sides.\n";
      break;
    case Side::kNone:
      out_ << "You watch" << (config_.interactive ? "; Ctrl-C stops the engines.\n" : ".\n");
      break;
  }
}

void PlaySession::switch_sides() {
  if (config_.side != Side::kWhite && config_.side != Side::kBlack) {
    throw request_error("switch", "you play " + std::string(side_name(config_.side)) +
                                      " now; say `side white` or `side black`");
  }
  set_side(config_.side == Side::kWhite ? "black" : "white");
}

void PlaySession::set_strength(const std::string& command, const std::string& number) {
  for (const auto& player : engines_) {
    if (player) require_search(player->info(), command);
  }
  if (command == "sims") {
    const auto simulations = parse_number<std::int64_t>(number);
    if (!simulations || *simulations < 1 || *simulations > kMostSimulations) {
      throw request_error(
          command, in_quotes(number) + " is no whole number from 1 to " + std::to_string(kMostSimulations));
    }
    config_.strength = {.simulations = simulations, .seconds = std::nullopt};
    out_ << "The engine thinks for " << *simulations << " simulations a move.\n";
  } else {
    const auto seconds = parse_number<double>(number);
    if (!seconds || !(*seconds >= kLeastSeconds && *seconds <= kMostSeconds)) {
      throw request_error(command,
                          in_quotes(number) + " is no number of seconds from 0.001 to 86400, such as 0.5");
    }
    config_.strength = {.simulations = std::nullopt, .seconds = seconds};
    out_ << "The engine thinks for " << number << " s a move.\n";
  }
  thought_.reset();
}

void PlaySession::default_strength() {
  config_.strength = {};
  thought_.reset();
  out_ << "The engine plays at its own strength: " << engine(Color::kWhite).info().spec << ".\n";
}

void PlaySession::new_game(std::vector<std::string> words) {
  if (words.empty()) {
    file_unfinished();
    begin(PlayGame(config_.start ? *config_.start : drawn_start(number_ + 1)), number_ + 1);
    return;
  }
  const GameConfig rules = rules_in(std::move(words), config_.usual_rules);
  for (const auto& player : engines_) {
    if (player) require_game(player->info(), rules);
  }
  file_unfinished();
  config_.rules = rules;
  config_.start.reset();
  out_ << wrapped(to_text(rules), config_.width);
  begin(PlayGame(drawn_start(number_ + 1)), number_ + 1);
}

void PlaySession::again() {
  file_unfinished();
  begin(PlayGame(game_.start()), number_);
}

void PlaySession::set_holes(const std::string& word) {
  const bool is_mode =
      std::ranges::any_of(kHoleModes, [&](HoleMode mode) { return hole_mode_name(mode) == word; });
  const bool is_layout = !is_mode && std::ranges::any_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  new_game({"--size", std::to_string(config_.rules.size),
            is_mode     ? "--hole-mode"
            : is_layout ? "--layout"
                        : "--holes",
            word});
}

void PlaySession::load(const std::vector<std::string>& words) {
  const LoadedGame loaded = load_game(words.front(), words.size() == 2 ? words[1] : "");
  require_start_for_engines(loaded.game.start);
  file_unfinished();
  out_ << wrapped(to_text(loaded), config_.width);
  go_on_with(loaded.game, "");
}

void PlaySession::resume() {
  const auto path = config_.kept;
  if (!path)
    throw request_error("resume", "games are kept only on a terminal; `load FILE` reads a saved one");
  const auto game = newest_stopped_game(*path, kept_record_);
  if (!game)
    throw request_error("resume", path->string() + " holds no other game that was left before its end");
  require_start_for_engines(game->start);
  file_unfinished();
  go_on_with(*game, to_text(*game));
}

void PlaySession::require_start_for_engines(const Position& start) const {
  for (const auto& player : engines_) {
    if (player) require_start(player->info(), start);
  }
}

// From now on the game is this one, at its end.
void PlaySession::go_on_with(const PlayedGame& game, const std::string& kept_record) {
  const std::uint64_t number = game.seed == config_.seed && game.number ? *game.number : number_ + 1;
  begin(PlayGame(game), number, kept_record, true);
}

void PlaySession::resign() {
  if (game_.over()) throw request_error("resign", "the game is over");
  if (config_.side == Side::kNone)
    throw request_error("resign", "you only watch; `side white` takes over a side");
  const Color color = config_.side == Side::kBoth    ? game_.position().mover
                      : config_.side == Side::kWhite ? Color::kWhite
                                                     : Color::kBlack;
  game_.resign(color);
  made_move();
}

}  // namespace pahtum
