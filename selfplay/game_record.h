#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace pahtum {

// One self-play game as it was played, finished or not: enough to replay it and to train on it.
//
//   ply         0        1        2        3     …
//   moves       d4       e4       c3       …
//   searched    0        0        1        1           0: an opening move made at random, never a sample
//   root_values –        –        0.12     −0.08       what the search expected, for the mover
//   visits      (none)   (none)   [12 3 …] [5 9 …]     one count per legal move, ascending, of searched plies
//   only
struct GameRecord {
  std::uint32_t environment = 0;  // number of the slot that played it
  std::uint64_t episode = 0;      // its number in that slot
  Position start;
  std::vector<Move> moves;
  std::vector<std::uint8_t> searched;
  std::vector<float> root_values;
  std::vector<std::uint16_t> visits;

  // The position after the last move.
  [[nodiscard]] Position position() const noexcept;
  // Plies that can be samples.
  [[nodiscard]] int samples() const noexcept;
  // Layout and moves, for counting duplicates.
  [[nodiscard]] std::uint64_t hash() const noexcept;

  void add_random(Move move);
  // `visits` holds one count for each legal move in ascending order; counts above 65535 are scaled down
  // together.
  void add_searched(Move move, Value root_value, std::vector<std::int32_t> visits);

  friend bool operator==(const GameRecord&, const GameRecord&) = default;
};

// The records as bytes, and back. Parsing replays each game and refuses (kRequest Error naming `source`) a
// record whose moves are illegal or whose counts do not fit the moves.
[[nodiscard]] std::string serialize(const std::vector<GameRecord>& games);
[[nodiscard]] std::vector<GameRecord> parse_games(std::string_view bytes, const std::string& source);

// Shards of finished games: the frame of env/base/files.h with magic "PAHTUMGM" around serialize()'s bytes.
void save_games(const std::filesystem::path& path, const std::vector<GameRecord>& games);
[[nodiscard]] std::vector<GameRecord> load_games(const std::filesystem::path& path);

}  // namespace pahtum
