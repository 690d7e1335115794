#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string_view>

#include "app/board_drawing.h"
#include "app/common.h"
#include "app/terminal.h"
#include "env/base/error.h"
#include "env/game_text.h"
#include "eval/game_stats.h"
#include "eval/game_stats_text.h"
#include "eval/results_text.h"
#include "selfplay/game_files.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct GamesOptions {
  std::vector<std::string> targets;
  std::uint64_t game = 0;
  std::optional<std::uint64_t> ply;
  bool json = false;
  bool text = false;
};

// Calls visit(number, game) for the games of all targets, numbered from 1, file by file: a run's games need
// not fit into memory at once. `visit` returns whether it wants more.
void for_each_game(const std::vector<std::string>& targets,
                   const std::function<bool(std::uint64_t, const PlayedGame&)>& visit) {
  // Every target is looked for before anything is printed.
  std::vector<fs::path> files;
  for (const std::string& target : targets) {
    for (fs::path& file : game_files(target)) files.push_back(std::move(file));
  }
  std::uint64_t number = 0;
  for (const fs::path& file : files) {
    for (const PlayedGame& game : load_played_games(file, GamesTaken::kAll)) {
      if (!visit(++number, game)) return;
    }
  }
  if (number == 0) throw request_error(targets.front(), "holds no games");
}

std::string score_text(const Position& position) {
  return std::to_string(position.points_of(Color::kWhite)) + "-" +
         std::to_string(position.points_of(Color::kBlack));
}

// "White", "Black" or "draw"; "open" where the game was stopped.
std::string result_name(const PlayedGame& game, const Position& end) {
  switch (game.end) {
    case GameEnd::kFull:
      break;
    case GameEnd::kStopped:
      return "open";
    case GameEnd::kWhiteResigned:
      return "Black";
    case GameEnd::kBlackResigned:
      return "White";
  }
  const int margin = end.white_margin();
  return margin > 0 ? "White" : margin < 0 ? "Black" : "draw";
}

// How the game ended, as the last line of its replay.
std::string end_text(const PlayedGame& game, const Position& end) {
  const std::string result = result_name(game, end);
  if (game.end == GameEnd::kStopped) return "not over, " + score_text(end) + " so far";
  if (game.end != GameEnd::kFull) {
    const bool white_resigned = game.end == GameEnd::kWhiteResigned;
    return result + " wins: " + (white_resigned ? "White" : "Black") + " resigned at " + score_text(end);
  }
  return (result == "draw" ? "a draw" : result + " wins") + ", " + score_text(end);
}

Json moves_json(const PlayedGame& game) {
  Json moves = Json::array();
  for (const Move move : game.moves) moves.push_back(to_text(move, game.start.size));
  return moves;
}

template <class Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json game_json(std::uint64_t number, const PlayedGame& game) {
  const Position end = game.final_position();
  return {{"number", number},
          {"white", game.white.empty() ? Json() : Json(game.white)},
          {"black", game.black.empty() ? Json() : Json(game.black)},
          {"result", result_name(game, end)},
          {"end", end_name(game.end)},
          {"white_points", end.points_of(Color::kWhite)},
          {"black_points", end.points_of(Color::kBlack)},
          {"plies", game.moves.size()},
          {"holes", std::popcount(end.holes)},
          {"seed", json_or_null(game.seed)},
          {"slot", json_or_null(game.slot)},
          {"game", json_or_null(game.number)},
          {"opening", game.opening},
          {"from", game.source.empty() ? Json() : Json(game.source)},
          {"start", to_text(game.start)},
          {"moves", moves_json(game)}};
}

std::vector<std::string> game_row(std::uint64_t number, const PlayedGame& game) {
  const Position end = game.final_position();
  const auto name = [](const std::string& player) { return player.empty() ? "?" : player; };
  return {
      std::to_string(number),
      to_text(game.start),
      name(game.white),
      name(game.black),
      result_name(game, end) +
          (game.end == GameEnd::kWhiteResigned || game.end == GameEnd::kBlackResigned ? " (resigned)" : ""),
      score_text(end),
      std::to_string(game.moves.size())};
}

int show(const GamesOptions& options) {
  if (options.text) {
    for_each_game(options.targets, [](std::uint64_t, const PlayedGame& game) {
      std::cout << to_text(game) << '\n';
      return static_cast<bool>(std::cout);
    });
    return 0;
  }
  if (options.json) {
    Json games = Json::array();
    for_each_game(options.targets, [&](std::uint64_t number, const PlayedGame& game) {
      games.push_back(game_json(number, game));
      return true;
    });
    print_json({{"games", std::move(games)}});
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {
      {"game", "start", "White", "Black", "result", "points", "plies"}};
  for_each_game(options.targets, [&](std::uint64_t number, const PlayedGame& game) {
    rows.push_back(game_row(number, game));
    return true;
  });
  std::cout << table_text(rows, 5);
  return 0;
}

// The position after `ply` moves, for people.
std::string ply_text(const PlayedGame& game, std::size_t ply, const Position& before,
                     const Position& position) {
  const std::string plies = std::to_string(game.moves.size());
  std::string text = "start of " + plies + " plies";
  std::optional<Move> last;
  if (ply > 0) {
    last = game.moves[ply - 1];
    text = "ply " + std::to_string(ply) + " of " + plies + ": " + std::string(color_name(before.mover)) +
           " " +
           (last->is_swap()                         ? "swaps the colours"
            : (position.holes & ~before.holes) != 0 ? "places a hole on " + to_text(*last, position.size)
                                                    : to_text(*last, position.size)) +
           (ply <= game.opening ? " (drawn at random)" : "");
  }
  return text + "\n" + board_text(position, {.last = last}, wants_color()) + "points  White " +
         std::to_string(position.points_of(Color::kWhite)) + ", Black " +
         std::to_string(position.points_of(Color::kBlack)) + "\n";
}

Json ply_json(const PlayedGame& game, std::size_t ply, const Position& position) {
  return {{"ply", ply},
          {"move", ply == 0 ? Json() : Json(to_text(game.moves[ply - 1], position.size))},
          {"position", to_text(position)},
          {"white", position.points_of(Color::kWhite)},
          {"black", position.points_of(Color::kBlack)}};
}

PlayedGame game_numbered(const GamesOptions& options) {
  std::optional<PlayedGame> found;
  std::uint64_t games = 0;
  for_each_game(options.targets, [&](std::uint64_t number, const PlayedGame& game) {
    games = number;
    if (number == options.game) found = game;
    return !found;
  });
  if (!found) {
    throw request_error("--game", "there is no game " + std::to_string(options.game) + "; " +
                                      options.targets.front() + " has games 1 to " + std::to_string(games));
  }
  return *found;
}

int replay(const GamesOptions& options) {
  const PlayedGame game = game_numbered(options);
  if (options.ply && *options.ply > game.moves.size()) {
    throw request_error("--ply", "game " + std::to_string(options.game) + " has plies 0 (its start) to " +
                                     std::to_string(game.moves.size()));
  }
  Json plies = Json::array();
  std::string text;
  Position before = game.start;
  Position position = game.start;
  for (std::size_t ply = 0; ply <= game.moves.size(); ++ply) {
    if (ply > 0) {
      before = position;
      apply(position, game.moves[ply - 1]);
    }
    if (options.ply && *options.ply != ply) continue;
    plies.push_back(ply_json(game, ply, position));
    text += "\n" + ply_text(game, ply, before, position);
  }
  if (options.json) {
    Json document = game_json(options.game, game);
    document["positions"] = std::move(plies);
    print_json(document);
    return 0;
  }
  const auto name = [](const std::string& player) { return player.empty() ? "?" : player; };
  std::cout << "game " << options.game << ": White " << name(game.white) << ", Black " << name(game.black)
            << "\n"
            << text << "\n"
            << end_text(game, position) << "\n";
  return 0;
}

int stats(const GamesOptions& options) {
  GameCounter counter;
  std::uint64_t left_out = 0;
  for_each_game(options.targets, [&](std::uint64_t, const PlayedGame& game) {
    if (game.end == GameEnd::kFull) {
      counter.add(game);
    } else {
      ++left_out;
    }
    return true;
  });
  if (left_out > 0) std::cerr << "left out, as not played to the end: " << left_out << " games\n";
  if (options.json) {
    print_json(game_stats_json(counter.stats()));
  } else {
    std::cout << game_stats_text(counter.stats());
  }
  return 0;
}

CLI::App& add_part(CLI::App& games, Command& command, const std::string& name, const std::string& help,
                   const std::shared_ptr<GamesOptions>& options, int (*run)(const GamesOptions&)) {
  CLI::App& sub = *games.add_subcommand(name, help);
  sub.add_option("FILE|RUN", options->targets,
                 "Game records, a shard of self-play games, or a folder of them such as a run")
      ->required();
  sub.add_flag("--json", options->json, "Print one JSON document");
  sub.callback([options, run, &command] { command = [options, run] { return run(*options); }; });
  return sub;
}

}  // namespace

void add_games(CLI::App& app, Command& command) {
  CLI::App& games = *app.add_subcommand("games", "Finished games: lists, boards move by move, statistics");
  games.require_subcommand(1);
  games.footer("Example: pahtum games stats runs/quick-1");
  const auto options = std::make_shared<GamesOptions>();
  CLI::App& shows = add_part(games, command, "show", "Lists games, one a line", options, show);
  shows.add_flag("--text", options->text, "Print them as game records (docs/formats.md)")->excludes("--json");
  shows.footer("Example: pahtum games show runs/quick-1/games/000001.games --text > games.txt");
  CLI::App& replays =
      add_part(games, command, "replay", "The board after each move of one game", options, replay);
  replays.add_option("--game", options->game, "Its number in `pahtum games show`, from 1")->required();
  replays.add_option("--ply", options->ply, "Only the position after so many moves");
  replays.footer("Example: pahtum games replay games.txt --game 3");
  CLI::App& counts = add_part(games, command, "stats",
                              "Results, margins, runs, first moves of all games together", options, stats);
  counts.footer("Example: pahtum games stats games.txt --json");
}

}  // namespace pahtum
