// A SearchTree as bytes. Neither positions nor the numbers of nodes are among them: all follows from the root
// and the sets of visited moves. Nodes come in the order in which a walk breadth first, over moves in
// ascending order, reaches them, each written behind the edge that reached it first.
//
//   rules u8 | exact_leaf u8 | exact_root u8 | length u8 | text of the root | points of runs u16 · 8 |
//   goal i64 | noise u8, then seed, index, drawn u64, purpose u32 | best moves of a solved root u64 |
//   their result i32 | root evaluated u8, then its node and sequential halving | edges of all nodes
//
//   node:     white_value f64 | own f32 | lower, upper i32 (exact) | prior f32 · moves
//   settled:  result i32 | visits i32 | white_value f64 (tree)
//   edges:    visited u64; when there are any: visited_prior f64 | shared u64 (graph) | skipped u64 (exact) |
//             of each: value f64 | visits i32 | its node when that is new

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "env/base/error.h"
#include "search/legal_index.h"
#include "search/search_tree.h"

namespace pahtum {
namespace {

constexpr double kMostValue = std::numeric_limits<float>::max();

// False for what is not a number, too.
bool within(double value, double most) noexcept {
  return std::abs(value) <= most;
}

std::string names(const Position& position) {
  return "position \"" + to_text(position) + "\"";
}

void append_root(std::string& bytes, const Position& root) {
  const std::string text = to_text(root);
  append_number(bytes, static_cast<std::uint8_t>(text.size()));
  bytes += text;
  append_numbers(bytes, std::span(root.run_points.by_length));
}

// parse_position knows what makes a position.
Position next_root(ByteReader& input) {
  const auto length = input.next<std::uint8_t>();
  const std::string_view text = input.next_text(length);
  Position root;
  try {
    root = parse_position(text);
  } catch (const Error& error) {
    throw input.refuse("the root of a search is none: " + std::string(error.what()));
  }
  input.fill(std::span(root.run_points.by_length));
  const bool payable = std::ranges::all_of(root.run_points.by_length,
                                           [](std::uint16_t points) { return points <= kMostRunPoints; });
  if (!payable) throw input.refuse("a run is worth more than " + std::to_string(kMostRunPoints) + " points");
  if (root.over()) throw input.refuse("the root of a search is a finished game, " + names(root));
  return root;
}

void append_noise(std::string& bytes, const std::optional<Random>& noise) {
  append_number(bytes, static_cast<std::uint8_t>(noise.has_value()));
  if (!noise) return;
  const Random::State state = noise->state();
  append_number(bytes, state.seed);
  append_number(bytes, state.index);
  append_number(bytes, state.drawn);
  append_number(bytes, state.purpose);
}

// A yes or a no.
bool next_flag(ByteReader& input, const char* what) {
  const auto flag = input.next<std::uint8_t>();
  if (flag > 1) throw input.refuse(std::string(what) + " is neither there nor not");
  return flag == 1;
}

std::optional<Random> next_noise(ByteReader& input) {
  if (!next_flag(input, "the noise of a search")) return std::nullopt;
  Random::State state{};
  state.seed = input.next<std::uint64_t>();
  state.index = input.next<std::uint64_t>();
  state.drawn = input.next<std::uint64_t>();
  state.purpose = input.next<std::uint32_t>();
  if (state.drawn >= Random::kMostDrawn) throw input.refuse("a generator has drawn too many numbers");
  return Random(state);
}

std::uint64_t lowest_bits(std::size_t count) noexcept {
  return count < kMaxSquares ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

}  // namespace

// What one game can find: there are no more moves than squares and a swap.
std::int64_t SearchTree::most_nodes() const noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;
  return std::min((config_.simulations + 1) * (kMaxSquares + 1), kMost);
}

std::array<std::uint8_t, 3> SearchTree::rules() const noexcept {
  const auto bit = [](bool set, int place) { return static_cast<unsigned>(set) << place; };
  const unsigned bits = bit(config_.graph, 0) | bit(gumbel_, 1) | bit(objective_ == Objective::kMargin, 2) |
                        bit(solver_ != nullptr, 3) | bit(exact_, 4);
  const auto squares = [](bool used, std::int64_t count) {
    return static_cast<std::uint8_t>(used ? std::clamp<std::int64_t>(count, 0, kMaxSquares) : 0);
  };
  return {static_cast<std::uint8_t>(bits), squares(exact_, exact_leaf_),
          squares(solver_ != nullptr, exact_root_)};
}

void SearchTree::append_state(std::string& bytes) const {
  assert(!waiting_);
  const std::array<std::uint8_t, 3> own_rules = rules();
  append_numbers(bytes, std::span(own_rules));
  append_root(bytes, root_);
  append_number(bytes, goal_);
  append_noise(bytes, noise_);
  std::uint64_t best = 0;
  for (const Move move : root_best_) best |= std::uint64_t{1} << legal_index(root_, move);
  append_number(bytes, best);
  append_number(bytes, static_cast<std::int32_t>(best != 0 ? root_result_ : 0));
  append_number(bytes, static_cast<std::uint8_t>(root_node_ != kNone));
  if (root_node_ == kNone) return;
  append_node(bytes, root_node_);
  if (gumbel_) halving_.append_state(bytes);
  append_edges(bytes);
}

void SearchTree::append_node(std::string& bytes, std::uint32_t number) const {
  const GraphNode& node = graph_[number];
  if (node.move_count == 0) {
    append_number(bytes, node.lower);
    append_number(bytes, node.visits);
    if (!config_.graph) append_number(bytes, node.white_value);
    return;
  }
  append_number(bytes, node.white_value);
  append_number(bytes, node.own);
  if (exact_) {
    append_number(bytes, node.lower);
    append_number(bytes, node.upper);
  }
  append_numbers(bytes, graph_.priors(number));
}

void SearchTree::append_edges(std::string& bytes) const {
  std::vector<std::uint32_t> order = {root_node_};
  order.reserve(graph_.size());
  std::vector<bool> reached(graph_.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t number = order[k];
    if (graph_[number].move_count == 0) continue;
    const GraphEdges edges = graph_.edges(number);
    append_number(bytes, edges.visited());
    if (edges.visited() == 0) continue;
    append_number(bytes, edges.header->visited_prior);
    if (config_.graph) append_number(bytes, edges.header->shared);
    if (exact_) append_number(bytes, edges.header->skipped);
    for (std::size_t slot = 0; slot < edges.children.size(); ++slot) {
      const std::uint32_t child = edges.children[slot];
      append_number(bytes, edges.values[slot]);
      append_number(bytes, edges.visits[slot]);
      if (reached[child]) continue;
      reached[child] = true;
      order.push_back(child);
      append_node(bytes, child);
    }
  }
}

void SearchTree::restore_state(ByteReader& input) {
  std::array<std::uint8_t, 3> saved_rules{};
  input.fill(std::span(saved_rules));
  reset(next_root(input));
  if (saved_rules != rules()) {
    throw input.refuse(
        "a search was saved with another search.graph, search.root, search.exact_leaf, search.exact_root or "
        "game.result");
  }
  goal_ = input.next<std::int64_t>();
  noise_ = next_noise(input);
  restore_solution(input);
  const bool evaluated = next_flag(input, "the evaluation of a root");
  // Until all is read there is no way into what was read.
  if (evaluated) {
    const std::uint32_t root = restore_evaluated(input, root_, SearchGraph::key(root_), kNone);
    if (gumbel_) halving_.restore_state(input, config_, graph_[root].move_count, goal_);
    for (std::uint32_t number = root; number < graph_.size(); ++number) {
      if (graph_[number].move_count > 0) restore_edges(input, number);
    }
    root_node_ = root;
  }
  noise_mixed_ = evaluated && noise_ && !gumbel_;
  // begin_move() has set the goal, or was not called yet.
  const std::int64_t kept = config_.count_reused ? 0 : root_visits();
  if (goal_ != 0 && (goal_ < 1 || goal_ > config_.simulations + kept)) {
    throw input.refuse("a search is to end at " + std::to_string(goal_) +
                       " visits, which search.simulations " + std::to_string(config_.simulations) +
                       " does not give after " + std::to_string(root_visits()));
  }
  if (gumbel_ && evaluated && goal_ != 0 && !halving_.started()) {
    throw input.refuse("a search has no plan for its simulations");
  }
}

void SearchTree::restore_solution(ByteReader& input) {
  const auto best = input.next<std::uint64_t>();
  root_result_ = input.next<std::int32_t>();
  const auto count = static_cast<std::size_t>(legal_count(root_));
  const bool solvable = solver_ != nullptr && root_.empty_count() <= exact_root_;
  if ((best & ~lowest_bits(count)) != 0 || (best != 0 && !solvable) || root_result_ > widest_ ||
      root_result_ < -widest_) {
    throw input.refuse("a root has a solution that is none, " + names(root_));
  }
  for (std::uint64_t left = best; left != 0; left &= left - 1) {
    root_best_.push_back(legal_move(root_, static_cast<std::uint32_t>(std::countr_zero(left))));
  }
}

std::uint32_t SearchTree::restore_evaluated(ByteReader& input, const Position& position, std::uint64_t key,
                                            std::uint32_t parent) {
  const auto white_value = input.next<double>();
  const auto own = input.next<float>();
  std::int32_t lower = -widest_;
  std::int32_t upper = widest_;
  if (exact_) {
    lower = input.next<std::int32_t>();
    upper = input.next<std::int32_t>();
  }
  std::array<float, kMaxSquares> memory{};
  const auto priors = std::span(memory).first(static_cast<std::size_t>(legal_count(position)));
  input.fill(priors);
  if (!std::isfinite(own)) throw input.refuse("an evaluation is not finite, " + names(position));
  if (lower < -widest_ || lower > upper || upper > widest_) {
    throw input.refuse("bounds are out of range, " + names(position));
  }
  // The search for the highest prior compares their bits, so a negative zero is none.
  const bool shares = std::ranges::none_of(priors, [](float prior) { return std::signbit(prior); });
  constexpr double kRounding = 1e-3;
  if (!shares || !within(std::accumulate(priors.begin(), priors.end(), 0.0) - 1.0, kRounding)) {
    throw input.refuse("priors are not shares of 1, " + names(position));
  }
  const std::uint32_t number = graph_.add(position, key, static_cast<int>(priors.size()), parent);
  GraphNode& node = graph_[number];
  node.white_value = white_value;
  node.own = own;
  node.lower = lower;
  node.upper = upper;
  std::ranges::copy(priors, graph_.priors(number).begin());
  return number;
}

std::uint32_t SearchTree::restore_settled(ByteReader& input, const Position& position, std::uint64_t key,
                                          std::uint32_t parent) {
  const auto result = input.next<std::int32_t>();
  const auto visits = input.next<std::int32_t>();
  const bool possible =
      position.over() ? result == final_result(position) : result >= -widest_ && result <= widest_;
  if (!possible) {
    throw input.refuse("the result " + std::to_string(result) + " is impossible, " + names(position));
  }
  if (visits < 1 || visits > most_nodes()) {
    throw input.refuse(std::to_string(visits) + " visits are impossible, " + names(position));
  }
  const std::uint32_t number = graph_.add(position, key, 0, parent);
  GraphNode& node = graph_[number];
  settle(node, result);
  node.visits = visits;
  if (config_.graph) return number;
  node.white_value = input.next<double>();
  // The sum of as many results.
  constexpr double kRounding = 1e-6;
  const double count = static_cast<double>(visits);
  if (!within(node.white_value - count * worth(result), kRounding * count)) {
    throw input.refuse("results do not sum up to the value, " + names(position));
  }
  return number;
}

void SearchTree::restore_edges(ByteReader& input, std::uint32_t number) {
  const Position position = graph_.position(number);
  const std::size_t count = graph_[number].move_count;
  const auto visited = input.next<std::uint64_t>();
  GraphEdges::Header saved = {.visited_prior = 0.0, .visited = visited, .shared = 0, .skipped = 0};
  if (visited != 0) {
    saved.visited_prior = input.next<double>();
    if (config_.graph) saved.shared = input.next<std::uint64_t>();
    if (exact_) saved.skipped = input.next<std::uint64_t>();
  }
  if ((visited & ~lowest_bits(count)) != 0 || ((saved.shared | saved.skipped) & ~visited) != 0) {
    throw input.refuse("moves are visited that are none, " + names(position));
  }
  std::int64_t visits = 1;
  for (std::uint64_t left = visited; left != 0; left &= left - 1) {
    const auto move = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto value = input.next<double>();
    const auto edge_visits = input.next<std::int32_t>();
    visits += edge_visits;
    if (!within(value, kMostValue) || edge_visits < 1 || visits > most_nodes()) {
      throw input.refuse("the value or the visits of a move are impossible, " + names(position));
    }
    const bool is_shared = (saved.shared & left & (~left + 1)) != 0;
    const std::uint32_t child = restore_child(input, number, move, is_shared);
    const std::size_t slot = graph_.add_edge(number, move, child);
    const GraphEdges edges = graph_.edges(number);
    edges.values[slot] = value;
    edges.visits[slot] = edge_visits;
  }
  GraphNode& node = graph_[number];
  node.visits = static_cast<std::int32_t>(visits);
  const double results = config_.graph ? 1.0 : static_cast<double>(visits);
  if (!within(node.white_value, kMostValue * results)) {
    throw input.refuse("the mean result is not finite, " + names(position));
  }
  if (visited == 0) return;
  const GraphEdges edges = graph_.edges(number);
  // Summed in another order.
  constexpr double kRounding = 1e-9;
  if (!within(saved.visited_prior - edges.header->visited_prior, kRounding) || saved.visited_prior < 0.0) {
    throw input.refuse("priors do not sum up, " + names(position));
  }
  *edges.header = saved;
}

std::uint32_t SearchTree::restore_child(ByteReader& input, std::uint32_t number, std::uint32_t move,
                                        bool is_shared) {
  Position position = graph_.position(number);
  apply(position, legal_move(position, move));
  const std::uint64_t key = SearchGraph::key(position);
  const std::uint32_t known = graph_.find(position, key);
  if (known == kNone) {
    if (static_cast<std::int64_t>(graph_.size()) >= most_nodes()) {
      throw input.refuse("a search has more than the " + std::to_string(most_nodes()) +
                         " positions that search.simulations " + std::to_string(config_.simulations) +
                         " can find");
    }
    return settled(position) ? restore_settled(input, position, key, number)
                             : restore_evaluated(input, position, key, number);
  }
  // All edges to a position with several are marked, or values would not be looked up again.
  const std::uint32_t first = graph_[known].parent;
  const GraphEdges others = graph_.edges(first);
  if (!is_shared || (others.header->shared & others.leading_to(known)) == 0) {
    throw input.refuse("several moves lead to a position unmarked, " + names(position));
  }
  return known;
}

}  // namespace pahtum
