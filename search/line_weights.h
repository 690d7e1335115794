#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pahtum {

// The weights of a linear evaluation of positions: what each kind of region (search/line_regions.h) adds to
// the result that is expected, 1 a win and −1 a loss. A game passes through phases by the number of its empty
// squares, each with weights of its own.
struct LineWeights {
  // The last phase in which a position with so many empty squares or fewer is; in ascending order.
  static constexpr std::array<int, 6> kPhaseEnds = {12, 18, 24, 30, 36, 64};
  static constexpr std::size_t kPhases = kPhaseEnds.size();
  [[nodiscard]] static constexpr std::size_t phase_of(int empty) noexcept {
    std::size_t phase = 0;
    while (empty > kPhaseEnds[phase]) ++phase;
    return phase;
  }

  struct Kind {
    double balance = 0.0;  // for White in the colours of the kind's text, and minus that for Black
    double tempo = 0.0;    // for who is to move, in either colours
  };
  struct Phase {
    double to_move = 0.0;     // for who is to move, whatever the board
    std::vector<Kind> kinds;  // by number of the kind
  };
  std::array<Phase, kPhases> phases;

  // All weights 0.
  LineWeights();

  // Those that the program comes with (search/data/line_weights.txt). Made once in a program.
  [[nodiscard]] static const LineWeights& shipped();

  // The text format of that file, described in docs/formats.md. `comment` goes on top, its lines with a `#`
  // before each. parse() throws a kRequest Error that names `name` and the line at fault: an unknown keyword,
  // a number that is none, a region that is none or comes twice, something missing.
  [[nodiscard]] std::string text(std::string_view comment) const;
  [[nodiscard]] static LineWeights parse(std::string_view text, const std::string& name);
};

}  // namespace pahtum
