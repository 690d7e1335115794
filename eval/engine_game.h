#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/game_rules.h"
#include "env/position.h"
#include "eval/analysis.h"

namespace pahtum {

// Who thinks for an engine's protocol. One thread at a time.
class EngineMind {
 public:
  EngineMind() = default;
  EngineMind(const EngineMind&) = delete;
  EngineMind& operator=(const EngineMind&) = delete;
  virtual ~EngineMind() = default;

  // Throws a kRequest Error that says why, when it cannot play such a position.
  virtual void require_position(const Position& position) const = 0;
  // As Player::analyse().
  [[nodiscard]] virtual Analysis think(const Turn& turn, const ThinkLimits& limits) = 0;
  // From here on the random numbers are those of another seed.
  virtual void reseed(std::uint64_t seed) = 0;
};

// The game that a front end has told the engine of: rules, start, moves. What throws leaves it as it was.
class EngineGame {
 public:
  explicit EngineGame(const GameConfig& rules, std::uint64_t seed = 1);

  // The start of the rules: with holes drawn at random, those of the seed and the game's number.
  void restart();
  // Rules of another board size (3 to 8), with the nearest number of holes that makes a game there; restarts.
  // Throws a kRequest Error for other sizes.
  void resize(int size);
  // A start of one's own, `ply` moves into its game. The points of runs are those of the rules.
  void set_up(Position start, int ply = 0);
  // Seed and number key the random numbers of layouts and players.
  void set_number(std::uint64_t seed, std::uint64_t number, int ply);

  // Throw a kRequest Error that says why, when the move is not legal or none is left to take back.
  void play(Move move);
  void undo();
  // What keeps `move` from being legal in a position; empty when nothing does.
  [[nodiscard]] static std::string illegal_reason(const Position& position, Move move);

  [[nodiscard]] const GameConfig& rules() const noexcept { return rules_; }
  [[nodiscard]] const Position& position() const noexcept { return past_.back(); }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] Turn turn() const noexcept {
    return {position(), number_, ply_ + static_cast<int>(past_.size()) - 1};
  }
  // Moves played since the start.
  [[nodiscard]] std::size_t moves() const noexcept { return past_.size() - 1; }

 private:
  GameConfig rules_;
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
  int ply_ = 0;                 // of the start
  std::vector<Position> past_;  // from the start to now
};

// A player's clock as a front end tells it. All in seconds.
struct EngineClock {
  double left = 0.0;
  double increment = 0.0;            // added for each move
  std::optional<int> moves_to_go{};  // moves until more time comes; nothing: the rest of the game
};

// How long to think about the next move: exactly so many moves are left to make in a game of PahTum. Never
// more than is left without `margin`, and at least a millisecond.
[[nodiscard]] double seconds_for_move(const Position& position, const EngineClock& clock, double margin);

// The time `seconds` after `started`, less `margin` and at least a millisecond.
[[nodiscard]] ThinkLimits::Clock::time_point deadline_after(ThinkLimits::Clock::time_point started,
                                                            double seconds, double margin);

// A whole number within limits. Throws a kRequest Error that names `what`.
[[nodiscard]] std::int64_t parse_whole(const std::string& what, std::string_view text, std::int64_t least,
                                       std::int64_t most);

// What an engine holds back of every time limit for what it cannot plan, in milliseconds.
inline constexpr std::int64_t kMarginDefault = 10;
inline constexpr std::int64_t kMarginMost = 60'000;
// The longest time that a command may name, in milliseconds: about eleven days.
inline constexpr std::int64_t kMostMilliseconds = 1'000'000'000;

}  // namespace pahtum
