#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "env/position.h"
#include "selfplay/run_config.h"

namespace pahtum {

// One measured rate; `against` names what `ratio` divides it by.
struct BenchRow {
  std::string what;
  double value = 0;
  std::string unit;
  std::optional<double> ratio;
  std::string against;
  // The best of several rounds, where `value` is their median: what the machine does while nobody else is on
  // it.
  std::optional<double> best = {};
};

// Calls `work`, which returns how much it did, until `seconds` are over; returns the amount per second.
template <class Work>
double rate(double seconds, Work&& work) {
  using Clock = std::chrono::steady_clock;
  static_cast<void>(work());  // caches and lazy set-up are not what is measured
  const auto start = Clock::now();
  double amount = 0;
  double elapsed = 0;
  do {
    amount += static_cast<double>(work());
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < seconds);
  return amount / elapsed;
}

// The first positions of `count` games of the configuration.
[[nodiscard]] std::vector<Position> start_positions(const RunConfig& config, int count);

// The batch environment beside plain writing of the same bytes; medians of several rounds, the rows of a
// round measured one after the other. `seconds` is the time of a row over all rounds.
[[nodiscard]] std::vector<BenchRow> bench_env(const RunConfig& config, double seconds);

// Networks of 4 blocks × 32, 6 × 64 and 8 × 128 channels, and the configuration's own, on the calling thread:
// the frozen form beside the best rate oneDNN reaches on the tower's bare convolutions, beside the folded
// form and beside the eager module, this one also with the C library's own allocator settings; medians of
// several rounds, the rows of a network measured one after the other in each. `seconds` is the time of a row
// over all rounds; time is the process's on the processor. Calls tune_allocator() itself: nobody may have
// before.
[[nodiscard]] std::vector<BenchRow> bench_inference(const RunConfig& config, double seconds);

// The exact solver on fixed positions: mean milliseconds, the seed's positions whatever the configuration
// says.
[[nodiscard]] std::vector<BenchRow> bench_solver(const RunConfig& config, double seconds);

// Learner steps of the configuration beside the plain eager step, on one thread and on all, and the drawing
// of their samples; rounds, `seconds` and the allocator as for bench_inference.
[[nodiscard]] std::vector<BenchRow> bench_learn(const RunConfig& config, double seconds);

}  // namespace pahtum
