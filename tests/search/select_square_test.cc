#include "env/select_square.h"

#include <gtest/gtest.h>

#include "env/base/random.h"

namespace pahtum {
namespace {

TEST(SelectSquare, FindsEverySquareOfABoardInAscendingOrderInBothForms) {
  Random random(1, Stream::kTest, 0);
  for (int k = 0; k < 500; ++k) {
    const Bitboard board = k == 0 ? ~Bitboard{0} : random.next64() & random.next64();
    int index = 0;
    for (Bitboard left = board; left != 0; left &= left - 1, ++index) {
      ASSERT_EQ(nth_square_portable(board, index), lowest_square(left));
      ASSERT_EQ(nth_square(board, index), lowest_square(left));
    }
  }
}

}  // namespace
}  // namespace pahtum
