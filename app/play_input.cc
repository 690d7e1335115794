#include "app/play_input.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <istream>
#include <utility>

#include "app/interrupt.h"
#include "env/base/error.h"

namespace pahtum {

PlayLine StandardInput::next() {
  constexpr std::size_t kLongest = 4096;
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos || (ended_ && !buffer_.empty())) {
      PlayLine line{PlayLine::Kind::kLine, buffer_.substr(0, std::min(end, kLongest))};
      buffer_.erase(0, end == std::string::npos ? end : end + 1);
      return line;
    }
    if (ended_) return {PlayLine::Kind::kEnd, ""};
    // A line without an end takes no more memory than this.
    if (buffer_.size() > 2 * kLongest) buffer_.resize(kLongest);
    const PlayLine::Kind kind = read_more();
    if (kind == PlayLine::Kind::kInterrupted) return {kind, ""};
    ended_ = kind == PlayLine::Kind::kEnd;
  }
}

PlayLine::Kind StandardInput::read_more() {
  // The signal may reach any thread, so waiting is not always interrupted by it: look again in between.
  constexpr int kMilliseconds = 50;
  while (true) {
    if (interrupted()) return PlayLine::Kind::kInterrupted;
    struct pollfd waiting {
      STDIN_FILENO, POLLIN, 0
    };
    const int ready = ::poll(&waiting, 1, kMilliseconds);
    if (ready < 0 && errno != EINTR) throw failure("standard input", "cannot be waited for");
    if (ready <= 0) continue;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count > 0) {
      buffer_.append(bytes.data(), static_cast<std::size_t>(count));
      return PlayLine::Kind::kLine;
    }
    if (count == 0) return PlayLine::Kind::kEnd;
    // A terminal that is gone reads as an error: nobody is there any more.
    if (errno != EINTR && errno != EAGAIN) return PlayLine::Kind::kEnd;
  }
}

PlayLine StreamInput::next() {
  PlayLine line;
  if (std::getline(stream_, line.text)) line.kind = PlayLine::Kind::kLine;
  return line;
}

}  // namespace pahtum
