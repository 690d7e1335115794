#include "search/search_tree.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "env/base/non_finite_error.h"
#include "search/edge_choice.h"
#include "search/legal_index.h"
#include "search/legal_priors.h"
#include "search/line_tables.h"

namespace pahtum {
namespace {

// Beyond any board's points.
constexpr int kUnbounded = 1 << 24;

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
      gumbel_(config.root == "gumbel"),
      objective_(objective),
      graph_(config.graph, config.count_reused ? static_cast<std::size_t>(config.simulations) + 1
                                               : std::numeric_limits<std::size_t>::max()),
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
}

void SearchTree::reset(const Position& root) {
  assert(!root.over());
  root_ = root;
  if (solver_ != nullptr) {
    const bool fast = is_convex(root.run_points);
    exact_leaf_ = std::min<std::int64_t>(config_.exact_leaf, fast ? kMaxSquares : kSlowExactLeaf);
    exact_root_ = std::min<std::int64_t>(config_.exact_root, fast ? kMaxSquares : kSlowExactRoot);
  }
  exact_ = solver_ != nullptr && exact_leaf_ > 0;
  graph_.clear(root);
  root_node_ = kNone;
  root_best_.clear();
  root_given_up_ = false;
  goal_ = 0;
  noise_.reset();
  halving_.stop();
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
  root_best_.clear();
  root_given_up_ = false;
  goal_ = 0;
  noise_.reset();
  halving_.stop();
  if (child == kNone || graph_[child].move_count == 0) {
    graph_.clear(root_);
    root_node_ = kNone;
  } else {
    root_node_ = graph_.keep(child);
  }
}

void SearchTree::begin_move(std::optional<Random> noise, std::int64_t simulations) {
  assert(simulations >= 0 && simulations <= config_.simulations);
  noise_ = noise;
  noise_mixed_ = false;
  halving_.stop();
  goal_ = (simulations > 0 ? simulations : config_.simulations) + (config_.count_reused ? 0 : root_visits());
  if (root_node_ != kNone) prepare_root();
}

bool SearchTree::next_leaf(Position& leaf, const End& end) {
  assert(!waiting_);
  end_ = end;
  cut_ = false;
  const bool solves_root = solver_ != nullptr && root_best_.empty() && !root_given_up_;
  if (solves_root && root_.empty_count() <= exact_root_) solve_root(end);
  if (root_node_ == kNone && root_best_.empty()) {
    path_length_ = 0;
    leaf_ = root_;
    leaf_key_ = SearchGraph::key(root_);
    waiting_ = true;
  }
  // Many simulations can end without an evaluation. Reading the clock costs a tenth of one.
  const auto too_late = [&] { return cut_ || (!end.never() && root_visits() > 0 && end.reached()); };
  while (!waiting_ && !root_proven() && root_visits() < goal_ && !too_late()) waiting_ = simulate();
  if (waiting_) leaf = leaf_;
  return waiting_;
}

bool SearchTree::root_proven() const noexcept {
  return !root_best_.empty() || (exact_ && root_node_ != kNone && graph_[root_node_].proven());
}

SearchLimits SearchTree::solver_limits(const End& end, double share) const noexcept {
  // Enough for nearly every leaf, so that a search that begins at its end visits a move all the same.
  constexpr double kLeastSeconds = 0.001;
  SearchLimits limits{.seconds = 0.0, .nodes = 0, .stop = end.stop};
  if (end.deadline == kNoDeadline) return limits;
  limits.seconds = kLeastSeconds;
  const Clock::time_point now = Clock::now();
  if (now >= end.deadline) return limits;  // however long ago that was
  const std::chrono::duration<double> left = end.deadline - now;
  limits.seconds = std::max(kLeastSeconds, share * left.count());
  return limits;
}

void SearchTree::solve_root(const End& end) {
  constexpr double kShare = 0.5;
  const Solution solution = solver_->solve(
      root_, {.objective = objective_, .moves = SolvedMoves::kAllBest, .limits = solver_limits(end, kShare)});
  root_given_up_ = !solution.exact;
  if (root_given_up_) return;
  root_best_ = solution.best;
  root_result_ = solution.lower;
}

bool SearchTree::settled(const Position& position) const noexcept {
  return position.over() || (exact_ && position.empty_count() <= exact_leaf_);
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
    const Choice choice = node == root_node_ ? select_at_root(edges) : select(node, edges);
    Step& step = path_[path_length_++];
    step = {.node = node, .sum = choice.sum, .value = nullptr, .visits = nullptr};
    if (!choice.visited) return expand(node, choice.move);
    step.value = &edges.values[choice.slot];
    step.visits = &edges.visits[choice.slot];
    const std::uint32_t child = edges.children[choice.slot];
    const GraphNode& next = graph_[child];
    if (next.proven() || (config_.graph && next.visits > *step.visits)) {
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
  const std::uint64_t key = SearchGraph::key(position);
  std::uint32_t child = graph_.find(position, key);
  if (child == kNone && !settled(position)) {
    leaf_ = position;
    leaf_key_ = key;
    return true;
  }
  const bool is_new = child == kNone;
  if (is_new) child = add_settled(position, key);
  if (child == kNone) return false;
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
  if (edges.header == nullptr) return {false, 0, fresh, 0.0};
  const GraphNode& node = graph_[number];
  if (gumbel_) {
    Statistics memory;
    const auto moves = statistics(number, edges, memory);
    return choice_of(edges, gumbel_move(moves, improved(number, moves), edges.header->skipped));
  }
  const double exploration = config_.cpuct * std::sqrt(static_cast<double>(node.visits));
  const BestEdge best =
      best_puct(edges.priors, edges.values, edges.visits, exploration, skipped_slots(edges));
  const Choice known = {true, best.slot, 0, best.sum};
  if (fresh == GraphNode::kNoMove) return known;
  const double score = node.sign() * mean(node) -
                       config_.fpu_reduction * std::sqrt(edges.header->visited_prior) +
                       exploration * static_cast<double>(graph_.priors(number)[fresh]);
  if (score < best.score) return known;
  // Of equals the first in ascending order: the best edge comes first when its slot counts moves before.
  if (score == best.score && best.slot < edges.slot(fresh)) return known;
  return {false, 0, fresh, best.sum};
}

void SearchTree::receive(const Evaluation& evaluation) {
  assert(waiting_);
  const double value = worth(evaluation);
  if (!std::isfinite(value)) {
    throw NonFiniteError("evaluation of \"" + to_text(leaf_) + "\"",
                         "the value is not finite; win, draw and loss must be probabilities, the margin a "
                         "number");
  }
  waiting_ = false;
  const double result = leaf_.mover == Color::kWhite ? value : -value;
  const std::uint32_t node = add_evaluated(evaluation, result);
  if (path_length_ == 0) {
    root_node_ = node;
    prepare_root();
    return;
  }
  link(node, true);
  back_up(node, result);
}

std::uint32_t SearchTree::add_settled(const Position& position, std::uint64_t key) {
  int result = 0;
  if (position.over()) {
    result = final_result(position);
  } else {
    const Solution solution = solver_->solve(
        position,
        {.objective = objective_, .moves = SolvedMoves::kOneBest, .limits = solver_limits(end_, 1.0)});
    cut_ = !solution.exact;
    if (cut_) return kNone;
    result = position.mover == Color::kWhite ? solution.lower : -solution.lower;
  }
  const std::uint32_t number = graph_.add(position, key, 0, path_[path_length_ - 1].node);
  settle(graph_[number], result);
  return number;
}

int SearchTree::final_result(const Position& position) const noexcept {
  const int points = position.white_margin();
  return objective_ == Objective::kMargin ? points : std::clamp(points, -1, 1);
}

void SearchTree::settle(GraphNode& node, int result) const noexcept {
  node.lower = node.upper = result;
  node.white_value = worth(result);
  node.own = static_cast<float>(node.white_value);
  node.visits = 0;
}

std::uint32_t SearchTree::add_evaluated(const Evaluation& evaluation, double result) {
  const int count = legal_count(leaf_);
  const std::uint32_t number =
      graph_.add(leaf_, leaf_key_, count, path_length_ == 0 ? kNone : path_[path_length_ - 1].node);
  GraphNode& node = graph_[number];
  node.white_value = result;
  node.own = static_cast<float>(result);
  node.lower = -widest_;
  node.upper = widest_;

  legal_priors(leaf_, evaluation.policy, graph_.priors(number));
  return number;
}

void SearchTree::link(std::uint32_t child, bool is_new) {
  Step& last = path_[path_length_ - 1];
  const std::size_t added = graph_.add_edge(last.node, new_move_, child);
  const GraphEdges edges = graph_.edges(last.node);
  last.value = &edges.values[added];
  last.visits = &edges.visits[added];
  if (is_new) return;
  edges.header->shared |= std::uint64_t{1} << new_move_;
  const std::uint32_t first = graph_[child].parent;
  if (first == kNone) return;
  const GraphEdges others = graph_.edges(first);
  others.header->shared |= others.leading_to(child);
}

void SearchTree::back_up(std::uint32_t child, double result) noexcept {
  if (graph_[child].move_count == 0) {
    GraphNode& end = graph_[child];
    ++end.visits;
    if (!config_.graph && end.visits > 1) end.white_value += result;
  }
  for (std::size_t k = path_length_; k-- > 0;) {
    const Step& step = path_[k];
    GraphNode& node = graph_[step.node];
    const GraphNode& below = graph_[child];
    const double sign = node.sign();
    const double value = sign * mean(below);
    const auto before = static_cast<double>(*step.visits);
    // One edge alone has changed, so nothing is summed anew on the way up.
    const double sum = step.sum + ((before + 1.0) * value - before * *step.value);
    ++*step.visits;
    ++node.visits;
    *step.value = value;
    if (config_.graph) {
      node.white_value = (static_cast<double>(node.own) + sign * sum) / static_cast<double>(node.visits);
    } else {
      node.white_value += result;
    }
    if (exact_ && bounded(below)) tighten(node, graph_.edges(step.node));
    child = step.node;
  }
}

}  // namespace pahtum
