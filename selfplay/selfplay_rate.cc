#include "selfplay/selfplay_rate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "model/network_evaluator.h"
#include "model/trainer.h"
#include "selfplay/worker.h"

namespace pahtum {
namespace {

constexpr std::size_t kRounds = 5;

double median(std::array<double, kRounds> values) {
  std::sort(values.begin(), values.end());
  return values[kRounds / 2];
}

// Runs work(k) for each worker k on a thread of its own.
template <class Work>
void on_threads(std::size_t workers, Work&& work) {
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < workers; ++k) {
    threads.emplace_back([&, k] {
      set_inference_threads(1);
      work(k);
    });
  }
}

}  // namespace

SelfplayRate measure_selfplay(const RunConfig& config, double seconds, InferenceCheck* check) {
  const std::vector<std::unique_ptr<SelfplayWorker>> workers = make_workers(config);
  const Trainer trainer(config.game, config.network, config.learner,
                        static_cast<std::uint64_t>(config.run.seed), config.run.device);
  const Checkpoint weights = trainer.snapshot();
  const InferenceOptions inference = inference_of(config.run, check);
  std::vector<std::unique_ptr<NetworkEvaluator>> bare;
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  for (const auto& worker : workers) {
    bare.push_back(std::make_unique<NetworkEvaluator>(weights, inference, worker->slots()));
    evaluators.push_back(make_evaluator(weights, inference, worker->slots()));
  }
  SelfplayCounters total;
  std::array<double, kRounds> moves{};
  std::array<double, kRounds> evaluations{};
  std::array<double, kRounds> raw{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    SelfplayCounters counters;
    std::atomic<bool> stop{false};
    const auto start = std::chrono::steady_clock::now();
    std::jthread clock([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      stop = true;
    });
    on_threads(workers.size(), [&](std::size_t k) {
      (void)workers[k]->play(*evaluators[k], std::numeric_limits<std::int64_t>::max(), stop, counters);
    });
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    moves[round] = static_cast<double>(counters.moves) / elapsed;
    evaluations[round] = static_cast<double>(counters.evaluations) / elapsed;
    total.evaluations += counters.evaluations;
    total.batches += counters.batches;

    const double batch = static_cast<double>(total.evaluations) /
                         static_cast<double>(std::max<std::int64_t>(total.batches, 1));
    std::vector<double> rates(workers.size());
    on_threads(workers.size(), [&](std::size_t k) {
      rates[k] = bare[k]->raw_rate(std::max(1, static_cast<int>(std::lround(batch))), seconds);
    });
    for (const double rate : rates) raw[round] += rate;
  }
  SelfplayRate result;
  result.workers = static_cast<int>(workers.size());
  result.batch =
      static_cast<double>(total.evaluations) / static_cast<double>(std::max<std::int64_t>(total.batches, 1));
  result.moves_per_second = median(moves);
  result.evaluations_per_second = median(evaluations);
  result.raw_per_second = median(raw);
  return result;
}

}  // namespace pahtum
