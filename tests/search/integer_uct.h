#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "env/base/random.h"
#include "env/position.h"
#include "tests/search/naive_search.h"

namespace pahtum::naive {

// UCT with the mistake of the thesis that Charles comes from: wins and visits are integers, and so is their
// quotient. A move's mean result is 1 when it has won always, and 0 otherwise. `integer` false: as it should
// be. Each move's games are counted for who makes it; draws count for neither.
class IntegerUct {
 public:
  IntegerUct(int rollouts, bool integer) : rollouts_(rollouts), integer_(integer) {}

  [[nodiscard]] Move choose(const Position& position, Random& random) const {
    Node root(position);
    for (int k = 0; k < rollouts_; ++k) simulate(root, random);
    std::size_t best = 0;
    for (std::size_t k = 1; k < root.children.size(); ++k) {
      if (root.children[k]->visits > root.children[best]->visits) best = k;
    }
    return root.moves[best];
  }

 private:
  struct Node {
    explicit Node(const Position& at) : position(at), moves(legal_moves(at)) {}
    Position position;
    std::vector<Move> moves;  // those of `children` first
    std::vector<std::unique_ptr<Node>> children;
    int visits = 0;
    int wins = 0;  // of who moved here
  };

  // White's points minus Black's at the end of a game through the node.
  int simulate(Node& node, Random& random) const {
    int margin = 0;
    if (node.position.over()) {
      margin = node.position.white_margin();
    } else if (node.children.size() < node.moves.size()) {
      const std::size_t next = node.children.size();
      const auto left = static_cast<std::uint32_t>(node.moves.size() - next);
      std::swap(node.moves[next], node.moves[next + random.below(left)]);
      node.children.push_back(std::make_unique<Node>(after(node.position, node.moves[next])));
      const Position end = random_position(node.children.back()->position, 0, random);
      margin = end.white_margin();
      count(*node.children.back(), margin);
    } else {
      margin = simulate(select(node), random);
    }
    count(node, margin);
    return margin;
  }

  static void count(Node& node, int margin) {
    ++node.visits;
    const bool white_moved = node.position.mover == Color::kBlack;
    node.wins += (white_moved ? margin > 0 : margin < 0) ? 1 : 0;
  }

  [[nodiscard]] Node& select(const Node& node) const {
    Node* best = nullptr;
    double highest = -1.0;
    for (const auto& child : node.children) {
      const double mean = integer_ ? static_cast<double>(child->wins / child->visits)
                                   : static_cast<double>(child->wins) / child->visits;
      const double score = mean + std::sqrt(std::log(static_cast<double>(node.visits)) / child->visits);
      if (score <= highest) continue;
      highest = score;
      best = child.get();
    }
    return *best;
  }

  int rollouts_;
  bool integer_;
};

}  // namespace pahtum::naive
