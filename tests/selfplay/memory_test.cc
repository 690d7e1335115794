#include "selfplay/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "search/evaluator.h"
#include "selfplay/replay.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "selfplay/worker.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

void expect_within_a_quarter(std::int64_t estimate, std::int64_t measured, const char* what) {
  EXPECT_GT(estimate, measured * 4 / 5) << what << ": " << measured << " bytes";
  EXPECT_LT(estimate, measured * 5 / 4) << what << ": " << measured << " bytes";
}

TEST(Memory, UsageShowsMemoryThreadsAndFiles) {
  const ProcessUsage before = process_usage();
  EXPECT_GT(before.resident_bytes, kMebibyte);
  EXPECT_GE(before.peak_resident_bytes, before.resident_bytes - kMebibyte) << "the kernel counts in batches";
  EXPECT_GE(before.threads, 1);
  EXPECT_GE(before.open_files, 3);
  {
    const std::vector<char> block(64 * kMebibyte, 1);
    const std::ifstream file("/proc/self/status");
    std::atomic<bool> done{false};
    const std::jthread thread([&] { done.wait(false); });
    const ProcessUsage now = process_usage();
    EXPECT_NEAR(static_cast<double>(now.allocated_bytes - before.allocated_bytes), 64.0 * kMebibyte,
                1.0 * kMebibyte);
    EXPECT_GE(now.peak_resident_bytes, 64 * kMebibyte);
    EXPECT_EQ(now.threads, before.threads + 1);
    EXPECT_EQ(now.open_files, before.open_files + 1);
    done = true;
    done.notify_all();
  }
  const ProcessUsage after = process_usage();
  EXPECT_NEAR(static_cast<double>(after.allocated_bytes), static_cast<double>(before.allocated_bytes),
              1.0 * kMebibyte);
  EXPECT_GE(after.peak_resident_bytes, 64 * kMebibyte);
  EXPECT_EQ(after.open_files, before.open_files);
}

TEST(Memory, AFullReplayTakesWhatIsEstimatedAndNoMore) {
  constexpr std::int64_t kWindow = 3000;
  RunConfig config;
  config.replay.window_games = kWindow;
  config.selfplay.slots = 0;
  config.selfplay.games_per_iteration = 0;
  const std::int64_t before = process_usage().allocated_bytes;
  Replay replay(kWindow);
  const auto add = [&](std::uint64_t first, std::uint64_t count) {
    std::vector<GameRecord> games;
    for (std::uint64_t number = first; number < first + count; ++number) {
      games.push_back(random_game(number, config.game, 0));
    }
    replay.add(std::move(games));
  };
  add(0, kWindow);
  const std::int64_t full = process_usage().allocated_bytes - before;
  expect_within_a_quarter(estimate_memory(config, 1, 0).replay, full, "replay");
  for (std::uint64_t round = 1; round <= 3; ++round) add(round * kWindow, kWindow);
  EXPECT_NEAR(static_cast<double>(process_usage().allocated_bytes - before), static_cast<double>(full),
              0.05 * static_cast<double>(full));
}

TEST(Memory, SearchesTakeWhatIsEstimated) {
  RunConfig config;
  config.selfplay.slots = 64;
  config.selfplay.stagger = false;
  config.search.simulations = 200;
  config.search.exact_leaf = 0;
  config.search.exact_root = 0;
  const std::int64_t before = process_usage().allocated_bytes;
  SelfplayWorker worker(config, 0, static_cast<int>(config.selfplay.slots));
  UniformEvaluator evaluator;
  SelfplayCounters counters;
  const std::atomic<bool> halt{false};
  static_cast<void>(worker.play(evaluator, config.selfplay.slots, halt, counters, [](const GameRecord&) {}));
  expect_within_a_quarter(estimate_memory(config, 1, 0).trees, process_usage().allocated_bytes - before,
                          "searches");
}

// A run's rows show it: threads and open files stay as they are after the first iteration, and with a full
// replay window so does memory.
TEST(MemoryOfARun, StaysFlat) {
  const TemporaryFolder folder;
  RunConfig config = tiny_config();
  config.run.iterations = 12;
  config.replay.window_games = 2 * config.selfplay.games_per_iteration;
  const std::atomic<bool> never_stop{false};
  static_cast<void>(start_training(config, folder.path() / "run", never_stop));
  const std::vector<nlohmann::json> rows = read_metrics(folder.path() / "run/metrics.jsonl");
  ASSERT_EQ(rows.size(), 12u);
  const auto at = [&](std::size_t row, const char* field) { return rows[row].at(field).get<std::int64_t>(); };
  for (std::size_t row = 3; row < rows.size(); ++row) {
    EXPECT_LE(at(row, "threads"), at(2, "threads") + 1) << row;  // the one that draws samples may still end
    EXPECT_LE(at(row, "open_files"), at(2, "open_files")) << row;
    EXPECT_LE(at(row, "allocated_mib"), at(2, "allocated_mib") + 1) << row;
  }
}

}  // namespace
}  // namespace pahtum
