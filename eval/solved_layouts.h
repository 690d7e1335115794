#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "env/game_config.h"
#include "env/position.h"
#include "search/layouts.h"

namespace pahtum {

// One layout of a board with White to move and what best play of both leads to.
struct SolvedLayout {
  Layout layout;
  int value = 0;            // for White: −1, 0, 1, or points
  Move best;                // of White
  std::uint64_t nodes = 0;  // what solving took, with nothing known before

  friend bool operator==(const SolvedLayout&, const SolvedLayout&) = default;
};

// Perfect play on all layouts of a board, or on some of them while the work is not done.
struct SolvedLayouts {
  int size = 5;
  int holes = 5;
  Objective objective = Objective::kOutcome;
  std::vector<SolvedLayout> layouts;  // by ascending holes
};

// Text: a line that says which board and objective, a line a layout (position, forms, value, best move,
// nodes) and a last line with their number and a CRC-32C of all before it; see docs/formats.md. Saving
// replaces the file at once or not at all. Loading throws a kRequest Error that names file and line.
void save_solved_layouts(const std::filesystem::path& path, const SolvedLayouts& solved);
[[nodiscard]] SolvedLayouts load_solved_layouts(const std::filesystem::path& path);

// Shares of all layouts, each symmetric form counted.
struct LayoutSummary {
  std::int64_t layouts = 0;  // up to symmetry
  std::int64_t forms = 0;
  std::int64_t white = 0, draws = 0, black = 0;  // forms won by White, drawn, won by Black
  // Of the values of all forms: smallest, quartiles, largest.
  int least = 0, lower_quartile = 0, median = 0, upper_quartile = 0, most = 0;
  std::vector<SolvedLayout> hardest;  // most nodes first, at most 5
};
[[nodiscard]] LayoutSummary summarize(const SolvedLayouts& solved);

// The start of a layout's game.
[[nodiscard]] Position start_of(const SolvedLayouts& solved, const Layout& layout);

}  // namespace pahtum
