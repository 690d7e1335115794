#pragma once

#include <filesystem>

#include "env/game_config.h"

namespace pahtum {

struct LayoutWork {
  int size = 5;
  int holes = 5;
  Objective objective = Objective::kOutcome;
  std::filesystem::path output;
  bool json = false;
};

// Solves every layout of a board up to symmetry on all processors, saves them in `output` every few seconds
// and at the end, and prints a summary. Layouts that `output` holds already are not solved again. Returns the
// exit status: 130 when interrupted, with what was solved saved.
[[nodiscard]] int solve_layouts(const LayoutWork& work);

}  // namespace pahtum
