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

// A decision a player is asked for. `game` and `ply` key its random numbers, so that neither the order of
// games nor their grouping into batches changes a choice.
struct Turn {
  Position position;       // not over
  std::uint64_t game = 0;  // number of the game within the match
  int ply = 0;             // moves made so far in it
};

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

  // What the player thinks of one turn and what it plays there, within `limits`.
  [[nodiscard]] virtual Analysis analyse(const Turn& turn, const ThinkLimits& /*limits*/) {
    Analysis analysis;
    choose({&turn, 1}, {&analysis.move, 1});
    analysis.moves.emplace_back().move = analysis.move;
    return analysis;
  }

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
// `alphabeta:time=S`, `net:PATH[,sims=N][,time=S][,exact=N][,policy]`. PATH is a checkpoint, an
// exported network or a run directory (its newest checkpoint). Throws a kRequest Error that names the SPEC
// and lists what would be right.
[[nodiscard]] std::unique_ptr<Player> make_player(const std::string& spec, const PlayerContext& context);

// Throws a kRequest Error that names the SPEC when `player` cannot play games of these rules.
void require_game(const PlayerInfo& player, const GameConfig& game);

}  // namespace pahtum
