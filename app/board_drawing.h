#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "env/position.h"

namespace pahtum {

// A maximal run that is worth points by the game's table.
struct ScoringRun {
  int first = 0, last = 0;  // squares at its ends; across: from the left, down: from the top
  int length = 0;
  int points = 0;
};

// The scoring runs of a colour: those across by rank from the top, then those down by file from the left.
// Their points sum to points_of(color).
[[nodiscard]] std::vector<ScoringRun> scoring_runs(const Position& position, Color color);

// The stones of both colours that lie in a scoring run.
[[nodiscard]] Bitboard scoring_stones(const Position& position);

// "d1-d4 10": for people, from the end with the lower file or rank.
[[nodiscard]] std::string to_text(const ScoringRun& run, int size);

// What a drawing shows beside the stones.
struct BoardMarks {
  std::optional<Move> last;  // put in parentheses; a swap marks nothing
  Bitboard scoring = 0;      // stones written as capitals
  // Up to three characters for an empty square in place of its dot; with any, squares are four characters
  // wide, else three.
  std::array<std::string, kMaxSquares> notes{};
  Bitboard best = 0;  // empty squares whose note stands out
};

// The board with ranks and files, a line each and without newlines: `.` empty, `x` hole, `w`, `b` stones.
// With `color` the same characters in terminal colours: nothing is said by colour alone. No line ends in
// spaces, but where a colour fills a square.
[[nodiscard]] std::vector<std::string> board_lines(const Position& position, const BoardMarks& marks,
                                                   bool color);

// The same as one text, each line with a newline.
[[nodiscard]] std::string board_text(const Position& position, const BoardMarks& marks = {},
                                     bool color = false);

// Characters that a text takes on the screen: escape codes take none, and UTF-8 counts by character.
[[nodiscard]] int screen_width(std::string_view text);

}  // namespace pahtum
