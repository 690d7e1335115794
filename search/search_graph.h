#pragma once

// Internal to search/: where a search keeps its positions.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "env/position.h"
#include "search/edge_choice.h"

namespace pahtum {

// A position of the search and what is known of it. Values and bounds are White's, so that nothing has to
// look at who moves where: in some phases a player moves twice.
//
//   0       8       16      24            32    36       40       44      48      52      56     60       64
//   | holes | white | black | white_value | own | visits | priors | edges | lower | upper | next | parent |
//   64      65      66           67             68           69         70           71
//   | mover | phase | holes_left | swap_follows | move_count | best_new | edge_count | edge_room |  72
struct GraphNode {
  Bitboard holes, white, black;  // with the line below but one the key; size and points are the root's
  double white_value;            // mean result; in a tree the sum of the results
  float own;                     // the evaluator's answer, or the exact result
  std::int32_t visits;           // its own evaluation included
  std::uint32_t priors;          // places in the arena; kNone where there are none yet
  std::uint32_t edges;
  std::int32_t lower, upper;  // proven bounds on the result, see SearchTree
  std::uint32_t next;         // in its bucket of the table
  std::uint32_t parent;       // the first one that reached it; kNone for the root, or when that was dropped
  Color mover;
  Phase phase;
  std::uint8_t holes_left;
  std::uint8_t swap_follows;
  std::uint8_t move_count;  // legal moves; 0: over, or solved and never looked into
  std::uint8_t best_new;    // the first of the unvisited moves with the highest prior, or see kUnknownMove
  std::uint8_t edge_count;  // visited moves
  std::uint8_t edge_room;   // room for kPadding edges times 2 to the power of this

  static constexpr std::uint8_t kUnknownMove = 0xFF;  // not looked for since the last one was taken
  static constexpr std::uint8_t kNoMove = 0xFE;       // all are visited

  [[nodiscard]] double sign() const noexcept { return mover == Color::kWhite ? 1.0 : -1.0; }
  [[nodiscard]] bool proven() const noexcept { return lower == upper; }
};
static_assert(sizeof(GraphNode) == 72 && std::is_trivially_copyable_v<GraphNode>);

// The visited moves of a position in ascending order, in arrays, so that choosing one runs over contiguous
// numbers. A move is known by its number among the position's legal moves, a visited one also by its slot in
// these arrays, which are padded as search/edge_choice.h says. Valid until the graph changes.
struct GraphEdges {
  // Sets of moves by number: no position has more than 64.
  struct Header {
    double visited_prior;   // sum of the priors of the visited ones
    std::uint64_t visited;  // slot k is the k-th of these
    std::uint64_t shared;   // those that lead to positions that others lead to as well
    std::uint64_t skipped;  // those proven worse than another
  };
  static_assert(sizeof(Header) == 32);

  Header* header = nullptr;        // null: none is visited
  std::span<double> values;        // the child's, for the mover here
  std::span<std::int32_t> visits;  // of the edge
  std::span<std::uint32_t> children;
  std::span<float> priors;

  [[nodiscard]] std::uint64_t visited() const noexcept { return header == nullptr ? 0 : header->visited; }
  [[nodiscard]] std::size_t slot(std::size_t move) const noexcept {
    return static_cast<std::size_t>(std::popcount(header->visited & ((std::uint64_t{1} << move) - 1)));
  }
  // The move to `child`, which is one of the children, as a set.
  [[nodiscard]] std::uint64_t leading_to(std::uint32_t child) const noexcept;
};

// Nodes by number in one array and what belongs to them in an arena of equal blocks; a table from whole
// positions to nodes where positions are merged. A new node has its priors only, since most are never visited
// again. Room for edges grows from four to eight, …; what was outgrown is used for others.
//
//   priors:  | head 8 | prior 4 · moves | to a multiple of 8
//   edges:   | head 8 | header 32 | value 8 · room | visits 4 · room | child 4 · room | prior 4 · room |
//
// One thread at a time per object.
class SearchGraph {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  // `merge`: one node for equal positions; otherwise add() makes a tree. No room is made for more than
  // `usual_nodes` at a time before they are there.
  SearchGraph(bool merge, std::size_t usual_nodes) : merge_(merge), usual_nodes_(usual_nodes) {
    free_.fill(kNone);
  }

  // Forgets everything. What follows are positions that `root` can lead to; blocks are kept for reuse.
  void clear(const Position& root);
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] GraphNode& operator[](std::uint32_t node) noexcept { return nodes_[node]; }
  [[nodiscard]] const GraphNode& operator[](std::uint32_t node) const noexcept { return nodes_[node]; }

  // The node of an equal position, compared whole; kNone when there is none, and always in a tree.
  // `key` is key() of the position.
  [[nodiscard]] std::uint32_t find(const Position& position, std::uint64_t key) const noexcept;
  [[nodiscard]] std::uint32_t find(const Position& position) const noexcept {
    return find(position, key(position));
  }
  // Where the table looks for a position, to be worked out once for find() and add().
  [[nodiscard]] static std::uint64_t key(const Position& position) noexcept;
  // A node with one visit, no bounds and room for the priors of `move_count` moves. The position must be new
  // to a graph that merges.
  std::uint32_t add(const Position& position, std::uint64_t key, int move_count, std::uint32_t parent);
  [[nodiscard]] Position position(std::uint32_t node) const noexcept;

  // Of all legal moves in ascending order.
  [[nodiscard]] std::span<float> priors(std::uint32_t node) const noexcept;
  [[nodiscard]] GraphEdges edges(std::uint32_t node) const noexcept;
  // Makes `child` what the unvisited `move` of the node leads to, with no visits yet; returns its slot.
  std::size_t add_edge(std::uint32_t node, std::uint32_t move, std::uint32_t child);
  // The first of the unvisited moves with the highest prior; kNoMove when there is none.
  std::uint8_t best_new(std::uint32_t node) noexcept;

  // Keeps the node and what it leads to, in their order, and slides that to the front in place; returns the
  // node's new number.
  std::uint32_t keep(std::uint32_t node) noexcept;

  // Bytes held, in use or kept for reuse.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::uint32_t kUnit = 8;  // bytes; places in the arena count these
  static constexpr std::uint32_t kBlockUnits = 1024;
  // Whole vectors may be read and written behind the last prior.
  static constexpr std::size_t kBlockBytes = std::size_t{kBlockUnits} * kUnit + kLanes * sizeof(float);
  static constexpr std::size_t kRooms = 5;  // for 4, 8, 16, 32 and 64 edges
  static_assert(kPadding << (kRooms - 1) == kMaxSquares);
  struct Head {
    std::uint32_t owner;  // kNone: outgrown
    std::uint16_t units;  // of the record, this included; 0: nothing follows in the block
    std::uint8_t is_edges;
    std::uint8_t reserved;
  };
  static_assert(sizeof(Head) == kUnit);

  [[nodiscard]] std::byte* at(std::uint32_t place) const noexcept {
    return blocks_[place / kBlockUnits].get() + std::size_t{place % kBlockUnits} * kUnit;
  }
  [[nodiscard]] Head& head(std::uint32_t place) const noexcept { return *reinterpret_cast<Head*>(at(place)); }
  [[nodiscard]] GraphEdges edges_at(std::uint32_t place, std::size_t room, std::size_t count) const noexcept;
  // The next place where so many units lie in one block, and past it.
  [[nodiscard]] static std::uint32_t fitting(std::uint32_t end, std::uint32_t units) noexcept;
  std::uint32_t allocate(std::uint32_t owner, std::size_t bytes);
  std::uint32_t allocate_edges(std::uint32_t owner, std::size_t room);  // with padding alone
  // Moves the node's edges to a larger record, or makes its first one.
  void grow_edges(std::uint32_t node);
  void mark_reachable(std::uint32_t node) noexcept;
  void slide_records() noexcept;
  void insert(std::uint32_t node, std::uint64_t key) noexcept;
  void rebuild_table() noexcept;

  bool merge_;
  std::size_t usual_nodes_;
  Position root_;  // for size and points of runs
  std::vector<GraphNode> nodes_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::uint32_t end_ = 0;                     // place behind the last record
  std::array<std::uint32_t, kRooms> free_{};  // outgrown records by room, each with the place of the next
  std::vector<std::uint32_t> buckets_;        // first node of each; a power of two, several a node
  int bucket_shift_ = 0;                      // a key's bits that choose the bucket start here
};

inline Position SearchGraph::position(std::uint32_t number) const noexcept {
  const GraphNode& node = nodes_[number];
  Position position = root_;
  position.holes = node.holes;
  position.white = node.white;
  position.black = node.black;
  position.mover = node.mover;
  position.phase = node.phase;
  position.holes_left = node.holes_left;
  position.swap_follows = node.swap_follows;
  return position;
}

inline std::span<float> SearchGraph::priors(std::uint32_t number) const noexcept {
  const GraphNode& node = nodes_[number];
  if (node.move_count == 0) return {};
  return {reinterpret_cast<float*>(at(node.priors) + sizeof(Head)), node.move_count};
}

inline GraphEdges SearchGraph::edges_at(std::uint32_t place, std::size_t room,
                                        std::size_t count) const noexcept {
  const std::size_t most = kPadding << room;
  std::byte* const header = at(place) + sizeof(Head);
  std::byte* const values = header + sizeof(GraphEdges::Header);
  std::byte* const visits = values + most * sizeof(double);
  std::byte* const children = visits + most * sizeof(std::int32_t);
  std::byte* const priors = children + most * sizeof(std::uint32_t);
  return {.header = reinterpret_cast<GraphEdges::Header*>(header),
          .values = {reinterpret_cast<double*>(values), count},
          .visits = {reinterpret_cast<std::int32_t*>(visits), count},
          .children = {reinterpret_cast<std::uint32_t*>(children), count},
          .priors = {reinterpret_cast<float*>(priors), count}};
}

inline GraphEdges SearchGraph::edges(std::uint32_t number) const noexcept {
  const GraphNode& node = nodes_[number];
  if (node.edges == kNone) return {};
  return edges_at(node.edges, node.edge_room, node.edge_count);
}

}  // namespace pahtum
