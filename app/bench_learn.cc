#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/bench_rounds.h"
#include "app/measuring_process.h"
#include "env/base/random.h"
#include "env/base/thread_team.h"
#include "env/game_rules.h"
#include "env/random_move.h"
#include "model/network_evaluator.h"
#include "model/plain_learner.h"
#include "model/trainer.h"
#include "selfplay/replay.h"

namespace pahtum {
namespace {

constexpr int kReplayGames = 1000;

// Games of random moves, each ply searched with equal shares for all legal moves: what a step or a sample
// costs does not depend on how good they are.
Replay random_replay(const RunConfig& config) {
  Replay replay(kReplayGames);
  std::vector<GameRecord> games;
  for (const Position& start : start_positions(config, kReplayGames)) {
    GameRecord& game = games.emplace_back();
    game.start = start;
    Random random(static_cast<std::uint64_t>(config.run.seed), Stream::kTest, games.size());
    for (Position position = start; !position.over();) {
      const int legal = legal_count(position);
      const Move move = random_move(position, random);
      const std::vector<float> shares(static_cast<std::size_t>(legal), 1.0f / static_cast<float>(legal));
      game.add_searched(move, Value(0.0f), shares, MoveOrigin::kSearched);
      apply(position, move);
    }
  }
  static_cast<void>(replay.add(std::move(games)));
  return replay;
}

// The batch that all learners take their steps on.
class Samples {
 public:
  explicit Samples(const RunConfig& config)
      : config_(config),
        replay_(random_replay(config)),
        buffer_(static_cast<int>(config.learner.batch_size), GameRules(config.game)) {
    static_cast<void>(draw());
  }

  // Draws the next batch and returns how many samples it has.
  std::int64_t draw() {
    Random random(static_cast<std::uint64_t>(config_.run.seed), Stream::kSamples, step_++);
    replay_.draw(random, buffer_);
    return config_.learner.batch_size;
  }
  [[nodiscard]] TrainingBatch batch() const noexcept { return buffer_.batch(); }

 private:
  const RunConfig& config_;
  Replay replay_;
  SampleBuffer buffer_;
  std::uint64_t step_ = 0;
};

// Samples a second of a learner's steps: by the processor's time on one thread, by the clock on several,
// where those that wait for each other would count.
template <class Learner>
double step_rate(Learner& learner, const RunConfig& config, const TrainingBatch& batch, int threads,
                 double seconds) {
  set_inference_threads(threads);
  const auto step = [&] {
    static_cast<void>(learner.step(batch, config.learner.learning_rate));
    return batch.count;
  };
  return threads == 1 ? processor_rate(seconds, step) : rate(seconds, step);
}

std::uint64_t seed_of(const RunConfig& config) {
  return static_cast<std::uint64_t>(config.run.seed);
}

std::shared_ptr<PlainLearner> plain_learner(const RunConfig& config, bool channels_last) {
  return std::make_shared<PlainLearner>(config.game, config.network, config.learner, seed_of(config),
                                        channels_last);
}

std::shared_ptr<Trainer> trainer(const RunConfig& config, const std::string& precision) {
  LearnerConfig learner = config.learner;
  learner.precision = precision;
  return std::make_shared<Trainer>(config.game, config.network, learner, seed_of(config), config.run.device);
}

}  // namespace

std::vector<BenchRow> bench_learn(const RunConfig& config, double seconds) {
  MeasuringProcess untuned([&config, samples = std::shared_ptr<Samples>(),
                            plain = std::shared_ptr<PlainLearner>()](int threads, double time) mutable {
    if (samples == nullptr) {
      samples = std::make_shared<Samples>(config);
      plain = plain_learner(config, false);
    }
    return step_rate(*plain, config, samples->batch(), threads, time);
  });
  tune_allocator();

  Samples samples(config);
  const auto plain = plain_learner(config, false);
  const auto ordered = plain_learner(config, true);
  const auto fp32 = trainer(config, "fp32");
  const auto automatic = trainer(config, "auto");
  const std::string batch = fmt::format(", batch {}", config.learner.batch_size);

  BenchRounds rounds;
  std::vector<int> thread_counts = {1};
  if (hardware_threads() > 1) thread_counts.push_back(hardware_threads());
  for (const int threads : thread_counts) {
    const std::string end = batch + (threads == 1 ? ", one thread" : fmt::format(", {} threads", threads));
    const auto add = [&](const std::string& what, auto learner, std::optional<BenchRounds::Row> against) {
      return rounds.add(
          what + end, "samples/s",
          [&config, &samples, threads, learner](double time) {
            return step_rate(*learner, config, samples.batch(), threads, time);
          },
          against);
    };
    const auto eager = add("plain eager step, fp32", plain, {});
    const auto untuned_eager = rounds.add(
        "the same with the C library's allocator settings" + end, "samples/s",
        [&untuned, threads](double time) { return untuned.measure(threads, time); }, eager);
    add("plain eager step, fp32, channels-last", ordered, eager);
    const std::string own = "learner step, fp32";
    const auto step = add(own, fp32, eager);
    rounds.show(step, own + end + " (beside the C library's settings)", "samples/s", 1.0, untuned_eager);
    if (automatic->precision() != Precision::kFp32) {
      add("learner step, " + std::string(to_text(automatic->precision())), automatic, eager);
    }
  }
  rounds.add("drawing samples" + batch + ", one thread", "samples/s",
             [&samples](double time) { return processor_rate(time, [&samples] { return samples.draw(); }); });
  rounds.run(seconds);
  return rounds.rows();
}

}  // namespace pahtum
