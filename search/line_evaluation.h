#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "env/position.h"
#include "search/line_weights.h"

namespace pahtum {

// A static evaluation of positions in which only stones are left to place, linear in the board's lines: every
// row and column adds what a table says of its contents (contest program of potm.tripod.com/PAHTUM, 2000).
// Where a stone changes two lines, its effect is two look-ups. Immutable; may be shared by threads.
class LineEvaluation {
 public:
  static constexpr int kWin = 1024;  // what a sure win is worth; a sure loss −kWin

  // For boards of size × size squares and the game's own points.
  LineEvaluation(const LineWeights& weights, int size);
  // For any points: those expected when every empty square of a line goes to either side with even chances.
  LineEvaluation(const RunPoints& run_points, int size);
  // The best there is for these rules: the shipped weights for the game's own points, otherwise expected
  // points. The former are made once for each size.
  [[nodiscard]] static std::shared_ptr<const LineEvaluation> of(const RunPoints& run_points, int size);

  // [line_contents()]: what a line adds for the player to move when `empty` squares are empty.
  using Table = std::vector<std::int16_t>;
  [[nodiscard]] const std::int16_t* table(int empty) const noexcept {
    return tables_[LineWeights::phase_of(empty)].data();
  }
  // What it is worth to be the player to move.
  [[nodiscard]] int to_move(int empty) const noexcept { return to_move_[LineWeights::phase_of(empty)]; }

  // For the player to move.
  [[nodiscard]] int evaluate(const Position& position) const noexcept;

 private:
  int size_;
  std::array<Table, LineWeights::kPhases> tables_;
  std::array<int, LineWeights::kPhases> to_move_{};
};

}  // namespace pahtum
