#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace pahtum {

// How a move of a self-play game came about.
enum class MoveOrigin : std::uint8_t {
  kRandom,    // at random, as an opening; never a sample
  kSearched,  // by a search
  kSolved,    // by a search that ended with the position's exact result: value and policy are the truth
  kShort,     // by a search too short to learn from; never a sample
};

// Whether a ply is a sample, and has a policy in its record.
[[nodiscard]] constexpr bool is_sample(MoveOrigin origin) noexcept {
  return origin == MoveOrigin::kSearched || origin == MoveOrigin::kSolved;
}

// One self-play game as it was played, finished or not: enough to replay it and to train on it.
//
//   ply         0        1        2        3     …
//   moves       d4       e4       c3       …
//   origins     random   short    searched solved
//   root_values –        0.08     0.12     1           what the search expected, for the mover
//   policy      (none)   (none)   [12 3 …] [1 0 …]     one weight per legal move, ascending, of samples: what
//                                                      the network should learn
//   surprises   –        –        0.7      –           of searched plies: how far that is from the network's
//                                                      own policy, as a Kullback–Leibler divergence in nats
struct GameRecord {
  std::uint32_t environment = 0;  // number of the slot that played it
  std::uint64_t episode = 0;      // its number in that slot
  Position start;
  std::vector<Move> moves;
  std::vector<MoveOrigin> origins;
  std::vector<float> root_values;
  std::vector<std::uint16_t> policy;
  std::vector<float> surprises;  // empty in games from files of before they were kept

  // The position after the last move.
  [[nodiscard]] Position position() const noexcept;
  // Plies that can be samples.
  [[nodiscard]] int samples() const noexcept;
  // Plies that are samples because their position was solved, and those that were searched.
  [[nodiscard]] int solved() const noexcept;
  [[nodiscard]] int searched() const noexcept;
  // Layout and moves, for counting duplicates.
  [[nodiscard]] std::uint64_t hash() const noexcept;

  void add_random(Move move);
  void add_short(Move move, Value root_value);
  // `shares` is the policy target, finite and not negative, one for each legal move in ascending order; kept
  // to 1/65535 of the largest. `origin` is that of a sample; `surprise`, finite and not negative, is kept of
  // a searched one.
  void add_searched(Move move, Value root_value, std::span<const float> shares, MoveOrigin origin,
                    float surprise = 0.0f);

  // Gives back the memory that its arrays took for growing.
  void shrink_to_fit();

  friend bool operator==(const GameRecord&, const GameRecord&) = default;
};

// The records as bytes, and back. Parsing replays each game and refuses (kRequest Error naming `source`) a
// record whose moves are illegal or whose policy does not fit the moves.
[[nodiscard]] std::string serialize(const std::vector<GameRecord>& games);
[[nodiscard]] std::vector<GameRecord> parse_games(std::string_view bytes, const std::string& source);

// Shards of finished games: the frame of env/base/files.h with this magic around serialize()'s bytes.
inline constexpr std::string_view kGameShardMagic = "PAHTUMGM";
void save_games(const std::filesystem::path& path, const std::vector<GameRecord>& games);
[[nodiscard]] std::vector<GameRecord> load_games(const std::filesystem::path& path);

// A file that finished games are added to one by one, a frame each; what a crash cut short is passed over.
void append_game(const std::filesystem::path& path, const GameRecord& game);
[[nodiscard]] std::vector<GameRecord> load_appended_games(const std::filesystem::path& path);

}  // namespace pahtum
