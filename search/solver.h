#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "env/base/thread_team.h"
#include "env/game_config.h"
#include "env/position.h"
#include "search/stone_search.h"

namespace pahtum {

// Which moves a solution names.
enum class SolvedMoves : std::uint8_t {
  kOneBest,
  kAllBest,
  kEveryValue,  // all the best, and what every legal move leads to
};

struct SolveRequest {
  Objective objective = Objective::kOutcome;
  SolvedMoves moves = SolvedMoves::kOneBest;
  SearchLimits limits;
};

// Values are those of best play for the player to move: −1, 0 or 1 for the outcome, points for the margin at
// the end of the game.
struct Solution {
  bool exact = false;  // solved; otherwise a limit was hit, and the value is lower … upper
  int lower = 0;
  int upper = 0;
  // In ascending order, the swap last. Not exact: at most one move, that lower was proved for. None when the
  // game is over.
  std::vector<Move> best;
  std::vector<std::pair<Move, int>> moves;  // kEveryValue, when exact
  std::uint64_t nodes = 0;
  double seconds = 0.0;
};

// Solves positions exactly, in any phase, of any rules. What is learned of one position is kept for the next,
// as far as the table reaches. One caller at a time per object; different objects may work side by side.
class Solver {
 public:
  static constexpr std::size_t kTableBytes = std::size_t{64} << 20;

  // Takes about `table_bytes` of memory at most; less than the search needs makes it slower, never wrong.
  // `threads` search one position together: the same answers sooner, with other numbers of nodes.
  explicit Solver(std::size_t table_bytes = kTableBytes, int threads = 1);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  [[nodiscard]] Solution solve(const Position& position, const SolveRequest& request = {});

  // Best play of both sides from a position that was solved exactly for `objective`: at most `plies` moves,
  // up to the end of the game. Shorter when the limits are hit; nodes count for each position on the way
  // anew.
  [[nodiscard]] std::vector<Move> principal_variation(const Position& position, Objective objective,
                                                      int plies, const SearchLimits& limits = {});

  // Forgets everything learned.
  void clear();

 private:
  struct Bounds {
    int lower, upper;
  };
  struct PositionHash {
    std::size_t operator()(const Position& position) const noexcept {
      return static_cast<std::size_t>(hash(position));
    }
  };

  void prepare(const Position& position, const SearchLimits& limits);
  // StoneSearch::test by all threads.
  [[nodiscard]] std::optional<int> test_stones(const StoneGame& game, int beta);
  [[nodiscard]] std::uint64_t nodes() const noexcept;
  [[nodiscard]] Bounds static_bounds(const Position& position, Objective objective) const;
  [[nodiscard]] int guess(const Position& position) const;
  [[nodiscard]] std::vector<Move> ordered_moves(const Position& position) const;
  // A bound on the mover's margin, as in StoneSearch::test.
  [[nodiscard]] std::optional<int> test(const Position& position, int beta);
  [[nodiscard]] std::optional<int> test_move(const Position& position, Move move, int beta);
  [[nodiscard]] std::optional<int> test_moves(const Position& position, int beta);
  // The replies by which the other player may keep the mover from `margin` after some move; nothing when a
  // limit was hit. A stone more never costs its owner points: a reply that does not do it after the mover has
  // passed does not after any move, and when there is none of those every move reaches `margin`. For convex
  // points tables, while stones are placed in turn.
  [[nodiscard]] std::optional<std::vector<Move>> possible_refutations(const Position& position, int margin);
  // Whether the mover reaches `margin` with `move` against all of them; brings one that refutes it to the
  // front.
  [[nodiscard]] std::optional<bool> withstands(const Position& position, int margin,
                                               std::vector<Move>& refutations, Move move);
  // Narrows `bounds` until they meet; false when a limit was hit.
  template <class Test>
  bool narrow(Bounds& bounds, int guess, Objective objective, const Test& test);
  // Both fill in the moves of a position whose value is known to be solution.lower; false when a limit was
  // hit.
  bool find_best_moves(const Position& position, const SolveRequest& request, Solution& solution);
  bool find_every_value(const Position& position, Objective objective, Solution& solution);

  std::unique_ptr<StoneTable> table_;
  std::shared_ptr<const LineTables> lines_;
  RunPoints run_points_;
  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<MovesUnderWay> under_way_;  // null: one thread
  std::vector<StoneSearch> searches_;         // one a member of the team
  // Bounds on the margins of positions in the phases before the first stone is answered, by their smallest
  // symmetric form.
  std::unordered_map<Position, Bounds, PositionHash> openings_;
};

}  // namespace pahtum
