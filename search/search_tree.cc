#include "search/search_tree.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "env/base/error.h"
#include "env/select_square.h"
#include "search/edge_choice.h"

namespace pahtum {
namespace {

// Beyond any board's points.
constexpr int kUnbounded = 1 << 24;

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

// The skipped moves by their slots.
std::uint64_t skipped_slots(const GraphEdges& edges) noexcept {
  std::uint64_t slots = 0;
  for (std::uint64_t left = edges.header->skipped; left != 0; left &= left - 1) {
    slots |= std::uint64_t{1} << edges.slot(static_cast<std::size_t>(std::countr_zero(left)));
  }
  return slots;
}

}  // namespace

SearchTree::SearchTree(const SearchConfig& config, Objective objective)
    : config_(config),
      objective_(objective),
      graph_(config.graph, static_cast<std::size_t>(config.simulations) + 1),
      widest_(objective == Objective::kMargin ? kUnbounded : 1) {
  assert(config.simulations >= 1);
  root_moves_.reserve(kMoveIndices);
}

double SearchTree::worth(int result) const noexcept {
  const auto points = static_cast<double>(result);
  return objective_ == Objective::kMargin ? margin_utility(points) : points;
}

double SearchTree::worth(const Evaluation& evaluation) const noexcept {
  if (objective_ == Objective::kMargin) return margin_utility(static_cast<double>(evaluation.margin));
  return static_cast<double>(evaluation.wdl.value().get());
}

void SearchTree::use_solver(Solver* solver) noexcept {
  solver_ = solver;
  exact_ = solver != nullptr && config_.exact_leaf > 0;
}

void SearchTree::reset(const Position& root) {
  assert(!root.over());
  root_ = root;
  graph_.clear(root);
  root_node_ = kNone;
  root_results_.clear();
  noise_.reset();
  waiting_ = false;
}

void SearchTree::advance(Move move) {
  assert(!waiting_ && is_legal(root_, move));
  std::uint32_t child = kNone;
  if (root_node_ != kNone) {
    const GraphEdges edges = graph_.edges(root_node_);
    const std::uint32_t number = legal_index(root_, move);
    if (((edges.visited() >> number) & 1) != 0) child = edges.children[edges.slot(number)];
  }
  apply(root_, move);
  assert(!root_.over());
  noise_.reset();
  root_results_.clear();
  if (child == kNone || graph_[child].move_count == 0) {
    graph_.clear(root_);
    root_node_ = kNone;
  } else {
    root_node_ = graph_.keep(child);
  }
}

void SearchTree::begin_move(std::optional<Random> noise) {
  noise_ = noise;
  if (root_node_ != kNone) mix_noise();
}

void SearchTree::mix_noise() {
  if (!noise_) return;
  const std::span<float> priors = graph_.priors(root_node_);
  std::array<double, kMoveIndices> noise{};
  double sum = 0.0;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    noise[k] = noise_->gamma(config_.dirichlet_alpha / static_cast<double>(priors.size()));
    sum += noise[k];
  }
  if (!(sum > 0.0)) {
    // The gammas of a very small alpha all underflow; in that limit a single move takes everything.
    noise[noise_->below(static_cast<std::uint32_t>(priors.size()))] = 1.0;
    sum = 1.0;
  }
  const double fraction = config_.noise_fraction;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    priors[k] =
        static_cast<float>((1.0 - fraction) * static_cast<double>(priors[k]) + fraction * (noise[k] / sum));
  }
  noise_.reset();
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

bool SearchTree::next_leaf(Position& leaf) {
  assert(!waiting_);
  if (solver_ != nullptr && root_results_.empty() && root_.empty_count() <= config_.exact_root) solve_root();
  if (root_node_ == kNone && root_results_.empty()) {
    path_length_ = 0;
    leaf_ = root_;
    waiting_ = true;
  }
  while (!waiting_ && !root_proven() && root_visits() < config_.simulations) waiting_ = simulate();
  if (waiting_) leaf = leaf_;
  return waiting_;
}

bool SearchTree::root_proven() const noexcept {
  return !root_results_.empty() || (exact_ && root_node_ != kNone && graph_[root_node_].proven());
}

void SearchTree::solve_root() {
  const Solution solution =
      solver_->solve(root_, {.objective = objective_, .moves = SolvedMoves::kEveryValue, .limits = {}});
  assert(solution.exact);
  root_results_ = solution.moves;
}

bool SearchTree::settled(const Position& position) const noexcept {
  return position.over() || (exact_ && position.empty_count() <= config_.exact_leaf);
}

bool SearchTree::simulate() {
  path_length_ = 0;
  std::uint32_t node = root_node_;
  while (true) {
    const GraphEdges edges = graph_.edges(node);
    if (edges.header != nullptr && edges.header->shared != 0) {
      refresh_shared(graph_[node], edges);
      if (graph_[node].proven()) {
        back_up(node, worth(graph_[node].lower));
        return false;
      }
    }
    const Choice choice = select(node, edges);
    path_[path_length_++] = {node, choice.slot};
    if (!choice.visited) return expand(node, choice.move);
    const std::uint32_t child = edges.children[choice.slot];
    const GraphNode& next = graph_[child];
    if (next.proven() || (config_.graph && next.visits > edges.visits[choice.slot])) {
      back_up(child, next.proven() ? worth(next.lower) : 0.0);
      return false;
    }
    node = child;
  }
}

bool SearchTree::expand(std::uint32_t node, std::uint32_t move) {
  new_move_ = move;
  Position position = graph_.position(node);
  apply(position, legal_move(position, move));
  std::uint32_t child = graph_.find(position);
  if (child == kNone && !settled(position)) {
    leaf_ = position;
    return true;
  }
  const bool is_new = child == kNone;
  if (is_new) child = add_settled(position);
  link(child, is_new);
  back_up(child, worth(graph_[child].lower));
  return false;
}

void SearchTree::refresh_shared(GraphNode& node, const GraphEdges& edges) const noexcept {
  const double sign = node.sign();
  for (std::uint64_t left = edges.header->shared; left != 0; left &= left - 1) {
    const std::size_t slot = edges.slot(static_cast<std::size_t>(std::countr_zero(left)));
    edges.values[slot] = sign * mean(graph_[edges.children[slot]]);
  }
  if (exact_) tighten(node, edges);
}

// A side's bounds are White's, turned round for Black.
void SearchTree::tighten(GraphNode& node, const GraphEdges& edges) const noexcept {
  const bool white = node.mover == Color::kWhite;
  const auto lower_of = [&](const GraphNode& any) { return white ? any.lower : -any.upper; };
  const auto upper_of = [&](const GraphNode& any) { return white ? any.upper : -any.lower; };
  int lower = lower_of(node);
  int best_upper = std::numeric_limits<int>::min();
  for (const std::uint32_t child : edges.children) {
    lower = std::max(lower, lower_of(graph_[child]));
    best_upper = std::max(best_upper, upper_of(graph_[child]));
  }
  const bool all_visited = edges.children.size() == node.move_count;
  const int upper = all_visited ? std::min(upper_of(node), best_upper) : upper_of(node);
  node.lower = white ? lower : -upper;
  node.upper = white ? upper : -lower;
  std::uint64_t left = edges.visited();
  for (const std::uint32_t child : edges.children) {
    if (upper_of(graph_[child]) < lower) edges.header->skipped |= left & (~left + 1);
    left &= left - 1;
  }
}

SearchTree::Choice SearchTree::select(std::uint32_t number, const GraphEdges& edges) noexcept {
  // All unvisited moves have the same value, so only the one with the highest prior competes.
  const std::uint8_t fresh = graph_.best_new(number);
  if (edges.header == nullptr) return {false, 0, fresh};
  const GraphNode& node = graph_[number];
  const double exploration = config_.cpuct * std::sqrt(static_cast<double>(node.visits));
  const BestEdge best =
      best_puct(edges.priors, edges.values, edges.visits, exploration, skipped_slots(edges));
  if (fresh == GraphNode::kNoMove) return {true, best.slot, 0};
  const double score = node.sign() * mean(node) -
                       config_.fpu_reduction * std::sqrt(edges.header->visited_prior) +
                       exploration * static_cast<double>(graph_.priors(number)[fresh]);
  if (score < best.score) return {true, best.slot, 0};
  // Of equals the first in ascending order: the best edge comes first when its slot counts moves before.
  if (score == best.score && best.slot < edges.slot(fresh)) return {true, best.slot, 0};
  return {false, 0, fresh};
}

void SearchTree::receive(const Evaluation& evaluation) {
  assert(waiting_);
  const double value = worth(evaluation);
  if (!std::isfinite(value)) {
    throw failure("evaluation of \"" + to_text(leaf_) + "\"",
                  "the value is not finite; win, draw and loss must be probabilities, the margin a number");
  }
  waiting_ = false;
  const double result = leaf_.mover == Color::kWhite ? value : -value;
  const std::uint32_t node = add_evaluated(evaluation, result);
  if (path_length_ == 0) {
    root_node_ = node;
    mix_noise();
    return;
  }
  link(node, true);
  back_up(node, result);
}

std::uint32_t SearchTree::add_settled(const Position& position) {
  const std::uint32_t number = graph_.add(position, 0, path_[path_length_ - 1].node);
  int result = position.white_margin();
  if (!position.over()) {
    const Solution solution =
        solver_->solve(position, {.objective = objective_, .moves = SolvedMoves::kOneBest, .limits = {}});
    assert(solution.exact);
    result = position.mover == Color::kWhite ? solution.lower : -solution.lower;
  }
  GraphNode& node = graph_[number];
  node.lower = node.upper = objective_ == Objective::kMargin ? result : std::clamp(result, -1, 1);
  node.white_value = worth(node.lower);
  node.own = static_cast<float>(node.white_value);
  node.visits = 0;
  return number;
}

std::uint32_t SearchTree::add_evaluated(const Evaluation& evaluation, double result) {
  const int count = legal_count(leaf_);
  const std::uint32_t number =
      graph_.add(leaf_, count, path_length_ == 0 ? kNone : path_[path_length_ - 1].node);
  GraphNode& node = graph_[number];
  node.white_value = result;
  node.own = static_cast<float>(result);
  node.lower = -widest_;
  node.upper = widest_;

  const std::span<float> priors = graph_.priors(number);
  std::size_t next = 0;
  for_each_legal(leaf_, [&](Move move) {
    priors[next++] = usable_probability(evaluation.policy[static_cast<std::size_t>(move.index())]);
  });
  const double sum = lane_sum(
      priors.size(), [prior = priors.data()](std::size_t k) { return static_cast<double>(prior[k]); });
  if (sum > 0.0) {
    for (float& prior : priors) prior = static_cast<float>(static_cast<double>(prior) / sum);
  } else {
    std::fill(priors.begin(), priors.end(), 1.0f / static_cast<float>(count));
  }
  return number;
}

void SearchTree::link(std::uint32_t child, bool is_new) {
  Step& last = path_[path_length_ - 1];
  last.slot = graph_.add_edge(last.node, new_move_, child);
  if (is_new) return;
  graph_.edges(last.node).header->shared |= std::uint64_t{1} << new_move_;
  const std::uint32_t first = graph_[child].parent;
  if (first == kNone) return;
  const GraphEdges others = graph_.edges(first);
  const auto slot =
      std::find(others.children.begin(), others.children.end(), child) - others.children.begin();
  assert(static_cast<std::size_t>(slot) < others.children.size());
  others.header->shared |= nth_square_bit(others.visited(), static_cast<int>(slot));
}

void SearchTree::back_up(std::uint32_t child, double result) noexcept {
  if (graph_[child].move_count == 0) {
    GraphNode& end = graph_[child];
    ++end.visits;
    if (!config_.graph && end.visits > 1) end.white_value += result;
  }
  for (std::size_t k = path_length_; k-- > 0;) {
    const auto [number, slot] = path_[k];
    GraphNode& node = graph_[number];
    const GraphNode& below = graph_[child];
    const GraphEdges edges = graph_.edges(number);
    ++edges.visits[slot];
    ++node.visits;
    edges.values[slot] = node.sign() * mean(below);
    node.white_value = config_.graph ? value_of(node, edges) : node.white_value + result;
    if (exact_ && bounded(below)) tighten(node, edges);
    child = number;
  }
}

double SearchTree::value_of(const GraphNode& node, const GraphEdges& edges) noexcept {
  const double sum = static_cast<double>(node.own) + node.sign() * weighted_sum(edges.values, edges.visits);
  return sum / static_cast<double>(node.visits);
}

std::span<const RootMove> SearchTree::root_moves() const {
  root_moves_.clear();
  if (root_node_ == kNone && root_results_.empty()) return root_moves_;
  for_each_legal(root_, [&](Move move) { root_moves_.emplace_back().move = move; });
  for (RootMove& entry : root_moves_) entry.prior = 1.0f / static_cast<float>(root_moves_.size());
  if (root_node_ != kNone) add_searched_moves();
  for (const auto& [move, result] : root_results_) {
    RootMove& entry = root_moves_[legal_index(root_, move)];
    entry.value = entry.lower = entry.upper = Value(static_cast<float>(worth(result)));
  }
  return root_moves_;
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
  if (!root_results_.empty()) {
    const auto best = std::max_element(root_results_.begin(), root_results_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return Value(static_cast<float>(worth(best->second)));
  }
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
  if (exact_) sum = std::clamp(sum, worth(root.lower), worth(root.upper));
  return Value(static_cast<float>(root.sign() * sum));
}

}  // namespace pahtum
