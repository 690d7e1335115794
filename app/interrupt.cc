#include "app/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace pahtum {
namespace {

// A signal handler reaches nothing but globals; these three are the only ones.
std::atomic<bool> g_stop{false};
std::atomic<bool> g_may_stop_later{false};
std::atomic<bool> g_asked_to_end{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

void on_signal(int signal) {
  if (signal == SIGTERM) g_asked_to_end.store(true);
  if (!g_may_stop_later.load() || g_stop.exchange(true)) ::_exit(kExitInterrupted);
}

}  // namespace

void exit_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& stop_on_interrupt() {
  g_may_stop_later.store(true);
  return g_stop;
}

bool interrupted() noexcept {
  return g_stop.load();
}

bool asked_to_end() noexcept {
  return g_asked_to_end.load();
}

void clear_interrupt() noexcept {
  g_stop.store(false);
}

}  // namespace pahtum
