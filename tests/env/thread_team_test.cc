#include "env/base/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace pahtum {
namespace {

// Members of every kind of lateness: what is taken is done once, and done when run() returns.
TEST(ThreadTeam, EveryPieceIsDoneOnceWhoeverComes) {
  constexpr int kPieces = 16;
  for (const int members : {1, 2, 3, 8}) {
    ThreadTeam team(members);
    for (int round = 0; round < 3000; ++round) {
      std::vector<int> done(kPieces, 0);  // gone with the round: a late member would write into freed memory
      std::atomic<int> next{0};
      std::atomic<int> inside{0};
      team.run([&](int member) {
        ++inside;
        for (int piece = next++; piece < kPieces; piece = next++) {
          if (round % 500 == 499 && member != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++done[static_cast<std::size_t>(piece)];
        }
        --inside;
      });
      ASSERT_EQ(inside, 0);
      ASSERT_EQ(done, std::vector<int>(kPieces, 1)) << "round " << round << " of " << members << " members";
      // Long enough for the others to fall asleep now and then.
      if (round % 1000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

TEST(ThreadTeam, EachMemberComesAtMostOnceARound) {
  constexpr int kMembers = 4;
  ThreadTeam team(kMembers);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::atomic<int>> calls(kMembers);
    team.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; });
    ASSERT_EQ(calls[0], 1);
    for (const auto& count : calls) ASSERT_LE(count, 1);
  }
}

// Two members that wait for each other: with nothing else to do, all come.
TEST(ThreadTeam, MembersWorkAtTheSameTime) {
  ThreadTeam team(2);
  std::atomic<int> met{0};
  team.run([&](int) {
    ++met;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (met < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_EQ(met, 2);
}

}  // namespace
}  // namespace pahtum
