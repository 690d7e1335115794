#include "search/search_graph.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "env/base/random.h"
#include "search/edge_choice.h"

namespace pahtum {
namespace {

constexpr std::size_t kFewestBuckets = 64;

std::uint64_t hash_of(Bitboard holes, Bitboard white, Bitboard black, Color mover, Phase phase,
                      std::uint8_t holes_left, std::uint8_t swap_follows) noexcept {
  const std::uint64_t rest = static_cast<std::uint64_t>(mover) | (static_cast<std::uint64_t>(phase) << 8) |
                             (std::uint64_t{holes_left} << 16) | (std::uint64_t{swap_follows} << 24);
  const std::uint64_t sum = white * 0x9FB21C651E98DF25ull + std::rotl(black * 0xC2B2AE3D27D4EB4Full, 29) +
                            std::rotl((holes + rest) * 0xD6E8FEB86659FD93ull, 47);
  return mix64(sum);
}

std::uint64_t hash_of(const GraphNode& node) noexcept {
  return hash_of(node.holes, node.white, node.black, node.mover, node.phase, node.holes_left,
                 node.swap_follows);
}

bool same(const GraphNode& node, const Position& position) noexcept {
  return node.white == position.white && node.black == position.black && node.holes == position.holes &&
         node.mover == position.mover && node.phase == position.phase &&
         node.holes_left == position.holes_left && node.swap_follows == position.swap_follows;
}

}  // namespace

void SearchGraph::clear(const Position& root) {
  root_ = root;
  nodes_.clear();
  end_ = 0;
  free_.fill(kNone);
  std::fill(buckets_.begin(), buckets_.end(), kNone);
}

std::uint32_t SearchGraph::find(const Position& position) const noexcept {
  if (buckets_.empty()) return kNone;
  const std::uint64_t hash = hash_of(position.holes, position.white, position.black, position.mover,
                                     position.phase, position.holes_left, position.swap_follows);
  std::uint32_t node = buckets_[hash & (buckets_.size() - 1)];
  while (node != kNone && !same(nodes_[node], position)) node = nodes_[node].next;
  return node;
}

std::uint32_t SearchGraph::add(const Position& position, int move_count, std::uint32_t parent) {
  assert(nodes_.size() < most_nodes_ && move_count <= kMaxSquares);
  if (nodes_.size() == nodes_.capacity()) {
    nodes_.reserve(std::min(most_nodes_, nodes_.size() + nodes_.size() / 2 + 16));
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
                    .reserved = {}});
  if (merge_) {
    if (nodes_.size() > buckets_.size()) {
      buckets_.resize(std::max(kFewestBuckets, 2 * buckets_.size()));
      rebuild_table();
    } else {
      insert(number);
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
    place = allocate(owner, sizeof(GraphEdges::Header) + (std::size_t{2} << room) * kBytes);
  }
  Head& record = head(place);
  record.owner = owner;
  record.is_edges = 1;
  record.room = static_cast<std::uint8_t>(room);
  return place;
}

void SearchGraph::grow_edges(std::uint32_t number, std::size_t count) {
  const std::uint32_t old = nodes_[number].edges;
  const std::size_t room = old == kNone ? 0 : std::size_t{head(old).room} + 1;
  const std::uint32_t place = allocate_edges(number, room);
  nodes_[number].edges = place;
  const GraphEdges to = edges_at(place, count);
  if (old == kNone) {
    *to.header = {.visited_prior = 0.0, .visited = 0, .shared = 0, .skipped = 0};
    return;
  }
  const GraphEdges from = edges_at(old, count);
  *to.header = *from.header;
  std::copy(from.values.begin(), from.values.end(), to.values.begin());
  std::copy(from.visits.begin(), from.visits.end(), to.visits.begin());
  std::copy(from.children.begin(), from.children.end(), to.children.begin());
  std::copy(from.priors.begin(), from.priors.end(), to.priors.begin());
  head(old).owner = kNone;
  std::memcpy(at(old) + sizeof(Head), &free_[room - 1], sizeof(std::uint32_t));
  free_[room - 1] = old;
}

std::size_t SearchGraph::add_edge(std::uint32_t number, std::uint32_t move, std::uint32_t child) {
  const std::size_t count = edges(number).values.size();
  const std::uint32_t old = nodes_[number].edges;
  if (old == kNone || count == std::size_t{2} << head(old).room) grow_edges(number, count);
  const GraphEdges edges = edges_at(nodes_[number].edges, count + 1);
  const std::size_t slot = edges.slot(move);
  for (std::size_t k = count; k > slot; --k) {
    edges.values[k] = edges.values[k - 1];
    edges.visits[k] = edges.visits[k - 1];
    edges.children[k] = edges.children[k - 1];
    edges.priors[k] = edges.priors[k - 1];
  }
  const float prior = priors(number)[move];
  edges.values[slot] = 0.0;
  edges.visits[slot] = 0;
  edges.children[slot] = child;
  edges.priors[slot] = prior;
  edges.header->visited |= std::uint64_t{1} << move;
  edges.header->visited_prior += static_cast<double>(prior);
  nodes_[number].best_new = GraphNode::kUnknownMove;
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
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(std::size_t{kBlockUnits} * kUnit));
  }
  if (place != end_) head(end_).units = 0;
  head(place) = {.owner = owner, .units = static_cast<std::uint16_t>(units), .is_edges = 0, .room = 0};
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

void SearchGraph::insert(std::uint32_t node) noexcept {
  std::uint32_t& bucket = buckets_[hash_of(nodes_[node]) & (buckets_.size() - 1)];
  nodes_[node].next = bucket;
  bucket = node;
}

void SearchGraph::rebuild_table() noexcept {
  std::fill(buckets_.begin(), buckets_.end(), kNone);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) insert(node);
}

std::size_t SearchGraph::memory_bytes() const noexcept {
  return nodes_.capacity() * sizeof(GraphNode) + blocks_.size() * kBlockUnits * kUnit +
         blocks_.capacity() * sizeof(blocks_.front()) + buckets_.capacity() * sizeof(std::uint32_t);
}

}  // namespace pahtum
