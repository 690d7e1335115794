#include "selfplay/run_lock.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "env/base/error.h"

namespace pahtum {
namespace {

constexpr std::size_t kLongestDescription = 1000;  // bytes; who wrote the file may have been anybody

// What stands in the file, as one printable line.
std::string description_in(int file) {
  std::array<char, kLongestDescription> text{};
  const ssize_t length = ::pread(file, text.data(), text.size(), 0);
  std::string line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length)));
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& character : line) {
    if (static_cast<unsigned char>(character) < ' ' || character == '\x7f') character = '?';
  }
  return line;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command{std::istreambuf_iterator<char>(file), {}};
  if (!command.empty() && command.back() == '\0') command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  return command;
}

// Local wall time, for people only: nothing is decided by it.
std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::array<char, 64> text{};
  if (::localtime_r(&now, &local) == nullptr) return "an unknown time";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %Z", &local)};
}

bool means_no_locks(int error) noexcept {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

}  // namespace

std::string process_description() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::string command = command_line();
  return "process " + std::to_string(::getpid()) + " on " + (host[0] == '\0' ? "this host" : host.data()) +
         " since " + time_text() + (command.empty() ? "" : ": " + command);
}

RunLock::RunLock(const std::filesystem::path& run) : path_(run / "lock") {
  try {
    // The holder before removes its file with the lock in hand; what we opened may then be a file without a
    // name, whose lock guards nothing.
    while (acquire(run) && !names_file()) ::close(file_);
  } catch (...) {
    if (file_ >= 0) ::close(file_);
    throw;
  }
  sign();
}

RunLock::RunLock(RunLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

RunLock::~RunLock() {
  if (file_ < 0) return;
  // While the lock is held, since the next holder's file has the same name; and only this file, since the
  // folder may have been removed and made again by another run.
  if (names_file()) ::unlink(path_.c_str());
  ::close(file_);
}

// Whether the file system guards what is now open.
bool RunLock::acquire(const std::filesystem::path& run) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw failure(path_.string(), "cannot be created: " + system_reason(errno));
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
    const std::string holder = description_in(file_);
    if (!holder.empty() && names_file()) {
      spdlog::info("{}: left by {}; it ended without giving the run back, and this process takes over",
                   path_.string(), holder);
    }
    return true;
  }
  if (errno == EWOULDBLOCK) {
    const std::string holder = description_in(file_);
    throw request_error(run.string(), "is in training by " +
                                          (holder.empty() ? "another process that just started" : holder) +
                                          "; wait for it, stop it, or train in another folder");
  }
  if (!means_no_locks(errno)) throw failure(path_.string(), "cannot be locked: " + system_reason(errno));
  const int error = errno;
  const std::string last = description_in(file_);
  spdlog::warn(
      "{}: this file system has no locks ({}); see to it that no other process trains in this folder{}",
      path_.string(), system_reason(error), last.empty() ? "" : "; the last to train here was " + last);
  return false;
}

bool RunLock::names_file() const noexcept {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// For messages only: what cannot be written (a full disk) costs a name and nothing else.
void RunLock::sign() {
  const std::string text = process_description().substr(0, kLongestDescription - 1) + "\n";
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, text.data(), text.size(), 0) < 0) {
    spdlog::warn("{}: cannot be written: {}", path_.string(), system_reason(errno));
  }
}

}  // namespace pahtum
