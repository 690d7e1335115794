#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "env/position.h"
#include "eval/engine_game.h"

namespace pahtum {

// The protocol of the contest of 2000: a board on standard input, the same board with one more stone on
// standard output, a line for each row from the top. `-` is empty, `+` a hole, `X` a stone of the first
// player (White), `O` one of the second. Whose turn it is follows from the counts: the first player's when
// they are equal, the second's when they have one stone less. Holes that players place and the swap have no
// form.
[[nodiscard]] std::string grid_text(const Position& position);
// `rows` is n lines of n characters, the last one with or without its end. Throws a kRequest Error that names
// the row, for anything else, and for counts no player can be to move with.
[[nodiscard]] Position parse_grid(std::string_view rows);

// An engine that is spoken to in it, line by line. Boards may follow one another, with or without empty lines
// between them.
class Grid {
 public:
  // `mind` must outlive it. `number` and `ply` key the random numbers as in Turn; without `ply` it is the
  // number of stones.
  explicit Grid(EngineMind& mind, std::uint64_t number = 0, std::optional<int> ply = std::nullopt,
                const RunPoints& points = kRunPoints)
      : mind_(mind), number_(number), ply_(ply), points_(points) {}

  // One line without its end. Returns the answer when a board is complete, else nothing. Throws a kRequest
  // Error for a board that is none or is full already; the next line then begins another.
  [[nodiscard]] std::string handle(std::string_view line);
  // A board has begun and is not complete.
  [[nodiscard]] bool within_board() const noexcept { return lines_ > 0; }

 private:
  EngineMind& mind_;
  std::uint64_t number_;
  std::optional<int> ply_;
  RunPoints points_;
  std::string board_;
  std::size_t lines_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pahtum
