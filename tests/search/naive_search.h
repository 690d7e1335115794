#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "env/base/random.h"
#include "env/position.h"
#include "search/evaluator.h"
#include "search/search_config.h"

namespace pahtum::naive {

inline std::vector<Move> legal_moves(const Position& position) {
  std::vector<Move> moves;
  for_each_legal(position, [&](Move move) { moves.push_back(move); });
  return moves;
}

// Exact outcome for the mover by trying everything.
inline Outcome negamax(const Position& position) {
  if (position.over()) return outcome(position);
  Outcome best = Outcome::kLoss;
  for (const Move move : legal_moves(position)) {
    const Position next = after(position, move);
    const Outcome result = next.mover == position.mover ? negamax(next) : -negamax(next);
    best = std::max(best, result);
  }
  return best;
}

// Outcome for the mover of `position` after `move`, both sides playing perfectly from there.
inline Outcome outcome_after(const Position& position, Move move) {
  const Position next = after(position, move);
  return next.mover == position.mover ? negamax(next) : -negamax(next);
}

inline Evaluation evaluate(Evaluator& evaluator, const Position& position) {
  Evaluation evaluation;
  evaluator.evaluate({&position, 1}, {&evaluation, 1});
  return evaluation;
}

// A random game's position with `empty` empty squares left (or the start, when it has no more).
inline Position random_position(Position position, int empty, Random& random) {
  while (position.empty_count() > empty) {
    const auto choices = static_cast<std::uint32_t>(legal_count(position));
    apply(position, nth_legal(position, static_cast<int>(random.below(choices))));
  }
  return position;
}

// PUCT as the formula reads, in a tree of pointers: every node knows its position, sums results for its own
// mover, and the result of a simulation is handed up by comparing movers.
class Puct {
 public:
  struct Node {
    Position position;
    int visits = 0;
    double sum = 0.0;  // for the mover of `position`
    std::vector<double> priors;
    std::vector<std::unique_ptr<Node>> children;
  };

  Puct(const SearchConfig& config, Evaluator& evaluator, const Position& root)
      : config_(config), evaluator_(evaluator), root_(std::make_unique<Node>()) {
    root_->position = root;
  }

  void search() {
    if (root_->visits == 0) simulate(*root_);
    while (root_->visits - 1 < config_.simulations) simulate(*root_);
  }

  void advance(Move move) {
    const std::vector<Move> moves = legal_moves(root_->position);
    const auto k = static_cast<std::size_t>(std::find(moves.begin(), moves.end(), move) - moves.begin());
    std::unique_ptr<Node> kept = root_->children.empty() ? nullptr : std::move(root_->children[k]);
    if (!kept) {
      kept = std::make_unique<Node>();
      kept->position = after(root_->position, move);
    }
    root_ = std::move(kept);
  }

  [[nodiscard]] const Node& root() const { return *root_; }

 private:
  // Returns the result for the mover of `node`.
  double simulate(Node& node) {
    double result = 0.0;
    if (node.position.over()) {
      result = static_cast<double>(outcome(node.position));
    } else if (node.visits == 0) {
      const Evaluation evaluation = evaluate(evaluator_, node.position);
      double total = 0.0;
      for (const Move move : legal_moves(node.position)) {
        node.priors.push_back(static_cast<double>(evaluation.policy[static_cast<std::size_t>(move.index())]));
        total += node.priors.back();
      }
      for (double& prior : node.priors) prior = static_cast<double>(static_cast<float>(prior / total));
      node.children.resize(node.priors.size());
      result = static_cast<double>(evaluation.wdl.value().get());
    } else {
      const std::size_t k = best_move(node);
      if (!node.children[k]) {
        node.children[k] = std::make_unique<Node>();
        node.children[k]->position = after(node.position, legal_moves(node.position)[k]);
      }
      Node& child = *node.children[k];
      const double child_result = simulate(child);
      result = child.position.mover == node.position.mover ? child_result : -child_result;
    }
    ++node.visits;
    node.sum += result;
    return result;
  }

  [[nodiscard]] std::size_t best_move(const Node& node) const {
    double visited_mass = 0.0;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      if (node.children[k]) visited_mass += node.priors[k];
    }
    std::size_t best = 0;
    double best_score = -1e300;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      const Node* child = node.children[k].get();
      double value = node.sum / node.visits - config_.fpu_reduction * std::sqrt(visited_mass);
      if (child) {
        value = child->sum / child->visits;
        if (child->position.mover != node.position.mover) value = -value;
      }
      const double score = value + config_.cpuct * std::sqrt(static_cast<double>(node.visits)) *
                                       node.priors[k] / (1.0 + (child ? child->visits : 0));
      if (score > best_score) {
        best_score = score;
        best = k;
      }
    }
    return best;
  }

  SearchConfig config_;
  Evaluator& evaluator_;
  std::unique_ptr<Node> root_;
};

}  // namespace pahtum::naive
