#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "selfplay/game_record.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: a shard of games, see put_framed().
inline void fuzz_shard(std::span<const std::uint8_t> bytes) {
  const std::string_view rest = put_framed(bytes, {kGameShardMagic, 3, "game shard"});
  std::vector<GameRecord> games;
  if (is_refused([&] { games = load_games(fuzz_file().path()); })) return;
  for (const GameRecord& game : games) {
    require_sound(game.start);
    Position position = game.start;
    std::span<const std::uint16_t> policy = game.policy;
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      require(std::isfinite(game.root_values[ply]), "values are numbers");
      if (is_sample(game.origins[ply])) {
        double sum = 0;
        const auto count = static_cast<std::size_t>(legal_count(position));
        for (const std::uint16_t weight : policy.first(count)) sum += weight;
        require(sum > 0, "a policy target has weight on some move");
        policy = policy.subspan(count);
      }
      apply(position, game.moves[ply]);
      require_sound(position);
    }
    require(policy.empty() && position == game.position(), "a record replays to its end");
    for (const float surprise : game.surprises) {
      require(std::isfinite(surprise) && surprise >= 0.0f, "surprises are numbers");
    }
  }
  const std::string written = serialize(games);
  // Payloads without surprises, of version 2, get them.
  constexpr std::size_t kMark = 3;
  const bool newest = rest.size() > kMark && static_cast<signed char>(rest[kMark]) < 0;
  require(bytes.empty() || bytes.front() % 2 == 0 || !newest || written == rest,
          "games are written as they were read");
  require(parse_games(written, "output") == games, "games are read as they were written");
}

}  // namespace pahtum::fuzz
