#include "search/stone_table.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <utility>

#include "env/base/random.h"

namespace pahtum {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kFewestEntries = 512;

}  // namespace

void StoneTable::Free::operator()(Entry* entries) const noexcept {
  ::operator delete[](entries, kAlignment);
}

StoneTable::Entries StoneTable::empty_entries(std::size_t count) {
  Entries entries(static_cast<Entry*>(::operator new[](count * sizeof(Entry), kAlignment)));
  std::uninitialized_fill_n(entries.get(), count, Entry{});
  return entries;
}

StoneTable::StoneTable(std::size_t most_bytes)
    : most_(std::bit_floor(std::max<std::size_t>(2, most_bytes / sizeof(Entry)))) {
  clear();
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

std::size_t StoneTable::place(const StoneGame& game) const noexcept {
  const std::uint64_t word = (game.mine * 0x9E3779B97F4A7C15ull) ^
                             std::rotl(game.theirs * 0xC2B2AE3D27D4EB4Full, 21) ^
                             std::rotl(game.empty * 0x165667B19E3779F9ull, 42);
  return static_cast<std::size_t>(mix64(word)) & mask_ & ~std::size_t{1};
}

const StoneTable::Entry* StoneTable::find(const StoneGame& game) const noexcept {
  const Entry* const pair = entries_.get() + place(game);
  if (pair[0].game() == game) return pair;
  if (pair[1].game() == game) return pair + 1;
  return nullptr;
}

bool StoneTable::put(const Entry& entry) noexcept {
  Entry& largest = entries_[place(entry.game())];
  Entry& latest = *(&largest + 1);
  if (largest.game() == entry.game()) {
    largest = entry;
    return false;
  }
  const bool known = latest.game() == entry.game();
  const bool free = !known && latest.game().empty == 0;
  if (!known && std::popcount(entry.game().empty) >= std::popcount(largest.game().empty)) {
    latest = std::exchange(largest, entry);
  } else {
    latest = entry;
  }
  return free;
}

void StoneTable::store(const Entry& entry) {
  if (put(entry) && ++used_ > (mask_ + 1) / 2 && mask_ + 1 < most_) grow();
}

void StoneTable::grow() {
  const std::size_t old_count = mask_ + 1;
  const std::size_t count = std::min(most_, 4 * old_count);
  const Entries old = std::exchange(entries_, empty_entries(count));
  mask_ = count - 1;
  used_ = 0;
  for (std::size_t k = 0; k < old_count; ++k) {
    if (old[k].game().empty != 0 && put(old[k])) ++used_;
  }
}

}  // namespace pahtum
