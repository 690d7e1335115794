#include "search/search_tree.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "env/base/error.h"
#include "env/select_square.h"

namespace pahtum {
namespace {

constexpr double sign_of(Color color) noexcept {
  return color == Color::kWhite ? 1.0 : -1.0;
}

// The same order as for_each_legal.
Move legal_move(const Position& position, std::uint32_t index) noexcept {
  const Bitboard squares = legal_squares(position);
  if (index >= static_cast<std::uint32_t>(std::popcount(squares))) return Move::swap();
  return Move::at(nth_square(squares, static_cast<int>(index)));
}

std::uint32_t legal_index(const Position& position, Move move) noexcept {
  const Bitboard squares = legal_squares(position);
  if (move.is_swap()) return static_cast<std::uint32_t>(std::popcount(squares));
  return static_cast<std::uint32_t>(std::popcount(squares & (square_bit(move.square()) - 1)));
}

// NaN, infinities and negative numbers count as no probability.
float usable_probability(float probability) noexcept {
  return probability > 0.0f && probability <= std::numeric_limits<float>::max() ? probability : 0.0f;
}

}  // namespace

double SearchTree::white_result(const Position& position) const noexcept {
  const int margin = position.white_margin();
  if (objective_ == Objective::kMargin) return margin_utility(static_cast<double>(margin));
  return static_cast<double>(outcome_of(Margin{margin}));
}

double SearchTree::worth(const Evaluation& evaluation) const noexcept {
  if (objective_ == Objective::kMargin) return margin_utility(static_cast<double>(evaluation.margin));
  return static_cast<double>(evaluation.wdl.value().get());
}

SearchTree::SearchTree(const SearchConfig& config, Objective objective)
    : config_(config), objective_(objective) {
  assert(config.simulations >= 1);
  root_moves_.reserve(kMoveIndices);
}

void SearchTree::reset(const Position& root) {
  assert(!root.over());
  root_ = root;
  nodes_.clear();
  edges_.clear();
  noise_.reset();
  waiting_ = false;
}

void SearchTree::advance(Move move) {
  assert(!waiting_ && is_legal(root_, move));
  const std::uint32_t child =
      nodes_.empty() ? kNone : edges_[nodes_.front().first_edge + legal_index(root_, move)].child;
  apply(root_, move);
  assert(!root_.over());
  noise_.reset();
  if (child == kNone) {
    nodes_.clear();
    edges_.clear();
  } else {
    keep_subtree(child);
  }
}

// One sweep in the order of expansion slides what is kept to the front. A node is kept when its parent was:
// moving the parent leaves the new place of its edge in the child, which comes later in the sweep.
void SearchTree::keep_subtree(std::uint32_t new_root) noexcept {
  std::uint32_t next_node = 0;
  std::uint32_t next_edge = 0;
  for (std::uint32_t old = new_root; old < nodes_.size(); ++old) {
    Node node = nodes_[old];
    if (old != new_root) {
      if (node.moved_edge == kNone) continue;
      edges_[node.moved_edge].child = next_node;
      node.moved_edge = kNone;
    }
    for (std::uint32_t k = 0; k < node.edge_count; ++k) {
      const Edge edge = edges_[node.first_edge + k];
      edges_[next_edge + k] = edge;
      if (edge.child != kNone) nodes_[edge.child].moved_edge = next_edge + k;
    }
    node.first_edge = next_edge;
    next_edge += node.edge_count;
    nodes_[next_node++] = node;
  }
  nodes_.resize(next_node);
  edges_.resize(next_edge);
}

void SearchTree::begin_move(std::optional<Random> noise) {
  noise_ = noise;
  if (!nodes_.empty()) mix_noise();
}

void SearchTree::mix_noise() {
  if (!noise_) return;
  const Node& root = nodes_.front();
  const std::span<Edge> edges(edges_.data() + root.first_edge, root.edge_count);
  std::array<double, kMoveIndices> noise{};
  double sum = 0.0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    noise[k] = noise_->gamma(config_.dirichlet_alpha / static_cast<double>(edges.size()));
    sum += noise[k];
  }
  if (!(sum > 0.0)) {
    // The gammas of a very small alpha all underflow; in that limit a single move takes everything.
    noise[noise_->below(root.edge_count)] = 1.0;
    sum = 1.0;
  }
  const double fraction = config_.noise_fraction;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    edges[k].prior = static_cast<float>((1.0 - fraction) * static_cast<double>(edges[k].prior) +
                                        fraction * (noise[k] / sum));
  }
  noise_.reset();
}

std::uint32_t SearchTree::select_edge(const Node& node, Color mover) const noexcept {
  const double sign = sign_of(mover);
  const double exploration = config_.cpuct * std::sqrt(static_cast<double>(node.visits));
  double best_score = -std::numeric_limits<double>::infinity();
  std::uint32_t best = kNone;
  // All unvisited moves have the same Q, so only the one with the highest prior competes.
  float unvisited_prior = -1.0f;
  std::uint32_t unvisited = kNone;
  double visited_mass = 0.0;
  for (std::uint32_t k = 0; k < node.edge_count; ++k) {
    const Edge& edge = edges_[node.first_edge + k];
    if (edge.child == kNone) {
      if (edge.prior > unvisited_prior) {
        unvisited_prior = edge.prior;
        unvisited = k;
      }
      continue;
    }
    const Node& child = nodes_[edge.child];
    const double prior = static_cast<double>(edge.prior);
    visited_mass += prior;
    const double score = sign * child.white_sum / static_cast<double>(child.visits) +
                         exploration * prior / static_cast<double>(1 + child.visits);
    if (score > best_score) {
      best_score = score;
      best = k;
    }
  }
  if (unvisited == kNone) return best;
  const double value = sign * node.white_sum / static_cast<double>(node.visits);
  const double score = value - config_.fpu_reduction * std::sqrt(visited_mass) +
                       exploration * static_cast<double>(unvisited_prior);
  return score > best_score || (score == best_score && unvisited < best) ? unvisited : best;
}

bool SearchTree::next_leaf(Position& leaf) {
  assert(!waiting_);
  path_length_ = 0;
  if (nodes_.empty()) {
    leaf = leaf_ = root_;
    leaf_edge_ = kNone;
    waiting_ = true;
    return true;
  }
  while (root_visits() < config_.simulations) {
    Position position = root_;
    path_length_ = 0;
    std::uint32_t node = 0;
    std::uint32_t edge = kNone;
    while (node != kNone) {
      path_[path_length_++] = node;
      if (nodes_[node].edge_count == 0) break;
      const std::uint32_t index = select_edge(nodes_[node], position.mover);
      apply(position, legal_move(position, index));
      edge = nodes_[node].first_edge + index;
      node = edges_[edge].child;
    }
    if (!position.over()) {
      leaf = leaf_ = position;
      leaf_edge_ = edge;
      waiting_ = true;
      return true;
    }
    const double result = white_result(position);
    back_up(result);
    if (node == kNone) add_node(edge, result, 0);
  }
  return false;
}

void SearchTree::receive(const Evaluation& evaluation) {
  assert(waiting_);
  const double value = worth(evaluation);
  if (!std::isfinite(value)) {
    throw failure("evaluation of \"" + to_text(leaf_) + "\"",
                  "the value is not finite; win, draw and loss must be probabilities, the margin a number");
  }
  waiting_ = false;
  const double result = sign_of(leaf_.mover) * value;
  back_up(result);

  const auto count = static_cast<std::uint32_t>(legal_count(leaf_));
  const auto first_edge = static_cast<std::uint32_t>(edges_.size());
  add_node(leaf_edge_, result, count);
  double sum = 0.0;
  Edge* edge = edges_.data() + first_edge;
  for_each_legal(leaf_, [&](Move move) {
    edge->prior = usable_probability(evaluation.policy[static_cast<std::size_t>(move.index())]);
    sum += static_cast<double>(edge->prior);
    ++edge;
  });
  for (Edge& each : std::span(edges_).subspan(first_edge)) {
    each.prior = sum > 0.0 ? static_cast<float>(static_cast<double>(each.prior) / sum)
                           : 1.0f / static_cast<float>(count);
  }
  if (leaf_edge_ == kNone) mix_noise();
}

void SearchTree::add_node(std::uint32_t edge, double result, std::uint32_t edge_count) {
  if (edge != kNone) edges_[edge].child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.white_sum = result,
                    .first_edge = static_cast<std::uint32_t>(edges_.size()),
                    .visits = 1,
                    .moved_edge = kNone,
                    .edge_count = edge_count});
  edges_.resize(edges_.size() + edge_count, Edge{.prior = 0.0f, .child = kNone});
}

void SearchTree::back_up(double result) noexcept {
  for (const std::uint32_t node : std::span(path_).first(path_length_)) {
    ++nodes_[node].visits;
    nodes_[node].white_sum += result;
  }
}

std::span<const RootMove> SearchTree::root_moves() const {
  root_moves_.clear();
  if (nodes_.empty()) return root_moves_;
  const double sign = sign_of(root_.mover);
  const Edge* edge = edges_.data() + nodes_.front().first_edge;
  for_each_legal(root_, [&](Move move) {
    RootMove& entry = root_moves_.emplace_back();
    entry.move = move;
    entry.prior = edge->prior;
    if (edge->child != kNone) {
      const Node& child = nodes_[edge->child];
      entry.visits = child.visits;
      entry.value = Value(static_cast<float>(sign * child.white_sum / static_cast<double>(child.visits)));
    }
    ++edge;
  });
  return root_moves_;
}

Value SearchTree::root_value() const noexcept {
  if (nodes_.empty()) return Value();
  const Node& root = nodes_.front();
  const double sign = sign_of(root_.mover);
  if (root.visits == 1) return Value(static_cast<float>(sign * root.white_sum));
  // Summed anew rather than by taking the evaluation out of white_sum: exact results stay exact.
  double white_sum = 0.0;
  for (const Edge& edge : std::span(edges_).subspan(root.first_edge, root.edge_count)) {
    if (edge.child != kNone) white_sum += nodes_[edge.child].white_sum;
  }
  return Value(static_cast<float>(sign * white_sum / static_cast<double>(root_visits())));
}

Move choose_move(std::span<const RootMove> moves, double temperature, Random& random) {
  assert(!moves.empty() && moves.size() <= kMoveIndices);
  const bool visited =
      std::any_of(moves.begin(), moves.end(), [](const RootMove& m) { return m.visits > 0; });
  const auto weight_of = [&](const RootMove& m) {
    return visited ? static_cast<double>(m.visits) : static_cast<double>(m.prior);
  };
  const auto best = std::max_element(moves.begin(), moves.end(), [&](const RootMove& a, const RootMove& b) {
    return weight_of(a) != weight_of(b) ? weight_of(a) < weight_of(b) : a.prior < b.prior;
  });
  if (!(temperature > 0.0)) return best->move;

  // Relative to the best move every exponent is at most 0, so the powers lie in [0, 1] at any temperature.
  const double best_logarithm = std::log(weight_of(*best));
  std::array<double, kMoveIndices> cumulative{};
  double sum = 0.0;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const double weight = weight_of(moves[k]);
    if (weight > 0.0) sum += std::exp((std::log(weight) - best_logarithm) / temperature);
    cumulative[k] = sum;
  }
  if (!(sum > 0.0)) return best->move;
  const double drawn = random.uniform() * sum;
  const auto end = cumulative.begin() + static_cast<std::ptrdiff_t>(moves.size());
  const auto found = std::upper_bound(cumulative.begin(), end, drawn);
  if (found == end) return best->move;
  return moves[static_cast<std::size_t>(found - cumulative.begin())].move;
}

}  // namespace pahtum
