#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/position.h"

namespace pahtum {

// A decision a player is asked for. `game` and `ply` key its random numbers, so that neither the order of
// games nor their grouping into batches changes a choice.
struct Turn {
  Position position;       // not over
  std::uint64_t game = 0;  // number of the game within the match
  int ply = 0;             // moves made so far in it
};

// Somebody who chooses moves. A player keeps nothing between calls that could change a choice. One thread at
// a time per object.
class Player {
 public:
  Player() = default;
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  virtual ~Player() = default;

  // moves[k] becomes a legal move for turns[k]; the spans have equal length. Many turns at once let a network
  // player fill its batches.
  virtual void choose(std::span<const Turn> turns, std::span<Move> moves) = 0;
};

// What make_player needs beside the SPEC.
struct PlayerContext {
  std::uint64_t seed = 0;       // of the player's own random numbers (Stream::kPlayer)
  std::string device = "auto";  // of networks
  std::int64_t simulations =
      0;  // of `net:` players whose SPEC gives none; 0: what the checkpoint was trained with
};

// Makes a player from its SPEC: `random`, `greedy`, `uct:N`, `net:PATH[,sims=N][,policy]`. PATH is a
// checkpoint or a run directory (its newest checkpoint). Throws a kRequest Error that names the SPEC and
// lists what would be right.
[[nodiscard]] std::unique_ptr<Player> make_player(const std::string& spec, const PlayerContext& context);

}  // namespace pahtum
