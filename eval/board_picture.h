#pragma once

#include <optional>
#include <string>

#include "env/position.h"
#include "eval/report_data.h"

namespace pahtum {

struct BoardPicture {
  Position position;
  std::string description;   // for who cannot see it
  std::optional<Move> last;  // marked
  MoveShares shares;         // shown on their squares, as shading and in percent
  bool runs = false;         // runs that score are marked
};

// The board as an inline SVG with files and ranks, styled by eval/report/page.css.
[[nodiscard]] std::string board_svg(const BoardPicture& picture);

}  // namespace pahtum
