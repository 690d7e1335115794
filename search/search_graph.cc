#include "search/search_graph.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "env/select_square.h"
#include "search/edge_choice.h"

namespace pahtum {
namespace {

// Buckets a node: most are empty, so that a new position is told from the rest at a glance.
constexpr std::size_t kSpread = 4;
constexpr std::size_t kFewestBuckets = 256;

// The high bits depend on every square, and buckets go by them.
template <class Keyed>
std::uint64_t key_bits(const Keyed& any) noexcept {
  const std::uint64_t rest = static_cast<std::uint64_t>(any.mover) |
                             (static_cast<std::uint64_t>(any.phase) << 8) |
                             (std::uint64_t{any.holes_left} << 16) | (std::uint64_t{any.swap_follows} << 24);
  return any.white * 0x9FB21C651E98DF25ull + any.black * 0xC2B2AE3D27D4EB4Full +
         any.holes * 0xD6E8FEB86659FD93ull + rest * 0xA0761D6478BD642Full;
}

bool same(const GraphNode& node, const Position& position) noexcept {
  return node.white == position.white && node.black == position.black && node.holes == position.holes &&
         node.mover == position.mover && node.phase == position.phase &&
         node.holes_left == position.holes_left && node.swap_follows == position.swap_follows;
}

}  // namespace

std::uint64_t GraphEdges::leading_to(std::uint32_t child) const noexcept {
  const auto slot = std::ranges::find(children, child) - children.begin();
  assert(static_cast<std::size_t>(slot) < children.size());
  return nth_square_bit(visited(), static_cast<int>(slot));
}

void SearchGraph::clear(const Position& root) {
  root_ = root;
  nodes_.clear();
  end_ = 0;
  free_.fill(kNone);
  std::fill(buckets_.begin(), buckets_.end(), kNone);
}

std::uint64_t SearchGraph::key(const Position& position) noexcept {
  return key_bits(position);
}

std::uint32_t SearchGraph::find(const Position& position, std::uint64_t key) const noexcept {
  if (buckets_.empty()) return kNone;
  std::uint32_t node = buckets_[key >> bucket_shift_];
  while (node != kNone && !same(nodes_[node], position)) node = nodes_[node].next;
  return node;
}

std::uint32_t SearchGraph::add(const Position& position, std::uint64_t key, int move_count,
                               std::uint32_t parent) {
  assert(move_count <= kMaxSquares);
  if (nodes_.size() == nodes_.capacity()) {
    const std::size_t wanted = nodes_.size() + nodes_.size() / 2 + 16;
    nodes_.reserve(nodes_.size() < usual_nodes_ ? std::min(usual_nodes_, wanted) : wanted);
  }
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  std::uint32_t priors = kNone;
  if (move_count > 0) priors = allocate(number, static_cast<std::size_t>(move_count) * sizeof(float));
  nodes_.push_back({.holes = position.holes,
                    .white = position.white,
                    .black = position.black,
                    .white_value = 0.0,
                    .own = 0.0f,
                    .visits = 1,
                    .priors = priors,
                    .edges = kNone,
                    .lower = 0,
                    .upper = 0,
                    .next = kNone,
                    .parent = parent,
                    .mover = position.mover,
                    .phase = position.phase,
                    .holes_left = position.holes_left,
                    .swap_follows = position.swap_follows,
                    .move_count = static_cast<std::uint8_t>(move_count),
                    .best_new = GraphNode::kUnknownMove,
                    .edge_count = 0,
                    .edge_room = 0});
  if (merge_) {
    if (kSpread * nodes_.size() > buckets_.size()) {
      buckets_.resize(std::max(kFewestBuckets, 2 * buckets_.size()));
      bucket_shift_ = 64 - std::countr_zero(buckets_.size());
      rebuild_table();
    } else {
      insert(number, key);
    }
  }
  return number;
}

std::uint32_t SearchGraph::allocate_edges(std::uint32_t owner, std::size_t room) {
  std::uint32_t place = free_[room];
  if (place != kNone) {
    std::memcpy(&free_[room], at(place) + sizeof(Head), sizeof(std::uint32_t));
  } else {
    constexpr std::size_t kBytes =
        sizeof(double) + sizeof(std::int32_t) + sizeof(std::uint32_t) + sizeof(float);
    place = allocate(owner, sizeof(GraphEdges::Header) + (kPadding << room) * kBytes);
  }
  head(place).owner = owner;
  head(place).is_edges = 1;
  const GraphEdges edges = edges_at(place, room, kPadding << room);
  *edges.header = {.visited_prior = 0.0, .visited = 0, .shared = 0, .skipped = 0};
  std::ranges::fill(edges.values, kPadValue);
  std::ranges::fill(edges.visits, kPadVisits);
  std::ranges::fill(edges.priors, kPadPrior);
  return place;
}

void SearchGraph::grow_edges(std::uint32_t number) {
  GraphNode& node = nodes_[number];
  const std::uint32_t old = node.edges;
  const std::size_t room = old == kNone ? 0 : node.edge_room + std::size_t{1};
  const std::uint32_t place = allocate_edges(number, room);
  if (old != kNone) {
    const GraphEdges from = edges(number);
    const GraphEdges to = edges_at(place, room, node.edge_count);
    *to.header = *from.header;
    std::ranges::copy(from.values, to.values.begin());
    std::ranges::copy(from.visits, to.visits.begin());
    std::ranges::copy(from.children, to.children.begin());
    std::ranges::copy(from.priors, to.priors.begin());
    head(old).owner = kNone;
    std::memcpy(at(old) + sizeof(Head), &free_[room - 1], sizeof(std::uint32_t));
    free_[room - 1] = old;
  }
  node.edges = place;
  node.edge_room = static_cast<std::uint8_t>(room);
}

std::size_t SearchGraph::add_edge(std::uint32_t number, std::uint32_t move, std::uint32_t child) {
  GraphNode& node = nodes_[number];
  if (node.edges == kNone || node.edge_count == kPadding << node.edge_room) grow_edges(number);
  const std::size_t count = node.edge_count++;
  const GraphEdges edges = this->edges(number);
  const std::size_t slot = edges.slot(move);
  for (std::size_t k = count; k > slot; --k) {
    edges.values[k] = edges.values[k - 1];
    edges.visits[k] = edges.visits[k - 1];
    edges.children[k] = edges.children[k - 1];
    edges.priors[k] = edges.priors[k - 1];
  }
  const std::span<const float> all = priors(number);
  const float prior = all[move];
  edges.values[slot] = 0.0;
  edges.visits[slot] = 0;
  edges.children[slot] = child;
  edges.priors[slot] = prior;
  edges.header->visited |= std::uint64_t{1} << move;
  edges.header->visited_prior += static_cast<double>(prior);
  // Of several highest the next is often the neighbour.
  const std::size_t next = move + std::size_t{1};
  const bool neighbour = move == node.best_new && next < all.size() && all[next] == prior &&
                         (edges.header->visited >> next & 1) == 0;
  node.best_new = neighbour ? static_cast<std::uint8_t>(next) : GraphNode::kUnknownMove;
  return slot;
}

std::uint8_t SearchGraph::best_new(std::uint32_t number) noexcept {
  GraphNode& node = nodes_[number];
  if (node.best_new == GraphNode::kUnknownMove) {
    const std::span<const float> all = priors(number);
    node.best_new = static_cast<std::uint8_t>(first_highest(all, edges(number).visited()));
    if (node.best_new == all.size()) node.best_new = GraphNode::kNoMove;
  }
  return node.best_new;
}

std::uint32_t SearchGraph::fitting(std::uint32_t end, std::uint32_t units) noexcept {
  const std::uint32_t left = kBlockUnits - end % kBlockUnits;
  return units <= left ? end : end + left;
}

std::uint32_t SearchGraph::allocate(std::uint32_t owner, std::size_t bytes) {
  const auto units = static_cast<std::uint32_t>((sizeof(Head) + bytes + kUnit - 1) / kUnit);
  const std::uint32_t place = fitting(end_, units);
  if (place / kBlockUnits == blocks_.size()) {
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
  }
  if (place != end_) head(end_).units = 0;
  head(place) = {.owner = owner, .units = static_cast<std::uint16_t>(units), .is_edges = 0, .reserved = 0};
  end_ = place + units;
  return place;
}

// Leaves in `next` of every node its new number, kNone for those that are dropped. The worklist is a chain
// through the same field.
void SearchGraph::mark_reachable(std::uint32_t first) noexcept {
  constexpr std::uint32_t kEnd = kNone - 1;
  for (GraphNode& node : nodes_) node.next = kNone;
  nodes_[first].next = kEnd;
  std::uint32_t last = first;
  for (std::uint32_t node = first; node != kEnd; node = nodes_[node].next) {
    for (const std::uint32_t child : edges(node).children) {
      if (nodes_[child].next != kNone) continue;
      nodes_[last].next = child;
      nodes_[child].next = kEnd;
      last = child;
    }
  }
  std::uint32_t number = 0;
  for (GraphNode& node : nodes_) {
    if (node.next != kNone) node.next = number++;
  }
}

// Records go down in the order they lie in: none overtakes one that has not moved yet, also where the ends of
// blocks are skipped.
void SearchGraph::slide_records() noexcept {
  std::uint32_t to = 0;
  for (std::uint32_t from = 0; from < end_;) {
    const Head record = head(from);
    if (record.units == 0) {
      from = fitting(from, kBlockUnits);
      continue;
    }
    if (record.owner != kNone && nodes_[record.owner].next != kNone) {
      GraphNode& owner = nodes_[record.owner];
      const std::uint32_t place = fitting(to, record.units);
      if (place != to) head(to).units = 0;
      std::memmove(at(place), at(from), std::size_t{record.units} * kUnit);
      head(place).owner = owner.next;
      (record.is_edges != 0 ? owner.edges : owner.priors) = place;
      to = place + record.units;
    }
    from += record.units;
  }
  end_ = to;
  free_.fill(kNone);
}

std::uint32_t SearchGraph::keep(std::uint32_t first) noexcept {
  mark_reachable(first);
  const std::uint32_t kept = nodes_[first].next;
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    GraphNode& node = nodes_[number];
    if (node.next == kNone) continue;
    if (node.parent != kNone) node.parent = nodes_[node.parent].next;
    for (std::uint32_t& child : edges(number).children) child = nodes_[child].next;
  }
  slide_records();
  std::size_t count = 0;
  for (const GraphNode& node : nodes_) {
    if (node.next != kNone) nodes_[count++] = node;
  }
  nodes_.resize(count);
  if (merge_) rebuild_table();
  return kept;
}

void SearchGraph::insert(std::uint32_t node, std::uint64_t key) noexcept {
  std::uint32_t& bucket = buckets_[key >> bucket_shift_];
  nodes_[node].next = bucket;
  bucket = node;
}

void SearchGraph::rebuild_table() noexcept {
  std::fill(buckets_.begin(), buckets_.end(), kNone);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) insert(node, key_bits(nodes_[node]));
}

std::size_t SearchGraph::memory_bytes() const noexcept {
  return nodes_.capacity() * sizeof(GraphNode) + blocks_.size() * kBlockBytes +
         blocks_.capacity() * sizeof(blocks_.front()) + buckets_.capacity() * sizeof(std::uint32_t);
}

}  // namespace pahtum
