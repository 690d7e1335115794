#pragma once

#include <atomic>

namespace pahtum {

inline constexpr int kExitInterrupted = 130;

// SIGINT and SIGTERM end the program at once with status 130: right for everything that has nothing to save.
void exit_on_interrupt();

// From now on the first SIGINT or SIGTERM only sets the flag returned, so that the work in progress can be
// saved; the second ends the program at once with status 130. The flag lives as long as the program.
[[nodiscard]] const std::atomic<bool>& stop_on_interrupt();

// Whether that first signal has come.
[[nodiscard]] bool interrupted() noexcept;

// Whether it was SIGTERM: somebody wants the program to end, not only what it does at the moment.
[[nodiscard]] bool asked_to_end() noexcept;

// The signal has been dealt with; the next one is the first again.
void clear_interrupt() noexcept;

}  // namespace pahtum
