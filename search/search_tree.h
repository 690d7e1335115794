#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "env/base/random.h"
#include "env/game_config.h"
#include "env/position.h"
#include "search/evaluator.h"
#include "search/search_config.h"

namespace pahtum {

// What the search knows of one move at the root. Values are for the side to move at the root.
struct RootMove {
  Move move;
  std::int32_t visits = 0;
  float prior = 0.0f;  // noise included when there is noise
  Value value;         // mean result of the simulations through the move; 0 when unvisited
};

// PUCT tree search of one game (Silver et al., "A general reinforcement learning algorithm that masters
// chess, shogi, and Go through self-play", Science 2018, with first-play urgency as in later programs): at
// each position the move a with the highest
//
//   Q(a) + cpuct · P(a) · √N / (1 + n(a))
//
// where N is 1 (the position's own evaluation) plus the visits of its moves, P the prior and n(a) the visits;
// ties go to the first in ascending order. Q is the mean result of a visited move and, for an unvisited one,
// the position's mean (own evaluation included) − fpu_reduction · √(Σ P of the visited moves). One simulation
// selects one leaf; the caller evaluates leaves of many trees in one batch and hands the answers back:
//
//   tree.reset(position); tree.begin_move(noise);
//   while (tree.next_leaf(leaf)) { evaluate leaf; tree.receive(evaluation); }
//   choose a move from tree.root_moves(); tree.advance(move); tree.begin_move(noise); …
//
// Finished games inside the tree are backed up with their exact result and need no evaluation. Memory is that
// of the largest search so far: at most one node per visit of the root, and nothing is allocated below that.
// One thread at a time per object.
class SearchTree {
 public:
  // `config` is copied; config.simulations ≥ 1. `objective` says what results are worth: 1, 0, −1, or the
  // margin_utility of the points.
  explicit SearchTree(const SearchConfig& config, Objective objective = Objective::kOutcome);

  // Forgets everything and makes `root` (a game that is not over) the root.
  void reset(const Position& root);
  // Makes the position after `move` (legal) the root and keeps what is known of it; the rest is freed for
  // reuse. The game must not be over after it, and no leaf may wait for its evaluation.
  void advance(Move move);
  // Call once after reset() or advance(). With a generator, Dirichlet noise from it is mixed into the root's
  // priors as soon as these exist, once.
  void begin_move(std::optional<Random> noise);

  // Simulates until a leaf needs an evaluation (true; `leaf` is it, and receive() must follow) or the root
  // has its visits (false). The first leaf of a new root is the root itself, which is no visit of a move.
  // advance() keeps fewer visits than config.simulations, so every move gets at least one new simulation.
  [[nodiscard]] bool next_leaf(Position& leaf);
  // The answer for that leaf. What the policy gives to illegal moves is ignored; the rest is scaled to sum 1,
  // with negative and non-finite entries taken as 0, and is uniform when nothing remains. Throws a kFailure
  // Error when the value (or, played for points, the margin) is not finite: a search with it would be
  // nonsense, and the leaf still waits.
  void receive(const Evaluation& evaluation);

  [[nodiscard]] const Position& root() const noexcept { return root_; }
  // Simulations through the root's moves.
  [[nodiscard]] std::int32_t root_visits() const noexcept {
    return nodes_.empty() ? 0 : nodes_.front().visits - 1;
  }
  // All legal moves of the root in ascending order; empty before the root was evaluated. Valid until the next
  // call of this or of a function that is not const.
  [[nodiscard]] std::span<const RootMove> root_moves() const;
  // Mean result over the root's simulations, for the side to move; the evaluator's value when there are none
  // yet, and 0 before that.
  [[nodiscard]] Value root_value() const noexcept;
  // Bytes held for nodes and edges, in use or kept for reuse.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  // Every move but the swap fills a square, so no line is longer.
  static constexpr std::size_t kMaxPath = kMaxSquares + 2;

  // A legal move of an expanded position. Move k of a node is its position's k-th legal move, so the move
  // itself need not be stored.
  //
  //   0       4       8
  //   | prior | child |
  struct Edge {
    float prior;
    std::uint32_t child;  // index into nodes_; kNone while unvisited
  };
  static_assert(sizeof(Edge) == 8 && std::is_trivially_copyable_v<Edge>);

  // A visited position; a finished game has no edges. Results are summed from White's side, so that backing
  // up needs no look at who moves where: in some phases a player moves twice.
  //
  //   0           8            12       16           20           24
  //   | white_sum | first_edge | visits | moved_edge | edge_count |
  struct Node {
    double white_sum;          // of the results of its visits
    std::uint32_t first_edge;  // index into edges_
    std::int32_t visits;       // its own evaluation included
    std::uint32_t moved_edge;  // kNone outside keep_subtree()
    std::uint32_t edge_count;
  };
  static_assert(sizeof(Node) == 24 && std::is_trivially_copyable_v<Node>);

  [[nodiscard]] std::uint32_t select_edge(const Node& node, Color mover) const noexcept;
  // Adds a node to both arenas, hanging below `edge` (kNone: the root), with one visit.
  void add_node(std::uint32_t edge, double white_result, std::uint32_t edge_count);
  void back_up(double white_result) noexcept;
  void mix_noise();
  void keep_subtree(std::uint32_t node) noexcept;

  // What a finished game is worth to White, and an evaluation to its mover.
  [[nodiscard]] double white_result(const Position& position) const noexcept;
  [[nodiscard]] double worth(const Evaluation& evaluation) const noexcept;

  SearchConfig config_;
  Objective objective_;
  Position root_;
  // Both in the order of expansion, so a child comes after its parent, and a node's edges after those of all
  // nodes before it. The root is number 0.
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::optional<Random> noise_;  // waits for the root's priors

  // The leaf that waits for its evaluation: the edge it hangs below, and the nodes above it from the root.
  bool waiting_ = false;
  Position leaf_;
  std::uint32_t leaf_edge_ = kNone;
  std::array<std::uint32_t, kMaxPath> path_{};
  std::size_t path_length_ = 0;

  mutable std::vector<RootMove> root_moves_;  // what root_moves() shows
};

// A move drawn with probability ∝ visits^(1/temperature), computed in logarithms; temperature 0 takes a most
// visited move, the one with the higher prior when several are, and the first of those. `moves` is not empty.
// With no visits at all, priors take their place.
[[nodiscard]] Move choose_move(std::span<const RootMove> moves, double temperature, Random& random);

}  // namespace pahtum
