#include "selfplay/game_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "env/base/error.h"
#include "selfplay/config_file.h"
#include "selfplay/run_directory.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

bool is_shard(const fs::path& file) {
  std::array<char, kGameShardMagic.size()> start{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return std::string_view(start.data(), static_cast<std::size_t>(stream.gcount())) == kGameShardMagic;
}

ShardOrigin origin_of(const fs::path& shard) {
  ShardOrigin origin;
  origin.source = shard.string();
  const auto iteration = RunDirectory::iteration_of_games(shard);
  const fs::path folder = fs::absolute(shard).parent_path();
  const RunDirectory run(shard.has_parent_path() ? shard.parent_path().parent_path() : fs::path(".."));
  if (!iteration || *iteration < 1 || folder.filename() != "games" || !fs::exists(run.config_path())) {
    return origin;
  }
  origin.player = "net:" + run.checkpoint_path(*iteration - 1).string();
  origin.seed = static_cast<std::uint64_t>(load_run_config(run.config_path()).run.seed);
  return origin;
}

}  // namespace

PlayedGame played_game(const GameRecord& game, const ShardOrigin& origin) {
  if (!game.position().over()) {
    throw request_error(origin.source, "game " + std::to_string(game.episode) + " of slot " +
                                           std::to_string(game.environment) +
                                           " is not over; records are of finished games");
  }
  PlayedGame played;
  played.start = game.start;
  played.moves = game.moves;
  played.white = origin.player;
  played.black = origin.player;
  played.seed = origin.seed;
  played.slot = game.environment;
  played.number = game.episode;
  played.source = origin.source;
  const auto chosen =
      std::ranges::find_if(game.origins, [](MoveOrigin move) { return move != MoveOrigin::kRandom; });
  played.opening = static_cast<std::uint64_t>(chosen - game.origins.begin());
  return played;
}

std::vector<fs::path> game_files(const fs::path& target) {
  std::error_code error;
  const auto status = fs::status(target, error);
  if (!fs::exists(status)) throw request_error(target.string(), "no such file or folder");
  if (!fs::is_directory(status)) return {target};
  std::vector<fs::path> files = RunDirectory(target).games_paths();
  if (fs::exists(target / "games.txt")) files.push_back(target / "games.txt");
  if (files.empty()) {
    throw request_error(target.string(), "holds no games: neither games/*.games nor games.txt is there");
  }
  return files;
}

std::vector<PlayedGame> load_played_games(const fs::path& file, GamesTaken taken) {
  if (!is_shard(file)) return read_games_text(file, taken);
  const ShardOrigin origin = origin_of(file);
  std::vector<PlayedGame> games;
  const auto load = file.extension() == RunDirectory::kUnfinishedEnding ? load_appended_games : load_games;
  for (const GameRecord& game : load(file)) games.push_back(played_game(game, origin));
  return games;
}

}  // namespace pahtum
