#pragma once

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/search_config.h"
#include "tests/search/naive_search.h"

namespace pahtum::naive {

// Search of a graph as the formulas read, in a map from position texts to nodes that point to each other.
// Everything a formula needs is looked up when it is needed; nothing is kept twice.
class GraphPuct {
 public:
  struct Node {
    Position position;
    double own = 0.0;    // all values for the mover of `position`
    double value = 0.0;  // (own + Σ visits · value of the child) / (1 + Σ visits)
    int visits = 1;      // 1 + Σ visits
    std::vector<double> priors;
    std::vector<int> edge_visits;
    std::vector<Node*> children;
  };

  GraphPuct(const SearchConfig& config, Evaluator& evaluator, const Position& root)
      : config_(config), evaluator_(evaluator), position_(root) {}

  void search() {
    if (root_ == nullptr) root_ = make(position_);
    while (root_->visits - 1 < config_.simulations) simulate(*root_);
  }

  void advance(Move move) {
    const std::vector<Move> moves = legal_moves(position_);
    const auto k = static_cast<std::size_t>(std::find(moves.begin(), moves.end(), move) - moves.begin());
    root_ = root_ == nullptr ? nullptr : root_->children[k];
    position_ = after(position_, move);
    std::set<std::string> reached;
    if (root_ != nullptr) collect(*root_, reached);
    std::erase_if(nodes_, [&](const auto& item) { return !reached.contains(item.first); });
  }

  [[nodiscard]] const Node& root() const { return *root_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const Node& node(const Position& position) const { return nodes_.at(to_text(position)); }
  [[nodiscard]] int evaluations() const { return evaluations_; }

 private:
  Node* make(const Position& position) {
    Node& node = nodes_[to_text(position)];
    node.position = position;
    if (position.over()) {
      node.own = static_cast<double>(outcome(position));
      node.visits = 0;
    } else {
      ++evaluations_;
      const Evaluation evaluation = evaluate(evaluator_, position);
      double total = 0.0;
      for (const Move move : legal_moves(position)) {
        node.priors.push_back(static_cast<double>(evaluation.policy[static_cast<std::size_t>(move.index())]));
        total += node.priors.back();
      }
      for (double& prior : node.priors) prior = static_cast<double>(static_cast<float>(prior / total));
      node.own = static_cast<double>(evaluation.wdl.value().get());
      node.edge_visits.resize(node.priors.size());
      node.children.resize(node.priors.size());
    }
    node.value = node.own;
    return &node;
  }

  void simulate(Node& node) {
    const std::size_t k = best_move(node);
    const double before = edge_sum(node);
    const double edge_before = node.edge_visits[k] > 0 ? node.edge_visits[k] * child_value(node, k) : 0.0;
    if (node.children[k] == nullptr) {
      const Position next = after(node.position, legal_moves(node.position)[k]);
      const auto found = nodes_.find(to_text(next));
      node.children[k] = found == nodes_.end() ? make(next) : &found->second;
    } else if (!node.children[k]->position.over() && node.children[k]->visits <= node.edge_visits[k]) {
      simulate(*node.children[k]);
    }
    ++node.edge_visits[k];
    ++node.visits;
    // As the fast form adds, so that equal scores stay equal.
    const double sum = before + (node.edge_visits[k] * child_value(node, k) - edge_before);
    node.value = (node.own + sum) / node.visits;
  }

  // Σ visits · value of the child, in eight partial sums.
  [[nodiscard]] static double edge_sum(const Node& node) {
    std::array<double, 8> sums{};
    std::size_t visited = 0;
    for (std::size_t m = 0; m < node.children.size(); ++m) {
      if (node.edge_visits[m] > 0) sums[visited++ % 8] += node.edge_visits[m] * child_value(node, m);
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }

  [[nodiscard]] static double child_value(const Node& node, std::size_t k) {
    const Node& child = *node.children[k];
    return child.position.mover == node.position.mover ? child.value : -child.value;
  }

  [[nodiscard]] std::size_t best_move(const Node& node) const {
    double visited_mass = 0.0;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      if (node.edge_visits[k] > 0) visited_mass += node.priors[k];
    }
    std::size_t best = 0;
    double best_score = -1e300;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      const double value = node.edge_visits[k] > 0
                               ? child_value(node, k)
                               : node.value - config_.fpu_reduction * std::sqrt(visited_mass);
      const double score = value + config_.cpuct * std::sqrt(static_cast<double>(node.visits)) *
                                       node.priors[k] / (1.0 + node.edge_visits[k]);
      if (score > best_score) {
        best_score = score;
        best = k;
      }
    }
    return best;
  }

  void collect(const Node& node, std::set<std::string>& reached) const {
    if (!reached.insert(to_text(node.position)).second) return;
    for (const Node* const child : node.children) {
      if (child != nullptr) collect(*child, reached);
    }
  }

  SearchConfig config_;
  Evaluator& evaluator_;
  Position position_;
  std::map<std::string, Node> nodes_;
  Node* root_ = nullptr;
  int evaluations_ = 0;
};

}  // namespace pahtum::naive
