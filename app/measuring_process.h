#pragma once

#include <sys/types.h>

#include <functional>

namespace pahtum {

// A child process that measures on request, as this process was when it was forked: with the C library's own
// allocator settings, when that is before tune_allocator(), which cannot be taken back (setting a threshold
// ends the library's adjusting of it). Fork it before this process has threads.
class MeasuringProcess {
 public:
  // Measures number `what` for `seconds` in the child, which keeps what the function keeps.
  using Measure = std::function<double(int what, double seconds)>;

  explicit MeasuringProcess(const Measure& measure);
  ~MeasuringProcess();
  MeasuringProcess(const MeasuringProcess&) = delete;
  MeasuringProcess& operator=(const MeasuringProcess&) = delete;

  // Waits for the child's answer. Throws a kFailure Error when the child has ended; it says why itself, on
  // standard error.
  [[nodiscard]] double measure(int what, double seconds);

 private:
  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace pahtum
