#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "env/base/random.h"
#include "env/batch_environment.h"
#include "env/game_config.h"
#include "env/position.h"

namespace pahtum {
namespace {

BatchConfig batch_of(int count, bool observations) {
  BatchConfig config;
  config.count = count;
  config.auto_reset = AutoReset::kSameStep;
  config.observation = observations ? ObservationType::kUint8 : ObservationType::kNone;
  return config;
}

// Random play on 7×7 with five holes. Arguments: environments, observations kept up to date or not. Drawing
// the random moves is part of the time; BM_DrawMoves shows how much.
void BM_RandomPlay(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  BatchEnvironment environment(batch_of(count, state.range(1) != 0));
  environment.reset();
  Random random(1, Stream::kTest, 0);
  std::vector<std::int32_t> actions(static_cast<std::size_t>(count));
  for (auto _ : state) {
    for (int row = 0; row < count; ++row) {
      const Position& position = environment.position(row);
      const auto legal = static_cast<std::uint32_t>(legal_count(position));
      actions[static_cast<std::size_t>(row)] =
          action_of(nth_legal(position, static_cast<int>(random.below(legal))), position.size);
    }
    environment.step(actions);
    benchmark::DoNotOptimize(environment.scores().data());
  }
  state.counters["moves/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * count, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_RandomPlay)
    ->ArgNames({"environments", "observations"})
    ->ArgsProduct({{1, 64, 1024, 16384}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

void BM_DrawMoves(benchmark::State& state) {
  const Position position = start_position(GameConfig{}, 1, Stream::kTest, 0);
  Random random(1, Stream::kTest, 0);
  for (auto _ : state) {
    const auto legal = static_cast<std::uint32_t>(legal_count(position));
    benchmark::DoNotOptimize(
        action_of(nth_legal(position, static_cast<int>(random.below(legal))), position.size));
  }
  state.counters["moves/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_DrawMoves);

// Playing whole games on bare positions, the score at the end alone: what a rollout costs.
void BM_Rollout(benchmark::State& state) {
  Random random(1, Stream::kTest, 0);
  const Position start = start_position(GameConfig{}, 1, Stream::kTest, 0);
  std::int64_t moves = 0;
  for (auto _ : state) {
    Position position = start;
    for (int left = legal_count(position); left > 0; --left) {
      apply(position, nth_legal(position, static_cast<int>(random.below(static_cast<std::uint32_t>(left)))));
      ++moves;
    }
    benchmark::DoNotOptimize(position.white_margin());
  }
  state.counters["moves/s"] = benchmark::Counter(static_cast<double>(moves), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Rollout)->Unit(benchmark::kMicrosecond);

void BM_StartPosition(benchmark::State& state) {
  std::uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(start_position(GameConfig{}, 1, Stream::kTest, index++));
  }
  state.counters["layouts/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_StartPosition);

}  // namespace
}  // namespace pahtum
