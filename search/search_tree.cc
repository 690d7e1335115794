#include "search/search_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pahtum {

SearchTree::SearchTree(const SearchConfig& config) : config_(config) {}

void SearchTree::reset(const Position& root) {
  assert(!root.over());
  arena_.clear();
  leaf_ = kNone;
  noise_.reset();
  noisy_priors_.clear();
  (void)add_node(root);
}

void SearchTree::advance(Move move) {
  assert(leaf_ == kNone && !arena_.nodes.empty());
  const Node& root = arena_.nodes.front();
  const Position next = after(root.position, move);
  assert(!next.over());
  std::int32_t child = kNone;
  for (std::int32_t e = 0; e < root.edges; ++e) {
    const Edge& edge = arena_.edges[static_cast<std::size_t>(root.first_edge + e)];
    if (edge.move == move) child = edge.child;
  }
  if (child == kNone) {
    reset(next);
    return;
  }
  copy_kept(child);
  std::swap(arena_, spare_);
  noise_.reset();
  noisy_priors_.clear();
}

void SearchTree::copy_kept(std::int32_t from) {
  // Breadth first: nodes of the copy are visited in the order they were appended, and their children appended
  // behind.
  spare_.clear();
  spare_.nodes.push_back(arena_.nodes[static_cast<std::size_t>(from)]);
  for (std::size_t index = 0; index < spare_.nodes.size(); ++index) {
    const std::int32_t old_first = spare_.nodes[index].first_edge;
    if (old_first == kNone) continue;
    const auto count = static_cast<std::size_t>(spare_.nodes[index].edges);
    spare_.nodes[index].first_edge = static_cast<std::int32_t>(spare_.edges.size());
    for (std::size_t e = 0; e < count; ++e) {
      Edge edge = arena_.edges[static_cast<std::size_t>(old_first) + e];
      if (edge.child != kNone) {
        spare_.nodes.push_back(arena_.nodes[static_cast<std::size_t>(edge.child)]);
        edge.child = static_cast<std::int32_t>(spare_.nodes.size()) - 1;
      }
      spare_.edges.push_back(edge);
    }
  }
}

void SearchTree::begin_move(std::optional<Random> noise) {
  noise_ = noise;
  noisy_priors_.clear();
  if (noise_ && arena_.nodes.front().edges > 0) mix_noise();
}

void SearchTree::mix_noise() {
  const Node& root = arena_.nodes.front();
  const auto count = static_cast<std::size_t>(root.edges);
  const double alpha = config_.dirichlet_alpha / static_cast<double>(count);
  std::vector<double> draws(count);
  double sum = 0.0;
  for (double& draw : draws) sum += draw = noise_->gamma(alpha);
  noise_.reset();
  // Tiny concentrations can underflow to zero everywhere; then there is no noise to mix.
  if (!(sum > 0.0)) return;
  noisy_priors_.resize(count);
  for (std::size_t e = 0; e < count; ++e) {
    const double prior = arena_.edges[static_cast<std::size_t>(root.first_edge) + e].prior;
    noisy_priors_[e] =
        static_cast<float>((1.0 - config_.noise_fraction) * prior + config_.noise_fraction * draws[e] / sum);
  }
}

std::int32_t SearchTree::add_node(const Position& position) {
  Node node;
  node.position = position;
  node.over = position.over();
  if (node.over) node.value = Value(outcome(position)).get();
  arena_.nodes.push_back(node);
  return static_cast<std::int32_t>(arena_.nodes.size()) - 1;
}

float SearchTree::prior_of(const Node& node, const Edge& edge, bool root) const noexcept {
  if (!root || noisy_priors_.empty()) return edge.prior;
  return noisy_priors_[static_cast<std::size_t>(&edge -
                                                &arena_.edges[static_cast<std::size_t>(node.first_edge)])];
}

std::size_t SearchTree::select_edge(const Node& node, bool root) const {
  const Edge* edges = &arena_.edges[static_cast<std::size_t>(node.first_edge)];
  std::int64_t visits = 0;
  double value_sum = node.value;
  double visited_mass = 0.0;
  for (std::int16_t e = 0; e < node.edges; ++e) {
    visits += edges[e].visits;
    value_sum += edges[e].value_sum;
    if (edges[e].visits > 0) visited_mass += edges[e].prior;
  }
  const double unvisited =
      value_sum / static_cast<double>(visits + 1) - config_.fpu_reduction * std::sqrt(visited_mass);
  // With no visits yet the priors alone decide.
  const double exploration =
      config_.cpuct * std::sqrt(static_cast<double>(std::max<std::int64_t>(visits, 1)));
  std::int16_t best = 0;
  double best_score = -1e300;
  for (std::int16_t e = 0; e < node.edges; ++e) {
    const Edge& edge = edges[e];
    const double value = edge.visits > 0 ? edge.value_sum / edge.visits : unvisited;
    const double score =
        value + exploration * static_cast<double>(prior_of(node, edge, root)) / (1.0 + edge.visits);
    if (score > best_score) {
      best_score = score;
      best = e;
    }
  }
  return static_cast<std::size_t>(node.first_edge + best);
}

bool SearchTree::next_leaf(Position& leaf) {
  assert(leaf_ == kNone && !arena_.nodes.empty());
  if (arena_.nodes.front().edges == 0) {
    path_.clear();
    path_nodes_.clear();
    leaf_ = 0;
    leaf = arena_.nodes.front().position;
    return true;
  }
  while (root_visits() < config_.simulations) {
    path_.clear();
    path_nodes_.clear();
    std::int32_t index = 0;
    while (arena_.nodes[static_cast<std::size_t>(index)].edges > 0) {
      const std::size_t edge = select_edge(arena_.nodes[static_cast<std::size_t>(index)], index == 0);
      path_.push_back(edge);
      path_nodes_.push_back(index);
      if (arena_.edges[edge].child == kNone) {
        const Position next =
            after(arena_.nodes[static_cast<std::size_t>(index)].position, arena_.edges[edge].move);
        const std::int32_t child = add_node(next);
        arena_.edges[edge].child = child;
      }
      index = arena_.edges[edge].child;
    }
    const Node& node = arena_.nodes[static_cast<std::size_t>(index)];
    if (!node.over) {
      leaf_ = index;
      leaf = node.position;
      return true;
    }
    back_up(node.value, node.position.mover);
  }
  return false;
}

void SearchTree::receive(const Evaluation& evaluation) {
  assert(leaf_ != kNone);
  const std::int32_t index = leaf_;
  leaf_ = kNone;
  expand(index, evaluation);
  const Node& node = arena_.nodes[static_cast<std::size_t>(index)];
  back_up(node.value, node.position.mover);
  if (index == 0 && noise_) mix_noise();
}

void SearchTree::expand(std::int32_t index, const Evaluation& evaluation) {
  const Position position = arena_.nodes[static_cast<std::size_t>(index)].position;
  const int count = legal_count(position);
  double sum = 0.0;
  for_each_legal(position, [&](Move move) {
    const float prior = evaluation.policy[static_cast<std::size_t>(move.index())];
    if (prior > 0.0f) sum += prior;
  });
  const bool usable = sum > 0.0 && std::isfinite(sum);
  const auto first = static_cast<std::int32_t>(arena_.edges.size());
  for_each_legal(position, [&](Move move) {
    const float prior = evaluation.policy[static_cast<std::size_t>(move.index())];
    Edge edge;
    edge.move = move;
    edge.prior =
        usable ? (prior > 0.0f ? static_cast<float>(prior / sum) : 0.0f) : 1.0f / static_cast<float>(count);
    arena_.edges.push_back(edge);
  });
  Node& node = arena_.nodes[static_cast<std::size_t>(index)];
  node.first_edge = first;
  node.edges = static_cast<std::int16_t>(count);
  const float value = evaluation.wdl.value().get();
  node.value = std::isfinite(value) ? std::clamp(value, -1.0f, 1.0f) : 0.0f;
}

void SearchTree::back_up(float value, Color side) {
  for (std::size_t k = 0; k < path_.size(); ++k) {
    Edge& edge = arena_.edges[path_[k]];
    const Color mover = arena_.nodes[static_cast<std::size_t>(path_nodes_[k])].position.mover;
    ++edge.visits;
    edge.value_sum += mover == side ? value : -value;
  }
}

const Position& SearchTree::root() const noexcept {
  return arena_.nodes.front().position;
}

std::int32_t SearchTree::root_visits() const noexcept {
  const Node& root = arena_.nodes.front();
  std::int32_t visits = 0;
  for (std::int32_t e = 0; e < root.edges; ++e) {
    visits += arena_.edges[static_cast<std::size_t>(root.first_edge + e)].visits;
  }
  return visits;
}

std::span<const RootMove> SearchTree::root_moves() const {
  const Node& root = arena_.nodes.front();
  root_moves_.clear();
  for (std::int32_t e = 0; e < root.edges; ++e) {
    const Edge& edge = arena_.edges[static_cast<std::size_t>(root.first_edge + e)];
    const double mean = edge.visits > 0 ? edge.value_sum / edge.visits : 0.0;
    root_moves_.push_back(
        {edge.move, edge.visits, prior_of(root, edge, true), Value(static_cast<float>(mean))});
  }
  return root_moves_;
}

Value SearchTree::root_value() const noexcept {
  const Node& root = arena_.nodes.front();
  std::int64_t visits = 0;
  double sum = 0.0;
  for (std::int32_t e = 0; e < root.edges; ++e) {
    const Edge& edge = arena_.edges[static_cast<std::size_t>(root.first_edge + e)];
    visits += edge.visits;
    sum += edge.value_sum;
  }
  return visits > 0 ? Value(static_cast<float>(sum / static_cast<double>(visits))) : Value(root.value);
}

Move choose_move(std::span<const RootMove> moves, double temperature, Random& random) {
  assert(!moves.empty());
  const bool visited =
      std::any_of(moves.begin(), moves.end(), [](const RootMove& m) { return m.visits > 0; });
  const auto weight = [&](const RootMove& m) {
    return visited ? static_cast<double>(m.visits) : double{m.prior};
  };
  const auto best = std::max_element(moves.begin(), moves.end(), [&](const RootMove& a, const RootMove& b) {
    return weight(a) != weight(b) ? weight(a) < weight(b) : a.prior < b.prior;
  });
  // Below a thousandth the second most visited move has no chance left worth computing.
  if (temperature < 1e-3 || weight(*best) <= 0.0) return best->move;
  std::vector<double> shares;
  shares.reserve(moves.size());
  double sum = 0.0;
  for (const RootMove& m : moves) {
    const double share =
        weight(m) > 0.0 ? std::exp((std::log(weight(m)) - std::log(weight(*best))) / temperature) : 0.0;
    shares.push_back(share);
    sum += share;
  }
  double left = random.uniform() * sum;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    left -= shares[k];
    if (left < 0.0 && shares[k] > 0.0) return moves[k].move;
  }
  return best->move;
}

}  // namespace pahtum
