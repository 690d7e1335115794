#pragma once

#include <span>
#include <string>
#include <string_view>

#include "env/symmetry.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80         ? 1
                               : (lead >> 5) == 6  ? 2
                               : (lead >> 4) == 14 ? 3
                               : (lead >> 3) == 30 ? 4
                                                   : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0u) != 0x80u) return false;
    }
    i += length;
  }
  return true;
}

// A move's text is refused, or it is what to_text makes of the move.
inline void check_move_text(std::string_view text, int size) {
  Move move;
  if (is_refused([&] { move = parse_move(text, size); })) return;
  require(to_text(move, size) == text, "a move is written as it was read");
  require(move.is_swap() || (square_bit(move.square()) & ~board_mask(size)) == 0,
          "a move names a square of the board");
}

inline void check_position(const Position& position) {
  require_sound(position);
  require_same(position, ModelGame::of(position));
  const std::string text = to_text(position);
  require(parse_position(text) == position, "a position's text reads back as the same position");
  require(hash(parse_position(text)) == hash(position), "equal positions have equal hashes");
  const Position swapped = swap_colors(position);
  require_sound(swapped);
  require(swap_colors(swapped) == position && swapped.margin() == position.margin(),
          "colours are players' names");
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
    const Position turned = apply_symmetry(position, symmetry);
    require_sound(turned);
    require(turned.white_margin() == position.white_margin(), "points do not change when the board turns");
    require(apply_symmetry(turned, inverse_symmetry(symmetry)) == position,
            "a turn is undone by its inverse");
  }
}

// Input: a position's text, then lines of moves, then anything; the moves that are legal are played, and the
// game goes on to its end by what the bytes choose.
inline void fuzz_position(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  const std::string_view text = input.line();
  Position position;
  try {
    position = parse_position(text);
  } catch (const Error& error) {
    require(error.fault() == Fault::kRequest, "a wrong position is a wrong request");
    require(!is_utf8(text) || is_utf8(error.what()), "a message about UTF-8 is UTF-8");
    const int size = kMinSize + static_cast<int>(text.size()) % (kMaxSize - kMinSize + 1);
    check_move_text(text, size);
    while (!input.empty()) check_move_text(input.line(), size);
    return;
  }
  check_position(position);
  std::uint64_t choice = 0;
  while (!input.empty()) {
    const std::string_view move_text = input.line();
    for (const char c : move_text) choice = mix64(choice + static_cast<unsigned char>(c) + kGoldenRatio64);
    check_move_text(move_text, position.size);
    Move move;
    if (is_refused([&] { move = parse_move(move_text, position.size); })) continue;
    if (!is_legal(position, move)) continue;
    ModelGame game = ModelGame::of(position);
    game.play(action_of(move, position.size));
    apply(position, move);
    require_same(position, game);
    check_position(position);
  }
  play_to_the_end(position, [&](int count) {
    choice = mix64(choice + kGoldenRatio64);
    return static_cast<int>(choice % static_cast<std::uint64_t>(count));
  });
  check_position(position);
}

}  // namespace pahtum::fuzz
