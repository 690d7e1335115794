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

}  // namespace

void StoneTable::Free::operator()(Entry* entries) const noexcept {
  ::operator delete[](entries, kAlignment);
}

StoneTable::StoneTable(std::size_t bytes)
    : mask_(std::bit_floor(std::max<std::size_t>(2, bytes / sizeof(Entry))) - 1),
      entries_(static_cast<Entry*>(::operator new[]((mask_ + 1) * sizeof(Entry), kAlignment))) {
  clear();
}

void StoneTable::clear() noexcept {
  std::uninitialized_fill_n(entries_.get(), mask_ + 1, Entry{});
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

void StoneTable::store(const Entry& entry) noexcept {
  Entry& largest = entries_[place(entry.game())];
  Entry& latest = *(&largest + 1);
  if (largest.game() == entry.game()) {
    largest = entry;
    return;
  }
  const bool known = latest.game() == entry.game();
  if (!known && std::popcount(entry.game().empty) >= std::popcount(largest.game().empty)) {
    latest = std::exchange(largest, entry);
  } else {
    latest = entry;
  }
}

}  // namespace pahtum
