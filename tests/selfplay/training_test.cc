#include "selfplay/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/checkpoint.h"
#include "selfplay/config_file.h"
#include "selfplay/replay.h"
#include "selfplay/run_directory.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
const std::atomic<bool> kNeverStop{false};

RunConfig with_iterations(std::int64_t iterations) {
  RunConfig config = tiny_config();
  config.run.iterations = iterations;
  config.learner.schedule = "constant";  // a cosine knows how long the run will be
  return config;
}

// Everything but the configuration text, which names the number of iterations.
void expect_same_state(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.manifest.step, b.manifest.step);
  EXPECT_EQ(a.manifest.iteration, b.manifest.iteration);
  EXPECT_EQ(a.manifest.counters, b.manifest.counters);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t k = 0; k < a.tensors.size(); ++k) {
    EXPECT_EQ(a.tensors[k].name, b.tensors[k].name);
    if (a.tensors[k].name.starts_with("optimizer/")) continue;  // its container orders entries by address
    EXPECT_EQ(a.tensors[k].data, b.tensors[k].data) << a.tensors[k].name;
  }
}

TEST(Training, WritesCheckpointsGamesAndMetrics) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(4);
  config.run.keep_checkpoints = 2;
  const TrainingSummary summary = start_training(config, run, kNeverStop);
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_EQ(summary.games, 32);
  EXPECT_FALSE(summary.interrupted);
  EXPECT_EQ(summary.checkpoint, run / "checkpoints/000004.ckpt");
  EXPECT_TRUE(fs::exists(run / "checkpoints/000003.ckpt"));
  EXPECT_FALSE(fs::exists(run / "checkpoints/000002.ckpt")) << "only two are kept";
  const auto rows = read_metrics(run / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k]["iteration"], static_cast<int>(k) + 1);
    EXPECT_GT(rows[k]["loss"]["total"].get<double>(), 0.0);
    EXPECT_EQ(
        rows[k]["white_wins"].get<int>() + rows[k]["draws"].get<int>() + rows[k]["black_wins"].get<int>(), 8);
  }
  for (int iteration = 1; iteration <= 4; ++iteration) {
    EXPECT_EQ(load_games(RunDirectory(run).games_path(iteration)).size(), 8u);
  }
  for (const auto& entry : fs::recursive_directory_iterator(run)) EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST(Training, FourIterationsEqualTwoAndTwoResumedBitForBit) {
  const TemporaryFolder folder;
  (void)start_training(with_iterations(4), folder.path() / "whole", kNeverStop);
  (void)start_training(with_iterations(2), folder.path() / "parts", kNeverStop);
  const std::string longer[] = {"run.iterations=4"};
  const TrainingSummary summary = resume_training(folder.path() / "parts", longer, kNeverStop);
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_EQ(load_run_config(folder.path() / "parts/config.yaml").run.iterations, 4);
  EXPECT_EQ(read_file(folder.path() / "whole/games/000004.games"),
            read_file(folder.path() / "parts/games/000004.games"));
  expect_same_state(load_checkpoint(folder.path() / "whole/checkpoints/000004.ckpt"),
                    load_checkpoint(folder.path() / "parts/checkpoints/000004.ckpt"));
  const auto rows = read_metrics(folder.path() / "parts/metrics.jsonl");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_GT(rows[2]["step"].get<int>(), rows[1]["step"].get<int>()) << "steps go on after a resume";
}

TEST(Training, ARunCutOffBehindItsCheckpointIsPlayedAgain) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(3), run, kNeverStop);
  const Checkpoint whole = load_checkpoint(run / "checkpoints/000003.ckpt");
  // As after a kill during iteration 3: its shard and metrics are there, its checkpoint is not.
  fs::remove(run / "checkpoints/000003.ckpt");
  (void)resume_training(run, {}, kNeverStop);
  expect_same_state(whole, load_checkpoint(run / "checkpoints/000003.ckpt"));
  EXPECT_EQ(read_metrics(run / "metrics.jsonl").size(), 3u);
}

TEST(Training, ABrokenNewestCheckpointFallsBackToTheOneBefore) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(3), run, kNeverStop);
  const Checkpoint whole = load_checkpoint(run / "checkpoints/000003.ckpt");
  fs::resize_file(run / "checkpoints/000003.ckpt", 1000);
  (void)resume_training(run, {}, kNeverStop);
  expect_same_state(whole, load_checkpoint(run / "checkpoints/000003.ckpt"));
}

TEST(Training, ARunKilledBeforeItsFirstCheckpointStartsOver) {
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole";
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(1), whole, kNeverStop);
  fs::create_directories(run / "checkpoints");  // killed before config.yaml
  EXPECT_FALSE(RunDirectory(run).holds_run());
  RunDirectory(run).create(with_iterations(1));  // killed behind it
  EXPECT_TRUE(RunDirectory(run).holds_configuration_only());
  EXPECT_EQ(resume_training(run, {}, kNeverStop).iterations, 1);
  EXPECT_EQ(read_file(run / "games/000001.games"), read_file(whole / "games/000001.games"));
  // With anything of a run in it the folder keeps what it has: without a checkpoint it cannot go on.
  fs::remove_all(run / "checkpoints");
  EXPECT_FALSE(RunDirectory(run).holds_configuration_only());
  EXPECT_THROW((void)resume_training(run, {}, kNeverStop), Error);
  EXPECT_TRUE(fs::exists(run / "games/000001.games"));
}

TEST(Training, ASecondProcessOnTheRunIsRefused) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  const RunLock elsewhere = RunDirectory(run).lock();
  EXPECT_THROW((void)start_training(with_iterations(1), run, kNeverStop), Error);
  RunDirectory(run).create(with_iterations(1));
  EXPECT_THROW((void)resume_training(run, {}, kNeverStop), Error);
  EXPECT_TRUE(RunDirectory(run).checkpoint_paths().empty());
}

TEST(Training, AStopSavesGamesInProgressAndResumeFinishesTheRun) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(1000);
  std::atomic<bool> stop{false};
  std::jthread stopper([&] {
    while (!fs::exists(run / "checkpoints/000002.ckpt"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop = true;
  });
  const TrainingSummary stopped = start_training(config, run, stop);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_GE(stopped.iterations, 2);
  const std::string end[] = {"run.iterations=" + std::to_string(stopped.iterations + 2)};
  const TrainingSummary resumed = resume_training(run, end, kNeverStop);
  EXPECT_FALSE(resumed.interrupted);
  EXPECT_EQ(resumed.iterations, stopped.iterations + 2);
  EXPECT_EQ(resumed.games, 8 * resumed.iterations);
  for (std::int64_t iteration = 1; iteration <= resumed.iterations; ++iteration) {
    EXPECT_EQ(load_games(RunDirectory(run).games_path(iteration)).size(), 8u) << iteration;
  }
}

TEST(Training, AFolderThatHoldsARunIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(1), run, kNeverStop);
  const std::string metrics = read_file(run / "metrics.jsonl");
  try {
    (void)start_training(with_iterations(2), run, kNeverStop);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos);
  }
  EXPECT_EQ(read_file(run / "metrics.jsonl"), metrics);
  EXPECT_THROW((void)resume_training(folder.path() / "nothing", {}, kNeverStop), Error);
}

TEST(Training, ResumingWithAnotherNetworkOrBoardIsRefused) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(1), run, kNeverStop);
  for (const char* change :
       {"network.channels=8", "game.size=6", "learner.optimizer=sgd", "selfplay.slots=5"}) {
    const std::string overrides[] = {std::string(change), "run.iterations=2"};
    try {
      (void)resume_training(run, overrides, kNeverStop);
      FAIL() << change;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kRequest) << change;
    }
  }
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000001.ckpt").manifest.iteration, 1);
}

TEST(Training, ANonFiniteLossStopsTheRunAndKeepsTheBatch) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(3);
  config.learner.learning_rate = 10.0;
  config.learner.optimizer = "sgd";
  config.learner.gradient_clip = 1e6;
  config.learner.value_weight = 100.0;
  config.learner.policy_weight = 100.0;
  config.learner.weight_decay = 1.0;
  config.learner.warmup_steps = 0;
  config.replay.reuse = 200.0;
  try {
    (void)start_training(config, run, kNeverStop);
    FAIL() << "a learning rate of ten should have blown the network up";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_NE(std::string(error.what()).find("not finite"), std::string::npos) << error.what();
  }
  const Checkpoint dump = load_checkpoint(run / "failed-batch.ckpt");
  // The batch is the one of the step that failed, not the one already drawn for the step behind it.
  const RunDirectory directory(run);
  Replay replay(config.replay.window_games);
  replay.add(directory.load_newest_games(dump.manifest.iteration + 1, config.replay.window_games));
  Random random(static_cast<std::uint64_t>(config.run.seed), Stream::kSamples,
                static_cast<std::uint64_t>(dump.manifest.step));
  SampleBuffer buffer(static_cast<int>(config.learner.batch_size), GameRules(config.game));
  replay.draw(random, buffer);
  const std::span<const float> planes = buffer.batch().planes;
  const auto saved = std::ranges::find(dump.tensors, "batch/planes", &StoredTensor::name);
  ASSERT_NE(saved, dump.tensors.end());
  EXPECT_EQ(saved->data, std::string(reinterpret_cast<const char*>(planes.data()), planes.size_bytes()));
}

TEST(RunDirectory, MetricsCutShortByACrashStillRead) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder.path());
  directory.append_metrics({{"iteration", 1}});
  directory.append_metrics({{"iteration", 2}});
  std::ofstream(directory.metrics_path(), std::ios::app) << "{\"iteration\": 3, \"lo";
  EXPECT_EQ(read_metrics(directory.metrics_path()).size(), 2u);
  directory.drop_metrics_after(1);
  EXPECT_EQ(read_metrics(directory.metrics_path()).size(), 1u);
  std::ofstream(directory.metrics_path(), std::ios::app) << "nonsense\n{}\n";
  EXPECT_THROW((void)read_metrics(directory.metrics_path()), Error);
}

}  // namespace
}  // namespace pahtum
