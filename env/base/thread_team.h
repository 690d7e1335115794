#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace pahtum {

// A fixed number of threads that do one piece of work together and meet at its end: the caller is member 0,
// the others wait in between. Waiting members spin for some microseconds before they sleep, since the next
// piece usually follows at once. One caller at a time; work must not throw.
class ThreadTeam {
 public:
  // `members` ≥ 1; 1 starts no thread.
  explicit ThreadTeam(int members);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int members() const noexcept { return members_; }

  // Calls work(member) once for each member, all at the same time, and returns when the last one is done.
  template <class Work>
  void run(const Work& work) {
    if (members_ == 1) {
      work(0);
      return;
    }
    call_ = [](const void* context, int member) { (*static_cast<const Work*>(context))(member); };
    context_ = &work;
    start_others();
    work(0);
    wait_for_others();
  }

 private:
  void start_others();
  void wait_for_others();
  void serve(int member);

  int members_;
  void (*call_)(const void*, int) = nullptr;
  const void* context_ = nullptr;
  std::atomic<std::uint32_t> round_{0};    // pieces of work started; kStop at the end
  std::atomic<std::uint32_t> running_{0};  // members other than the caller that are not done
  std::vector<std::jthread> threads_;
};

}  // namespace pahtum
