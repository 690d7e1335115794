#include "app/thinking_note.h"

#include <chrono>
#include <iostream>

#include "app/terminal.h"

namespace pahtum {

ThinkingNote::ThinkingNote(bool shown) {
  if (shown) thread_ = std::thread([this] { count_seconds(); });
}

ThinkingNote::~ThinkingNote() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  finished_.notify_one();
  thread_.join();
}

void ThinkingNote::count_seconds() {
  constexpr const char* kEraseLine = "\r\x1b[K";
  const bool redraws = moves_cursor();
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!finished_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
    ++seconds;
    if (redraws) {
      std::cout << kEraseLine << "thinking " << seconds << " s (Ctrl-C: move now)" << std::flush;
    } else if (seconds == 1) {
      std::cout << "thinking (Ctrl-C: move now)" << std::endl;
    }
  }
  if (redraws && seconds > 0) std::cout << kEraseLine << std::flush;
}

}  // namespace pahtum
