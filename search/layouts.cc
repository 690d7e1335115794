#include "search/layouts.h"

#include <algorithm>
#include <string>

#include "env/base/error.h"
#include "env/symmetry.h"

namespace pahtum {
namespace {

// The smallest form and how many forms differ; nothing (forms 0) when `holes` is not that smallest one.
Layout smallest_form(Bitboard holes, int size) noexcept {
  int same = 0;  // symmetries that change nothing
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
    const Bitboard form = apply_symmetry(holes, symmetry, size);
    if (form < holes) return {holes, 0};
    same += form == holes ? 1 : 0;
  }
  return {holes, kSymmetries / same};
}

}  // namespace

std::int64_t layout_count(int size, int holes) noexcept {
  std::int64_t count = 1;
  const int squares = size * size;
  for (int k = 0; k < std::min(holes, squares - holes); ++k) {
    count = count * (squares - k) / (k + 1);
    if (count > kMostLayouts) return kMostLayouts + 1;
  }
  return count;
}

std::vector<Layout> layouts_up_to_symmetry(int size, int holes) {
  if (layout_count(size, holes) > kMostLayouts) {
    throw request_error("holes", std::to_string(holes) + " holes on " + std::to_string(size) + "×" +
                                     std::to_string(size) + " make more than " +
                                     std::to_string(kMostLayouts) +
                                     " layouts; use fewer holes or a smaller board");
  }
  std::vector<Layout> layouts;
  const Bitboard board = board_mask(size);
  // Sets of `holes` squares in ascending order, one square after the other from the highest down.
  const auto choose = [&](const auto& self, Bitboard chosen, Bitboard from, int left) -> void {
    if (left == 0) {
      const Layout layout = smallest_form(chosen, size);
      if (layout.forms != 0) layouts.push_back(layout);
      return;
    }
    for (Bitboard rest = from; rest != 0; rest &= rest - 1) {
      const Bitboard bit = rest & -rest;
      self(self, chosen | bit, from & (bit - 1), left - 1);
    }
  };
  choose(choose, 0, board, holes);
  return layouts;
}

}  // namespace pahtum
