#include "search/charles.h"

#include <bit>
#include <cassert>

#include "env/select_square.h"
#include "search/greedy.h"

namespace pahtum {
namespace {

constexpr int kFirstWeight = 7;
constexpr int kOwnStone = 2;
// By the length of a run. The thesis ends at 7; boards of eight go on in the same way.
constexpr std::array<int, kMaxSize + 1> kRunBonus = {0, 2, 3, 10, 25, 56, 119, 246, 501};

enum class Direction { kLeft, kRight, kUp, kDown };
constexpr std::array<std::array<Direction, 2>, 2> kAxes = {
    {{Direction::kLeft, Direction::kRight}, {Direction::kUp, Direction::kDown}}};

// Nothing when the step leaves the full board.
Bitboard step(Bitboard square, Direction direction) noexcept {
  constexpr Bitboard kFirstColumn = 0x0101010101010101ull;
  constexpr Bitboard kLastColumn = kFirstColumn << 7;
  switch (direction) {
    case Direction::kLeft:
      return (square & ~kFirstColumn) >> 1;
    case Direction::kRight:
      return (square & ~kLastColumn) << 1;
    case Direction::kUp:
      return square >> 8;
    case Direction::kDown:
      return square << 8;
  }
  return 0;
}

int open_room(Bitboard square, Bitboard own, Bitboard empty, Direction direction) noexcept {
  int sum = 0;
  int weight = kFirstWeight;
  for (Bitboard at = step(square, direction); (at & (own | empty)) != 0; at = step(at, direction)) {
    sum += weight + ((at & own) != 0 ? kOwnStone : 0);
    --weight;
  }
  return sum;
}

int adjacent(Bitboard square, Bitboard stones, Direction direction) noexcept {
  int count = 0;
  for (Bitboard at = step(square, direction); (at & stones) != 0; at = step(at, direction)) ++count;
  return count;
}

int sum_of(Bitboard square, const Position& position) noexcept {
  int sum = 0;
  for (const auto& axis : kAxes) {
    int own_run = 1;
    int their_run = 1;
    for (const Direction direction : axis) {
      sum += open_room(square, position.own(), position.empty(), direction);
      own_run += adjacent(square, position.own(), direction);
      their_run += adjacent(square, position.theirs(), direction);
    }
    sum += kRunBonus[static_cast<std::size_t>(own_run)] + kRunBonus[static_cast<std::size_t>(their_run)];
  }
  return sum;
}

}  // namespace

std::array<int, kMaxSquares> charles_sums(const Position& position) {
  std::array<int, kMaxSquares> sums{};
  for (Bitboard left = position.empty(); left != 0; left &= left - 1) {
    sums[static_cast<std::size_t>(lowest_square(left))] = sum_of(left & -left, position);
  }
  return sums;
}

Move charles_move(const Position& position, Random& random) {
  assert(!position.over());
  if (position.phase == Phase::kPlacing || position.phase == Phase::kOpening) {
    return greedy_move(position, random);
  }
  const auto sums = charles_sums(position);
  Bitboard best = 0;
  int highest = 0;
  for (Bitboard left = position.empty(); left != 0; left &= left - 1) {
    const int sum = sums[static_cast<std::size_t>(lowest_square(left))];
    if (sum > highest) best = 0;
    if (sum < highest) continue;
    highest = sum;
    best |= left & -left;
  }
  const auto choices = static_cast<std::uint32_t>(std::popcount(best));
  return Move::at(nth_square(best, static_cast<int>(random.below(choices))));
}

}  // namespace pahtum
