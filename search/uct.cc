#include "search/uct.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "env/select_square.h"

namespace pahtum {
namespace {

// A set of `count` squares of `squares`, each such set equally likely.
Bitboard random_subset(Bitboard squares, int count, Random& random) noexcept {
  // Of fair coin flips, given how many fell heads, every set is equally likely; taking out or adding squares
  // drawn uniformly keeps that so. On average √(squares / 2π) of them are needed.
  Bitboard subset = squares & random.next64();
  int size = std::popcount(subset);
  for (; size > count; --size) {
    subset ^=
        square_bit(nth_square(subset, static_cast<int>(random.below(static_cast<std::uint32_t>(size)))));
  }
  for (; size < count; ++size) {
    const Bitboard others = squares & ~subset;
    const auto choices = static_cast<std::uint32_t>(std::popcount(others));
    subset |= square_bit(nth_square(others, static_cast<int>(random.below(choices))));
  }
  return subset;
}

}  // namespace

int random_rollout(Position position, Random& random) noexcept {
  while (position.phase != Phase::kPlaying && !position.over()) {
    const auto choices = static_cast<std::uint32_t>(legal_count(position));
    apply(position, nth_legal(position, static_cast<int>(random.below(choices))));
  }
  // Random stones in turn fill the board in uniformly random order, so the mover, who has the first, third, …
  // of them, ends with a uniformly random half of the squares, rounded up.
  const Bitboard empty = position.empty();
  const Bitboard own = random_subset(empty, (std::popcount(empty) + 1) / 2, random);
  (position.mover == Color::kWhite ? position.white : position.black) |= own;
  (position.mover == Color::kWhite ? position.black : position.white) |= empty & ~own;
  return position.white_margin();
}

UctSearch::UctSearch(std::int64_t simulations) : simulations_(simulations) {
  assert(simulations >= 1);
}

Move UctSearch::choose(const Position& position, Random& random) {
  assert(!position.over());
  if (legal_count(position) == 1) return nth_legal(position, 0);
  nodes_.clear();
  nodes_.emplace_back();
  for (std::int64_t k = 0; k < simulations_; ++k) simulate(position, random);

  const Node& root = nodes_.front();
  const Node* best = &nodes_[root.first_child];
  for (std::uint32_t k = 1; k < root.tried; ++k) {
    const Node& child = nodes_[root.first_child + k];
    if (std::pair(child.visits, child.mean) > std::pair(best->visits, best->mean)) best = &child;
  }
  return best->move;
}

void UctSearch::simulate(const Position& root, Random& random) {
  struct Step {
    std::uint32_t node;
    Color chooser;
  };
  // Every move but the swap fills a square.
  std::array<Step, kMaxSquares + 1> path;
  std::size_t length = 0;

  Position position = root;
  std::uint32_t node = 0;
  bool added = false;
  while (!added && !position.over()) {
    if (nodes_[node].child_count == 0) make_children(node, position);
    const Color chooser = position.mover;
    node = select_child(node, random);
    added = nodes_[node].visits == 0;
    apply(position, nodes_[node].move);
    path[length++] = {node, chooser};
  }

  const int margin = random_rollout(position, random);
  const std::uint32_t white_half_points = margin > 0 ? 2 : margin == 0 ? 1 : 0;
  ++nodes_.front().visits;
  for (std::size_t k = 0; k < length; ++k) {
    Node& visited = nodes_[path[k].node];
    ++visited.visits;
    visited.half_points += path[k].chooser == Color::kWhite ? white_half_points : 2 - white_half_points;
    const auto visits = static_cast<float>(visited.visits);
    visited.mean = 0.5f * static_cast<float>(visited.half_points) / visits;
    visited.width = 1.0f / std::sqrt(visits);
  }
}

void UctSearch::make_children(std::uint32_t node, const Position& position) {
  nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].child_count = static_cast<std::uint8_t>(legal_count(position));
  for_each_legal(position, [&](Move move) { nodes_.emplace_back().move = move; });
}

std::uint32_t UctSearch::select_child(std::uint32_t number, Random& random) {
  Node& node = nodes_[number];
  const std::uint32_t first = node.first_child;
  if (node.tried < node.child_count) {
    const std::uint32_t next = first + node.tried;
    const auto left = static_cast<std::uint32_t>(node.child_count - node.tried);
    std::swap(nodes_[next], nodes_[next + random.below(left)]);
    ++node.tried;
    return next;
  }
  // (1/√2) · √(2 ln N / n) = √(ln N) · 1/√n.
  const float exploration = std::sqrt(std::log(static_cast<float>(node.visits)));
  std::uint32_t best = first;
  float best_score = -1.0f;
  for (std::uint32_t child = first; child < first + node.child_count; ++child) {
    const float score = nodes_[child].mean + exploration * nodes_[child].width;
    if (score > best_score) {
      best_score = score;
      best = child;
    }
  }
  return best;
}

}  // namespace pahtum
