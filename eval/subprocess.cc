#include "eval/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <thread>

#include "env/base/error.h"

// The environment, which POSIX leaves to the program to declare.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace pahtum {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

// The program's environment with `variables` in place of what has their names.
std::vector<std::string> environment_with(const Subprocess::Variables& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const auto same = [&](const auto& variable) { return variable.first == name; };
    if (std::ranges::none_of(variables, same)) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

Subprocess::Subprocess(std::string command, const Variables& variables) : command_(std::move(command)) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(system_reason(errno));
  socket_ = ends[0];
  std::vector<std::string> environment = environment_with(variables);
  std::vector<char*> pointers;
  for (std::string& entry : environment) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  std::string shell = "/bin/sh";
  std::string option = "-c";
  std::array<char*, 4> arguments = {shell.data(), option.data(), command_.data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      ::posix_spawn(&pid_, shell.c_str(), &actions, &attributes, arguments.data(), pointers.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(ends[1]);
  if (error == 0) return;
  pid_ = -1;
  ::close(socket_);
  fail("cannot be started: " + system_reason(error));
}

Subprocess::~Subprocess() {
  constexpr std::chrono::milliseconds kGrace{2000};
  close_input();
  if (pid_ > 0 && !ended_within(kGrace)) {
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(socket_);
}

void Subprocess::close_input() noexcept {
  ::shutdown(socket_, SHUT_WR);
}

void Subprocess::fail(const std::string& why) const {
  throw failure("command \"" + command_ + "\"", why);
}

bool Subprocess::ended_within(std::chrono::milliseconds patience) noexcept {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    const pid_t ended = ::waitpid(pid_, &status_, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno == ECHILD)) {
      pid_ = -1;
      return true;
    }
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Subprocess::report_end() {
  constexpr std::chrono::milliseconds kGrace{500};
  if (pid_ > 0 && !ended_within(kGrace)) fail("has closed its output");
  if (WIFSIGNALED(status_)) fail("was ended by signal " + std::to_string(WTERMSIG(status_)));
  fail("has ended with exit status " + std::to_string(WEXITSTATUS(status_)));
}

void Subprocess::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) report_end();
    if (sent < 0) fail("cannot be written to: " + system_reason(errno));
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string Subprocess::read_line(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (buffer_.size() > kLongestLine) fail("has written a line of more than 1 MiB");
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) fail("has not answered for " + std::to_string(patience.count() / 1000) + " s");
    std::array<char, 4096> part{};
    const ssize_t count = ::recv(socket_, part.data(), part.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) report_end();
    buffer_.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace pahtum
