#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "env/bitboard.h"

namespace pahtum {

enum class Color : std::uint8_t { kWhite = 0, kBlack = 1 };

[[nodiscard]] constexpr Color opponent(Color color) noexcept {
  return color == Color::kWhite ? Color::kBlack : Color::kWhite;
}
[[nodiscard]] std::string_view color_name(Color color) noexcept;  // "white", "black"

// What the next move is.
enum class Phase : std::uint8_t {
  kPlaying = 0,  // a stone of the mover on an empty square
  kPlacing = 1,  // a hole on an empty square; the players alternate (`holes_left` more)
  // The mover places `holes_left` holes and then a stone, all in a row; then the other may swap. With no
  // holes left it is the first stone under the pie rule.
  kOpening = 2,
  kSwapping = 3,  // a stone as usual, or `swap`: the one stone on the board changes its colour
};
[[nodiscard]] std::string_view phase_name(
    Phase phase) noexcept;  // "playing", "placing", "opening", "swapping"

// A move: a square (0 … 63, see Bitboard) or the swap. Compact and totally ordered; the order of squares is
// that of reading the board row by row from the top.
class Move {
 public:
  constexpr Move() noexcept = default;
  [[nodiscard]] static constexpr Move at(int square) noexcept {
    return Move(static_cast<std::uint8_t>(square));
  }
  [[nodiscard]] static constexpr Move swap() noexcept { return Move(kSwapIndex); }

  [[nodiscard]] constexpr bool is_swap() const noexcept { return index_ == kSwapIndex; }
  [[nodiscard]] constexpr int square() const noexcept { return index_; }
  // 0 … 63 the square, 64 the swap: the index into policies and visit counts.
  [[nodiscard]] constexpr int index() const noexcept { return index_; }

  friend constexpr auto operator<=>(Move, Move) noexcept = default;

 private:
  static constexpr std::uint8_t kSwapIndex = 64;
  explicit constexpr Move(std::uint8_t index) noexcept : index_(index) {}
  std::uint8_t index_ = 0;
};
inline constexpr int kMoveIndices = 65;

enum class Outcome : std::int8_t { kLoss = -1, kDraw = 0, kWin = 1 };

[[nodiscard]] constexpr Outcome operator-(Outcome outcome) noexcept {
  return static_cast<Outcome>(-static_cast<int>(outcome));
}

// Points of the side to move minus points of its opponent, or a difference of them; not an Outcome.
enum class Margin : std::int32_t {};

[[nodiscard]] constexpr Margin operator-(Margin margin) noexcept {
  return Margin{-static_cast<int>(margin)};
}
[[nodiscard]] constexpr Outcome outcome_of(Margin margin) noexcept {
  const int points = static_cast<int>(margin);
  return points > 0 ? Outcome::kWin : points < 0 ? Outcome::kLoss : Outcome::kDraw;
}

// Expected result for the side to move, −1 (lost) … 0 (drawn) … 1 (won). Changing the side is the minus sign.
class Value {
 public:
  constexpr Value() noexcept = default;
  explicit constexpr Value(float value) noexcept : value_(value) {}
  explicit constexpr Value(Outcome outcome) noexcept : value_(static_cast<float>(outcome)) {}
  [[nodiscard]] constexpr float get() const noexcept { return value_; }
  [[nodiscard]] constexpr Value operator-() const noexcept { return Value(-value_); }
  friend constexpr auto operator<=>(Value, Value) noexcept = default;

 private:
  float value_ = 0.0f;
};

// One position of one game. Everything a rule needs is in it; every board size lies in the same words.
//
//   0       8       16      24     25      26      27           28             29         32           48
//   | holes | white | black | size | mover | phase | holes_left | swap_follows | reserved | run_points |
//
// Invariants: the three sets are disjoint and inside the board; one stone is on the board in kSwapping, none
// in kOpening. Otherwise stone counts are free: an imported board need not be reachable, and the mover is
// what it says.
struct Position {
  Bitboard holes = 0;
  Bitboard white = 0;
  Bitboard black = 0;
  std::uint8_t size = 7;
  Color mover = Color::kWhite;
  Phase phase = Phase::kPlaying;
  std::uint8_t holes_left = 0;  // holes still to be placed in the phases kPlacing and kOpening, else 0
  // 1 in kPlacing when the first stone after the holes may be swapped (pie rule), else 0.
  std::uint8_t swap_follows = 0;
  std::array<std::uint8_t, 3> reserved{};
  RunPoints run_points = kRunPoints;

  [[nodiscard]] constexpr Bitboard stones(Color color) const noexcept {
    return color == Color::kWhite ? white : black;
  }
  [[nodiscard]] constexpr Bitboard own() const noexcept { return stones(mover); }
  [[nodiscard]] constexpr Bitboard theirs() const noexcept { return stones(opponent(mover)); }
  [[nodiscard]] constexpr Bitboard empty() const noexcept {
    return board_mask(size) & ~(holes | white | black);
  }
  [[nodiscard]] constexpr int empty_count() const noexcept { return std::popcount(empty()); }
  // No empty square is left; the score stands.
  [[nodiscard]] constexpr bool over() const noexcept { return empty() == 0; }
  // Points a set of stones is worth by this game's table, and those of a colour as they stand.
  [[nodiscard]] constexpr int points_of(Bitboard board) const noexcept {
    return run_points == kRunPoints ? points(board) : points(board, run_points);
  }
  [[nodiscard]] constexpr int points_of(Color color) const noexcept { return points_of(stones(color)); }
  // Points of White minus points of Black, as they stand.
  [[nodiscard]] constexpr int white_margin() const noexcept { return points_of(white) - points_of(black); }
  // The same for the mover.
  [[nodiscard]] constexpr Margin margin() const noexcept {
    return Margin{mover == Color::kWhite ? white_margin() : -white_margin()};
  }

  friend constexpr bool operator==(const Position&, const Position&) noexcept = default;
};
static_assert(sizeof(Position) == 48 && std::is_trivially_copyable_v<Position>);
static_assert(std::has_unique_object_representations_v<Position>, "the hash runs over every byte");

// A 64-bit hash over the whole position, holes, phase and mover included.
[[nodiscard]] std::uint64_t hash(const Position& position) noexcept;

// The squares on which a move may be made now (all empty ones, in every phase; none when the game is over).
[[nodiscard]] constexpr Bitboard legal_squares(const Position& position) noexcept {
  return position.empty();
}
[[nodiscard]] constexpr bool may_swap(const Position& position) noexcept {
  return position.phase == Phase::kSwapping && !position.over();
}
[[nodiscard]] constexpr bool is_legal(const Position& position, Move move) noexcept {
  if (move.is_swap()) return may_swap(position);
  return (legal_squares(position) & square_bit(move.square())) != 0;
}
// Number of legal moves, and a call for each in ascending order (the swap last).
[[nodiscard]] constexpr int legal_count(const Position& position) noexcept {
  return std::popcount(legal_squares(position)) + (may_swap(position) ? 1 : 0);
}
template <class Function>
constexpr void for_each_legal(const Position& position, Function&& function) {
  for (Bitboard left = legal_squares(position); left != 0; left &= left - 1) {
    function(Move::at(lowest_square(left)));
  }
  if (may_swap(position)) function(Move::swap());
}
// The move number `index` (from 0) of for_each_legal's order; index < legal_count(position).
[[nodiscard]] Move nth_legal(const Position& position, int index) noexcept;

// Plays a legal move (checked by assert only).
void apply(Position& position, Move move) noexcept;
[[nodiscard]] inline Position after(Position position, Move move) noexcept {
  apply(position, move);
  return position;
}

// Result for the mover of a finished game.
[[nodiscard]] constexpr Outcome outcome(const Position& position) noexcept {
  return outcome_of(position.margin());
}

// The same position with the colours of stones and mover exchanged.
[[nodiscard]] Position swap_colors(const Position& position) noexcept;

// Position text: ranks from the top with digits for empties, `x` hole, `w`, `b` stones; a space; the mover;
// optionally a space and `place=K`, `place=K swap` (the pie rule follows), `open=K` or `swap`. The table of
// points is not part of the text: parse_position gives the game's own. to_text joins neighbouring empty
// squares into one digit. Throws a kRequest Error that names the text and what would be right.
[[nodiscard]] Position parse_position(std::string_view text);
[[nodiscard]] std::string to_text(const Position& position);

// Squares a1 … h8 (file from the left, rank 1 at the bottom) and `swap`. parse_move takes what names a square
// of the board and throws a kRequest Error otherwise; it does not check legality.
[[nodiscard]] std::string to_text(Move move, int size);
[[nodiscard]] Move parse_move(std::string_view text, int size);

// Rows from the top, one character a square: `.` empty, `x` hole, `w`, `b`.
[[nodiscard]] std::array<std::string, kMaxSize> board_rows(const Position& position);

}  // namespace pahtum
