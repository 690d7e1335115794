#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/position.h"

// Slow and obvious forms of the rules, on rows of characters, to compare the fast ones with.
namespace pahtum::test {

// Rows from the top, one character a square: '.' empty, 'x' hole, 'w', 'b'.
using Rows = std::vector<std::string>;

inline Rows split_rows(const std::string& text) {
  Rows rows(1);
  for (const char c : text) {
    if (c == '/') {
      rows.emplace_back();
    } else {
      rows.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return rows;
}

inline char at(const Rows& rows, int row, int column) {
  return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}
inline char& at(Rows& rows, int row, int column) {
  return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}
inline int size_of(const Rows& rows) {
  return static_cast<int>(rows.size());
}

// The rule as it is told: p(n) = n + 2 · p(n − 1) for n ≥ 3.
inline int naive_run_points(int length) {
  return length < 3 ? 0 : length + 2 * naive_run_points(length - 1);
}

// Points of `stone` in one line of squares.
inline int naive_line_points(const std::string& line, char stone) {
  int sum = 0;
  for (std::size_t start = 0; start < line.size();) {
    std::size_t end = start;
    while (end < line.size() && line[end] == stone) ++end;
    sum += naive_run_points(static_cast<int>(end - start));
    start = end + 1;
  }
  return sum;
}

inline int naive_points(const Rows& rows, char stone) {
  int sum = 0;
  for (int line = 0; line < size_of(rows); ++line) {
    std::string column;
    for (int row = 0; row < size_of(rows); ++row) column += at(rows, row, line);
    sum += naive_line_points(rows[static_cast<std::size_t>(line)], stone) + naive_line_points(column, stone);
  }
  return sum;
}

// The rules of a whole game, with every way to open one.
struct NaiveGame {
  Rows rows;
  char mover = 'w';
  std::string phase = "playing";
  int holes_left = 0;

  [[nodiscard]] bool over() const { return legal_actions().empty(); }

  // Row · n + column of every empty square.
  [[nodiscard]] std::vector<int> legal_actions() const {
    std::vector<int> actions;
    const int n = size_of(rows);
    for (int action = 0; action < n * n; ++action) {
      if (at(rows, action / n, action % n) == '.') actions.push_back(action);
    }
    return actions;
  }

  void pass() { mover = mover == 'w' ? 'b' : 'w'; }

  void play(int action) {
    const int n = size_of(rows);
    char& square = at(rows, action / n, action % n);
    if (phase == "placing") {
      square = 'x';
      if (--holes_left == 0) phase = "playing";
      pass();
    } else if (phase == "opening" && holes_left > 0) {
      square = 'x';
      --holes_left;
    } else {
      square = mover;
      phase = phase == "opening" ? "swapping" : "playing";
      pass();
    }
  }

  void swap() {
    for (std::string& row : rows) {
      for (char& c : row) c = c == 'w' ? 'b' : c == 'b' ? 'w' : c;
    }
    phase = "playing";
    pass();
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& row : rows) {
      if (!text.empty()) text += '/';
      for (std::size_t i = 0; i < row.size();) {
        std::size_t end = i;
        while (end < row.size() && row[end] == '.') ++end;
        if (end > i) {
          text += std::to_string(end - i);
          i = end;
        } else {
          text += row[i++];
        }
      }
    }
    text += std::string(" ") + mover;
    if (phase == "placing") text += " place=" + std::to_string(holes_left);
    if (phase == "opening") text += " open=" + std::to_string(holes_left);
    if (phase == "swapping") text += " swap";
    return text;
  }
};

// The name of an action's square: file from the left, rank 1 at the bottom.
inline std::string naive_square(int action, int size) {
  return std::string(1, "abcdefgh"[action % size]) + std::to_string(size - action / size);
}

inline Position position_of(const Rows& rows, Color mover = Color::kWhite) {
  Position position;
  position.size = static_cast<std::uint8_t>(rows.size());
  position.mover = mover;
  for (int row = 0; row < size_of(rows); ++row) {
    for (int column = 0; column < size_of(rows); ++column) {
      const Bitboard bit = Bitboard{1} << (8 * row + column);
      const char c = at(rows, row, column);
      if (c == 'x') position.holes |= bit;
      if (c == 'w') position.white |= bit;
      if (c == 'b') position.black |= bit;
    }
  }
  return position;
}

// A board of squares drawn one by one from `letters`; repeat a letter to make it likelier.
inline Rows random_rows(int size, const std::string& letters, Random& random) {
  Rows rows(static_cast<std::size_t>(size), std::string(static_cast<std::size_t>(size), '.'));
  for (std::string& row : rows) {
    for (char& c : row) c = letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  }
  return rows;
}

// The board after symmetry number s: transposed when s & 4, then columns turned round when s & 1, then rows
// when s & 2.
inline Rows naive_symmetry(const Rows& rows, int symmetry) {
  Rows result = rows;
  if ((symmetry & 4) != 0) {
    for (int row = 0; row < size_of(rows); ++row) {
      for (int column = 0; column < size_of(rows); ++column) at(result, column, row) = at(rows, row, column);
    }
  }
  if ((symmetry & 1) != 0) {
    for (std::string& row : result) std::reverse(row.begin(), row.end());
  }
  if ((symmetry & 2) != 0) std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace pahtum::test
