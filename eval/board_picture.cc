#include "eval/board_picture.h"

#include <algorithm>

#include "eval/html.h"

namespace pahtum {
namespace {

// Units of the view box: a square, and the margin that ranks and files stand in.
constexpr double kSquare = 40, kMargin = 18;

double left_of(int column) {
  return kMargin + kSquare * column;
}
double top_of(int row) {
  return 4 + kSquare * row;
}

std::string square_rect(const char* classes, int square, double inset) {
  return format_text("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>",
                     classes, left_of(column_of(square)) + inset, top_of(row_of(square)) + inset,
                     kSquare - 2 * inset, kSquare - 2 * inset);
}

std::string circle(const char* classes, int square, double radius) {
  return format_text("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", classes,
                     left_of(column_of(square)) + kSquare / 2, top_of(row_of(square)) + kSquare / 2, radius);
}

std::string coordinates(int size) {
  std::string svg;
  for (int k = 0; k < size; ++k) {
    svg += format_text("<text class=\"coordinate\" x=\"%.1f\" y=\"%.1f\">%d</text>", kMargin / 2,
                       top_of(k) + kSquare / 2 + 4, size - k);
    svg += format_text("<text class=\"coordinate\" x=\"%.1f\" y=\"%.1f\">%c</text>", left_of(k) + kSquare / 2,
                       top_of(size) + 13, 'a' + k);
  }
  return svg + "\n";
}

// The largest share is shaded fully, others in proportion.
std::string heat(const MoveShares& shares) {
  double most = 0;
  for (const auto& [move, share] : shares) most = std::max(most, move.is_swap() ? 0 : share);
  std::string svg;
  for (const auto& [move, share] : shares) {
    if (move.is_swap() || share <= 0) continue;
    const int square = move.square();
    svg += format_text(
        "<rect class=\"heat\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" "
        "fill-opacity=\"%.3f\"/>",
        left_of(column_of(square)) + 1, top_of(row_of(square)) + 1, kSquare - 2, kSquare - 2, share / most);
    if (share < 0.005) continue;
    svg += format_text("<text class=\"share\" x=\"%.1f\" y=\"%.1f\">%.0f</text>\n",
                       left_of(column_of(square)) + kSquare / 2, top_of(row_of(square)) + kSquare / 2 + 4.5,
                       100 * share);
  }
  return svg;
}

// Lines through the runs of one colour along rows, or along columns.
std::string runs_along(const Position& position, Color color, bool columns) {
  const auto square = [&](int line, int at) { return columns ? square_at(at, line) : square_at(line, at); };
  const auto centre = [&](int line, int at) {
    const int here = square(line, at);
    return std::pair(left_of(column_of(here)) + kSquare / 2, top_of(row_of(here)) + kSquare / 2);
  };
  std::string svg;
  for (int line = 0; line < position.size; ++line) {
    int length = 0;
    for (int at = 0; at <= position.size; ++at) {
      if (at < position.size && (position.stones(color) & square_bit(square(line, at))) != 0) {
        ++length;
        continue;
      }
      if (position.run_points[length] > 0) {
        const auto [x1, y1] = centre(line, at - length);
        const auto [x2, y2] = centre(line, at - 1);
        svg += format_text("<line class=\"run %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                           color == Color::kWhite ? "of-white" : "of-black", x1, y1, x2, y2);
      }
      length = 0;
    }
  }
  return svg;
}

}  // namespace

std::string board_svg(const BoardPicture& picture) {
  const Position& position = picture.position;
  const int size = position.size;
  const double extent = kSquare * size;
  std::string svg =
      format_text("<svg class=\"board\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">", kMargin + extent + 4,
                  extent + 4 + kMargin) +
      "<title>" + escape_html(picture.description) + "</title>\n" +
      format_text("<rect class=\"frame\" x=\"%.0f\" y=\"2\" width=\"%.0f\" height=\"%.0f\" rx=\"6\"/>\n",
                  kMargin - 2, extent + 4, extent + 4);
  for (Bitboard left = board_mask(size); left != 0; left &= left - 1) {
    const int square = lowest_square(left);
    const bool hole = (position.holes & square_bit(square)) != 0;
    svg += square_rect(hole ? "hole" : "square", square, 1);
  }
  svg += "\n" + coordinates(size) + heat(picture.shares);
  for (Bitboard left = position.white | position.black; left != 0; left &= left - 1) {
    const int square = lowest_square(left);
    const bool white = (position.white & square_bit(square)) != 0;
    svg += circle(white ? "stone white" : "stone black", square, 15);
  }
  if (picture.runs) {
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      svg += runs_along(position, color, false) + runs_along(position, color, true);
    }
  }
  if (picture.last && !picture.last->is_swap()) svg += circle("last", picture.last->square(), 5);
  return svg + "</svg>\n";
}

}  // namespace pahtum
