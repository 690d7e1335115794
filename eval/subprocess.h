#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pahtum {

// A shell command in a process group of its own, spoken to line by line over its standard input and output;
// its standard error stays the program's. At the end of the object's life it is told by the end of its input,
// and ended by force where it does not listen; nothing of it stays behind. One thread at a time.
class Subprocess {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Starts `command` by /bin/sh with `variables` added to the environment. Throws a kFailure Error naming the
  // command when that fails; a command that does not exist shows when it is read from.
  explicit Subprocess(std::string command, const Variables& variables = {});
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  // Both throw a kFailure Error that names the command: the process has ended (with its exit status), or the
  // time is over. A line is at most 1 MiB long, and comes without its end.
  void write(std::string_view text);
  [[nodiscard]] std::string read_line(std::chrono::milliseconds patience);
  // No more input will come.
  void close_input() noexcept;

 private:
  [[noreturn]] void fail(const std::string& why) const;
  // Waits for its end, up to `patience`; true when it has ended.
  bool ended_within(std::chrono::milliseconds patience) noexcept;
  [[noreturn]] void report_end();

  std::string command_;
  pid_t pid_ = -1;  // −1: nothing to wait for
  int status_ = 0;  // once it has ended
  int socket_ = -1;
  std::string buffer_;
};

}  // namespace pahtum
