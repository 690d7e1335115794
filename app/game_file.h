#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "env/game_text.h"

namespace pahtum {

// What save_game did.
struct GameSaved {
  std::size_t number = 0;  // of the game in the file, from 1
  bool replaced = false;   // its own earlier record stood there
  bool added = false;      // behind games that were there before
};

// Puts the record of a game into a file of game records (env/game_text.h): in place of the line `earlier`,
// the same game's record of before, where the file holds it; else as a new last line. Nothing else in the
// file changes; with `at_most` above 0 the oldest games make room beyond that many. Written atomically.
// Throws a kRequest Error when the file is there and holds something else, a kFailure Error when it cannot be
// written.
GameSaved save_game(const std::filesystem::path& path, const PlayedGame& game, const std::string& earlier,
                    std::size_t at_most = 0);

// Throws the kRequest Error that save_game would throw now.
void require_game_file(const std::filesystem::path& path);

struct LoadedGame {
  PlayedGame game;
  std::size_t number = 0, games = 0;  // it is game `number` of so many, from 1
};

// Game `number` (text, from 1) of a file of game records, the last one where it is empty. Throws a kRequest
// Error that names the file when it holds something else, no games, or none of that number.
[[nodiscard]] LoadedGame load_game(const std::filesystem::path& path, const std::string& number = "");

// "Game 2 of 3: White person, Black uct:1000; 12 moves."
[[nodiscard]] std::string to_text(const LoadedGame& loaded);

// Where games on a terminal are kept while they are played: pahtum/games.txt in XDG_STATE_HOME, else in
// ~/.local/state. Nothing without a home.
[[nodiscard]] std::optional<std::filesystem::path> kept_games_path();

// The newest game of the file that was stopped before its end, but for the one whose record is `except`;
// nothing when there is none or no such file.
// Throws a kRequest Error when the file holds something else.
[[nodiscard]] std::optional<PlayedGame> newest_stopped_game(const std::filesystem::path& path,
                                                            const std::string& except = "");

}  // namespace pahtum
