#include "search/greedy.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pahtum {
namespace {

int gain(Bitboard stones, int square) noexcept {
  return points(stones | square_bit(square)) - points(stones);
}

}  // namespace

Move greedy_move(const Position& position, Random& random) {
  const Bitboard legal = legal_squares(position);
  if (position.phase == Phase::kPlacing || position.phase == Phase::kOpening) {
    return nth_legal(position,
                     static_cast<int>(random.below(static_cast<std::uint32_t>(std::popcount(legal)))));
  }
  // A stone of one side never changes what the other side's runs are worth, only which squares are free; so
  // the best answer is the opponent's best square, or the second best when the stone takes the best one.
  std::array<int, kMaxSquares> answers{};
  int best_answer = 0;
  int second_answer = 0;
  Bitboard best_squares = 0;
  for (Bitboard left = legal; left != 0; left &= left - 1) {
    const int square = lowest_square(left);
    const int answer = answers[static_cast<std::size_t>(square)] = gain(position.theirs(), square);
    if (answer > best_answer) {
      second_answer = best_answer;
      best_answer = answer;
      best_squares = square_bit(square);
    } else if (answer == best_answer) {
      best_squares |= square_bit(square);
    } else {
      second_answer = std::max(second_answer, answer);
    }
  }
  int best = std::numeric_limits<int>::min();
  std::array<int, kMaxSquares> ties{};
  std::uint32_t tied = 0;
  for (Bitboard left = legal; left != 0; left &= left - 1) {
    const int square = lowest_square(left);
    const int answer = best_squares == square_bit(square) ? second_answer : best_answer;
    const int score = gain(position.own(), square) - answer;
    if (score > best) {
      best = score;
      tied = 0;
    }
    if (score == best) ties[tied++] = square;
  }
  return Move::at(ties[random.below(tied)]);
}

}  // namespace pahtum
