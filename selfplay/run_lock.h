#pragma once

#include <filesystem>
#include <string>

namespace pahtum {

// Keeps every other process from training in a run directory while the object lives.
//
// The lock is the kernel's (flock on RUN/lock): it ends with its holder, however that dies, so a stale file
// never blocks. The file says who holds it, for people and for the message of the one refused; it is removed
// with the object. Readers of a run need no lock: all files there are replaced whole.
//
// On a file system without locks a warning is logged and training goes on unguarded.
class RunLock {
 public:
  // Takes the lock of `run`, an existing folder. Throws a kRequest Error that names the holder's process,
  // host, command and start when another one has it, and a kFailure Error when RUN/lock cannot be written. A
  // file that a killed process left is taken over, and that is logged.
  explicit RunLock(const std::filesystem::path& run);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&&) = delete;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  [[nodiscard]] bool acquire(const std::filesystem::path& run);
  [[nodiscard]] bool names_file() const noexcept;
  void sign();

  std::filesystem::path path_;
  int file_ = -1;
};

// One line of who this process is, as it stands in RUN/lock.
[[nodiscard]] std::string process_description();

}  // namespace pahtum
