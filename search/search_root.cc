// The root of a SearchTree: its noise, its own way of choosing moves, and what is read from it.

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "search/edge_choice.h"
#include "search/legal_index.h"
#include "search/search_tree.h"

namespace pahtum {

void SearchTree::prepare_root() {
  const std::span<float> priors = graph_.priors(root_node_);
  if (gumbel_) {
    halving_.start(config_, priors, goal_ - root_visits(), noise_ ? &*noise_ : nullptr);
    return;
  }
  if (!noise_ || noise_mixed_) return;
  noise_mixed_ = true;
  mix_dirichlet_noise(config_, priors, *noise_);
  graph_[root_node_].best_new = GraphNode::kUnknownMove;
  const GraphEdges edges = graph_.edges(root_node_);
  if (edges.header == nullptr) return;
  edges.header->visited_prior = 0.0;
  std::size_t slot = 0;
  for (std::uint64_t left = edges.visited(); left != 0; left &= left - 1) {
    const float prior = priors[static_cast<std::size_t>(std::countr_zero(left))];
    edges.priors[slot++] = prior;
    edges.header->visited_prior += static_cast<double>(prior);
  }
}

SearchTree::Choice SearchTree::choice_of(const GraphEdges& edges, std::size_t move) noexcept {
  const auto number = static_cast<std::uint32_t>(move);
  const double sum = weighted_sum(edges.values, edges.visits);
  if (((edges.visited() >> move) & 1) == 0) return {false, 0, number, sum};
  return {true, edges.slot(move), number, sum};
}

SearchTree::Choice SearchTree::select_at_root(const GraphEdges& edges) {
  if (gumbel_) {
    if (halving_.phase_ends()) {
      Statistics memory;
      halving_.halve(improved(root_node_, statistics(root_node_, edges, memory)).score);
    }
    return choice_of(edges, halving_.next());
  }
  if (noise_ && config_.forced_playouts > 0.0 && edges.header != nullptr) {
    std::size_t slot = 0;
    for (std::uint64_t left = edges.visited(); left != 0; left &= left - 1, ++slot) {
      const auto move = static_cast<std::size_t>(std::countr_zero(left));
      if (((edges.header->skipped >> move) & 1) != 0) continue;
      if (edges.visits[slot] < forced_visits(config_, edges.priors[slot], root_visits()))
        return choice_of(edges, move);
    }
  }
  return select(root_node_, edges);
}

std::span<const MoveStatistics> SearchTree::statistics(std::uint32_t number, const GraphEdges& edges,
                                                       Statistics& memory) const noexcept {
  const std::span<const float> priors = graph_.priors(number);
  for (std::size_t k = 0; k < priors.size(); ++k) memory[k] = {.prior = priors[k], .visits = 0, .value = 0.0};
  const double sign = graph_[number].sign();
  std::size_t slot = 0;
  for (std::uint64_t left = edges.visited(); left != 0; left &= left - 1, ++slot) {
    MoveStatistics& move = memory[static_cast<std::size_t>(std::countr_zero(left))];
    move.visits = edges.visits[slot];
    move.value = sign * mean(graph_[edges.children[slot]]);
  }
  return std::span(memory).first(priors.size());
}

ImprovedPolicy SearchTree::improved(std::uint32_t number,
                                    std::span<const MoveStatistics> moves) const noexcept {
  const GraphNode& node = graph_[number];
  ImprovedPolicy policy;
  improve_policy(config_, moves, node.sign() * static_cast<double>(node.own), policy);
  return policy;
}

std::span<const float> SearchTree::policy_target() const {
  policy_target_.clear();
  const std::span<const RootMove> moves = root_moves();
  if (moves.empty()) return policy_target_;
  const std::uint64_t choices = undominated(moves);
  std::vector<double> weights(moves.size(), 1.0);
  if (!root_proven()) {
    Statistics memory;
    const auto known = statistics(root_node_, graph_.edges(root_node_), memory);
    if (gumbel_) {
      const ImprovedPolicy policy = improved(root_node_, known);
      std::copy_n(policy.probability.begin(), weights.size(), weights.begin());
    } else if (root_visits() > 0) {
      SearchConfig config = config_;
      if (!noise_) config.forced_playouts = 0.0;
      weights = pruned_visits(config, known);
    } else {
      for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<double>(moves[k].prior);
    }
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (((choices >> k) & 1) == 0) weights[k] = 0.0;
    sum += weights[k];
  }
  const double share = 1.0 / static_cast<double>(std::popcount(choices));
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double even = ((choices >> k) & 1) != 0 ? share : 0.0;
    policy_target_.push_back(static_cast<float>(sum > 0.0 ? weights[k] / sum : even));
  }
  return policy_target_;
}

Move SearchTree::choose(double temperature, Random& random) const {
  const std::span<const RootMove> moves = root_moves();
  const std::uint64_t choices = undominated(moves);
  if (gumbel_ && halving_.started() && !root_proven()) {
    Statistics memory;
    const auto known = statistics(root_node_, graph_.edges(root_node_), memory);
    const std::size_t best = halving_.best(improved(root_node_, known).score, choices);
    if (best < moves.size()) return moves[best].move;
  }
  return choose_move(moves, temperature, random);
}

std::vector<Move> SearchTree::variation(Move first, std::size_t plies) const {
  std::vector<Move> moves;
  std::uint32_t node = root_node_;
  Position position = root_;
  for (Move move = first; moves.size() < plies;) {
    moves.push_back(move);
    if (node == kNone) break;
    const GraphEdges edges = graph_.edges(node);
    const std::uint32_t number = legal_index(position, move);
    if (((edges.visited() >> number) & 1) == 0) break;
    apply(position, move);
    node = edges.children[edges.slot(number)];
    const GraphEdges next = graph_.edges(node);
    if (next.header == nullptr) break;
    std::int32_t most = 0;
    std::size_t slot = 0;
    for (std::uint64_t left = next.visited(); left != 0; left &= left - 1, ++slot) {
      const auto candidate = static_cast<std::uint32_t>(std::countr_zero(left));
      if (((next.header->skipped >> candidate) & 1) != 0 || next.visits[slot] <= most) continue;
      most = next.visits[slot];
      move = legal_move(position, candidate);
    }
    if (most == 0) break;
  }
  return moves;
}

std::span<const RootMove> SearchTree::root_moves() const {
  root_moves_.clear();
  if (root_node_ == kNone && root_best_.empty()) return root_moves_;
  for_each_legal(root_, [&](Move move) { root_moves_.emplace_back().move = move; });
  for (RootMove& entry : root_moves_) entry.prior = 1.0f / static_cast<float>(root_moves_.size());
  if (root_node_ != kNone) add_searched_moves();
  if (!root_best_.empty()) add_solved_moves();
  return root_moves_;
}

void SearchTree::add_solved_moves() const {
  const Value best(static_cast<float>(worth(root_result_)));
  const Value less(static_cast<float>(worth(root_result_ - 1)));
  for (RootMove& entry : root_moves_) {
    const bool is_best = std::ranges::find(root_best_, entry.move) != root_best_.end();
    if (is_best) entry.lower = best;
    entry.upper = is_best ? best : less;
    if (entry.exact()) entry.value = entry.upper;
  }
}

void SearchTree::add_searched_moves() const {
  const GraphNode& root = graph_[root_node_];
  const std::span<const float> priors = graph_.priors(root_node_);
  const GraphEdges edges = graph_.edges(root_node_);
  std::size_t slot = 0;
  for (std::size_t k = 0; k < root_moves_.size(); ++k) {
    RootMove& entry = root_moves_[k];
    entry.prior = priors[k];
    if (((edges.visited() >> k) & 1) == 0) continue;
    const GraphNode& child = graph_[edges.children[slot]];
    entry.visits = edges.visits[slot++];
    entry.value = Value(static_cast<float>(root.sign() * mean(child)));
    if (!exact_ || !bounded(child)) continue;
    const Value lower(static_cast<float>(worth(child.lower)));
    const Value upper(static_cast<float>(worth(child.upper)));
    entry.lower = root.mover == Color::kWhite ? lower : -upper;
    entry.upper = root.mover == Color::kWhite ? upper : -lower;
  }
}

Value SearchTree::root_value() const noexcept {
  if (!root_best_.empty()) return Value(static_cast<float>(worth(root_result_)));
  if (root_node_ == kNone) return Value();
  const GraphNode& root = graph_[root_node_];
  if (root_proven()) return Value(static_cast<float>(root.sign() * worth(root.lower)));
  if (root.visits == 1) return Value(static_cast<float>(root.sign() * static_cast<double>(root.own)));
  // Summed anew rather than by taking the evaluation out of the mean: exact results stay exact.
  const GraphEdges edges = graph_.edges(root_node_);
  double sum = 0.0;
  for (std::size_t k = 0; k < edges.children.size(); ++k) {
    const GraphNode& child = graph_[edges.children[k]];
    sum += config_.graph ? static_cast<double>(edges.visits[k]) * mean(child) : child.white_value;
  }
  sum /= static_cast<double>(root_visits());
  if (exact_) sum = std::min(std::max(sum, worth(root.lower)), worth(root.upper));
  return Value(static_cast<float>(root.sign() * sum));
}

}  // namespace pahtum
