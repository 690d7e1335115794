#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/game_text.h"
#include "selfplay/game_record.h"

namespace pahtum {

// What a shard does not say of its games.
struct ShardOrigin {
  std::string player = "self";        // who had both colours
  std::optional<std::uint64_t> seed;  // of the run
  std::string source;                 // where the records come from
};

// A finished self-play game as a record for people; the random moves it began with are its opening. What only
// training needs (values, policies) is left out. Throws a kRequest Error that names `origin.source` for a
// game that is not over.
[[nodiscard]] PlayedGame played_game(const GameRecord& game, const ShardOrigin& origin);

// The files that hold the games of `target`: a file itself; of a folder its shards (games/*.games, by number)
// and then games.txt, whichever are there. Throws a kRequest Error that names the target when it does not
// exist or is a folder without games.
[[nodiscard]] std::vector<std::filesystem::path> game_files(const std::filesystem::path& target);

// The games of one file, a shard or game records as text; its first bytes tell which. A shard that lies in
// RUN/games belongs to that run: its players are net:RUN/checkpoints/NNNNNN.ckpt, the network of the
// iteration before, which finished the games, and the seed is that of RUN/config.yaml. Throws the kRequest
// Errors of load_games, read_games_text and load_run_config.
[[nodiscard]] std::vector<PlayedGame> load_played_games(const std::filesystem::path& file,
                                                        GamesTaken taken = GamesTaken::kFinished);

}  // namespace pahtum
