#include "search/line_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include "search/line_regions.h"
#include "search/line_tables.h"
#include "search/places.h"
#include "search/scoring_squares.h"

namespace pahtum {
namespace {

using Bound = LineSearchTable::Bound;

constexpr int kInfinite = std::numeric_limits<std::int32_t>::max() / 2;
constexpr std::uint64_t kNodesBetweenChecks = 512;
// A stone decides nothing for anyone on itself and on two squares to each of four sides at most.
constexpr int kMostKilled = 9;
// Stands for a search to the end of the game.
constexpr std::uint8_t kWholeDepth = 255;
constexpr std::uint8_t kNoMove = 255;

// Late moves lose a ply, very late ones two.
constexpr int kFewestReducedDepth = 3;
constexpr int kLateMove = 3;
constexpr int kVeryLateMove = 10;
constexpr int kFewestTwiceReducedDepth = 5;

int reduction(int depth, std::size_t index) noexcept {
  if (depth < kFewestReducedDepth || index < kLateMove) return 0;
  return depth >= kFewestTwiceReducedDepth && index >= kVeryLateMove ? 2 : 1;
}

bool is_decided(int value) noexcept {
  return std::abs(value) >= LineSearch::kDecided;
}

}  // namespace

// Line contents and values from the view of the player who moves next, with the mover's stone still missing.
struct LineSearch::Children {
  Children(const LineEvaluation& evaluation, const Board& board, int size, int empty_after) noexcept
      : values(evaluation.table(empty_after)), board_size(size) {
    const std::size_t all = (std::size_t{1} << size) - 1;
    int sum = evaluation.to_move(empty_after);
    for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k) {
      rows[k] = line_contents(line(board.theirs, k) & all, line(board.mine, k) & all, size);
      columns[k] =
          line_contents(line(board.theirs_columns, k) & all, line(board.mine_columns, k) & all, size);
      row_values[k] = values[rows[k]];
      column_values[k] = values[columns[k]];
      sum += row_values[k] + column_values[k];
    }
    base = -sum;
  }
  // For the player who places the stone.
  [[nodiscard]] int after(int square) const noexcept {
    const auto row = static_cast<std::size_t>(row_of(square));
    const auto column = static_cast<std::size_t>(column_of(square));
    const std::size_t row_bit = std::size_t{1} << (static_cast<std::size_t>(board_size) + column);
    const std::size_t column_bit = std::size_t{1} << (static_cast<std::size_t>(board_size) + row);
    return base + row_values[row] - values[rows[row] | row_bit] + column_values[column] -
           values[columns[column] | column_bit];
  }

  const std::int16_t* values;
  int board_size;
  int base;
  std::array<std::size_t, kMaxSize> rows, columns;
  std::array<int, kMaxSize> row_values, column_values;
};

LineSearch::LineSearch(const Options& options) : options_(options), table_(options.table_bytes) {}

void LineSearch::start(const Position& position, std::shared_ptr<const LineEvaluation> evaluation,
                       const Limits& limits) {
  assert(!position.over());
  evaluation_ = std::move(evaluation);
  limits_ = limits;
  if (size_ == 0 || run_points_ != position.run_points) {
    run_points_ = position.run_points;
    points_ = line_points(run_points_);
    const auto lines = LineTables::of(run_points_);
    shortest_run_ = lines->convex ? std::min(lines->shortest_run, 3) : 0;
  }
  size_ = position.size;
  table_.start();
  nodes_ = 0;
  next_check_ = 0;
  stopped_ = false;
  const Bitboard blocked = position.holes | ~board_mask(size_);
  const Bitboard mine = position.own() | blocked;
  const Bitboard theirs = position.theirs() | blocked;
  root_ = {mine, theirs, transpose(mine), transpose(theirs)};
  Bitboard squares = live_squares(root_);
  const bool decided = squares == 0;
  if (decided) squares = position.empty();
  const Children children(*evaluation_, root_, size_, position.empty_count() - 1);
  root_moves_.clear();
  for (Bitboard left = squares; left != 0; left &= left - 1) {
    const int square = lowest_square(left);
    root_moves_.push_back({children.after(square), static_cast<std::uint8_t>(square)});
  }
  std::ranges::stable_sort(root_moves_, std::ranges::greater(), &Candidate::order);
  found_ = {Move::at(root_moves_.front().square), root_moves_.front().order, 0, decided};
  if (decided) found_.value = decided_value(root_);
}

Bitboard LineSearch::live_squares(const Board& board) const noexcept {
  const Bitboard empty = ~(board.mine | board.theirs);
  if (shortest_run_ == 0) return empty;
  // What is not theirs is mine or empty.
  return empty & (in_row_runs(~board.theirs, shortest_run_) | in_column_runs(~board.theirs, shortest_run_) |
                  in_row_runs(~board.mine, shortest_run_) | in_column_runs(~board.mine, shortest_run_));
}

int LineSearch::decided_value(const Board& board) const noexcept {
  const Bitboard blocked = board.mine & board.theirs;
  const Bitboard blocked_columns = board.mine_columns & board.theirs_columns;
  int margin = 0;
  for (std::size_t k = 0; k < kMaxSize; ++k) {
    margin += points_[line(board.mine ^ blocked, k)] - points_[line(board.theirs ^ blocked, k)] +
              points_[line(board.mine_columns ^ blocked_columns, k)] -
              points_[line(board.theirs_columns ^ blocked_columns, k)];
  }
  return margin > 0 ? kDecided + margin : margin < 0 ? margin - kDecided : 0;
}

int LineSearch::evaluate(const Board& board) const noexcept {
  const int empty = std::popcount(~(board.mine | board.theirs));
  const std::int16_t* const values = evaluation_->table(empty);
  const std::size_t all = (std::size_t{1} << size_) - 1;
  int sum = evaluation_->to_move(empty);
  for (std::size_t k = 0; k < static_cast<std::size_t>(size_); ++k) {
    sum +=
        values[line_contents(line(board.mine, k) & all, line(board.theirs, k) & all, size_)] +
        values[line_contents(line(board.mine_columns, k) & all, line(board.theirs_columns, k) & all, size_)];
  }
  return sum;
}

int LineSearch::best_child(const Board& board, Bitboard live, int beta) noexcept {
  const int empty = std::popcount(~(board.mine | board.theirs));
  const Children children(*evaluation_, board, size_, empty - 1);
  int best = -kInfinite;
  for (; live != 0; live &= live - 1) {
    ++nodes_;
    best = std::max(best, children.after(lowest_square(live)));
    if (best >= beta) break;
  }
  return best;
}

void LineSearch::count_node() noexcept {
  if (++nodes_ < next_check_) return;
  next_check_ = nodes_ + kNodesBetweenChecks;
  if (limits_.nodes != 0 && nodes_ >= limits_.nodes) stopped_ = true;
  if (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline) stopped_ = true;
  if (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) stopped_ = true;
}

int LineSearch::search(const Board& board, int depth, int alpha, int beta) {
  const Bitboard live = live_squares(board);
  if (live == 0) return decided_value(board);
  count_node();
  if (stopped_) return 0;
  if (depth <= 0) return evaluate(board);
  const int count = std::popcount(live);
  // With more squares than a stone can kill no child is decided, and all are evaluated.
  if (depth == 1 && count > kMostKilled) return best_child(board, live, beta);

  const bool whole = depth >= count;
  const auto table_depth = whole ? kWholeDepth : static_cast<std::uint8_t>(depth);
  std::uint8_t table_move = kNoMove;
  if (options_.table_bytes != 0) {
    if (const LineSearchTable::Entry* known = table_.find(board.mine, board.theirs)) {
      if (known->depth >= table_depth) {
        if (known->bound == Bound::kExact) return known->value;
        if (known->bound == Bound::kLower && known->value >= beta) return known->value;
        if (known->bound == Bound::kUpper && known->value <= alpha) return known->value;
      }
      table_move = known->move;
    }
  }

  const int empty = std::popcount(~(board.mine | board.theirs));
  const Children children(*evaluation_, board, size_, empty - 1);
  std::array<Candidate, kMaxSquares> memory;
  std::size_t candidates = 0;
  for (Bitboard left = live; left != 0; left &= left - 1) {
    const int square = lowest_square(left);
    const auto number = static_cast<std::uint8_t>(square);
    memory[candidates++] = {number == table_move ? kInfinite : children.after(square), number};
  }

  int best = -kInfinite;
  std::uint8_t best_square = memory[0].square;
  const int first_alpha = alpha;
  for (std::size_t index = 0; index < candidates; ++index) {
    // Most positions are done after a move or two: sorting all of them would be in vain.
    std::size_t next = index;
    for (std::size_t k = index + 1; k < candidates; ++k) {
      if (memory[k].order > memory[next].order) next = k;
    }
    std::swap(memory[index], memory[next]);
    const int square = memory[index].square;
    const Board child = board.after(square);
    const int value = search_child(child, index, whole, depth, alpha, beta);
    if (stopped_) return 0;
    if (value <= best) continue;
    best = value;
    best_square = static_cast<std::uint8_t>(square);
    alpha = std::max(alpha, best);
    if (best >= beta) break;
  }
  if (options_.table_bytes != 0) {
    const Bound bound = best >= beta ? Bound::kLower : best <= first_alpha ? Bound::kUpper : Bound::kExact;
    table_.store({board.mine, board.theirs, best, table_depth, bound, best_square, 0});
  }
  return best;
}

int LineSearch::search_child(const Board& child, std::size_t index, bool whole, int depth, int alpha,
                             int beta) {
  if (index == 0) return -search(child, depth - 1, -beta, -alpha);
  const int less = options_.reductions && !whole ? reduction(depth, index) : 0;
  int value = -search(child, depth - 1 - less, -alpha - 1, -alpha);
  if (less > 0 && value > alpha && !stopped_) value = -search(child, depth - 1, -alpha - 1, -alpha);
  if (value > alpha && value < beta && !stopped_) value = -search(child, depth - 1, -beta, -alpha);
  return value;
}

bool LineSearch::search_root(int depth, int alpha, int beta) {
  const bool whole = depth >= live_count();
  int best = -kInfinite;
  for (std::size_t index = 0; index < root_moves_.size(); ++index) {
    const Board child = root_.after(root_moves_[index].square);
    const int value = search_child(child, index, whole, depth, alpha, beta);
    if (stopped_) return false;
    if (value <= best) continue;
    best = value;
    alpha = std::max(alpha, best);
    found_.best = Move::at(root_moves_[index].square);
    found_.value = value;
    // The best of this depth is the first of the next one.
    std::rotate(root_moves_.begin(), root_moves_.begin() + static_cast<std::ptrdiff_t>(index),
                root_moves_.begin() + static_cast<std::ptrdiff_t>(index) + 1);
    if (best >= beta) break;
  }
  return true;
}

int LineSearch::live_count() const noexcept {
  return std::popcount(live_squares(root_));
}

bool LineSearch::deepen() {
  if (found_.whole) return true;
  const int depth = found_.depth + 1;
  if (!search_root(depth, -kInfinite, kInfinite)) return false;
  found_.depth = depth;
  found_.whole = is_decided(found_.value) || depth >= live_count();
  return true;
}

}  // namespace pahtum
