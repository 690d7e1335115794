#include <iostream>
#include <memory>
#include <random>

#include "app/common.h"
#include "app/default_player.h"
#include "app/game_file.h"
#include "app/interrupt.h"
#include "app/play_input.h"
#include "app/play_session.h"
#include "app/play_text.h"
#include "app/terminal.h"
#include "env/base/error.h"
#include "eval/player.h"

namespace pahtum {
namespace {

struct PlayOptions {
  std::string spec, black;
  std::string position;
  std::string side;
  std::string load;
  bool resume = false;
  std::string save;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> simulations;
  std::optional<double> seconds;
  bool analysis = false;
  std::string color = "auto";
  std::optional<double> pause;
  RulesOptions rules;
};

std::uint64_t fresh_seed() {
  std::random_device device;
  return device();
}

// The players with the game they are to play.
struct Table {
  std::unique_ptr<Player> white, black;  // `black` may be null: `white` plays both
  std::string why;                       // the opponent was chosen, where it was not named
  GameConfig usual_rules, rules;
};

// The game to go on with, where the options name one.
std::optional<PlayedGame> game_in(const PlayOptions& options,
                                  const std::optional<std::filesystem::path>& kept) {
  if (!options.load.empty()) {
    const LoadedGame loaded = load_game(options.load);
    std::cout << to_text(loaded) << "\n";
    return loaded.game;
  }
  if (!options.resume) return std::nullopt;
  if (!kept)
    throw request_error("--resume", "games are kept only on a terminal; --load FILE reads a saved one");
  auto game = newest_stopped_game(*kept);
  if (!game) throw request_error("--resume", kept->string() + " holds no game that was left before its end");
  return game;
}

// Throws a kRequest Error when the player cannot play what the options ask for.
void seat(Table& table, const PlayOptions& options, const std::optional<Position>& start) {
  const PlayerInfo& white = table.white->info();
  table.usual_rules = white.game                                ? *white.game
                      : table.black && table.black->info().game ? *table.black->info().game
                                                                : GameConfig{};
  table.rules = options.rules.resolve(table.usual_rules);
  for (const Player* player : {table.white.get(), table.black.get()}) {
    if (player == nullptr) continue;
    if (start) {
      require_start(player->info(), *start);
    } else {
      require_game(player->info(), table.rules);
    }
    if (options.simulations) require_search(player->info(), "--sims");
    if (options.seconds) require_search(player->info(), "--time");
  }
}

Table named_players(const PlayOptions& options, const PlayerContext& context,
                    const std::optional<Position>& start) {
  Table table;
  table.white = make_player(options.spec, context);
  if (!options.black.empty()) table.black = make_player(options.black, context);
  seat(table, options, start);
  return table;
}

// The first of the default players that can play what is asked for; the last one can, or it is nobody's fault
// but the request's.
Table default_table(const PlayOptions& options, const PlayerContext& context,
                    const std::optional<Position>& start) {
  const std::vector<DefaultPlayer> players = default_players();
  for (const DefaultPlayer& player : players) {
    try {
      Table table;
      table.white = make_player(player.spec, context);
      seat(table, options, start);
      table.why = player.why;
      return table;
    } catch (const Error&) {
      if (&player == &players.back()) throw;
    }
  }
  throw failure("play", "there is nobody to play against");
}

Side side_of(const PlayOptions& options) {
  if (!options.black.empty()) {
    if (options.side.empty() || options.side == "none") return Side::kNone;
    throw request_error("--side", "two players play each other; name one of them to play against it");
  }
  return options.side.empty() ? Side::kWhite : *side_named(options.side);
}

std::string introduction(const Table& table, Side side) {
  const std::string why = table.why.empty() ? "" : " (" + table.why + ")";
  const std::string spec = table.white->info().spec + why;
  switch (side) {
    case Side::kNone:
      if (table.black) return "White " + table.white->info().spec + ", Black " + table.black->info().spec;
      return "Playing itself: " + spec;
    case Side::kBoth:
      return "You play both sides; hints come from " + spec;
    case Side::kWhite:
    case Side::kBlack:
      break;
  }
  return "You play " + color_text(side == Side::kWhite ? Color::kWhite : Color::kBlack) + " against " + spec;
}

int play(const PlayOptions& options) {
  const Side side = side_of(options);
  const std::uint64_t seed = options.seed ? *options.seed : fresh_seed();
  const PlayerContext context{.seed = seed, .exact = kExactInPlay};
  const bool interactive = is_interactive();
  const std::optional<std::filesystem::path> kept = interactive ? kept_games_path() : std::nullopt;
  const std::optional<PlayedGame> game = game_in(options, kept);
  std::optional<Position> start;
  if (!options.position.empty()) start = parse_position(options.position);
  if (!options.save.empty()) require_game_file(options.save);
  const std::optional<Position> first = game ? std::optional(game->start) : start;
  Table table =
      options.spec.empty() ? default_table(options, context, first) : named_players(options, context, first);
  PlayConfig config;
  config.usual_rules = table.usual_rules;
  config.rules = table.rules;
  config.start = start;
  config.seed = seed;
  config.side = side;
  config.strength = {.simulations = options.simulations, .seconds = options.seconds};
  config.analysis = options.analysis;
  config.color = wants_color(*color_choice_named(options.color));
  config.width = terminal_width();
  config.interactive = interactive;
  config.pause = options.pause.value_or(config.interactive ? 1.0 : 0.0);
  if (!options.save.empty()) config.save = options.save;
  config.kept = kept;
  config.first = game;
  if (options.resume) config.first_kept = to_text(*game);
  // From here on Ctrl-C is the session's affair.
  static_cast<void>(stop_on_interrupt());
  const std::string what = game ? "A game that was left" : start ? "A given position" : to_text(config.rules);
  std::cout << wrapped(what + ", seed " + std::to_string(seed), config.width)
            << wrapped(introduction(table, side), config.width);
  if (config.interactive) {
    std::cout << wrapped("A move is a square such as d4; `help` lists what else there is.", config.width);
  }
  StandardInput input;
  PlaySession session(std::move(config), std::move(table.white), std::move(table.black), input, std::cout);
  return session.run();
}

}  // namespace

void add_play(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("play", "A game on the terminal, or two players to watch");
  const auto options = std::make_shared<PlayOptions>();
  CLI::Option* spec =
      sub.add_option("SPEC", options->spec,
                     "Opponent: " + player_specs_text() +
                         "; without it the best network in models/, else the newest run's agent, else the "
                         "strongest player without a network");
  sub.add_option("BLACK", options->black,
                 "A second player: SPEC plays White and this one Black, and you watch")
      ->needs(spec);
  sub.add_option("--side", options->side, "What you play: white (unless said otherwise), black, both, none")
      ->check(CLI::IsMember({"white", "black", "both", "none"}));
  CLI::Option* position =
      sub.add_option("--position", options->position, "Position to start from, in quotes");
  CLI::Option* load =
      sub.add_option("--load", options->load, "Go on with the last game of this file")->excludes(position);
  sub.add_flag("--resume", options->resume, "Go on with the newest game that was left on a terminal")
      ->excludes(position)
      ->excludes(load);
  sub.add_option("--save", options->save,
                 "Add every game to this file of game records when it ends or is left");
  CLI::Option* sims = sub.add_option("--sims", options->simulations,
                                     "Simulations a move of the engine (rollouts of uct, nodes of alphabeta)")
                          ->check(CLI::Range(std::int64_t{1}, kMostSimulations));
  sub.add_option("--time", options->seconds, "Seconds a move of the engine")
      ->check(CLI::Range(kLeastSeconds, kMostSeconds))
      ->excludes(sims);
  sub.add_flag("--analysis", options->analysis, "Show what the engine thinks with every board");
  sub.add_option("--pause", options->pause, "Seconds between the moves you watch; 1 on a terminal, else 0")
      ->check(CLI::Range(0.0, 3600.0));
  sub.add_option("--colour,--color", options->color,
                 "auto (a terminal, unless NO_COLOR is set or TERM is dumb), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of the layout and the engine; without it a new one");
  options->rules.add_to(sub);
  sub.footer(
      "Example: pahtum play net:runs/quick-1 --side black --analysis\n"
      "         pahtum play uct:10000 charles --pause 0.5");
  sub.callback([options, &command] { command = [options] { return play(*options); }; });
}

}  // namespace pahtum
