#include "app/play_game.h"

#include <algorithm>
#include <cassert>

#include "env/base/error.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::string squares_text(int size) {
  return std::string("files are a-") + static_cast<char>('a' + size - 1) + ", ranks 1-" +
         std::to_string(size);
}

// Why no swap is possible.
std::string no_swap_reason(const Position& position) {
  if (position.phase == Phase::kOpening || position.swap_follows != 0) {
    return "colours can be swapped only after the first stone, by who answers it";
  }
  return "colours cannot be swapped now: only where the rules say so (--swap, --hole-mode opening), and only "
         "instead of the answer to the first stone";
}

}  // namespace

PlayGame::PlayGame(const PlayedGame& game) : PlayGame(game.start) {
  for (const Move move : game.moves) play(move);
  if (game.end == GameEnd::kWhiteResigned) resign(Color::kWhite);
  if (game.end == GameEnd::kBlackResigned) resign(Color::kBlack);
}

std::optional<Move> PlayGame::last_move() const {
  return ply_ == 0 ? std::nullopt : std::optional(moves_[ply_ - 1]);
}

std::vector<Move> PlayGame::moves() const {
  return {moves_.begin(), moves_.begin() + static_cast<std::ptrdiff_t>(ply_)};
}

void PlayGame::play(Move move) {
  assert(!over() && is_legal(position(), move));
  if (ply_ == moves_.size() || moves_[ply_] != move) {
    moves_.resize(ply_);
    positions_.resize(ply_ + 1);
    moves_.push_back(move);
    positions_.push_back(after(positions_.back(), move));
  }
  ++ply_;
}

bool PlayGame::undo() noexcept {
  if (resigned_) {
    resigned_.reset();
    return true;
  }
  if (ply_ == 0) return false;
  --ply_;
  return true;
}

bool PlayGame::redo() noexcept {
  if (!can_redo()) return false;
  ++ply_;
  return true;
}

PlayedGame PlayGame::record() const {
  PlayedGame game;
  game.start = start();
  game.moves = moves();
  if (!position().over()) {
    game.end = !resigned_                    ? GameEnd::kStopped
               : *resigned_ == Color::kWhite ? GameEnd::kWhiteResigned
                                             : GameEnd::kBlackResigned;
  }
  return game;
}

bool looks_like_move(std::string_view word) noexcept {
  if (word.size() == 4) return lower_case(word) == "swap";
  if (word.size() < 2 || word.size() > 3) return false;
  if (word.size() == 2 && is_digit(word[0]) && is_letter(word[1])) return true;
  return is_letter(word[0]) && std::ranges::all_of(word.substr(1), is_digit);
}

Move read_move(std::string_view word, const Position& position) {
  const std::string text = lower_case(word);
  const std::string subject(word);
  if (position.over()) throw request_error(subject, "the game is over: no square is empty");
  if (text == "swap") {
    if (!may_swap(position)) throw request_error(subject, no_swap_reason(position));
    return Move::swap();
  }
  const int size = position.size;
  if (text.size() == 2 && is_digit(text[0]) && is_letter(text[1])) {
    throw request_error(subject, std::string("the letter comes first: ") + text[1] + text[0]);
  }
  Move move;
  try {
    move = parse_move(text, size);
  } catch (const Error&) {
    const std::string board = std::to_string(size) + "x" + std::to_string(size);
    throw request_error(subject, "no such square on a " + board + " board; " + squares_text(size));
  }
  const Bitboard bit = square_bit(move.square());
  if ((position.holes & bit) != 0)
    throw request_error(subject, "that square is a hole; `moves` lists the empty ones");
  if ((position.white & bit) != 0) throw request_error(subject, "taken: a white stone is there");
  if ((position.black & bit) != 0) throw request_error(subject, "taken: a black stone is there");
  return move;
}

}  // namespace pahtum
