#include "app/board_drawing.h"

#include <algorithm>

namespace pahtum {
namespace {

constexpr const char* kPlain = "\x1b[0m";

// The squares of rank or file number `line`, in order.
std::array<int, kMaxSize> line_squares(bool across, int line) {
  std::array<int, kMaxSize> squares{};
  for (int k = 0; k < kMaxSize; ++k) {
    squares[static_cast<std::size_t>(k)] = across ? square_at(line, k) : square_at(k, line);
  }
  return squares;
}

void add_runs(const Position& position, Bitboard stones, bool across, int line,
              std::vector<ScoringRun>& runs) {
  const std::array<int, kMaxSize> squares = line_squares(across, line);
  ScoringRun run;
  for (int k = 0; k <= position.size; ++k) {
    const int square = k < position.size ? squares[static_cast<std::size_t>(k)] : -1;
    if (square >= 0 && (stones & square_bit(square)) != 0) {
      if (run.length == 0) run.first = square;
      run.last = square;
      ++run.length;
      continue;
    }
    run.points = position.run_points[run.length];
    if (run.points > 0) runs.push_back(run);
    run = {};
  }
}

// Colours of a square: White's stones dark on light, Black's light on blue, so that both show on dark and on
// light terminals. Scoring stones are underlined.
const char* square_color(char letter, bool scoring) {
  switch (letter) {
    case 'w':
      return scoring ? "\x1b[4;30;47m" : "\x1b[30;47m";
    case 'b':
      return scoring ? "\x1b[4;97;44m" : "\x1b[97;44m";
    case 'x':
      return "\x1b[2m";
    default:
      return nullptr;
  }
}

class Drawing {
 public:
  Drawing(const Position& position, const BoardMarks& marks, bool color)
      : position_(position),
        marks_(marks),
        color_(color),
        wide_(std::ranges::any_of(marks.notes, [](const std::string& note) { return !note.empty(); })),
        rows_(board_rows(position)) {}

  [[nodiscard]] std::string rank(int row) const {
    std::string line = std::to_string(position_.size - row) + " ";
    for (int column = 0; column < position_.size; ++column) line += square(row, column);
    return trimmed(line);
  }

  [[nodiscard]] std::string files() const {
    std::string line = "  ";
    for (int column = 0; column < position_.size; ++column) {
      line += std::string(wide_ ? "  " : " ") + static_cast<char>('a' + column) + " ";
    }
    return trimmed(line);
  }

 private:
  static std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  [[nodiscard]] std::string square(int row, int column) const {
    const int square = square_at(row, column);
    const Bitboard bit = square_bit(square);
    const char letter = rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    const std::string& note = marks_.notes[static_cast<std::size_t>(square)];
    const std::string margin = wide_ ? " " : "";
    if (letter == '.' && !note.empty()) {
      const std::string text = (note.size() < 3 ? " " : "") + note + (note.size() < 2 ? " " : "");
      if (!color_) return margin + text;
      return margin + ((marks_.best & bit) != 0 ? "\x1b[1;32m" : "\x1b[36m") + text + kPlain;
    }
    const bool scoring = (marks_.scoring & bit) != 0;
    const bool last = marks_.last && !marks_.last->is_swap() && marks_.last->square() == square;
    std::string text = last ? "(" : " ";
    text += scoring ? static_cast<char>(letter - 'a' + 'A') : letter;
    text += last ? ")" : " ";
    const char* color = color_ ? square_color(letter, scoring) : nullptr;
    return margin + (color == nullptr ? text : color + text + kPlain);
  }

  const Position& position_;
  const BoardMarks& marks_;
  bool color_;
  bool wide_;
  std::array<std::string, kMaxSize> rows_;
};

}  // namespace

std::vector<ScoringRun> scoring_runs(const Position& position, Color color) {
  std::vector<ScoringRun> runs;
  for (const bool across : {true, false}) {
    for (int line = 0; line < position.size; ++line) {
      add_runs(position, position.stones(color), across, line, runs);
    }
  }
  return runs;
}

Bitboard scoring_stones(const Position& position) {
  Bitboard stones = 0;
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    for (const ScoringRun& run : scoring_runs(position, color)) {
      const int step = row_of(run.first) == row_of(run.last) ? 1 : square_at(1, 0);
      for (int square = run.first; square <= run.last; square += step) stones |= square_bit(square);
    }
  }
  return stones;
}

std::string to_text(const ScoringRun& run, int size) {
  std::string from = to_text(Move::at(run.first), size);
  std::string to = to_text(Move::at(run.last), size);
  if (to < from) std::swap(from, to);
  return from + "-" + to + " " + std::to_string(run.points);
}

std::vector<std::string> board_lines(const Position& position, const BoardMarks& marks, bool color) {
  const Drawing drawing(position, marks, color);
  std::vector<std::string> lines;
  for (int row = 0; row < position.size; ++row) lines.push_back(drawing.rank(row));
  lines.push_back(drawing.files());
  return lines;
}

std::string board_text(const Position& position, const BoardMarks& marks, bool color) {
  std::string text;
  for (const std::string& line : board_lines(position, marks, color)) text += line + "\n";
  return text;
}

int screen_width(std::string_view text) {
  int width = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\x1b') {
      k = std::min(text.find('m', k), text.size());
    } else if ((static_cast<unsigned char>(text[k]) & 0xC0u) != 0x80u) {
      ++width;
    }
  }
  return width;
}

}  // namespace pahtum
