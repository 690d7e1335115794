#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "env/base/random.h"
#include "env/position.h"
#include "search/line_evaluation.h"
#include "search/line_search.h"
#include "search/solver.h"

namespace pahtum {

// How far ahead to look.
struct AlphaBetaLimits {
  int depth = 0;                            // plies; 0: no limit
  double seconds = 0.0;                     // for a move; 0: no limit
  std::uint64_t nodes = 0;                  // of the search, without the solver; 0: no limit
  const std::atomic<bool>* stop = nullptr;  // set by another thread, ends it at once; null: none
};

// The alpha-beta player: principal-variation search with iterative deepening over a LineEvaluation, exact
// where the Solver finishes. With a limit of depth or
// nodes it is a pure function of the position. One thread at a
// time.
class AlphaBeta {
 public:
  static constexpr std::size_t kSolverBytes = std::size_t{16} << 20;
  // With so many empty squares or fewer it plays for the best margin, which brings the best outcome too.
  static constexpr int kExactEmpty = 16;

  // `evaluation`: for all positions it will see; null: LineEvaluation::of() their rules.
  // One of depth, seconds and nodes is given.
  explicit AlphaBeta(const AlphaBetaLimits& limits,
                     std::shared_ptr<const LineEvaluation> evaluation = nullptr,
                     const LineSearch::Options& options = {});

  struct Choice {
    Move move;
    bool exact = false;         // no other move leads to a better outcome
    std::optional<int> margin;  // in points, where it is known
    int depth = 0;              // plies looked ahead, when not exact
    int value = 0;              // for the mover, as LineSearch has it; when exact 1, 0 or −1
    std::uint64_t nodes = 0;    // of search and solver
  };
  // In a position in which a stone is to be placed; it is not over.
  [[nodiscard]] Choice search(const Position& position) { return search(position, limits_); }
  // The same with other limits, whichever are given, or none: then only a proof or `stop` ends it.
  [[nodiscard]] Choice search(const Position& position, const AlphaBetaLimits& limits);
  // The game after the exact choice of search(), with best play for points of both: at most `plies` moves,
  // less when the limits' seconds or `stop` end it. Empty where the position is too large to be played so.
  [[nodiscard]] std::vector<Move> variation(const Position& position, int plies,
                                            const AlphaBetaLimits& limits);

  // The move of search(). Where holes are placed and in the opening it does what greedy_move does, and it
  // swaps only where the solver has found that best.
  [[nodiscard]] Move choose(const Position& position, Random& random);

 private:
  [[nodiscard]] bool is_worth_solving(const Position& position, double seconds) const noexcept;

  AlphaBetaLimits limits_;
  std::shared_ptr<const LineEvaluation> evaluation_;
  bool keeps_evaluation_;
  RunPoints run_points_{};  // what evaluation_ is for
  int size_ = 0;
  LineSearch search_;
  Solver solver_;
};

}  // namespace pahtum
