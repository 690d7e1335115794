#include "selfplay/batch_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

constexpr int kSamples = 8;
const GameConfig kRules{.size = 4, .holes = 2, .unequal_stones = false};

SampleBuffer empty_buffer() {
  return {kSamples, GameRules(kRules)};
}

Replay games() {
  Replay replay(10);
  replay.add({random_game(1, kRules, 0), random_game(2, kRules, 2), random_game(3, kRules, 1)});
  return replay;
}

BatchPipeline::Draw drawing_from(const Replay& replay) {
  return [&replay](std::int64_t step, SampleBuffer& buffer) {
    Random random(7, Stream::kSamples, static_cast<std::uint64_t>(step));
    replay.draw(random, buffer);
  };
}

void expect_same_batch(const TrainingBatch& a, const TrainingBatch& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_TRUE(std::ranges::equal(a.planes, b.planes));
  EXPECT_TRUE(std::ranges::equal(a.policy, b.policy));
  EXPECT_TRUE(std::ranges::equal(a.wdl, b.wdl));
  EXPECT_TRUE(std::ranges::equal(a.margin, b.margin));
  EXPECT_TRUE(std::ranges::equal(a.ownership, b.ownership));
}

TEST(BatchPipeline, GivesTheBatchesOfDrawingOneAfterTheOther) {
  const Replay replay = games();
  BatchPipeline batches(5, 25, empty_buffer(), drawing_from(replay));
  SampleBuffer expected = empty_buffer();
  for (std::int64_t step = 5; step < 25; ++step) {
    const TrainingBatch batch = batches.next();
    drawing_from(replay)(step, expected);
    expect_same_batch(batch, expected.batch());
  }
}

TEST(BatchPipeline, DrawsOneBatchAheadAndLeavesTheOneInUseAlone) {
  constexpr std::int64_t kEnd = 6;
  const Replay replay = games();
  std::atomic<std::int64_t> asked{0};
  std::atomic<std::int64_t> drawn{0};
  SampleBuffer expected = empty_buffer();
  BatchPipeline batches(0, kEnd, empty_buffer(), [&](std::int64_t step, SampleBuffer& buffer) {
    EXPECT_LE(step, asked.load());
    drawing_from(replay)(step, buffer);
    ++drawn;
  });
  for (std::int64_t step = 0; step < kEnd; ++step) {
    ++asked;
    const TrainingBatch batch = batches.next();
    while (drawn < std::min(step + 2, kEnd)) std::this_thread::yield();
    drawing_from(replay)(step, expected);
    expect_same_batch(batch, expected.batch());
  }
  EXPECT_EQ(drawn, kEnd) << "nothing is drawn beyond the last step";
}

TEST(BatchPipeline, AFailedDrawIsThrownWhenItsBatchIsAskedFor) {
  const Replay replay = games();
  BatchPipeline batches(0, 10, empty_buffer(), [&](std::int64_t step, SampleBuffer& buffer) {
    if (step == 2) throw std::runtime_error("step 2");
    drawing_from(replay)(step, buffer);
  });
  SampleBuffer expected = empty_buffer();
  for (std::int64_t step = 0; step < 2; ++step) {
    const TrainingBatch batch = batches.next();
    drawing_from(replay)(step, expected);
    expect_same_batch(batch, expected.batch());
  }
  EXPECT_THROW((void)batches.next(), std::runtime_error);
}

TEST(BatchPipeline, MayEndBeforeItsLastStepAndWithoutAny) {
  const Replay replay = games();
  for (int used = 0; used < 3; ++used) {
    BatchPipeline batches(0, 1000, empty_buffer(), drawing_from(replay));
    for (int step = 0; step < used; ++step) EXPECT_EQ(batches.next().count, kSamples);
  }
  std::atomic<int> drawn{0};
  {
    const BatchPipeline none(3, 3, empty_buffer(), [&](std::int64_t, SampleBuffer&) { ++drawn; });
  }
  EXPECT_EQ(drawn, 0);
}

}  // namespace
}  // namespace pahtum
