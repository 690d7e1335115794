#include "search/line_tables.h"

#include <algorithm>

namespace pahtum {

bool is_convex(const RunPoints& run_points) noexcept {
  return std::ranges::all_of(window_weights(run_points), [](int weight) { return weight >= 0; });
}

LineTables::LineTables(const RunPoints& run_points)
    : points(line_points(run_points)), expected(kLines), influence(kLines) {
  for (std::size_t line = 0; line < 256; ++line) {
    for (std::size_t square = 0; square < kMaxSize; ++square) {
      const std::size_t bit = std::size_t{1} << square;
      gained[line][square] = points[line | bit] - points[line];
      lost[line][square] = points[line] - points[line & ~bit];
    }
  }
  for (std::size_t empty = 0; empty < 256; ++empty) {
    for (std::size_t mine = 0; mine < 256; ++mine) {
      if ((mine & empty) != 0) continue;
      // Both lines with one empty square fewer come before this one.
      const auto with = [&](std::size_t bit) { return expected[line_number(mine | bit, empty ^ bit)]; };
      const auto without = [&](std::size_t bit) { return expected[line_number(mine, empty ^ bit)]; };
      const std::size_t line = line_number(mine, empty);
      const std::size_t lowest = empty & (~empty + 1);
      expected[line] =
          empty == 0 ? static_cast<float>(points[mine]) : 0.5f * (with(lowest) + without(lowest));
      for (std::size_t square = 0; square < kMaxSize; ++square) {
        const std::size_t bit = std::size_t{1} << square;
        if ((empty & bit) == 0) continue;
        influence[line][square] = static_cast<std::int32_t>(16.0f * (with(bit) - without(bit)));
      }
    }
  }
  shortest_run = kMaxSize + 1;
  for (int length = kMaxSize; length >= 1; --length) {
    if (run_points[length] != 0) shortest_run = length;
  }
  convex = is_convex(run_points);
}

std::shared_ptr<const LineTables> LineTables::of(const RunPoints& run_points) {
  if (run_points != kRunPoints) return std::make_shared<const LineTables>(run_points);
  static const auto kUsual = std::make_shared<const LineTables>(kRunPoints);
  return kUsual;
}

}  // namespace pahtum
