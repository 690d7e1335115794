#pragma once

// Internal to search/: alpha-beta to a limited depth over a LineEvaluation.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "env/position.h"
#include "search/line_evaluation.h"
#include "search/line_search_table.h"

namespace pahtum {

// Principal-variation search of positions in which only stones are left to place. One thread at a time.
//
// The value of a position over which nothing can be decided any more is exact: kDecided and the points more
// for who has more, 0 for a draw. Any other value is an evaluation and lies far below kDecided. With convex
// points tables squares that decide nothing are left out (see StoneSearch).
//
// What a stone does to the evaluation is known before it is placed, from the two lines it changes. So all
// children of a position are evaluated together: that orders the moves, and is all there is to do one ply
// before the end of the search.
class LineSearch {
 public:
  static constexpr int kDecided = 1 << 24;

  struct Options {
    std::size_t table_bytes = std::size_t{16} << 20;  // 0: no table
    // Late moves are searched less deep first. Without, the value is that of plain negamax.
    bool reductions = true;
  };
  explicit LineSearch(const Options& options);

  // When to stop; nothing and 0: never.
  struct Limits {
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    std::uint64_t nodes = 0;                  // up to some hundreds more
    const std::atomic<bool>* stop = nullptr;  // set by another thread
  };
  // Begins with a position.
  void start(const Position& position, std::shared_ptr<const LineEvaluation> evaluation,
             const Limits& limits);

  struct Found {
    Move best;
    int value = 0;       // for the mover
    int depth = 0;       // of the deepest search finished
    bool whole = false;  // everything was looked at to the end of the game, or the outcome is proven
  };
  // One ply deeper than before. False when it was stopped; found() then has what the part searched says.
  bool deepen();
  [[nodiscard]] const Found& found() const noexcept { return found_; }
  // Empty squares of the position that can still decide something.
  [[nodiscard]] int live_count() const noexcept;
  [[nodiscard]] std::uint64_t nodes() const noexcept { return nodes_; }

 private:
  // Stones of the player to move and of the other one, holes and what is outside the board in both; and the
  // same with rows and columns exchanged.
  struct Board {
    Bitboard mine, theirs;
    Bitboard mine_columns, theirs_columns;
    [[nodiscard]] Board after(int square) const noexcept {
      return {theirs, mine | square_bit(square), theirs_columns,
              mine_columns | square_bit(square_at(column_of(square), row_of(square)))};
    }
  };
  // The evaluation of what follows after each move.
  struct Children;
  struct Candidate {
    std::int32_t order;
    std::uint8_t square;
  };

  [[nodiscard]] Bitboard live_squares(const Board& board) const noexcept;
  [[nodiscard]] int decided_value(const Board& board) const noexcept;
  [[nodiscard]] int evaluate(const Board& board) const noexcept;
  [[nodiscard]] int best_child(const Board& board, Bitboard live, int beta) noexcept;
  int search(const Board& board, int depth, int alpha, int beta);
  // The value of a position's child number `index` in the order of search, for who moves in the position: the
  // first with the whole window, the others with a null window, less deep when late, and again where they
  // prove better. `whole`: the position is searched to the game's end, and its children must be.
  int search_child(const Board& child, std::size_t index, bool whole, int depth, int alpha, int beta);
  bool search_root(int depth, int alpha, int beta);
  void count_node() noexcept;

  Options options_;
  LineSearchTable table_;
  std::shared_ptr<const LineEvaluation> evaluation_;
  Limits limits_;
  LinePoints points_{};
  RunPoints run_points_{};
  int size_ = 0;
  int shortest_run_ = 0;  // 0: every square counts
  Board root_{};
  std::vector<Candidate> root_moves_;  // the best one first
  Found found_;
  std::uint64_t nodes_ = 0;
  std::uint64_t next_check_ = 0;
  bool stopped_ = false;
};

}  // namespace pahtum
