#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace pahtum {

// While it lives and the wait is longer than a second, a line on standard output says that the engine thinks,
// for how long, and that Ctrl-C makes it move. The line is gone afterwards; where the cursor cannot be moved
// it stays, once. Nothing else may write to standard output meanwhile.
class ThinkingNote {
 public:
  // Does nothing where not `shown`.
  explicit ThinkingNote(bool shown);
  ~ThinkingNote();
  ThinkingNote(const ThinkingNote&) = delete;
  ThinkingNote& operator=(const ThinkingNote&) = delete;

 private:
  void count_seconds();

  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace pahtum
