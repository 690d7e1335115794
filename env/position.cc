#include "env/position.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "env/base/error.h"
#include "env/base/random.h"

namespace pahtum {
namespace {

constexpr std::string_view kExample = "for example \"7/6x/3x3/7/2xx3/7/x6 w\"";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw request_error("position \"" + std::string(text) + "\"", why + "; " + std::string(kExample));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

// The whole UTF-8 character that starts at `start`, so that a message never quotes half of one.
std::string_view character_at(std::string_view text, std::size_t start) {
  std::size_t end = start + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) ++end;
  return text.substr(start, end - start);
}

// One rank of the text into the sets of `position`.
void parse_rank(std::string_view text, std::string_view rank_text, int row, Position& position) {
  const int size = position.size;
  const std::string rank = "rank " + std::to_string(size - row);
  int column = 0;
  for (std::size_t i = 0; i < rank_text.size(); ++i) {
    const char c = rank_text[i];
    const bool digit = c >= '1' && c <= '8';
    if (!digit && c != 'x' && c != 'w' && c != 'b') {
      refuse(text, rank + " has the unknown letter '" + std::string(character_at(rank_text, i)) +
                       "'; use digits 1 to 8 for empty squares, x for a hole, w and b for stones");
    }
    const int width = digit ? c - '0' : 1;
    if (column + width > size) {
      refuse(text, rank + " (\"" + std::string(rank_text) + "\") is too long: it must fill " +
                       std::to_string(size) + " squares");
    }
    const Bitboard bit = square_bit(square_at(row, column));
    if (c == 'x') position.holes |= bit;
    if (c == 'w') position.white |= bit;
    if (c == 'b') position.black |= bit;
    column += width;
  }
  if (column != size) {
    refuse(text, rank + " (\"" + std::string(rank_text) + "\") is too short: it fills " +
                     std::to_string(column) + " of " + std::to_string(size) + " squares");
  }
}

// The number behind `prefix`, when `word` starts with it; -1 when no number stands there, and the largest int
// for one that is larger.
std::optional<int> number_after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  word.remove_prefix(prefix.size());
  unsigned value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) return -1;
  constexpr unsigned kLargest = std::numeric_limits<int>::max();
  return static_cast<int>(error == std::errc::result_out_of_range ? kLargest : std::min(value, kLargest));
}

void parse_phase(std::string_view text, std::string_view word, Position& position) {
  if (word == "swap") {
    if (std::popcount(position.white | position.black) != 1) {
      refuse(text, "`swap` needs exactly one stone on the board");
    }
    position.phase = Phase::kSwapping;
    return;
  }
  const auto place = number_after(word, "place=");
  const auto open = number_after(word, "open=");
  const int count = place ? *place : open.value_or(-1);
  if (count < 0 || (place && count == 0)) {
    refuse(text, "\"" + std::string(word) + "\" is not a phase; use place=K with K ≥ 1, open=K or swap");
  }
  if (open && (position.white | position.black) != 0) {
    refuse(text, "`open=K` needs a board without stones: the swap that follows is of its one stone");
  }
  const int room = position.empty_count() - (open ? 1 : 0);
  if (count > room) {
    refuse(text, "\"" + std::string(word) + "\" asks for more holes than the " +
                     std::to_string(position.empty_count()) + " empty squares can take");
  }
  position.phase = place ? Phase::kPlacing : Phase::kOpening;
  position.holes_left = static_cast<std::uint8_t>(count);
}

void require_pie_rule(std::string_view text, Position& position) {
  if ((position.white | position.black) != 0) {
    refuse(text, "`place=K swap` needs a board without stones: the swap that follows is of its one stone");
  }
  if (position.holes_left >= position.empty_count()) {
    refuse(text, "`place=K swap` leaves no square for the stone that may be swapped");
  }
  position.swap_follows = 1;
}

}  // namespace

std::string_view color_name(Color color) noexcept {
  return color == Color::kWhite ? "white" : "black";
}

std::string_view phase_name(Phase phase) noexcept {
  switch (phase) {
    case Phase::kPlaying:
      return "playing";
    case Phase::kPlacing:
      return "placing";
    case Phase::kOpening:
      return "opening";
    case Phase::kSwapping:
      return "swapping";
  }
  return "";
}

std::uint64_t hash(const Position& position) noexcept {
  // The game's own points are left out, so that naming the default changes no hash.
  std::array<std::uint64_t, sizeof(Position) / 8> words{};
  std::memcpy(words.data(), &position, sizeof(position));
  const std::size_t used =
      position.run_points == kRunPoints ? offsetof(Position, run_points) / 8 : words.size();
  std::uint64_t result = kGoldenRatio64;
  for (const std::uint64_t word : std::span(words).first(used)) {
    result = mix64(result + kGoldenRatio64 + word);
  }
  return result;
}

Move nth_legal(const Position& position, int index) noexcept {
  Bitboard left = legal_squares(position);
  const int squares = std::popcount(left);
  assert(index >= 0 && index < legal_count(position));
  if (index >= squares) return Move::swap();
  for (; index > 0; --index) left &= left - 1;
  return Move::at(lowest_square(left));
}

void apply(Position& position, Move move) noexcept {
  assert(is_legal(position, move));
  if (move.is_swap()) {
    std::swap(position.white, position.black);
    position.phase = Phase::kPlaying;
    position.mover = opponent(position.mover);
    return;
  }
  const Bitboard bit = square_bit(move.square());
  const bool places_hole =
      (position.phase == Phase::kPlacing || position.phase == Phase::kOpening) && position.holes_left > 0;
  if (places_hole) {
    position.holes |= bit;
    --position.holes_left;
    if (position.phase == Phase::kOpening) return;
    if (position.holes_left == 0) {
      position.phase = position.swap_follows != 0 ? Phase::kOpening : Phase::kPlaying;
      position.swap_follows = 0;
    }
  } else {
    (position.mover == Color::kWhite ? position.white : position.black) |= bit;
    position.phase = position.phase == Phase::kOpening ? Phase::kSwapping : Phase::kPlaying;
  }
  position.mover = opponent(position.mover);
}

Position swap_colors(const Position& position) noexcept {
  Position result = position;
  std::swap(result.white, result.black);
  result.mover = opponent(position.mover);
  return result;
}

Position parse_position(std::string_view text) {
  if (text.empty()) refuse(text, "is empty");
  const std::vector<std::string_view> words = split(text, ' ');
  const std::vector<std::string_view> ranks = split(words[0], '/');
  const int size = static_cast<int>(ranks.size());
  if (size < kMinSize || size > kMaxSize) {
    refuse(text, "has " + std::to_string(size) + " ranks; a board has " + std::to_string(kMinSize) + " to " +
                     std::to_string(kMaxSize) + " ranks of as many squares");
  }
  Position position;
  position.size = static_cast<std::uint8_t>(size);
  for (int row = 0; row < size; ++row) {
    parse_rank(text, ranks[static_cast<std::size_t>(row)], row, position);
  }
  if (words.size() < 2 || words[1].empty()) refuse(text, "the mover is missing; add a space and `w` or `b`");
  if (words[1] != "w" && words[1] != "b") {
    refuse(text, "\"" + std::string(words[1]) + "\" is not a mover; use `w` or `b`");
  }
  position.mover = words[1] == "w" ? Color::kWhite : Color::kBlack;
  const bool pie = words.size() == 4 && words[2].starts_with("place=") && words[3] == "swap";
  if (words.size() > 3 && !pie) refuse(text, "\"" + std::string(words[3]) + "\" is too much at the end");
  if (words.size() > 2) parse_phase(text, words[2], position);
  if (pie) require_pie_rule(text, position);
  return position;
}

std::string to_text(const Position& position) {
  const std::array<std::string, kMaxSize> rows = board_rows(position);
  std::string text;
  for (int row = 0; row < position.size; ++row) {
    if (row > 0) text += '/';
    int run = 0;
    for (const char c : rows[static_cast<std::size_t>(row)]) {
      if (c == '.') {
        ++run;
        continue;
      }
      if (run > 0) text += std::to_string(run);
      run = 0;
      text += c;
    }
    if (run > 0) text += std::to_string(run);
  }
  text += position.mover == Color::kWhite ? " w" : " b";
  if (position.phase == Phase::kPlacing) text += " place=" + std::to_string(position.holes_left);
  if (position.swap_follows != 0) text += " swap";
  if (position.phase == Phase::kOpening) text += " open=" + std::to_string(position.holes_left);
  if (position.phase == Phase::kSwapping) text += " swap";
  return text;
}

std::string to_text(Move move, int size) {
  if (move.is_swap()) return "swap";
  const int row = row_of(move.square());
  const int column = column_of(move.square());
  return {static_cast<char>('a' + column), static_cast<char>('0' + size - row)};
}

Move parse_move(std::string_view text, int size) {
  if (text == "swap") return Move::swap();
  if (text.size() == 2) {
    const int column = text[0] - 'a';
    const int row = size - (text[1] - '0');
    if (column >= 0 && column < size && row >= 0 && row < size) return Move::at(square_at(row, column));
  }
  const std::string last = to_text(Move::at(square_at(0, size - 1)), size);
  throw request_error("move \"" + std::string(text) + "\"", "is not a square a1 … " + last + " or `swap`");
}

std::array<std::string, kMaxSize> board_rows(const Position& position) {
  std::array<std::string, kMaxSize> rows;
  for (int row = 0; row < position.size; ++row) {
    for (int column = 0; column < position.size; ++column) {
      const Bitboard bit = square_bit(square_at(row, column));
      const char c = (position.holes & bit) != 0   ? 'x'
                     : (position.white & bit) != 0 ? 'w'
                     : (position.black & bit) != 0 ? 'b'
                                                   : '.';
      rows[static_cast<std::size_t>(row)] += c;
    }
  }
  return rows;
}

}  // namespace pahtum
