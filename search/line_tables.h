#pragma once

// Internal to search/: what a points table says about lines, in the form the exact search needs it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "env/bitboard.h"

namespace pahtum {

// Each square more makes a run worth more by at least as much as the one before it did.
[[nodiscard]] bool is_convex(const RunPoints& run_points) noexcept;

// Lines are bits of eight squares; what lies outside a board or is a hole is simply no bit. Immutable.
struct LineTables {
  explicit LineTables(const RunPoints& run_points);

  // Those of the game's own points are made once and shared.
  [[nodiscard]] static std::shared_ptr<const LineTables> of(const RunPoints& run_points);

  template <class T>
  using BySquare = std::array<T, kMaxSize>;

  LinePoints points;
  // [line][square]: points gained by adding the square, and lost by taking it away.
  std::array<BySquare<std::int32_t>, 256> gained{};
  std::array<BySquare<std::int32_t>, 256> lost{};
  // [line_number()] of a line in which every empty square goes to either side with even chances: the points
  // expected; and, by square, how much more they are when it surely is mine than when it surely is not, in
  // sixteenths of a point.
  std::vector<float> expected;
  std::vector<BySquare<std::int32_t>> influence;
  // Length of the shortest run that counts; kMaxSize + 1 when none does.
  int shortest_run;
  // is_convex(): one more stone never costs its owner anything, and what stones gain adds up at least. Most
  // of what the search proves without looking holds for such tables only; with others it looks at everything.
  bool convex;

  // A line of my stones and empty squares, `mine` and `empty` disjoint, as a number to base 3 below kLines.
  static constexpr std::size_t kLines = 6561;
  [[nodiscard]] static constexpr std::size_t line_number(std::size_t mine, std::size_t empty) noexcept {
    return kTernary[mine] + 2 * std::size_t{kTernary[empty]};
  }

 private:
  // The bits of a byte as digits to base 3.
  static constexpr std::array<std::uint16_t, 256> kTernary = [] {
    std::array<std::uint16_t, 256> numbers{};
    for (std::size_t bits = 0; bits < 256; ++bits) {
      unsigned number = 0;
      for (int k = kMaxSize - 1; k >= 0; --k) number = 3 * number + static_cast<unsigned>(bits >> k & 1u);
      numbers[bits] = static_cast<std::uint16_t>(number);
    }
    return numbers;
  }();
};

}  // namespace pahtum
