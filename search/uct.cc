#include "search/uct.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "env/select_square.h"

namespace pahtum {
namespace {

// Of memory that one rollout takes at most: a record that has outgrown its place.
constexpr std::size_t kRolloutBytes = 2048;

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
  run(position, random, {.simulations = simulations_, .deadline = {}, .stop = nullptr});
  return tree_.most_visited();
}

UctSearch::Result UctSearch::search(const Position& position, Random& random, const Limits& limits) {
  assert(!position.over());
  if (!limits.simulations) tree_.reserve(kMostTreeBytes);
  Result result;
  result.rollouts = run(position, random, limits);
  result.move = tree_.most_visited();
  for (const UctTree::RootVisits& tried : tree_.root_visits()) {
    result.moves.push_back(
        {tried.move, tried.visits, 0.5 * static_cast<double>(tried.half_points) / tried.visits});
  }
  std::ranges::stable_sort(result.moves, [](const MoveResult& a, const MoveResult& b) {
    return std::pair(a.visits, a.mean) > std::pair(b.visits, b.mean);
  });
  return result;
}

std::int64_t UctSearch::run(const Position& position, Random& random, const Limits& limits) {
  RandomWords words(random.next64());
  tree_.start(legal_squares(position), may_swap(position));
  if (position.phase == Phase::kPlaying) {
    filled_.use(position);
    return simulate(StoneBoard{position.empty(), position.white, position.mover == Color::kWhite}, words,
                    limits);
  }
  return simulate(AnyBoard{position}, words, limits);
}

template <class Board>
std::int64_t UctSearch::simulate(const Board root, RandomWords& words, const Limits& limits) {
  constexpr std::int64_t kBetweenChecks = 64;
  const std::int64_t most = limits.simulations.value_or(std::numeric_limits<std::int64_t>::max());
  const auto ends = [&] {
    return (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) ||
           (limits.deadline && Limits::Clock::now() >= *limits.deadline) ||
           (!limits.simulations && tree_.used_bytes() + kBetweenChecks * kRolloutBytes > kMostTreeBytes);
  };
  std::int64_t k = 0;
  for (; k < most; ++k) {
    if (k % kBetweenChecks == 1 && ends()) break;
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
  return k;
}

}  // namespace pahtum
