#include "search/uct_tree.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "env/select_square.h"
#include "search/ucb_choice.h"

namespace pahtum {
namespace {

// Where room for so many edges would end, in lines.
constexpr std::size_t lines_of(std::size_t room, std::size_t lanes) noexcept {
  return (16 + 8 * lanes + 13 * room + 63) / 64;
}
constexpr std::size_t room_of(std::size_t lines) noexcept {
  return (64 * lines - 16) / 13;
}

// As many as the vectors take, or just the moves where these are few.
std::size_t lanes_of(std::size_t moves) noexcept {
  return moves < kUcbLanes ? moves : (moves + kUcbLanes - 1) / kUcbLanes * kUcbLanes;
}

}  // namespace

const std::array<float, UctTree::kTabulated> UctTree::kExplorations = [] {
  std::array<float, kTabulated> table{};
  for (std::size_t k = 1; k < table.size(); ++k) table[k] = std::sqrt(std::log(static_cast<float>(k)));
  return table;
}();

void UctTree::start(Bitboard squares, bool may_swap) {
  end_ = 0;
  free_.fill(kNone);
  root_ = make_record(squares, may_swap, 0);
}

std::uint32_t UctTree::allocate(std::size_t lines) {
  std::uint32_t& free = free_[lines];
  if (free != kNone) {
    const std::uint32_t place = free;
    std::memcpy(&free, arena_[place].bytes.data(), sizeof(free));
    return place;
  }
  const std::uint32_t place = end_;
  end_ += static_cast<std::uint32_t>(lines);
  if (end_ > arena_.size()) grow();
  return place;
}

void UctTree::grow() {
  // A step of memory that was set aside is cleared within a fraction of a millisecond.
  constexpr std::size_t kStep = (std::size_t{256} << 10) / sizeof(Line);
  std::size_t size = std::max<std::size_t>(end_, 2 * arena_.size());
  if (end_ <= arena_.capacity()) {
    size = std::min({size, arena_.capacity(), std::max<std::size_t>(end_, arena_.size() + kStep)});
  }
  arena_.resize(size);
}

std::uint32_t UctTree::make_record(Bitboard squares, bool may_swap, std::uint32_t visits) {
  constexpr std::size_t kRoom = room_of(1);
  const std::uint32_t place = allocate(1);
  Header& header = *record(place).header;
  header.untried = squares;
  header.visits = visits;
  header.tried = 0;
  header.moves = static_cast<std::uint8_t>(std::popcount(squares) + (may_swap ? 1 : 0));
  header.room = kRoom;
  header.lanes = 0;
  return place;
}

void UctTree::move_record(std::size_t room, std::size_t lanes) {
  const std::uint32_t place = allocate(lines_of(room, lanes));
  const Record from = record(place_);
  const Record to = record(place);
  *to.header = *from.header;
  to.header->room = static_cast<std::uint8_t>(room);
  to.header->lanes = static_cast<std::uint8_t>(lanes);
  std::copy_n(from.edges(), from.header->tried, to.edges());
  std::copy_n(from.moves(), from.header->tried, to.moves());
  const std::size_t lines = lines_of(from.header->room, 0);
  std::memcpy(arena_[place_].bytes.data(), &free_[lines], sizeof(std::uint32_t));
  free_[lines] = place_;
  place_ = place;
  if (length_ == 0) {
    root_ = place;
  } else {
    const PathStep& before = path_[length_ - 1];
    record(before.place).edges()[before.slot].child = place;
  }
}

void UctTree::add_record(Bitboard squares, bool may_swap) {
  const PathStep& last = path_[length_ - 1];
  const std::uint32_t visits = record(last.place).edges()[last.slot].visits;
  place_ = make_record(squares, may_swap, visits);
  record(last.place).edges()[last.slot].child = place_;
}

UctTree::Step UctTree::try_move(bool white_moves, RandomWords& words) {
  const Header header = *record(place_).header;
  const bool is_last = header.tried + 1 == header.moves;
  if (is_last) {
    move_record(header.moves, lanes_of(header.moves));
  } else if (header.tried == header.room) {
    move_record(room_of(2 * lines_of(header.room, 0)), 0);
  }
  const Record here = record(place_);
  const auto number = static_cast<int>(words.below(static_cast<std::uint32_t>(header.moves - header.tried)));
  Move move = Move::swap();
  if (number < std::popcount(header.untried)) {
    const Bitboard bit = nth_square_bit(header.untried, number);
    here.header->untried ^= bit;
    move = Move::at(std::countr_zero(bit));
  }
  const std::uint8_t slot = here.header->tried++;
  here.edges()[slot] = {.visits = 0, .half_points = 0, .child = kNone};
  here.moves()[slot] = static_cast<std::uint8_t>(move.index());
  if (is_last) {
    // What fills up the last vector must never be chosen.
    std::fill_n(here.means(), here.header->lanes, -1.0f);
    std::fill_n(here.widths(), here.header->lanes, 0.0f);
    for (std::size_t k = 0; k < slot; ++k) score(here, k);
  }
  path_[length_++] = {place_, kNone, white_moves ? ~0u : 0u, slot, is_last};
  return {move, true};
}

std::vector<UctTree::RootVisits> UctTree::root_visits() const {
  const Record root = record(root_);
  std::vector<RootVisits> moves;
  for (std::size_t slot = 0; slot < root.header->tried; ++slot) {
    const Edge& edge = root.edges()[slot];
    moves.push_back({move_of(root.moves()[slot]), edge.visits, edge.half_points});
  }
  return moves;
}

Move UctTree::most_visited() const noexcept {
  const Record root = record(root_);
  std::size_t best = 0;
  // Equal visits, so that half points compare as means do.
  const auto rank = [&](std::size_t slot) {
    return std::pair(root.edges()[slot].visits, root.edges()[slot].half_points);
  };
  for (std::size_t slot = 1; slot < root.header->tried; ++slot) {
    if (rank(slot) > rank(best)) best = slot;
  }
  return move_of(root.moves()[best]);
}

}  // namespace pahtum
