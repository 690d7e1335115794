#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace pahtum {

// How many threads the processors run at the same time; 1 where that is unknown.
[[nodiscard]] int hardware_threads() noexcept;

// A fixed number of threads that do one piece of work together and meet at its end: the caller is member 0,
// the others wait in between. Waiting members spin for some microseconds before they sleep, since the next
// piece usually follows at once. Nobody waits for a member that the operating system has not got running yet:
// the others do the work without it. One caller at a time; work must not throw.
class ThreadTeam {
 public:
  // `members` ≥ 1; 1 starts no thread.
  explicit ThreadTeam(int members);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int members() const noexcept { return members_; }

  // Calls work(0) here and work(member) in every member that is there in time, all at the same time, and
  // returns when those are done. Which members come is not known before: `work` takes what there is to do
  // piece by piece from a counter they share.
  template <class Work>
  void run(const Work& work) {
    if (members_ == 1) {
      work(0);
      return;
    }
    call_ = [](const void* context, int member) { (*static_cast<const Work*>(context))(member); };
    context_ = &work;
    open_round();
    work(0);
    close_round();
  }

 private:
  void open_round();
  void close_round();  // and waits for who is in it
  void serve(int member);
  [[nodiscard]] bool enter(std::uint32_t round) noexcept;
  void leave() noexcept;

  int members_;
  void (*call_)(const void*, int) = nullptr;
  const void* context_ = nullptr;
  std::atomic<std::uint32_t> round_{0};  // number of the last one opened; kStop at the end
  // Who may still come and who is there.
  //
  //   63     32   31       30            0
  //   | round | closed | members inside |
  std::atomic<std::uint64_t> gate_{kClosed};
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 31;
  std::vector<std::jthread> threads_;
};

}  // namespace pahtum
