#include "search/uct.h"

#include <cassert>

#include "env/select_square.h"

namespace pahtum {
namespace {

// A position of any phase.
struct AnyBoard {
  Position position;
  [[nodiscard]] bool white_moves() const noexcept { return position.mover == Color::kWhite; }
  [[nodiscard]] Bitboard squares() const noexcept { return legal_squares(position); }
  [[nodiscard]] bool may_swap() const noexcept { return pahtum::may_swap(position); }
  void play(Move move) noexcept { apply(position, move); }
  [[nodiscard]] int rollout(const FilledBoards&, RandomWords& words) const noexcept {
    return random_rollout(position, words);
  }
};

// A position where stones are all there is to play: what fits into registers.
struct StoneBoard {
  Bitboard empty;
  Bitboard white;
  bool moves;  // White
  [[nodiscard]] bool white_moves() const noexcept { return moves; }
  [[nodiscard]] Bitboard squares() const noexcept { return empty; }
  [[nodiscard]] static bool may_swap() noexcept { return false; }
  void play(Move move) noexcept {
    const Bitboard bit = square_bit(move.square());
    empty ^= bit;
    white |= moves ? bit : 0;
    moves = !moves;
  }
  [[nodiscard]] int rollout(const FilledBoards& filled, RandomWords& words) const noexcept {
    return filled.white_margin(empty == 0 ? white : random_white(white, empty, moves, words));
  }
};

}  // namespace

UctSearch::UctSearch(std::int64_t simulations) : simulations_(simulations) {
  assert(simulations >= 1);
}

Move UctSearch::choose(const Position& position, Random& random) {
  assert(!position.over());
  if (legal_count(position) == 1) return nth_legal(position, 0);
  RandomWords words(random.next64());
  tree_.start(legal_squares(position), may_swap(position));
  if (position.phase == Phase::kPlaying) {
    filled_.use(position);
    simulate(StoneBoard{position.empty(), position.white, position.mover == Color::kWhite}, words);
  } else {
    simulate(AnyBoard{position}, words);
  }
  return tree_.most_visited();
}

template <class Board>
void UctSearch::simulate(const Board root, RandomWords& words) {
  for (std::int64_t k = 0; k < simulations_; ++k) {
    Board board = root;
    tree_.start_path();
    while (true) {
      const UctTree::Step step = tree_.step(board.white_moves(), words);
      board.play(step.move);
      if (step.is_new || board.squares() == 0) break;
      tree_.enter(board.squares(), board.may_swap());
    }
    const int margin = board.rollout(filled_, words);
    tree_.count(margin > 0 ? 2 : margin == 0 ? 1 : 0);
  }
}

}  // namespace pahtum
