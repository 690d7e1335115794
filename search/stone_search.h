#pragma once

// Internal to search/: the exact search of positions in which only stones are left to place.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/line_tables.h"
#include "search/stone_table.h"

namespace pahtum {

// When a search has to give up. 0 and null: never.
struct SearchLimits {
  double seconds = 0.0;
  std::uint64_t nodes = 0;
  const std::atomic<bool>* stop = nullptr;
};

// What several searches of one game are looking into at this moment, so that none begins what another is
// doing. Forgets some of it, which costs time alone (simplified ABDADA: J.-C. Weill, 1996; T. Kerrigan,
// 2017).
class MovesUnderWay {
 public:
  [[nodiscard]] bool contains(std::uint64_t move) const noexcept {
    return slot(move).load(std::memory_order_relaxed) == move;
  }
  void add(std::uint64_t move) noexcept { slot(move).store(move, std::memory_order_relaxed); }
  void remove(std::uint64_t move) noexcept {
    slot(move).compare_exchange_strong(move, 0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  [[nodiscard]] std::atomic<std::uint64_t>& slot(std::uint64_t move) noexcept {
    return slots_[move % kSlots];
  }
  [[nodiscard]] const std::atomic<std::uint64_t>& slot(std::uint64_t move) const noexcept {
    return slots_[move % kSlots];
  }
  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
};

// Null-window alpha-beta over StoneGames. The value of a game is the mover's gain: the points the mover will
// still make minus those the other player will, with best play of both. One thread at a time per object;
// several may share a table and MovesUnderWay and so divide the work.
//
// With convex points tables (LineTables::convex):
// - Squares no run that counts can hold any more are left out: playing there is never better than any other
//   move. Whoever has s and lets the other move stands no worse than who passed: where the other would then
//   take s, imagine it taken; where the plan says s, play the square left out.
// - Bounds come from places that do not depend on each other, see Places in stone_search.cc.
class StoneSearch {
 public:
  // All are kept by reference; `shared` is null for a search of its own.
  StoneSearch(const LineTables& lines, StoneTable& table, MovesUnderWay* shared = nullptr)
      : lines_(lines), table_(table), shared_(shared) {}

  // Starts counting nodes and time for what follows. `symmetric`: games to come will meet turned or mirrored
  // forms of each other, as those from a symmetric board do.
  void start(const SearchLimits& limits, bool symmetric = false);

  // A bound on the game's value: a lower one when it is at least `beta`, otherwise an upper one. Nothing when
  // a limit was hit, or when somebody has set `abandoned` (may be null).
  [[nodiscard]] std::optional<int> test(const StoneGame& game, int beta,
                                        const std::atomic<bool>* abandoned = nullptr);

  struct Bounds {
    int lower, upper;
  };
  // Bounds on the value without any search, and the value's mean when all empty squares are filled at random.
  [[nodiscard]] Bounds static_bounds(const StoneGame& game) const noexcept;
  [[nodiscard]] int expected(const StoneGame& game) const noexcept;
  // The empty squares, the most promising first; those that decide nothing come last.
  [[nodiscard]] std::vector<int> ordered_squares(const StoneGame& game) const;

  [[nodiscard]] std::uint64_t nodes() const noexcept { return nodes_; }
  // For searches above this one: counts a node and returns whether to go on.
  [[nodiscard]] bool count_node();

 private:
  // An empty square and what a stone there does.
  struct Candidate {
    std::int32_t swing;             // how much it matters to both
    std::int32_t gain, their_gain;  // points at once, for the mover or for the other player
    std::int32_t loss, their_loss;  // of what each could still make, when the other takes the square
    std::uint8_t square;
    friend bool operator<(const Candidate& a, const Candidate& b) noexcept { return a.swing < b.swing; }
  };
  using Candidates = std::array<Candidate, kMaxSquares>;

  // `mine_left`, `theirs_left`: what each side would still make with all empty squares for itself.
  int search(StoneGame game, int mine_left, int theirs_left, int beta);
  [[nodiscard]] StoneGame undecided(const StoneGame& game) const noexcept;
  std::span<Candidate> find_candidates(const StoneGame& game, Candidates& memory) const noexcept;
  [[nodiscard]] int points(Bitboard stones) const noexcept;
  void check_limits();

  const LineTables& lines_;
  StoneTable& table_;
  MovesUnderWay* shared_;
  SearchLimits limits_;
  int fewest_canonical_ = kMaxSquares + 1;  // empty squares
  const std::atomic<bool>* abandoned_ = nullptr;
  std::chrono::steady_clock::time_point deadline_;
  std::uint64_t nodes_ = 0;
  std::uint64_t next_check_ = 0;
  bool limit_hit_ = false;
  bool stopped_ = false;  // a limit hit, or abandoned
};

}  // namespace pahtum
