#pragma once

// Internal to search/: the memory of the exact search.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "env/bitboard.h"

namespace pahtum {

// What is left to be decided of a game of stones: the mover's stones, the other player's and the empty
// squares. Everything else, holes and stones that no run can grow from any more, is a wall.
struct StoneGame {
  Bitboard mine = 0;
  Bitboard theirs = 0;
  Bitboard empty = 0;

  friend constexpr bool operator==(const StoneGame&, const StoneGame&) noexcept = default;
};

// Bounds on the values of games already searched. The whole game is compared: no value can come from another
// game that falls on the same place. One thread at a time unless shared.
class StoneTable {
 public:
  //   0      8        16      24                                            32
  //   | mine | theirs | empty | lower (29 bits), upper (29), move (6 bits) |
  class Entry {
   public:
    Entry() = default;
    // Bounds below 2^28 in size; `move` is the best known, by its square.
    Entry(const StoneGame& game, int lower, int upper, unsigned move) noexcept
        : game_(game), data_(field(lower) << 35 | field(upper) << 6 | move) {}

    [[nodiscard]] const StoneGame& game() const noexcept { return game_; }
    [[nodiscard]] int lower() const noexcept {
      return static_cast<int>(static_cast<std::int64_t>(data_) >> 35);
    }
    [[nodiscard]] int upper() const noexcept {
      return static_cast<int>(static_cast<std::int64_t>(data_ << 29) >> 35);
    }
    [[nodiscard]] unsigned move() const noexcept { return static_cast<unsigned>(data_ & 63); }

   private:
    [[nodiscard]] static std::uint64_t field(int bound) noexcept {
      return static_cast<std::uint64_t>(bound) & ((std::uint64_t{1} << 29) - 1);
    }
    StoneGame game_;
    std::uint64_t data_ = 0;
  };
  static_assert(sizeof(Entry) == 32);

  // Grows with what it remembers, up to the largest power of two of entries that takes at most `most_bytes`,
  // at least 2: small searches stay in the processor's caches. Of a shared table several threads at a time
  // may call find() and store().
  explicit StoneTable(std::size_t most_bytes, bool shared = false);

  // Forgets everything and is small again.
  void clear();
  [[nodiscard]] std::size_t bytes() const noexcept { return (mask_ + 1) * sizeof(Entry); }

  [[nodiscard]] static std::uint64_t hash_of(const StoneGame& game) noexcept;
  [[nodiscard]] std::optional<Entry> find(const StoneGame& game) const noexcept;
  // A game has two places: one keeps what has most empty squares, the other what came last.
  void store(const Entry& entry);

 private:
  struct Free {
    void operator()(Entry* entries) const noexcept;
  };
  using Entries = std::unique_ptr<Entry[], Free>;
  // Whoever looks at a pair of entries holds its lock; whoever changes the size of a shared table holds all
  // locks. There is one for each pair of the smallest size, so that larger sizes, too, have one for each
  // pair.
  class Lock;
  class AllLocks;

  [[nodiscard]] static Entries empty_entries(std::size_t count);
  [[nodiscard]] Entry* pair_of(std::uint64_t hash) const noexcept;
  [[nodiscard]] bool too_full() const noexcept;
  void put(const Entry& entry, std::uint64_t hash) noexcept;
  void grow();

  std::size_t most_;  // entries
  std::size_t mask_ = 0;
  std::atomic<std::size_t> used_ = 0;
  Entries entries_;
  mutable std::vector<std::atomic_flag> locks_;  // empty: not shared
};

}  // namespace pahtum
