#include "search/layouts.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "env/symmetry.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

// Every set of squares, put with its smallest form.
std::map<Bitboard, int> naive_layouts(int size, int holes) {
  std::map<Bitboard, int> forms;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << (size * size); ++set) {
    if (std::popcount(set) != holes) continue;
    Bitboard board = 0;
    for (int square = 0; square < size * size; ++square) {
      if ((set >> square & 1) != 0) board |= square_bit(square_at(square / size, square % size));
    }
    Bitboard smallest = board;
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      smallest = std::min(smallest, apply_symmetry(board, symmetry, size));
    }
    ++forms[smallest];
  }
  return forms;
}

TEST(Layouts, EverySetOfHolesHasItsFormOnce) {
  for (const int size : {3, 4}) {
    for (int holes = 0; holes <= size * size; ++holes) {
      std::map<Bitboard, int> found;
      Bitboard last = 0;
      for (const Layout& layout : layouts_up_to_symmetry(size, holes)) {
        EXPECT_TRUE(found.empty() || layout.holes > last);
        last = layout.holes;
        found[layout.holes] = layout.forms;
      }
      EXPECT_EQ(found, naive_layouts(size, holes)) << size << " " << holes;
    }
  }
}

// Counted by Burnside's lemma.
TEST(Layouts, NumbersOfLargerBoards) {
  EXPECT_EQ(layouts_up_to_symmetry(5, 5).size(), 6814u);
  EXPECT_EQ(layouts_up_to_symmetry(7, 3).size(), 2397u);
  EXPECT_EQ(layout_count(5, 5), 53130);
  EXPECT_EQ(layout_count(8, 64), 1);
  EXPECT_EQ(layout_count(8, 32), kMostLayouts + 1);
  test::expect_error(Fault::kRequest, {"holes", "32", "layouts"},
                     [] { static_cast<void>(layouts_up_to_symmetry(8, 32)); });
}

}  // namespace
}  // namespace pahtum
