#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "env/base/random.h"
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
// chess, shogi, and Go through self-play", Science 2018, with first-play urgency as in later programs). One
// simulation selects one leaf; the caller evaluates leaves of many trees in one batch and hands the answers
// back:
//
//   tree.reset(position); tree.begin_move(noise);
//   while (tree.next_leaf(leaf)) { evaluate leaf; tree.receive(evaluation); }
//   choose a move from tree.root_moves(); tree.advance(move); tree.begin_move(noise); …
//
// Finished games inside the tree are backed up with their exact result and need no evaluation. Move-only
// values; one thread at a time per object.
class SearchTree {
 public:
  // Throws nothing; `config` is copied.
  explicit SearchTree(const SearchConfig& config);

  // Forgets everything and makes `root` (a game that is not over) the root.
  void reset(const Position& root);
  // Makes the position after `move` the root and keeps what is known of it. The game must not be over after
  // it.
  void advance(Move move);
  // Call once after reset() or advance(). With a generator, Dirichlet noise from it is mixed into the root's
  // priors as soon as these exist, once.
  void begin_move(std::optional<Random> noise);

  // Simulates until a leaf needs an evaluation (true; `leaf` is it, and receive() must follow) or the root
  // has its visits (false). The first leaf of a new root is the root itself.
  [[nodiscard]] bool next_leaf(Position& leaf);
  void receive(const Evaluation& evaluation);

  [[nodiscard]] const Position& root() const noexcept;
  [[nodiscard]] std::int32_t root_visits() const noexcept;  // simulations through the root's moves
  // All legal moves of the root in ascending order; empty before the root was evaluated. Valid until the next
  // call that is not const.
  [[nodiscard]] std::span<const RootMove> root_moves() const;
  // Mean result over the root's simulations, for the side to move; the evaluator's value when there are none
  // yet.
  [[nodiscard]] Value root_value() const noexcept;

 private:
  // An edge is a legal move of a node; the edges of a node lie side by side in ascending order of moves.
  //
  //   0           8        12       16      20     21
  //   | value_sum | visits | child  | prior | move | pad |      24 bytes
  struct Edge {
    double value_sum = 0.0;  // of the simulations through the move, for the side to move at the node
    std::int32_t visits = 0;
    std::int32_t child = kNone;  // index of the node behind the move
    float prior = 0.0f;
    Move move;
  };
  static_assert(sizeof(Edge) == 24);

  // A position of the tree. A node without edges is a finished game or a leaf that waits for its evaluation.
  struct Node {
    Position position;
    std::int32_t first_edge = kNone;
    std::int16_t edges = 0;
    bool over = false;
    float value = 0.0f;  // evaluator's value or exact result, for the side to move
  };
  static_assert(sizeof(Node) == 48);

  // Nodes and edges of a tree, contiguous; the root is node 0. Cleared, never shrunk.
  struct Arena {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    void clear() noexcept {
      nodes.clear();
      edges.clear();
    }
  };

  static constexpr std::int32_t kNone = -1;

  [[nodiscard]] std::int32_t add_node(const Position& position);
  [[nodiscard]] std::size_t select_edge(const Node& node, bool root) const;
  [[nodiscard]] float prior_of(const Node& node, const Edge& edge, bool root) const noexcept;
  void expand(std::int32_t index, const Evaluation& evaluation);
  void back_up(float value, Color side);
  void mix_noise();
  void copy_kept(std::int32_t from);

  SearchConfig config_;
  Arena arena_, spare_;
  std::vector<std::size_t> path_;         // edges from the root to the leaf of the current simulation
  std::vector<std::int32_t> path_nodes_;  // the nodes these edges belong to
  std::int32_t leaf_ = kNone;             // node that waits for its evaluation
  std::optional<Random> noise_;           // still to be mixed in
  std::vector<float> noisy_priors_;       // of the root's edges; empty: the root has no noise
  mutable std::vector<RootMove> root_moves_;
};

// A move drawn with probability ∝ visits^(1/temperature), computed in logarithms; temperature 0 takes a most
// visited move, the one with the higher prior when several are. `moves` is not empty. With no visits at all,
// priors decide.
[[nodiscard]] Move choose_move(std::span<const RootMove> moves, double temperature, Random& random);

}  // namespace pahtum
