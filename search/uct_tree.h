#pragma once

// Internal to search/: the tree of a UctSearch.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "env/position.h"
#include "search/rollout.h"
#include "search/ucb_choice.h"

namespace pahtum {

// Statistics of UCB1 (see UctSearch). A position has a record once it was visited twice; before that, what is
// known of it stands in the record of the position before it. Only tried moves take room, in the order in
// which they were tried; room grows with them, in lines of 64 bytes, and what was outgrown is used for
// others. Scores are of interest when all moves are tried, and kept from then on.
//
//   0         8        12      13      14     15      16
//   | untried | visits | tried | moves | room | lanes | mean 4 · lanes | width 4 · lanes |
//   | or next |        |       |       |      |       | edge 12 · room | move room | … 64 · n
//
// Which tried move comes next is known as soon as a visit was counted, and is found then: the way down reads
// the first line of each record only, while what the way up will read is on its way already.
class UctTree {
 public:
  // Forgets everything; the root has these squares to choose from, and the swap.
  void start(Bitboard squares, bool may_swap);

  // One simulation: start_path(), then step() until it says that a move was tried for the first time or the
  // game is over, enter() between steps, and count() at the end.
  void start_path() noexcept {
    length_ = 0;
    place_ = root_;
  }
  struct Step {
    Move move;
    bool is_new;
  };
  // The move at the position reached, whose mover is White or is not.
  Step step(bool white_moves, RandomWords& words);
  // The position after the move has these squares to choose from, and the swap.
  void enter(Bitboard squares, bool may_swap);
  // Counts the result on the path: 2 when White won, 1 for a draw, 0 when Black won.
  void count(std::uint32_t white_half_points) noexcept;

  // The most visited of the root's moves; of several the one with the better mean, and of those the one that
  // was tried first.
  [[nodiscard]] Move most_visited() const noexcept;

  // What the search knows of the root's tried moves, in the order in which they were tried.
  struct RootVisits {
    Move move;
    std::uint32_t visits;
    std::uint32_t half_points;  // for the player to move: win 2, draw 1, loss 0
  };
  [[nodiscard]] std::vector<RootVisits> root_visits() const;

  // From here on so many bytes are taken without moving what is there already, which would stop the search
  // for as long as copying takes.
  void reserve(std::size_t bytes) { arena_.reserve(bytes / sizeof(Line)); }
  [[nodiscard]] std::size_t used_bytes() const noexcept { return end_ * sizeof(Line); }

  // Bytes held, in use or kept for reuse.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return arena_.size() * sizeof(Line); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  static constexpr std::size_t kMostMoves = kMaxSquares;
  // Every move but the swap fills a square.
  static constexpr std::size_t kMaxPath = kMaxSquares + 1;
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kMostLines = 22;
  // √(ln N) of the first N: most positions are seldom visited.
  static constexpr std::size_t kTabulated = 4096;
  static const std::array<float, kTabulated> kExplorations;

  // The tried move to play next, where all are tried.
  struct Next {
    std::uint32_t child;  // its record, or kNone
    std::uint8_t slot;
    std::uint8_t move;
    std::array<std::uint8_t, 2> reserved;
  };
  struct Header {
    union {
      Bitboard untried;  // squares; the swap is untried when more moves are than these
      Next next;
    };
    std::uint32_t visits;
    std::uint8_t tried;
    std::uint8_t moves;  // all legal ones
    std::uint8_t room;   // for edges
    std::uint8_t lanes;  // for means and widths; 0 until all are tried
  };
  struct Edge {
    std::uint32_t visits;
    std::uint32_t half_points;  // for the player who chooses it: win 2, draw 1, loss 0
    std::uint32_t child;        // record, or kNone
  };
  static_assert(sizeof(Header) == 16 && sizeof(Edge) == 12);
  struct alignas(kLineBytes) Line {
    std::array<std::byte, kLineBytes> bytes;
  };
  // Valid until a record is added.
  struct Record {
    Header* header;
    [[nodiscard]] float* means() const noexcept { return reinterpret_cast<float*>(header + 1); }
    [[nodiscard]] float* widths() const noexcept { return means() + header->lanes; }
    [[nodiscard]] Edge* edges() const noexcept {
      return reinterpret_cast<Edge*>(means() + std::size_t{2} * header->lanes);
    }
    [[nodiscard]] std::uint8_t* moves() const noexcept {
      return reinterpret_cast<std::uint8_t*>(edges() + header->room);
    }
  };
  struct PathStep {
    std::uint32_t place;
    std::uint32_t child;
    std::uint32_t white_chose;  // all bits or none
    std::uint8_t slot;
    bool scored;  // all moves are tried
  };

  [[nodiscard]] Record record(std::uint32_t place) const noexcept {
    return {reinterpret_cast<Header*>(const_cast<Line*>(arena_.data() + place))};
  }
  std::uint32_t allocate(std::size_t lines);
  void grow();
  std::uint32_t make_record(Bitboard squares, bool may_swap, std::uint32_t visits);
  // Moves the record of the position reached to a larger one: with more room, or with scores.
  void move_record(std::size_t room, std::size_t lanes);
  Step try_move(bool white_moves, RandomWords& words);
  void add_record(Bitboard squares, bool may_swap);
  [[nodiscard]] static Move move_of(std::uint8_t index) noexcept {
    const Move swap = Move::swap();
    return index == swap.index() ? swap : Move::at(index);
  }
  [[nodiscard]] static float exploration_of(std::uint32_t visits) noexcept {
    return visits < kTabulated ? kExplorations[visits] : std::sqrt(std::log(static_cast<float>(visits)));
  }
  static void score(const Record& record, std::size_t slot) noexcept;
  static void choose_next(const Record& record) noexcept;

  std::vector<Line> arena_;
  std::uint32_t end_ = 0;                             // behind the last record, in lines
  std::array<std::uint32_t, kMostLines + 1> free_{};  // by lines, each with the place of the next
  std::uint32_t root_ = 0;
  std::uint32_t place_ = 0;  // of the position reached
  std::size_t length_ = 0;
  std::array<PathStep, kMaxPath> path_{};
};

inline UctTree::Step UctTree::step(bool white_moves, RandomWords& words) {
  const Record here = record(place_);
  const Header header = *here.header;
  if (header.tried < header.moves) return try_move(white_moves, words);
  const Next next = header.next;
  const auto* const bytes = reinterpret_cast<const std::byte*>(here.header);
  const std::size_t scores = sizeof(Header) + std::size_t{8} * header.lanes;
  for (std::size_t k = kLineBytes; k < scores; k += kLineBytes) __builtin_prefetch(bytes + k);
  __builtin_prefetch(bytes + scores + sizeof(Edge) * next.slot);
  path_[length_++] = {place_, next.child, white_moves ? ~0u : 0u, next.slot, true};
  return {move_of(next.move), false};
}

inline void UctTree::enter(Bitboard squares, bool may_swap) {
  const PathStep& last = path_[length_ - 1];
  place_ = last.child;
  if (place_ == kNone) add_record(squares, may_swap);
}

inline void UctTree::count(std::uint32_t white_half_points) noexcept {
  for (std::size_t k = 0; k < length_; ++k) {
    const PathStep& step = path_[k];
    const Record here = record(step.place);
    ++here.header->visits;
    Edge& edge = here.edges()[step.slot];
    ++edge.visits;
    // 2 − h for Black.
    edge.half_points +=
        (white_half_points & step.white_chose) + ((2 - white_half_points) & ~step.white_chose);
    if (!step.scored) continue;
    score(here, step.slot);
    choose_next(here);
  }
}

inline void UctTree::score(const Record& here, std::size_t slot) noexcept {
  const Edge& edge = here.edges()[slot];
  const auto visits = static_cast<float>(edge.visits);
  here.means()[slot] = (0.5f / visits) * static_cast<float>(edge.half_points);
  here.widths()[slot] = 1.0f / std::sqrt(visits);
}

inline void UctTree::choose_next(const Record& here) noexcept {
  Header& header = *here.header;
  // (1/√2) · √(2 ln N / n) = √(ln N) · 1/√n.
  const float exploration = exploration_of(header.visits);
  const std::size_t slot = header.lanes < kUcbLanes
                               ? best_ucb_of_few(here.means(), here.widths(), header.moves, exploration)
                               : best_ucb(here.means(), here.widths(), header.moves, exploration);
  header.next = {.child = here.edges()[slot].child,
                 .slot = static_cast<std::uint8_t>(slot),
                 .move = here.moves()[slot],
                 .reserved = {}};
}

}  // namespace pahtum
