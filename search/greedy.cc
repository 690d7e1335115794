#include "search/greedy.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "env/select_square.h"

namespace pahtum {

Move greedy_move(const Position& position, Random& random) {
  assert(!position.over());
  const Bitboard empty = position.empty();
  Bitboard best = empty;
  if (position.phase == Phase::kPlaying || position.phase == Phase::kSwapping) {
    // A stone of one's own breaks no run the opponent has; it only takes its square away. So the answer is
    // the opponent's best square, or its second best when the stone lies on the best.
    const int their_points = position.points_of(position.theirs());
    int best_answer = 0;
    int second_answer = 0;
    Bitboard answer_square = 0;
    for (Bitboard left = empty; left != 0; left &= left - 1) {
      const Bitboard square = left & -left;
      const int gain = position.points_of(position.theirs() | square) - their_points;
      if (gain > best_answer) {
        second_answer = best_answer;
        best_answer = gain;
        answer_square = square;
      } else {
        second_answer = std::max(second_answer, gain);
      }
    }

    int best_score = std::numeric_limits<int>::min();
    const int own_points = position.points_of(position.own());
    for (Bitboard left = empty; left != 0; left &= left - 1) {
      const Bitboard square = left & -left;
      const int answer = square == answer_square ? second_answer : best_answer;
      const int score = position.points_of(position.own() | square) - own_points - answer;
      if (score > best_score) {
        best_score = score;
        best = 0;
      }
      if (score == best_score) best |= square;
    }
  }
  const auto choices = static_cast<std::uint32_t>(std::popcount(best));
  return Move::at(nth_square(best, static_cast<int>(random.below(choices))));
}

}  // namespace pahtum
