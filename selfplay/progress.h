#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace pahtum {

// What training says while it runs, on standard error: one line that rewrites itself on a terminal, plain
// lines (one per finished iteration) otherwise. One thread at a time.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows `text` as the current state; only on a terminal, at most ten times a second.
  void update(const std::string& text);
  // Prints a line that stays.
  void line(const std::string& text);

 private:
  void clear();

  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

// "45 s", "12 min", "3 h 20 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace pahtum
