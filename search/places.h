#pragma once

// Internal to search/: bounds on games of stones from places that do not depend on each other.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "env/bitboard.h"
#include "search/line_tables.h"

namespace pahtum {

// Row `number` of a board as bits.
[[nodiscard]] constexpr std::size_t line(Bitboard board, std::size_t number) noexcept {
  return static_cast<std::size_t>(board >> (8 * number) & 0xFF);
}

// [line][square]: the run of the line's bits that holds the square.
inline constexpr std::array<std::array<std::uint8_t, 8>, 256> kRunOf = [] {
  std::array<std::array<std::uint8_t, 8>, 256> runs{};
  for (unsigned line = 0; line < 256; ++line) {
    for (unsigned square = 0; square < 8; ++square) {
      unsigned run = line & 1u << square;
      for (int k = 0; k < 8; ++k) run |= (run << 1 | run >> 1) & line;
      runs[line][square] = static_cast<std::uint8_t>(run);
    }
  }
  return runs;
}();

// Bit k of a byte at the first column of row k.
inline constexpr std::array<Bitboard, 256> kColumnOf = [] {
  std::array<Bitboard, 256> columns{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    for (unsigned k = 0; k < 8; ++k) columns[bits] |= Bitboard{bits >> k & 1u} << (8 * k);
  }
  return columns;
}();

// The squares of one colour or empty, by rows and by columns.
class Runs {
 public:
  explicit Runs(Bitboard squares) noexcept : rows_(squares), columns_(transpose(squares)) {}
  // Those joined to `square` along its row or its column.
  [[nodiscard]] Bitboard through(std::size_t square) const noexcept {
    const std::size_t row = square >> 3;
    const std::size_t column = square & 7;
    return Bitboard{kRunOf[line(rows_, row)][column]} << (8 * row) |
           kColumnOf[kRunOf[line(columns_, column)][row]] << column;
  }

 private:
  Bitboard rows_, columns_;
};

// Puts `keys` in descending order. They are few and nearly sorted; nothing beats insertion here.
template <class Key>
void sort_descending(std::span<Key> keys) noexcept {
  for (std::size_t k = 1; k < keys.size(); ++k) {
    const Key moved = keys[k];
    std::size_t at = k;
    for (; at > 0 && keys[at - 1] < moved; --at) keys[at] = keys[at - 1];
    keys[at] = moved;
  }
}

// Places for a side's stones and what the side gets from each, whatever happens on the others. A place is one
// square, or a choice of two of which only one counts. Of a choice the side is sure of the lesser: when the
// other player takes one square, it answers on the other. Of places of one square it gets every other one.
//
// A stone takes from what the other player could still make. The more stones stand already, the less it
// takes. So what a place takes is counted on a board where all places found before it are the side's own: in
// whatever order it comes to own places, together they take at least the sum.
class Places {
 public:
  // `opposed`: the other player's stones and the empty squares. Keeps `lines` by reference.
  Places(const LineTables& lines, Bitboard opposed) noexcept
      : lines_(lines), opposed_{opposed, transpose(opposed)} {}

  // Squares come in the order in which they are to be considered. `runs`: the squares of `opposed` in one run
  // with this one; `gain`: what a stone there brings; `loss`: what it takes on the board as it is.
  void consider(std::uint8_t square, Bitboard runs, int gain, int loss) noexcept {
    const Bitboard bit = square_bit(square);
    if ((met_ & bit) == 0) {
      add(square, runs, gain + loss);
      return;
    }
    // Joining the last place it meets, it changes no value of the places after that one.
    std::size_t last = count_ - 1;
    while ((places_[last].runs & bit) == 0) --last;
    Place& place = places_[last];
    const int left = gain + opposed_.lost(lines_, square);
    if (place.other_square == kNoSquare) {
      const int value = gain + place.before.lost(lines_, square);
      if (2 * std::min(value, place.value) >= place.value + left) {
        place.runs |= runs;
        place.other_value = value;
        place.other_square = square;
        met_ |= runs;
        opposed_.remove(square);
        for (std::size_t k = last + 1; k < count_; ++k) places_[k].before.remove(square);
        return;
      }
    }
    if (left > 0) add(square, runs, left);
  }

  void finish() noexcept {
    std::size_t choices = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      Place& place = places_[k];
      if (place.value < place.other_value) {
        std::swap(place.value, place.other_value);
        std::swap(place.square, place.other_square);
      }
      // A square alone brings about half its value.
      if (place.other_square != kNoSquare && 2 * place.other_value >= place.value) {
        sure_ += place.other_value;
        places_[choices++] = place;
      } else {
        singles_[single_count_++] = {place.value, place.square};
      }
    }
    count_ = choices;
    sort_descending(std::span(singles_).first(single_count_));
  }

  // After finish(): what the side gets at least when it moves second, or first on a board where `square` is
  // taken.
  [[nodiscard]] int second() const noexcept {
    int sum = sure_;
    for (std::size_t k = 1; k < single_count_; k += 2) sum += singles_[k].value;
    return sum;
  }
  [[nodiscard]] int first_without(std::uint8_t square) const noexcept {
    int sure = sure_;
    int gained = 0;
    int freed = -1;
    for (std::size_t k = 0; k < count_; ++k) {
      const Place& choice = places_[k];
      if (choice.square == square || choice.other_square == square) {
        sure -= choice.other_value;
        freed = choice.square == square ? choice.other_value : choice.value;
      } else {
        gained = std::max(gained, choice.value - choice.other_value);
      }
    }
    std::array<int, 2> sums{};
    std::size_t turn = 0;
    const auto take = [&](int value) {
      sums[turn] += value;
      turn ^= 1;
    };
    for (std::size_t k = 0; k < single_count_; ++k) {
      if (singles_[k].square == square) continue;
      if (freed > singles_[k].value) take(std::exchange(freed, -1));
      take(singles_[k].value);
    }
    if (freed >= 0) take(freed);
    return sure + std::max(sums[0], sums[1] + gained);
  }
  [[nodiscard]] int first() const noexcept { return first_without(kNoSquare); }

 private:
  static constexpr std::uint8_t kNoSquare = 255;
  struct Opposed {
    Bitboard rows, columns;
    void remove(std::uint8_t square) noexcept {
      rows &= ~square_bit(square);
      columns &= ~square_bit(square_at(column_of(square), row_of(square)));
    }
    [[nodiscard]] int lost(const LineTables& lines, std::uint8_t square) const noexcept {
      const std::size_t row = square >> 3;
      const std::size_t column = square & 7;
      return lines.lost[line(rows, row)][column] + lines.lost[line(columns, column)][row];
    }
  };
  struct Place {
    Bitboard runs;
    Opposed before;
    int value, other_value;
    std::uint8_t square, other_square;
  };
  struct Single {
    int value;
    std::uint8_t square;
    friend bool operator<(const Single& a, const Single& b) noexcept { return a.value < b.value; }
  };

  void add(std::uint8_t square, Bitboard runs, int value) noexcept {
    places_[count_++] = {runs, opposed_, value, 0, square, kNoSquare};
    met_ |= runs;
    opposed_.remove(square);
  }

  const LineTables& lines_;
  Opposed opposed_;
  Bitboard met_ = 0;                       // the runs of all places
  std::array<Place, kMaxSquares> places_;  // after finish(): the choices
  std::array<Single, kMaxSquares> singles_;
  std::size_t count_ = 0;
  std::size_t single_count_ = 0;
  int sure_ = 0;
};

}  // namespace pahtum
