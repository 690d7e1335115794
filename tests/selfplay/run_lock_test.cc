#include "selfplay/run_lock.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <functional>

#include "env/base/error.h"
#include "env/base/files.h"
#include "selfplay/run_directory.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

// Another process, running until it is killed or its work ends with that exit status.
pid_t start_process(const std::function<int()>& work) {
  const pid_t process = ::fork();
  if (process == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
    }
    ::_exit(status);
  }
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A process that has the lock of `run`; it has it when this returns.
pid_t start_holder(const fs::path& run) {
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) return -1;
  const pid_t holder = start_process([&] {
    const RunLock lock(run);
    if (::write(ready[1], "x", 1) != 1) return 98;
    ::pause();
    return 0;
  });
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return holder;
}

std::string refusal(const fs::path& run) {
  try {
    const RunLock lock(run);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    return error.what();
  }
  return "";
}

TEST(RunLock, TheSecondProcessIsToldWhoHoldsTheRun) {
  const TemporaryFolder folder;
  const pid_t holder = start_holder(folder.path());
  const std::string message = refusal(folder.path());
  EXPECT_TRUE(message.starts_with(folder.path().string() + ": ")) << message;
  EXPECT_NE(message.find("process " + std::to_string(holder) + " on "), std::string::npos) << message;
  EXPECT_NE(message.find(" since "), std::string::npos) << message;
  EXPECT_NE(message.find("selfplay_test"), std::string::npos) << "the command: " << message;
  ::kill(holder, SIGKILL);
  (void)wait_for(holder);
}

TEST(RunLock, AKilledHolderNeverBlocks) {
  const TemporaryFolder folder;
  const pid_t holder = start_holder(folder.path());
  ::kill(holder, SIGKILL);
  EXPECT_EQ(wait_for(holder), 128 + SIGKILL);
  ASSERT_TRUE(fs::exists(folder.path() / "lock")) << "what it left";
  testing::internal::CaptureStdout();
  {
    const RunLock lock(folder.path());
    EXPECT_EQ(read_file(folder.path() / "lock"), process_description() + "\n");
  }
  const std::string log = testing::internal::GetCapturedStdout();
  EXPECT_NE(log.find("process " + std::to_string(holder)), std::string::npos) << log;
  EXPECT_FALSE(fs::exists(folder.path() / "lock"));
}

TEST(RunLock, IsGivenBackWithTheObjectAndOnlyThen) {
  const TemporaryFolder folder;
  {
    const RunLock first(folder.path());
    EXPECT_NE(refusal(folder.path()), "") << "a second one in the same process";
    EXPECT_TRUE(fs::exists(folder.path() / "lock")) << "the one refused leaves it alone";
    EXPECT_NE(refusal(folder.path()), "");
  }
  EXPECT_EQ(refusal(folder.path()), "");
}

TEST(RunLock, AFileWithoutHolderIsNoLock) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "lock", std::string(100'000, '\x1b'));
  EXPECT_EQ(refusal(folder.path()), "");
}

TEST(RunLock, ControlCharactersOfTheFileStayOutOfTheMessage) {
  const TemporaryFolder folder;
  const RunLock lock(folder.path());
  append_to_file(folder.path() / "lock", "\x1b[2J\n");
  const std::string message = refusal(folder.path());
  EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
}

TEST(RunLock, AFolderMadeAgainKeepsItsOwnFile) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  fs::create_directory(run);
  auto first = std::make_unique<RunLock>(run);
  fs::remove_all(run);
  fs::create_directory(run);
  const RunLock second(run);
  first.reset();
  EXPECT_TRUE(fs::exists(run / "lock"));
  EXPECT_NE(refusal(run), "");
}

TEST(RunLock, AFolderThatCannotHoldTheFileIsNamed) {
  const TemporaryFolder folder;
  try {
    const RunLock lock(folder.path() / "missing");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_EQ(error.subject(), (folder.path() / "missing/lock").string());
  }
}

// Makes flock fail with ENOLCK for the rest of this process; false where the kernel does not let it.
bool without_locks() {
  std::array<sock_filter, 4> program = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_flock, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

TEST(RunLock, AFileSystemWithoutLocksIsWarnedOfAndUsed) {
  const TemporaryFolder folder;
  constexpr int kRefused = 77;
  const int status = wait_for(start_process([&] {
    if (!without_locks()) return kRefused;
    testing::internal::CaptureStdout();
    const RunLock lock(folder.path());
    const RunLock unguarded(folder.path());
    const std::string log = testing::internal::GetCapturedStdout();
    return log.find("has no locks") == std::string::npos ? 1 : 0;
  }));
  if (status == kRefused) GTEST_SKIP() << "this kernel or container allows no system call filters";
  EXPECT_EQ(status, 0);
}

TEST(RunLock, LockingARunRemovesWhatAKilledProcessWasWriting) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder.path() / "run");
  {
    const RunLock lock = directory.lock();
    directory.create(tiny_config());
  }
  const fs::path root = directory.root();
  write_file_atomically(directory.games_path(1), "kept");
  for (const char* name : {"checkpoints/000002.ckpt.tmp", "games/000002.games.tmp", "metrics.jsonl.tmp",
                           "config.yaml.tmp", "report.html.tmp"}) {
    write_file_atomically(root / name, "half");
  }
  const RunLock lock = directory.lock();
  EXPECT_TRUE(fs::exists(directory.games_path(1)));
  EXPECT_TRUE(fs::exists(root / "report.html.tmp")) << "another process may be writing the report";
  for (const char* name :
       {"checkpoints/000002.ckpt.tmp", "games/000002.games.tmp", "metrics.jsonl.tmp", "config.yaml.tmp"}) {
    EXPECT_FALSE(fs::exists(root / name)) << name;
  }
}

TEST(RunLock, AFileInPlaceOfTheRunIsRefused) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "run", "mine");
  try {
    (void)RunDirectory(folder.path() / "run").lock();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
  }
  EXPECT_EQ(read_file(folder.path() / "run"), "mine");
}

}  // namespace
}  // namespace pahtum
