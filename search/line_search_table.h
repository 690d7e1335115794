#pragma once

// Internal to search/: what a LineSearch remembers of positions.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "env/base/random.h"
#include "env/bitboard.h"

namespace pahtum {

// A hash table of fixed size in pairs of entries: the one that took the deeper search, and the last one. The
// whole position is compared. start() makes all entries old: they are never found again, and the first to be
// replaced, so that a search never depends on those before it.
//
//   0      8        16      20      21      22     23           24
//   | mine | theirs | value | depth | bound | move | generation |
class LineSearchTable {
 public:
  enum class Bound : std::uint8_t { kLower, kUpper, kExact };
  struct Entry {
    Bitboard mine = 0;  // of the player to move; both hold holes and what is outside the board
    Bitboard theirs = 0;
    std::int32_t value = 0;
    std::uint8_t depth = 0;
    Bound bound = Bound::kExact;
    std::uint8_t move = 0;
    std::uint8_t generation = 0;
  };
  static_assert(sizeof(Entry) == 24);

  explicit LineSearchTable(std::size_t bytes)
      : entries_(std::max<std::size_t>(1, bytes / sizeof(Entry) / 2) * 2) {}

  void start() {
    if (++generation_ != 0) return;
    std::fill(entries_.begin(), entries_.end(), Entry{});
    generation_ = 1;
  }

  // Null when unknown. Valid until the next store().
  [[nodiscard]] const Entry* find(Bitboard mine, Bitboard theirs) const noexcept {
    const Entry* pair = &entries_[pair_of(mine, theirs)];
    for (int k = 0; k < 2; ++k) {
      if (is(pair[k], mine, theirs)) return &pair[k];
    }
    return nullptr;
  }

  void store(Entry entry) noexcept {
    entry.generation = generation_;
    Entry& deepest = entries_[pair_of(entry.mine, entry.theirs)];
    Entry& last = *(&deepest + 1);
    const bool takes_deepest = deepest.generation != generation_ || entry.depth >= deepest.depth ||
                               is(deepest, entry.mine, entry.theirs);
    if (!takes_deepest) {
      last = entry;
      return;
    }
    if (deepest.generation == generation_ && !is(deepest, entry.mine, entry.theirs)) last = deepest;
    deepest = entry;
    if (is(last, entry.mine, entry.theirs)) last.generation = 0;
  }

 private:
  [[nodiscard]] bool is(const Entry& entry, Bitboard mine, Bitboard theirs) const noexcept {
    return entry.mine == mine && entry.theirs == theirs && entry.generation == generation_;
  }
  [[nodiscard]] std::size_t pair_of(Bitboard mine, Bitboard theirs) const noexcept {
    __extension__ using Uint128 = unsigned __int128;
    const std::uint64_t hash = mix64(mine * kGoldenRatio64 + theirs);
    return 2 * static_cast<std::size_t>(Uint128{hash} * (entries_.size() / 2) >> 64);
  }

  std::vector<Entry> entries_;
  std::uint8_t generation_ = 0;  // 0 in entries: none
};

}  // namespace pahtum
