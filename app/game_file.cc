#include "app/game_file.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/quotes.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool holds_game(const std::string& line) {
  return line.starts_with(kGameTextTag);
}

// The text of a file of games; empty when there is none yet.
std::string games_in(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return "";
  std::string text = read_file(path);
  try {
    static_cast<void>(parse_games_text(text, path.string(), GamesTaken::kAll));
  } catch (const Error& fault) {
    throw request_error(fault.subject(),
                        fault.message() + "; the file is left as it is, choose another name for the game");
  }
  return text;
}

}  // namespace

void require_game_file(const fs::path& path) {
  static_cast<void>(games_in(path));
}

GameSaved save_game(const fs::path& path, const PlayedGame& game, const std::string& earlier,
                    std::size_t at_most) {
  std::vector<std::string> lines = lines_of(games_in(path));
  const std::string record = to_text(game);
  GameSaved saved;
  const auto own = earlier.empty() ? lines.end() : std::ranges::find(lines, earlier);
  const auto place = static_cast<std::size_t>(own - lines.begin());
  if (own != lines.end()) {
    *own = record;
    saved.replaced = true;
  } else {
    saved.added = std::ranges::any_of(lines, holds_game);
    lines.push_back(record);
  }
  saved.number = static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(place) + 1, holds_game));
  auto surplus = static_cast<std::size_t>(std::ranges::count_if(lines, holds_game));
  for (auto line = lines.begin(); at_most > 0 && surplus > at_most && line != lines.end();) {
    if (holds_game(*line)) --surplus;
    line = lines.erase(line);
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_file_atomically(path, text);
  return saved;
}

LoadedGame load_game(const fs::path& path, const std::string& number) {
  std::vector<PlayedGame> games = read_games_text(path, GamesTaken::kAll);
  if (games.empty()) throw request_error(path.string(), "holds no games");
  std::size_t chosen = games.size();
  if (!number.empty()) {
    chosen = parse_number<std::size_t>(number).value_or(0);
    if (chosen < 1 || chosen > games.size()) {
      throw request_error(path.string(),
                          "has games 1 to " + std::to_string(games.size()) + ", not " + in_quotes(number));
    }
  }
  return {std::move(games[chosen - 1]), chosen, games.size()};
}

std::string to_text(const LoadedGame& loaded) {
  const auto name = [](const std::string& player) { return player.empty() ? "unknown" : player; };
  return "Game " + std::to_string(loaded.number) + " of " + std::to_string(loaded.games) + ": White " +
         name(loaded.game.white) + ", Black " + name(loaded.game.black) + "; " +
         std::to_string(loaded.game.moves.size()) + " moves.";
}

std::optional<fs::path> kept_games_path() {
  const auto folder = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? fs::path() : fs::path(value);
  };
  fs::path state = folder("XDG_STATE_HOME");
  // Relative paths there are invalid by the XDG base directory specification.
  if (!state.is_absolute()) {
    const fs::path home = folder("HOME");
    if (!home.is_absolute()) return std::nullopt;
    state = home / ".local" / "state";
  }
  return state / "pahtum" / "games.txt";
}

std::optional<PlayedGame> newest_stopped_game(const fs::path& path, const std::string& except) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  const std::vector<PlayedGame> games = read_games_text(path, GamesTaken::kAll);
  const auto found = std::find_if(games.rbegin(), games.rend(), [&](const PlayedGame& game) {
    return game.end == GameEnd::kStopped && to_text(game) != except;
  });
  return found == games.rend() ? std::nullopt : std::optional(*found);
}

}  // namespace pahtum
