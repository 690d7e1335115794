#pragma once

#include <string>

#include "app/board_drawing.h"
#include "app/play_game.h"
#include "env/position.h"
#include "eval/analysis.h"

namespace pahtum {

// "White", "Black", as a sentence begins.
[[nodiscard]] std::string color_text(Color color);

// "White 13, Black 3": the points as they stand.
[[nodiscard]] std::string points_text(const Position& position);

// What the next move is, where it is no stone as usual: who places holes and how many, what a swap would do.
// Empty in the phase kPlaying.
[[nodiscard]] std::string phase_text(const Position& position);

// "d4", "a hole on d4", "swap the colours", with the points it gains where it does: "d4 (+3 points)".
// `before` is the position in which `move` is made.
[[nodiscard]] std::string move_text(const Position& before, Move move);

// What to write on the squares of an analysed position: the share of the search that went through a move,
// else its policy, in percent ("<1" for less). Nothing where the player knows neither.
void note_analysis(const Analysis& analysis, BoardMarks& marks);

// The best moves as a table, at most `rows` of them and a heading; a column for what the player knows:
// visits, share, policy, value, score. At least the move it plays.
[[nodiscard]] std::vector<std::string> analysis_table(const Analysis& analysis, int size, int rows);

// The rest of an analysis as lines of at most `width` characters: value or "exactly solved", margin, what its
// network expects, how much was looked at, the variation. `position` is the one analysed.
[[nodiscard]] std::string analysis_text(const Analysis& analysis, const Position& position, int width);

// One line for a hint: "d4, expected +0.31 for White". The same terms as analysis_text.
[[nodiscard]] std::string hint_text(const Analysis& analysis, const Position& position);

// `left` and `right` side by side, the right ones from column `column` on; lines missing on either side are
// empty.
[[nodiscard]] std::string side_by_side(const std::vector<std::string>& left,
                                       const std::vector<std::string>& right, int column);

// How a game that is over went: result, the runs of both, points on the way, who led from when on. Lines of
// at most `width` characters.
[[nodiscard]] std::string game_over_text(const PlayGame& game, int width);

// Words of `text` in lines of at most `width` characters, the first indented as `text` is, the others by
// `indent` spaces. Ends with a newline; a word longer than a line stands alone.
[[nodiscard]] std::string wrapped(const std::string& text, int width, int indent = 0);

}  // namespace pahtum
