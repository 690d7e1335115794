#include "env/base/thread_team.h"

#include <cassert>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace pahtum {
namespace {

constexpr std::uint32_t kStop = 0xFFFFFFFFu;
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
std::uint32_t wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t old) noexcept {
  for (int spin = 0; spin < kSpins; ++spin) {
    const std::uint32_t now = word.load(std::memory_order_acquire);
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

void ThreadTeam::start_others() {
  running_.store(static_cast<std::uint32_t>(members_ - 1), std::memory_order_relaxed);
  const std::uint32_t next = round_.load(std::memory_order_relaxed) + 1;
  round_.store(next == kStop ? 0 : next, std::memory_order_release);
  round_.notify_all();
}

void ThreadTeam::wait_for_others() {
  for (std::uint32_t left = running_.load(std::memory_order_acquire); left != 0;) {
    left = wait_while(running_, left);
  }
}

void ThreadTeam::serve(int member) {
  std::uint32_t seen = 0;
  while (true) {
    seen = wait_while(round_, seen);
    if (seen == kStop) return;
    call_(context_, member);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

}  // namespace pahtum
