#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/game_text.h"
#include "env/position.h"

namespace pahtum {

// One game with what was taken back: a start, a line of moves, and a place within that line. A move at the
// place drops what stood behind it, unless it is the same move.
class PlayGame {
 public:
  PlayGame() = default;
  explicit PlayGame(const Position& start) : positions_{start} {}
  // The place is at the end of `game`, resignation included.
  explicit PlayGame(const PlayedGame& game);

  [[nodiscard]] const Position& start() const noexcept { return positions_.front(); }
  [[nodiscard]] const Position& position() const noexcept { return positions_[ply_]; }
  // Moves up to the place, and the last of them.
  [[nodiscard]] std::size_t ply() const noexcept { return ply_; }
  [[nodiscard]] std::optional<Move> last_move() const;
  [[nodiscard]] std::vector<Move> moves() const;
  // The position after so many moves, at most ply().
  [[nodiscard]] const Position& position_at(std::size_t ply) const noexcept { return positions_[ply]; }

  // The board is full, or somebody has resigned.
  [[nodiscard]] bool over() const noexcept { return resigned_.has_value() || position().over(); }
  [[nodiscard]] std::optional<Color> resigned() const noexcept { return resigned_; }

  // `move` is legal and the game not over.
  void play(Move move);
  void resign(Color color) noexcept { resigned_ = color; }
  // One move back or forward; false when there is none. Taking back a resignation counts as one step, and
  // cannot be redone.
  bool undo() noexcept;
  bool redo() noexcept;
  [[nodiscard]] bool can_redo() const noexcept { return !resigned_ && ply_ < moves_.size(); }

  // The game up to the place as a record, without players; `end` says how it stands.
  [[nodiscard]] PlayedGame record() const;

 private:
  std::vector<Position> positions_ = {Position{}};  // positions_[k]: after k moves
  std::vector<Move> moves_;
  std::size_t ply_ = 0;
  std::optional<Color> resigned_;
};

// Reads what a person types for a move: a square in either case ("d4", "D4") or "swap". Throws a kRequest
// Error, whose subject is `word`, saying what would be right: no such square, a hole, taken, no swap now.
// What it returns is legal in `position`.
[[nodiscard]] Move read_move(std::string_view word, const Position& position);

// The word has the form of a square, on this board or not ("d4", "z9", "d12", "4d"), or is "swap".
[[nodiscard]] bool looks_like_move(std::string_view word) noexcept;

}  // namespace pahtum
