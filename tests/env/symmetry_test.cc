#include "env/symmetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "env/observation.h"
#include "tests/env/naive.h"

namespace pahtum::test {
namespace {

// A board on which no two squares are alike under any symmetry, with holes and both colours.
Rows uneven_rows(int size, Random& random) {
  while (true) {
    const Rows rows = random_rows(size, "wwb..x", random);
    std::set<Rows> images;
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) images.insert(naive_symmetry(rows, symmetry));
    if (images.size() == 8) return rows;
  }
}

TEST(Symmetry, BoardsTurnAsTheirRowsOfCharactersDo) {
  Random random(8, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int trial = 0; trial < 50; ++trial) {
      const Rows rows = uneven_rows(size, random);
      for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
        const Rows expected = naive_symmetry(rows, symmetry);
        const Position turned = apply_symmetry(position_of(rows), symmetry);
        ASSERT_EQ(turned, position_of(expected)) << size << " " << symmetry;
        ASSERT_EQ(points(turned.white), naive_points(rows, 'w'));
        ASSERT_EQ(points(turned.black), naive_points(rows, 'b'));
      }
    }
  }
}

TEST(Symmetry, PhaseMoverAndHolesLeftStay) {
  for (const char* text :
       {"7/7/1x5/7/7/7/7 b place=3", "7/7/1x5/7/7/7/7 w open=2", "7/7/1x5/7/6w/7/7 b swap"}) {
    const Position position = parse_position(text);
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      const Position turned = apply_symmetry(position, symmetry);
      EXPECT_EQ(turned.phase, position.phase);
      EXPECT_EQ(turned.mover, position.mover);
      EXPECT_EQ(turned.holes_left, position.holes_left);
      EXPECT_EQ(turned.size, position.size);
    }
  }
}

TEST(Symmetry, MovesActionsAndTargetsTurnWithTheBoardAndBack) {
  Random random(9, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    const Rows rows = uneven_rows(size, random);
    const Position position = position_of(rows);
    const auto squares = static_cast<std::size_t>(size * size);
    // A value per square that names it, as a policy or a per-square target would.
    std::vector<int> target(squares);
    for (std::size_t i = 0; i < squares; ++i) target[i] = static_cast<int>(100 + i);
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      const Position turned = apply_symmetry(position, symmetry);
      const int back = inverse_symmetry(symmetry);
      std::vector<int> turned_target(squares, -1);
      for (int action = 0; action < size * size; ++action) {
        const Move move = move_of(action, size);
        const Move image = apply_symmetry(move, symmetry, size);
        ASSERT_EQ(image.square(), apply_symmetry_to_square(move.square(), symmetry, size));
        ASSERT_EQ(square_bit(image.square()), apply_symmetry(square_bit(move.square()), symmetry, size));
        ASSERT_EQ(apply_symmetry(image, back, size), move);
        ASSERT_EQ(is_legal(turned, image), is_legal(position, move));
        if (is_legal(position, move)) {
          ASSERT_EQ(after(turned, image), apply_symmetry(after(position, move), symmetry));
        }
        turned_target[static_cast<std::size_t>(action_of(image, size))] =
            target[static_cast<std::size_t>(action)];
      }
      // The same target turned as a picture.
      Rows picture(static_cast<std::size_t>(size), std::string(static_cast<std::size_t>(size), '.'));
      for (int action = 0; action < size * size; ++action) {
        at(picture, action / size, action % size) =
            static_cast<char>(target[static_cast<std::size_t>(action)]);
      }
      const Rows turned_picture = naive_symmetry(picture, symmetry);
      std::vector<int> restored(squares, -1);
      for (int action = 0; action < size * size; ++action) {
        const auto a = static_cast<std::size_t>(action);
        ASSERT_EQ(static_cast<char>(turned_target[a]), at(turned_picture, action / size, action % size));
        restored[static_cast<std::size_t>(
            action_of(apply_symmetry(move_of(action, size), back, size), size))] = turned_target[a];
      }
      ASSERT_EQ(restored, target);
      ASSERT_EQ(apply_symmetry(turned, back), position);
      ASSERT_EQ(apply_symmetry(Move::swap(), symmetry, size), Move::swap());
    }
  }
}

TEST(Symmetry, TheEightFormAGroup) {
  Random random(10, Stream::kTest, 0);
  const Position position = position_of(uneven_rows(7, random));
  std::vector<Position> images;
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
    images.push_back(apply_symmetry(position, symmetry));
  }
  EXPECT_EQ(images[0], position);
  for (int first = 0; first < kSymmetries; ++first) {
    std::set<std::ptrdiff_t> products;
    for (int second = 0; second < kSymmetries; ++second) {
      const auto found =
          std::ranges::find(images, apply_symmetry(images[static_cast<std::size_t>(first)], second));
      ASSERT_NE(found, images.end()) << first << " then " << second;
      products.insert(found - images.begin());
      EXPECT_EQ(found == images.begin(), second == inverse_symmetry(first)) << first << " then " << second;
    }
    EXPECT_EQ(products.size(), 8u);
  }
}

TEST(Symmetry, OneFormStandsForAllEight) {
  Random random(11, Stream::kTest, 0);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    const Position position = position_of(random_rows(size, "wwb..x", random));
    const Position form = smallest_form(position);
    int images = 0;
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      const Position image = apply_symmetry(position, symmetry);
      EXPECT_EQ(smallest_form(image), form);
      images += image == form ? 1 : 0;
    }
    EXPECT_GE(images, 1);
  }
}

}  // namespace
}  // namespace pahtum::test
