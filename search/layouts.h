#pragma once

#include <cstdint>
#include <vector>

#include "env/bitboard.h"

namespace pahtum {

// A set of holes that stands for all its turned and mirrored forms.
struct Layout {
  Bitboard holes = 0;  // of all forms the smallest number
  int forms = 1;       // how many different ones there are, 1 to 8

  friend bool operator==(const Layout&, const Layout&) = default;
};

// Number of ways to choose `holes` squares of the board; nothing above kMostLayouts.
inline constexpr std::int64_t kMostLayouts = 100'000'000;
[[nodiscard]] std::int64_t layout_count(int size, int holes) noexcept;

// Every layout of `holes` holes once, by ascending holes. 3 ≤ size ≤ 8, 0 ≤ holes ≤ size². Throws a kRequest
// Error when there are more than kMostLayouts before symmetry.
[[nodiscard]] std::vector<Layout> layouts_up_to_symmetry(int size, int holes);

}  // namespace pahtum
