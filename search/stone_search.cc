#include "search/stone_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "env/symmetry.h"
#include "search/places.h"
#include "search/scoring_squares.h"

namespace pahtum {
namespace {

constexpr Bitboard kNotFirstColumn = 0xFEFEFEFEFEFEFEFEull;
constexpr Bitboard kNotLastColumn = 0x7F7F7F7F7F7F7F7Full;
constexpr std::uint64_t kNodesBetweenLooks = 1024;
// Games with fewer empty squares are searched again rather than remembered.
constexpr int kFewestRemembered = 6;
// Nor is it worth while to look for the symmetric forms of smaller ones.
constexpr int kFewestCanonical = 12;
// Games with fewer are not worth dividing among threads.
constexpr int kFewestShared = 9;

// Of all forms that turning, mirroring and shifting make of a game the one that stands for them.
StoneGame canonical(const StoneGame& game) noexcept {
  const auto key = [](const StoneGame& form) { return std::tuple(form.empty, form.mine, form.theirs); };
  std::optional<StoneGame> smallest;
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
    const auto turned = [&](Bitboard board) { return apply_symmetry(board, symmetry, kMaxSize); };
    StoneGame form{turned(game.mine), turned(game.theirs), turned(game.empty)};
    const Bitboard squares = form.mine | form.theirs | form.empty;
    const int shift = 8 * row_of(lowest_square(squares)) + row_of(lowest_square(transpose(squares)));
    form = {form.mine >> shift, form.theirs >> shift, form.empty >> shift};
    if (!smallest || key(form) < key(*smallest)) smallest = form;
  }
  return *smallest;
}

template <int kStep>
constexpr Bitboard shifted(Bitboard board) noexcept {
  if constexpr (kStep > 0) {
    return board << kStep;
  } else {
    return board >> -kStep;
  }
}

// `seeds` and what they reach over squares of `open` in steps of one kind (a Kogge-Stone fill).
template <int kStep>
Bitboard filled(Bitboard seeds, Bitboard open) noexcept {
  seeds |= open & shifted<kStep>(seeds);
  open &= shifted<kStep>(open);
  seeds |= open & shifted<2 * kStep>(seeds);
  open &= shifted<2 * kStep>(open);
  return seeds | (open & shifted<4 * kStep>(seeds));
}

// The squares of `through` that are joined to one of `seeds` along their row, and along their column, by
// squares of `through` alone.
Bitboard joined_in_rows(Bitboard seeds, Bitboard through) noexcept {
  return (filled<1>(seeds, through & kNotFirstColumn) | filled<-1>(seeds, through & kNotLastColumn)) &
         through;
}
Bitboard joined_in_columns(Bitboard seeds, Bitboard through) noexcept {
  return (filled<8>(seeds, through) | filled<-8>(seeds, through)) & through;
}

}  // namespace

int StoneSearch::points(Bitboard stones) const noexcept {
  int sum = 0;
  for (Bitboard left = stones; left != 0; left >>= 8) sum += lines_.points[left & 0xFF];
  for (Bitboard left = transpose(stones); left != 0; left >>= 8) sum += lines_.points[left & 0xFF];
  return sum;
}

StoneGame StoneSearch::undecided(const StoneGame& game) const noexcept {
  if (!lines_.convex) return game;
  // With longer shortest runs a square may be taken for undecided that is not, which costs time alone.
  const int length = std::min(lines_.shortest_run, 3);
  const Bitboard mine = game.mine | game.empty;
  const Bitboard theirs = game.theirs | game.empty;
  const Bitboard my_rows = in_row_runs(mine, length);
  const Bitboard my_columns = in_column_runs(mine, length);
  const Bitboard their_rows = in_row_runs(theirs, length);
  const Bitboard their_columns = in_column_runs(theirs, length);
  const Bitboard empty = game.empty & (my_rows | my_columns | their_rows | their_columns);
  return {joined_in_rows(empty & my_rows, game.mine & my_rows) |
              joined_in_columns(empty & my_columns, game.mine & my_columns),
          joined_in_rows(empty & their_rows, game.theirs & their_rows) |
              joined_in_columns(empty & their_columns, game.theirs & their_columns),
          empty};
}

StoneSearch::Bounds StoneSearch::static_bounds(const StoneGame& game) const noexcept {
  if (!lines_.convex) {
    const int most = 2 * kMaxSize * std::ranges::max(lines_.points);
    return {-2 * most, 2 * most};
  }
  return {points(game.theirs) - points(game.theirs | game.empty),
          points(game.mine | game.empty) - points(game.mine)};
}

int StoneSearch::expected(const StoneGame& game) const noexcept {
  float sum = 0.0f;
  const auto add = [&](Bitboard mine, Bitboard theirs, Bitboard empty) {
    for (std::size_t number = 0; number < kMaxSize; ++number) {
      const std::size_t empty_line = line(empty, number);
      sum += lines_.expected[LineTables::line_number(line(mine, number), empty_line)] -
             lines_.expected[LineTables::line_number(line(theirs, number), empty_line)];
    }
  };
  add(game.mine, game.theirs, game.empty);
  add(transpose(game.mine), transpose(game.theirs), transpose(game.empty));
  return static_cast<int>(sum) - (points(game.mine) - points(game.theirs));
}

std::vector<int> StoneSearch::ordered_squares(const StoneGame& game) const {
  Candidates memory;
  const auto candidates = find_candidates(game, memory);
  sort_descending(candidates);
  const Bitboard deciding = undecided(game).empty;
  std::vector<int> squares;
  squares.reserve(candidates.size());
  for (const bool decides : {true, false}) {
    for (const Candidate& candidate : candidates) {
      if (((square_bit(candidate.square) & deciding) != 0) == decides) squares.push_back(candidate.square);
    }
  }
  return squares;
}

void StoneSearch::start(const SearchLimits& limits, bool symmetric) {
  limits_ = limits;
  fewest_canonical_ = symmetric ? kFewestCanonical : kMaxSquares + 1;
  nodes_ = 0;
  next_check_ = 0;
  limit_hit_ = stopped_ = false;
  constexpr double kLongTime = 1e8;  // seconds; more would overflow the clock
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  std::chrono::duration<double>(std::min(limits.seconds, kLongTime)));
}

void StoneSearch::check_limits() {
  next_check_ = nodes_ + kNodesBetweenLooks;
  if (limits_.nodes != 0) next_check_ = std::min(next_check_, limits_.nodes);
  limit_hit_ = (limits_.nodes != 0 && nodes_ >= limits_.nodes) ||
               (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) ||
               (limits_.seconds > 0.0 && std::chrono::steady_clock::now() >= deadline_);
  stopped_ |= limit_hit_;
}

bool StoneSearch::count_node() {
  if (++nodes_ >= next_check_) check_limits();
  if (abandoned_ != nullptr && abandoned_->load(std::memory_order_relaxed)) stopped_ = true;
  return !stopped_;
}

std::optional<int> StoneSearch::test(const StoneGame& game, int beta, const std::atomic<bool>* abandoned) {
  abandoned_ = abandoned;
  stopped_ = limit_hit_;
  if (stopped_) return {};
  const Bounds bounds = static_bounds(game);
  const int value = search(game, bounds.upper, -bounds.lower, beta);
  if (stopped_) return {};
  return value;
}

std::span<StoneSearch::Candidate> StoneSearch::find_candidates(const StoneGame& game,
                                                               Candidates& memory) const noexcept {
  const Bitboard my_columns = transpose(game.mine);
  const Bitboard their_columns = transpose(game.theirs);
  const Bitboard empty_columns = transpose(game.empty);
  std::size_t count = 0;
  for (Bitboard left = game.empty; left != 0; left &= left - 1, ++count) {
    const auto square = static_cast<std::size_t>(lowest_square(left));
    const std::size_t row = square >> 3;
    const std::size_t column = square & 7;
    const std::size_t my_row = line(game.mine, row);
    const std::size_t my_column = line(my_columns, column);
    const std::size_t their_row = line(game.theirs, row);
    const std::size_t their_column = line(their_columns, column);
    const std::size_t empty_row = line(game.empty, row);
    const std::size_t empty_column = line(empty_columns, column);
    const auto sum = [&](const auto& table, std::size_t row_line, std::size_t column_line) {
      return table[row_line][column] + table[column_line][row];
    };
    const auto influence = [&](std::size_t row_stones, std::size_t column_stones) {
      return sum(lines_.influence, LineTables::line_number(row_stones, empty_row),
                 LineTables::line_number(column_stones, empty_column));
    };
    memory[count] = {influence(my_row, my_column) + influence(their_row, their_column),
                     sum(lines_.gained, my_row, my_column),
                     sum(lines_.gained, their_row, their_column),
                     sum(lines_.lost, my_row | empty_row, my_column | empty_column),
                     sum(lines_.lost, their_row | empty_row, their_column | empty_column),
                     static_cast<std::uint8_t>(square)};
  }
  return std::span(memory).first(count);
}

int StoneSearch::search(StoneGame game, int mine_left, int theirs_left, int beta) {
  if (lines_.convex) {
    if (mine_left < beta) return mine_left;
    if (-theirs_left >= beta) return -theirs_left;
    game = undecided(game);
  }
  const int count = std::popcount(game.empty);
  if (count == 0) return 0;
  if (!count_node()) return 0;
  if (count >= fewest_canonical_) game = canonical(game);

  std::optional<StoneTable::Entry> known;
  if (count >= kFewestRemembered) known = table_.find(game);
  if (known) {
    if (known->lower() >= beta) return known->lower();
    if (known->upper() < beta) return known->upper();
  }

  Candidates memory;
  const auto candidates = find_candidates(game, memory);
  if (count == 1) return candidates[0].gain;
  if (count == 2) {
    return std::max(candidates[0].gain - candidates[1].their_gain,
                    candidates[1].gain - candidates[0].their_gain);
  }
  if (known) {
    const auto best = std::ranges::find(candidates, known->move(), &Candidate::square);
    if (best != candidates.end()) best->swing = std::numeric_limits<std::int32_t>::max();
  }
  sort_descending(candidates);

  int lower = -theirs_left;
  int upper = mine_left;
  Places theirs(lines_, game.mine | game.empty);
  bool cuts_moves = false;
  if (lines_.convex) {
    Places mine(lines_, game.theirs | game.empty);
    const Runs my_runs(game.mine | game.empty);
    const Runs their_runs(game.theirs | game.empty);
    for (const Candidate& candidate : candidates) {
      mine.consider(candidate.square, their_runs.through(candidate.square), candidate.gain,
                    candidate.their_loss);
    }
    mine.finish();
    lower += mine.first();
    if (lower >= beta) return lower;
    for (const Candidate& candidate : candidates) {
      theirs.consider(candidate.square, my_runs.through(candidate.square), candidate.their_gain,
                      candidate.loss);
    }
    theirs.finish();
    upper -= theirs.second();
    if (upper < beta) return upper;
    // Taking a square hardly ever leaves the other player with more than all of them would.
    cuts_moves = mine_left - theirs.first() < beta;
  }

  int best = std::numeric_limits<int>::min();
  std::uint8_t best_square = candidates[0].square;
  const auto look_at = [&](const Candidate& candidate) {
    const Bitboard bit = square_bit(candidate.square);
    const StoneGame next{game.theirs, game.mine | bit, game.empty ^ bit};
    const int value = candidate.gain - search(next, theirs_left - candidate.their_loss,
                                              mine_left - candidate.gain, candidate.gain - beta + 1);
    if (stopped_ || value <= best) return;
    best = value;
    best_square = candidate.square;
  };
  const bool shared = shared_ != nullptr && count >= kFewestShared;
  const std::uint64_t game_key = shared ? StoneTable::hash_of(game) : 0;
  Bitboard left_to_others = 0;
  for (const Candidate& candidate : candidates) {
    if (cuts_moves) {
      const int most = mine_left - theirs.first_without(candidate.square);
      if (most < beta) {
        best = std::max(best, most);
        continue;
      }
    }
    if (shared) {
      const std::uint64_t move = game_key + candidate.square;
      if (&candidate != candidates.data() && shared_->contains(move)) {
        left_to_others |= square_bit(candidate.square);
        continue;
      }
      shared_->add(move);
      look_at(candidate);
      shared_->remove(move);
    } else {
      look_at(candidate);
    }
    if (stopped_) return 0;
    if (best >= beta) break;
  }
  for (const Candidate& candidate : candidates) {
    if (best >= beta) break;
    if ((left_to_others & square_bit(candidate.square)) == 0) continue;
    look_at(candidate);
    if (stopped_) return 0;
  }
  if (count < kFewestRemembered) return best;

  known = table_.find(game);
  if (known) {
    lower = std::max(lower, known->lower());
    upper = std::min(upper, known->upper());
  }
  if (best >= beta) {
    lower = std::max(lower, best);
  } else {
    upper = best = std::min(upper, best);
  }
  table_.store({game, lower, upper, best_square});
  return best;
}

}  // namespace pahtum
