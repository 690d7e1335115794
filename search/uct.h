#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "env/base/random.h"
#include "env/position.h"

namespace pahtum {

// Monte Carlo tree search with random rollouts and UCB1 (Kocsis and Szepesvári, "Bandit Based Monte-Carlo
// Planning", ECML 2006): the move with the highest Q + (1/√2) · √(2 ln N / n), with Q the mean result in
// [0, 1] (loss 0, draw ½, win 1) for the player to move; moves not yet tried come first, in random order.
// Each rollout adds one node. Every choice starts from an empty tree; only the memory is kept. One thread at
// a time per object.
class UctSearch {
 public:
  // simulations ≥ 1 rollouts a move.
  explicit UctSearch(std::int64_t simulations);

  // The most visited move after all rollouts; of several the one with the better mean, and a random one of
  // those. `position` is not over. With one legal move nothing is searched.
  [[nodiscard]] Move choose(const Position& position, Random& random);

  // Bytes held for nodes, kept between calls.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return nodes_.capacity() * sizeof(Node); }

 private:
  // What a choice has to look at comes first; `mean` and `width` are kept up to date by every visit, so that
  // choosing among forty moves takes no division and no root.
  //
  //   0      4       8        12            16            20            21      22     23
  //   | mean | width | visits | half_points | first_child | child_count | tried | move | reserved |
  struct Node {
    float mean = 0.0f;   // result in [0, 1] for the player who made the move
    float width = 0.0f;  // 1 / √visits
    std::uint32_t visits = 0;
    std::uint32_t half_points = 0;  // win 2, draw 1, loss 0
    std::uint32_t first_child = 0;  // the children lie together, those not tried yet at the end
    std::uint8_t child_count = 0;   // 0: none made yet, or the game is over
    std::uint8_t tried = 0;
    Move move;
    std::uint8_t reserved = 0;
  };
  static_assert(sizeof(Node) == 24 && std::is_trivially_copyable_v<Node>);

  void simulate(const Position& root, Random& random);
  void make_children(std::uint32_t node, const Position& position);
  [[nodiscard]] std::uint32_t select_child(std::uint32_t node, Random& random);

  std::int64_t simulations_;
  std::vector<Node> nodes_;  // the root is number 0
};

// Plays random legal moves to the end and returns White's points minus Black's.
[[nodiscard]] int random_rollout(Position position, Random& random) noexcept;

}  // namespace pahtum
