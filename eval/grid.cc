#include "eval/grid.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "env/base/error.h"
#include "env/base/text.h"

namespace pahtum {
std::string grid_text(const Position& position) {
  std::string text;
  for (int row = 0; row < position.size; ++row) {
    for (int column = 0; column < position.size; ++column) {
      const Bitboard bit = square_bit(square_at(row, column));
      text += (position.holes & bit) != 0   ? '+'
              : (position.white & bit) != 0 ? 'X'
              : (position.black & bit) != 0 ? 'O'
                                            : '-';
    }
    text += '\n';
  }
  return text;
}

Position parse_grid(std::string_view rows) {
  std::vector<std::string_view> lines;
  while (!rows.empty()) {
    const std::size_t end = std::min(rows.find('\n'), rows.size());
    lines.push_back(trimmed(rows.substr(0, end)));
    rows.remove_prefix(std::min(end + 1, rows.size()));
  }
  const std::size_t size = lines.size();
  const std::string subject = "grid";
  if (size < kMinSize || size > kMaxSize) {
    throw request_error(subject, "has " + std::to_string(size) + " rows; give 3 to 8");
  }
  Position position;
  position.size = static_cast<std::uint8_t>(size);
  for (std::size_t row = 0; row < size; ++row) {
    const std::string where = "row " + std::to_string(row + 1) + " ";
    if (lines[row].size() != size) {
      throw request_error(subject, where + "has " + std::to_string(lines[row].size()) + " squares, not " +
                                       std::to_string(size));
    }
    for (std::size_t column = 0; column < size; ++column) {
      const Bitboard bit = square_bit(square_at(static_cast<int>(row), static_cast<int>(column)));
      switch (lines[row][column]) {
        case '-':
          break;
        case '+':
          position.holes |= bit;
          break;
        case 'X':
          position.white |= bit;
          break;
        case 'O':
          position.black |= bit;
          break;
        default:
          throw request_error(subject, where + "has a character that is none of - + X O");
      }
    }
  }
  const int more = std::popcount(position.white) - std::popcount(position.black);
  if (more != 0 && more != 1) {
    throw request_error(subject, "has " + std::to_string(std::popcount(position.white)) + " X and " +
                                     std::to_string(std::popcount(position.black)) +
                                     " O; there are as many X as O, or one more");
  }
  position.mover = more == 0 ? Color::kWhite : Color::kBlack;
  return position;
}

std::string Grid::handle(std::string_view line) {
  const std::string_view row = trimmed(line);
  if (row.empty() && lines_ == 0) return "";
  if (lines_ == 0) size_ = std::max<std::size_t>(row.size(), 1);
  board_ += std::string(row) + '\n';
  if (++lines_ < size_ && row.size() == size_) return "";
  lines_ = 0;
  Position position = parse_grid(std::exchange(board_, {}));
  position.run_points = points_;
  if (position.over()) throw request_error("grid", "is full: the game is over");
  mind_.require_position(position);
  const int stones = std::popcount(position.white | position.black);
  const Turn turn{position, number_, ply_.value_or(stones)};
  apply(position, mind_.think(turn, {}).move);
  return grid_text(position);
}

}  // namespace pahtum
