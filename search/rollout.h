#pragma once

// Internal to search/: playing random stones to the end of a game, and counting what they made.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "env/base/random.h"
#include "env/bitboard.h"
#include "env/position.h"
#include "env/select_square.h"

namespace pahtum {

// The generator SplitMix64 from a word of another: a rollout draws a few words only, which is where the
// counter-based generator's ten rounds would show.
class RandomWords {
 public:
  explicit RandomWords(std::uint64_t start) noexcept : state_(start) {}
  [[nodiscard]] std::uint64_t next() noexcept { return mix64(state_ += kGoldenRatio64); }
  // Uniform in [0, bound), 1 ≤ bound ≤ 65, but for a bias below 65 / 2^64.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept { return draw(next(), bound).number; }

  // Takes `word` for a fraction of 2^64: times `bound`, it gives a number in [0, bound) as its whole part,
  // and a word for the next number as the rest (Brackett-Rozinsky and Lemire, "Batched Ranged Random Integer
  // Generation", 2024).
  struct Draw {
    std::uint32_t number;
    std::uint64_t rest;
  };
  [[nodiscard]] static Draw draw(std::uint64_t word, std::uint32_t bound) noexcept {
    __extension__ using Uint128 = unsigned __int128;
    const Uint128 product = static_cast<Uint128>(word) * bound;
    return {static_cast<std::uint32_t>(product >> 64), static_cast<std::uint64_t>(product)};
  }

 private:
  std::uint64_t state_;
};

// Points of boards without empty squares. What a row or column brings White, less what it brings Black,
// follows from White's stones on it alone: one number for each line and each set of squares.
class FilledBoards {
 public:
  // From here on boards of this position's size, holes and points.
  void use(const Position& position) noexcept;
  // White's points minus Black's when White's stones are `white` and Black's all the rest.
  [[nodiscard]] int white_margin(Bitboard white) const noexcept {
    int sum = 0;
#ifndef __BMI2__
    const Bitboard transposed = transpose(white);
#endif
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kMaxSize; ++k) {
      sum += rows_[k][static_cast<std::uint8_t>(white >> (8 * k))];
#ifdef __BMI2__
      sum += columns_[k][_pext_u64(white, kFirstColumn << k)];
#else
      sum += columns_[k][static_cast<std::uint8_t>(transposed >> (8 * k))];
#endif
    }
    return sum;
  }

 private:
  static constexpr Bitboard kFirstColumn = 0x0101010101010101ull;
  using Line = std::array<std::int32_t, 256>;
  std::array<Line, kMaxSize> rows_{};
  std::array<Line, kMaxSize> columns_{};
  Bitboard playable_ = 0;  // those that the tables are for
  RunPoints run_points_{};
};

// Half of the squares, rounded up, each such set equally likely.
[[nodiscard]] inline Bitboard random_half(Bitboard squares, RandomWords& words) noexcept {
  // Of fair coin flips, given how many fell heads, every set is equally likely, and so is the set of the
  // tails. The larger of the two has enough squares; taking out some drawn uniformly leaves all sets equally
  // likely. On average √(squares / 2π) must go.
  const int all = std::popcount(squares);
  const int count = (all + 1) / 2;
  Bitboard subset = squares & words.next();
  int size = std::popcount(subset);
  if (size < count) {
    subset ^= squares;
    size = all - size;
  }
  constexpr int kDrawsOfOneWord = 6;  // the bias stays below 64^6 / 2^64
  std::uint64_t word = words.next();
  for (int drawn = 0; size > count; --size) {
    if (++drawn > kDrawsOfOneWord) {
      word = words.next();
      drawn = 1;
    }
    const RandomWords::Draw draw = RandomWords::draw(word, static_cast<std::uint32_t>(size));
    word = draw.rest;
    subset ^= nth_square_bit(subset, static_cast<int>(draw.number));
  }
  return subset;
}

// Stones of both players alone in random order: the mover, who has the first, third, … of them, ends with a
// uniformly random half of the empty squares, rounded up. Returns White's stones at the end.
[[nodiscard]] inline Bitboard random_white(Bitboard white, Bitboard empty, bool white_moves,
                                           RandomWords& words) noexcept {
  const Bitboard mine = random_half(empty, words);
  return white | (white_moves ? mine : empty ^ mine);
}

// Plays random legal moves of any phase to the end and returns White's points minus Black's.
[[nodiscard]] int random_rollout(Position position, RandomWords& words) noexcept;

}  // namespace pahtum
