#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "env/position.h"
#include "eval/analysis.h"
#include "model/inference.h"
#include "search/evaluator.h"

namespace pahtum {

// What an arena must know of a player before it plays.
struct PlayerInfo {
  std::string spec;
  // Its choices depend on floating-point sums, whose rounding may differ with the width of a batch. A player
  // without is a pure function of its seed and the turn.
  bool uses_network = false;
  // The rules its network was trained for: it plays these, and others with the same boards, actions and
  // points. Nothing: it plays any.
  std::optional<GameConfig> game;
  // It solves positions with so many empty squares or fewer exactly; 0: none.
  int exact = 0;
  // Its moves are limited by time: what it chooses depends on the machine and on what else runs there.
  bool timed = false;
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
  // player fill its batches. A network player throws a kRequest Error when a position is of another board
  // size than its network.
  virtual void choose(std::span<const Turn> turns, std::span<Move> moves) = 0;

  // The move that the player makes of `turn`, and what it thinks of it. Of the limits those count that the
  // player has a use for; when there are none of these, it looks as far as its SPEC says, and the move is
  // that of choose(). A deadline in the past still brings a legal move, after as little work as possible: a
  // network judges the position once.
  [[nodiscard]] virtual Analysis analyse(const Turn& turn, const ThinkLimits& limits);

  // The result that the player's network expects of each position, for its mover and without search. Nothing
  // for players that estimate no probabilities. Positions are not over; of another board size they are
  // refused as in choose().
  [[nodiscard]] virtual std::vector<Wdl> expectations(std::span<const Position> /*positions*/) { return {}; }

  [[nodiscard]] virtual const PlayerInfo& info() const noexcept = 0;
};

// What make_player needs beside the SPEC.
struct PlayerContext {
  std::uint64_t seed = 0;           // of the player's own random numbers (Stream::kPlayer)
  InferenceOptions inference = {};  // of networks
  std::int64_t simulations =
      0;                   // of `net:` players whose SPEC gives none; 0: what the checkpoint was trained with
  std::int64_t exact = 0;  // of `net:` players whose SPEC gives none: as in PlayerInfo
};

// Makes a player from its SPEC: `random`, `greedy`, `charles`, `uct:N`, `solver:N`, `alphabeta:depth=D`,
// `alphabeta:time=S`, `net:PATH[,sims=N][,time=S][,exact=N][,policy]`,
// `engine:PROTOCOL[,time=S][,nodes=N][,depth=D]:COMMAND`. PATH is a checkpoint or a run directory (its newest
// checkpoint). Throws a kRequest Error that names the SPEC and lists what would be
// right.
[[nodiscard]] std::unique_ptr<Player> make_player(const std::string& spec, const PlayerContext& context);

// Throws a kRequest Error that names the SPEC when `player` cannot play games of these rules.
void require_game(const PlayerInfo& player, const GameConfig& game);

}  // namespace pahtum
