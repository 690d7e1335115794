#include "search/uct.h"

#include <array>
#include <cassert>
#include <cmath>
#include <span>

namespace pahtum {

float random_rollout(Position position, Random& random) {
  while (position.phase != Phase::kPlaying && !position.over()) {
    apply(position,
          nth_legal(position,
                    static_cast<int>(random.below(static_cast<std::uint32_t>(legal_count(position))))));
  }
  // From here on every empty square gets one stone and who gets which is all that counts: a shuffled order of
  // the squares dealt in turn is the same as a random move after a random move.
  std::array<std::uint8_t, kMaxSquares> squares{};
  std::uint32_t count = 0;
  for (Bitboard left = position.empty(); left != 0; left &= left - 1) {
    squares[count++] = static_cast<std::uint8_t>(lowest_square(left));
  }
  // The first `own` of a partial shuffle go to the mover, the rest to its opponent.
  const std::uint32_t own = (count + 1) / 2;
  Bitboard taken = 0;
  for (std::uint32_t k = 0; k < own; ++k) {
    std::swap(squares[k], squares[k + random.below(count - k)]);
    taken |= square_bit(squares[k]);
  }
  const Bitboard rest = position.empty() & ~taken;
  const bool white_moves = position.mover == Color::kWhite;
  position.white |= white_moves ? taken : rest;
  position.black |= white_moves ? rest : taken;
  const int margin = position.white_margin();
  return margin > 0 ? 1.0f : margin < 0 ? 0.0f : 0.5f;
}

void UctSearch::make_children(std::size_t index, const Position& position, Random& random) {
  const auto first = nodes_.size();
  for_each_legal(position, [&](Move move) {
    Node child;
    child.move = move;
    child.player = position.mover;
    nodes_.push_back(child);
  });
  Node& node = nodes_[index];
  node.first_child = static_cast<std::int32_t>(first);
  node.children = static_cast<std::int16_t>(nodes_.size() - first);
  node.untried = node.children;
  random.shuffle(std::span(nodes_).subspan(first));
}

std::size_t UctSearch::select(std::size_t index) const {
  const Node& node = nodes_[index];
  const auto first = static_cast<std::size_t>(node.first_child);
  const double logarithm = 2.0 * std::log(static_cast<double>(node.visits));
  std::size_t best = first;
  double best_score = -1.0;
  for (std::size_t child = first; child < first + static_cast<std::size_t>(node.children); ++child) {
    const double n = nodes_[child].visits;
    const double score = nodes_[child].wins / n + std::sqrt(0.5) * std::sqrt(logarithm / n);
    if (score > best_score) {
      best_score = score;
      best = child;
    }
  }
  return best;
}

Move UctSearch::choose(const Position& position, Random& random) {
  assert(!position.over());
  nodes_.clear();
  nodes_.emplace_back();
  for (std::int64_t simulation = 0; simulation < simulations_; ++simulation) {
    Position current = position;
    std::size_t index = 0;
    path_.assign(1, 0);
    while (!current.over()) {
      if (nodes_[index].first_child < 0) make_children(index, current, random);
      Node& node = nodes_[index];
      const bool added = node.untried > 0;
      index =
          added ? static_cast<std::size_t>(node.first_child + node.children - node.untried--) : select(index);
      path_.push_back(index);
      apply(current, nodes_[index].move);
      if (added) break;
    }
    const float white = random_rollout(current, random);
    for (const std::size_t visited : path_) {
      ++nodes_[visited].visits;
      nodes_[visited].wins += nodes_[visited].player == Color::kWhite ? white : 1.0f - white;
    }
  }
  const Node& root = nodes_.front();
  assert(root.first_child >= 0);
  std::size_t best = static_cast<std::size_t>(root.first_child);
  for (std::size_t child = best; child < static_cast<std::size_t>(root.first_child + root.children);
       ++child) {
    const Node& a = nodes_[child];
    const Node& b = nodes_[best];
    const auto mean = [](const Node& n) {
      return n.visits > 0 ? n.wins / static_cast<float>(n.visits) : 0.0f;
    };
    if (a.visits > b.visits || (a.visits == b.visits && mean(a) > mean(b))) best = child;
  }
  return nodes_[best].move;
}

}  // namespace pahtum
