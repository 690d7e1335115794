#include "env/base/thread_team.h"

#include <algorithm>
#include <cassert>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace pahtum {

int hardware_threads() noexcept {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

namespace {

constexpr std::uint32_t kStop = 0xFFFFFFFFu;
constexpr std::uint64_t kInside = 0x7FFFFFFFu;  // of the gate: the members inside
// About 20 µs: longer than a short step of a batch takes to come back, shorter than a user would pay for.
constexpr int kSpins = 500;

void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns the value of `word` once it is not `old` any more.
template <class Word>
Word wait_while(const std::atomic<Word>& word, Word old) noexcept {
  for (int spin = 0; spin < kSpins; ++spin) {
    const Word now = word.load(std::memory_order_acquire);
    if (now != old) return now;
    pause_briefly();
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int members) : members_(members) {
  assert(members >= 1);
  threads_.reserve(static_cast<std::size_t>(members - 1));
  for (int member = 1; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
}

ThreadTeam::~ThreadTeam() {
  round_.store(kStop, std::memory_order_release);
  round_.notify_all();
}

void ThreadTeam::open_round() {
  const std::uint32_t next = round_.load(std::memory_order_relaxed) + 1;
  const std::uint32_t round = next == kStop ? 0 : next;
  gate_.store(std::uint64_t{round} << 32, std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
}

void ThreadTeam::close_round() {
  std::uint64_t gate = gate_.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed;
  while ((gate & kInside) != 0) gate = wait_while(gate_, gate);
}

bool ThreadTeam::enter(std::uint32_t round) noexcept {
  std::uint64_t gate = gate_.load(std::memory_order_relaxed);
  while (gate >> 32 == round && (gate & kClosed) == 0) {
    if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void ThreadTeam::leave() noexcept {
  const std::uint64_t gate = gate_.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if ((gate & kClosed) != 0 && (gate & kInside) == 0) gate_.notify_one();
}

void ThreadTeam::serve(int member) {
  std::uint32_t seen = 0;
  while (true) {
    seen = wait_while(round_, seen);
    if (seen == kStop) return;
    if (!enter(seen)) continue;
    call_(context_, member);
    leave();
  }
}

}  // namespace pahtum
