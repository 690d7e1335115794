#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/base/bytes.h"
#include "env/base/random.h"
#include "env/game_config.h"
#include "env/position.h"
#include "search/evaluator.h"
#include "search/root_moves.h"
#include "search/root_search.h"
#include "search/search_config.h"
#include "search/search_graph.h"
#include "search/solver.h"

namespace pahtum {

// PUCT search of one game (Silver et al., "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play", Science 2018, with first-play urgency as in later programs): at each
// position the move a with the highest
//
//   Q(a) + cpuct · P(a) · √N / (1 + n(a))
//
// where N is 1 (the position's own evaluation) plus the visits of its moves, P the prior and n(a) the visits;
// ties go to the first in ascending order. Q is the mean result of a visited move and, for an unvisited one,
// the position's mean (own evaluation included) − fpu_reduction · √(Σ P of the visited moves).
//
// With config.graph, equal positions are one node, as D. J. Wu describes it ("Monte-Carlo Graph Search from
// First Principles", KataGo's documentation, 2023): visits n(a) are those of the edge, a position's mean is
// that of its own evaluation and its moves' values, (U + Σ n(a) · Q(a)) / N with Q(a) the child's mean,
// computed anew on every path that a simulation took, and a simulation ends at a child with more visits than
// its edge: what other paths found there is used without evaluating anything. Without it, every path has
// nodes of its own and means are sums of results over visits. docs/search.md says why this scheme.
//
// One simulation selects one leaf; the caller evaluates leaves of many trees in one batch and hands the
// answers back:
//
//   tree.reset(position); tree.begin_move(noise);
//   while (tree.next_leaf(leaf)) { evaluate leaf; tree.receive(evaluation); }
//   move = tree.choose(temperature, random); tree.advance(move); tree.begin_move(noise); …
//
// With a solver, leaves of at most config.exact_leaf empty squares are solved and never evaluated. A position
// keeps bounds on its result (score bounded search: T. Cazenave and A. Saffidine, 2010): the best of its
// moves' lower bounds, and the best of their upper ones once all are visited; its mean is kept within them.
// Moves proven worse than another are not selected, and the search ends when the root is proven. A root with
// at most config.exact_root empty squares is solved itself, with all its best moves.
//
// config.root "gumbel" chooses moves as Gumbel AlphaZero does instead, see root_search.h; choose() and
// policy_target() then are its choice and its improved policy.
//
// Finished games inside the search are backed up with their exact result and need no evaluation. Memory is
// that of the largest search so far, and nothing is allocated below that: one node per visit of the root at
// most, kept ones included; a graph that was kept may have more, found on paths that led there from
// elsewhere. One thread at a time per object; objects can be moved, not copied.
class SearchTree {
 public:
  // With points of runs that are not convex (search/line_tables.h) the solver is slower by orders of
  // magnitude, and solves at most so many empty squares here, whatever the configuration says.
  static constexpr std::int64_t kSlowExactLeaf = 8;
  static constexpr std::int64_t kSlowExactRoot = 10;

  // `config` is copied; config.simulations ≥ 1. `objective` says what results are worth: 1, 0, −1, or the
  // margin_utility of the points.
  explicit SearchTree(const SearchConfig& config, Objective objective = Objective::kOutcome);

  // Exact endings by `solver`, which must outlive its use here; trees of one thread may share it. Without one
  // (null) nothing is solved, whatever the configuration says. Call it before reset().
  void use_solver(Solver* solver) noexcept;

  // Forgets everything and makes `root` (a game that is not over) the root.
  void reset(const Position& root);
  // Makes the position after `move` (legal) the root and keeps what is known of it; the rest is freed for
  // reuse. The game must not be over after it, and no leaf may wait for its evaluation.
  void advance(Move move);
  // Call once after reset() or advance(). With a generator, Dirichlet noise from it is mixed into the root's
  // priors as soon as these exist, once, and playouts are forced; a Gumbel root draws its variables from it.
  // `simulations`, from 1 to config.simulations, takes their place for this move; 0: as many as those.
  void begin_move(std::optional<Random> noise, std::int64_t simulations = 0);

  // Simulates until a leaf needs an evaluation (true; `leaf` is it, and receive() must follow), or the root
  // has its visits or is proven (false). The first leaf of a new root is the root itself, which is no visit
  // of a move. advance() keeps fewer visits than a search that counts them makes, so every move gets at least
  // one new simulation, unless begin_move() asked for fewer than are kept.
  //
  // After `end` it is false as soon as a move can be chosen: one of the root's moves was visited, or solving
  // a leaf was cut short. What the search then found depends on the clock. Half of the time left goes into
  // solving the root at most; where that is not enough, the root is searched.
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNoDeadline = Clock::time_point::max();
  struct End {
    // NOLINTNEXTLINE(google-explicit-constructor): a deadline is the usual case
    End(Clock::time_point time = kNoDeadline, const std::atomic<bool>* flag = nullptr)
        : deadline(time), stop(flag) {}
    [[nodiscard]] bool never() const noexcept { return deadline == kNoDeadline && stop == nullptr; }
    [[nodiscard]] bool reached() const noexcept {
      return (stop != nullptr && stop->load(std::memory_order_relaxed)) ||
             (deadline != kNoDeadline && Clock::now() >= deadline);
    }
    Clock::time_point deadline;
    const std::atomic<bool>* stop;  // set by another thread; null: none
  };
  [[nodiscard]] bool next_leaf(Position& leaf, const End& end = End());
  // The answer for that leaf. What the policy gives to illegal moves is ignored; the rest is scaled to sum 1,
  // with negative and non-finite entries taken as 0, and is uniform when nothing remains. Throws a kFailure
  // Error when the value (or, played for points, the margin) is not finite: a search with it would be
  // nonsense, and the leaf still waits.
  void receive(const Evaluation& evaluation);

  [[nodiscard]] const Position& root() const noexcept { return root_; }
  // Simulations through the root's moves.
  [[nodiscard]] std::int32_t root_visits() const noexcept {
    return root_node_ == kNone ? 0 : graph_[root_node_].visits - 1;
  }
  // The result of the root with best play is known: that of root_value().
  [[nodiscard]] bool root_proven() const noexcept;
  // All legal moves of the root in ascending order; empty before the root was evaluated or solved. Valid
  // until the next call of this or of a function that is not const.
  [[nodiscard]] std::span<const RootMove> root_moves() const;
  // Exact result of a proven root, or mean over its simulations, for the side to move; the evaluator's value
  // when there are none yet, and 0 before that.
  [[nodiscard]] Value root_value() const noexcept;
  // Bytes held for nodes and edges, in use or kept for reuse.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return graph_.memory_bytes(); }

  // What the policy should learn from this search, in the order of root_moves(): sums to 1. Visits without
  // those that forcing brought (the priors when there are none), the improved policy of a Gumbel root;
  // nothing for moves that proof rules out, and equal shares for the best ones where the root is proven.
  // Valid as root_moves() is, and empty when that is.
  [[nodiscard]] std::span<const float> policy_target() const;
  // The move to play: choose_move of root_moves(), or a Gumbel root's best one, whatever the temperature.
  // After the search; root_moves() must not be empty.
  [[nodiscard]] Move choose(double temperature, Random& random) const;
  // `first`, a legal move of the root, and what the search visited most after it, move by move, up to `plies`
  // moves. Ends where a position is over, solved or was not looked into.
  [[nodiscard]] std::vector<Move> variation(Move first, std::size_t plies) const;
  // The nodes behind it, for looking on; valid until the next call of a function that is not const.
  [[nodiscard]] const SearchGraph& graph() const noexcept { return graph_; }

  // Everything the search depends on from here on, its root included; after reset(), and while no leaf waits.
  // What is written depends on what was searched alone, not on where it lies in memory.
  void append_state(std::string& bytes) const;
  // Continues a search that was written by a tree of the same configuration, objective and rules for solving:
  // to the last bit as that one would have. Reads no byte behind it. Throws a kRequest Error that says what
  // is wrong with the bytes: whatever they are, what is taken from them is a graph of positions that follow
  // from each other with finite numbers; only evaluations and proofs cannot be checked. After that the tree
  // needs a reset().
  void restore_state(ByteReader& input);

 private:
  static constexpr std::uint32_t kNone = SearchGraph::kNone;
  // Every move but the swap fills a square, so no line is longer.
  static constexpr std::size_t kMaxPath = kMaxSquares + 2;

  // A node and the edge that was taken there: the last one's is not known before link().
  struct Step {
    std::uint32_t node;
    double sum;  // Σ visits · value of the edges before this simulation
    double* value;
    std::int32_t* visits;
  };
  // A visited edge by its slot, or an unvisited move; and the sum for its step.
  struct Choice {
    bool visited;
    std::size_t slot;
    std::uint32_t move;
    double sum;
  };

  // One simulation from the root: true when it needs an evaluation of leaf_.
  bool simulate();
  bool expand(std::uint32_t node, std::uint32_t move);
  [[nodiscard]] Choice select(std::uint32_t node, const GraphEdges& edges) noexcept;
  void refresh_shared(GraphNode& node, const GraphEdges& edges) const noexcept;
  // Whether `position` is over or small enough to be solved.
  [[nodiscard]] bool settled(const Position& position) const noexcept;
  void solve_root(const End& end);
  // What solving may take: `share` of the time left.
  [[nodiscard]] SearchLimits solver_limits(const End& end, double share) const noexcept;
  void add_searched_moves() const;
  void add_solved_moves() const;
  [[nodiscard]] bool bounded(const GraphNode& node) const noexcept {
    return node.lower > -widest_ || node.upper < widest_;
  }
  // Narrows the node's bounds by those of its moves.
  void tighten(GraphNode& node, const GraphEdges& edges) const noexcept;
  // A node for `position`, which is settled, or for leaf_: `result` is White's. kNone when solving was cut
  // short.
  std::uint32_t add_settled(const Position& position, std::uint64_t key);
  [[nodiscard]] int final_result(const Position& position) const noexcept;
  void settle(GraphNode& node, int result) const noexcept;
  std::uint32_t add_evaluated(const Evaluation& evaluation, double result);
  // Makes `child` what new_move_ of the path's last node leads to.
  void link(std::uint32_t child, bool is_new);
  // Counts a visit on the whole path; `child` is what its last step leads to.
  void back_up(std::uint32_t child, double result) noexcept;
  void prepare_root();
  [[nodiscard]] Choice select_at_root(const GraphEdges& edges);
  [[nodiscard]] static Choice choice_of(const GraphEdges& edges, std::size_t move) noexcept;
  // All legal moves of a node.
  using Statistics = std::array<MoveStatistics, kMaxSquares>;
  [[nodiscard]] std::span<const MoveStatistics> statistics(std::uint32_t node, const GraphEdges& edges,
                                                           Statistics& memory) const noexcept;
  [[nodiscard]] ImprovedPolicy improved(std::uint32_t node,
                                        std::span<const MoveStatistics> moves) const noexcept;

  [[nodiscard]] double mean(const GraphNode& node) const noexcept {
    const double value =
        config_.graph ? node.white_value : node.white_value / static_cast<double>(node.visits);
    // Not std::clamp: bounds from a file may contradict each other.
    return exact_ ? std::min(std::max(value, worth(node.lower)), worth(node.upper)) : value;
  }
  // The parts of a state, see search_tree_state.cc.
  void append_node(std::string& bytes, std::uint32_t node) const;
  void append_edges(std::string& bytes) const;
  [[nodiscard]] std::array<std::uint8_t, 3> rules() const noexcept;
  void restore_solution(ByteReader& input);
  std::uint32_t restore_evaluated(ByteReader& input, const Position& position, std::uint64_t key,
                                  std::uint32_t parent);
  std::uint32_t restore_settled(ByteReader& input, const Position& position, std::uint64_t key,
                                std::uint32_t parent);
  void restore_edges(ByteReader& input, std::uint32_t node);
  // What `move` of the node leads to.
  std::uint32_t restore_child(ByteReader& input, std::uint32_t node, std::uint32_t move, bool is_shared);
  [[nodiscard]] std::int64_t most_nodes() const noexcept;

  // What a result in points, or an outcome, is worth to the one it is counted for.
  [[nodiscard]] double worth(int result) const noexcept;
  [[nodiscard]] double worth(const Evaluation& evaluation) const noexcept;

  SearchConfig config_;
  bool gumbel_;
  Objective objective_;
  Position root_;
  SearchGraph graph_;
  std::uint32_t root_node_ = kNone;  // kNone before its evaluation
  Solver* solver_ = nullptr;
  // As many empty squares as config_ and the root's points allow.
  std::int64_t exact_leaf_ = 0;
  std::int64_t exact_root_ = 0;
  bool exact_ = false;           // leaves are solved
  int widest_;                   // no result is beyond ± this
  std::vector<Move> root_best_;  // all the best moves of a solved root; empty for another
  int root_result_ = 0;          // what they lead to, for the mover
  bool root_given_up_ = false;   // solving it took too long
  End end_;                      // of the running search
  bool cut_ = false;             // it came while a leaf was being solved
  std::int64_t goal_ = 0;        // visits of the root at the end of this move's search
  std::optional<Random> noise_;  // of this move
  bool noise_mixed_ = false;
  SequentialHalving halving_;

  // The leaf that waits for its evaluation, and the way to it.
  bool waiting_ = false;
  Position leaf_;
  std::uint64_t leaf_key_ = 0;
  std::array<Step, kMaxPath> path_{};
  std::size_t path_length_ = 0;
  std::uint32_t new_move_ = 0;

  mutable std::vector<RootMove> root_moves_;  // what root_moves() shows
  mutable std::vector<float> policy_target_;
};

}  // namespace pahtum
