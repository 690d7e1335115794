#include "search/stone_table.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "env/base/random.h"

namespace pahtum {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kFewestEntries = 512;

void acquire(std::atomic_flag& flag) noexcept {
  while (flag.test_and_set(std::memory_order_acquire)) {
    while (flag.test(std::memory_order_relaxed)) {
    }
  }
}

void release(std::atomic_flag& flag) noexcept {
  flag.clear(std::memory_order_release);
}

}  // namespace

class StoneTable::Lock {
 public:
  Lock(const StoneTable& table, std::uint64_t hash) noexcept
      : flag_(table.locks_.empty() ? nullptr : &table.locks_[hash / 2 % table.locks_.size()]) {
    if (flag_ != nullptr) acquire(*flag_);
  }
  ~Lock() {
    if (flag_ != nullptr) release(*flag_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic_flag* flag_;
};

class StoneTable::AllLocks {
 public:
  explicit AllLocks(const StoneTable& table) noexcept : flags_(table.locks_) {
    std::ranges::for_each(flags_, acquire);
  }
  ~AllLocks() { std::ranges::for_each(flags_, release); }
  AllLocks(const AllLocks&) = delete;
  AllLocks& operator=(const AllLocks&) = delete;

 private:
  std::span<std::atomic_flag> flags_;
};

void StoneTable::Free::operator()(Entry* entries) const noexcept {
  ::operator delete[](entries, kAlignment);
}

StoneTable::Entries StoneTable::empty_entries(std::size_t count) {
  Entries entries(static_cast<Entry*>(::operator new[](count * sizeof(Entry), kAlignment)));
  std::uninitialized_fill_n(entries.get(), count, Entry{});
  return entries;
}

StoneTable::StoneTable(std::size_t most_bytes, bool shared)
    : most_(std::bit_floor(std::max<std::size_t>(2, most_bytes / sizeof(Entry)))) {
  clear();
  if (shared) locks_ = std::vector<std::atomic_flag>((mask_ + 1) / 2);
}

void StoneTable::clear() {
  const std::size_t count = std::min(most_, kFewestEntries);
  if (count == mask_ + 1) {
    std::fill_n(entries_.get(), count, Entry{});
  } else {
    entries_ = empty_entries(count);
  }
  mask_ = count - 1;
  used_ = 0;
}

std::uint64_t StoneTable::hash_of(const StoneGame& game) noexcept {
  return mix64((game.mine * 0x9E3779B97F4A7C15ull) ^ std::rotl(game.theirs * 0xC2B2AE3D27D4EB4Full, 21) ^
               std::rotl(game.empty * 0x165667B19E3779F9ull, 42));
}

StoneTable::Entry* StoneTable::pair_of(std::uint64_t hash) const noexcept {
  return &entries_[static_cast<std::size_t>(hash) & mask_ & ~std::size_t{1}];
}

std::optional<StoneTable::Entry> StoneTable::find(const StoneGame& game) const noexcept {
  const std::uint64_t hash = hash_of(game);
  const Lock lock(*this, hash);
  for (const Entry& entry : std::span(pair_of(hash), 2)) {
    if (entry.game() == game) return entry;
  }
  return {};
}

void StoneTable::put(const Entry& entry, std::uint64_t hash) noexcept {
  Entry& largest = pair_of(hash)[0];
  Entry& latest = pair_of(hash)[1];
  if (largest.game() == entry.game()) {
    largest = entry;
    return;
  }
  const bool known = latest.game() == entry.game();
  if (latest.game().empty == 0) used_.fetch_add(1, std::memory_order_relaxed);
  if (!known && std::popcount(entry.game().empty) >= std::popcount(largest.game().empty)) {
    latest = std::exchange(largest, entry);
  } else {
    latest = entry;
  }
}

bool StoneTable::too_full() const noexcept {
  return used_.load(std::memory_order_relaxed) > (mask_ + 1) / 2 && mask_ + 1 < most_;
}

void StoneTable::store(const Entry& entry) {
  const std::uint64_t hash = hash_of(entry.game());
  bool small = false;
  {
    const Lock lock(*this, hash);
    put(entry, hash);
    small = too_full();
  }
  if (small) grow();
}

void StoneTable::grow() {
  const AllLocks locks(*this);
  if (!too_full()) return;
  const std::size_t old_count = mask_ + 1;
  const std::size_t count = std::min(most_, 4 * old_count);
  const Entries old = std::exchange(entries_, empty_entries(count));
  mask_ = count - 1;
  used_ = 0;
  for (const Entry& entry : std::span(old.get(), old_count)) {
    if (entry.game().empty != 0) put(entry, hash_of(entry.game()));
  }
}

}  // namespace pahtum
