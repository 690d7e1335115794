#include "selfplay/selfplay_rate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "env/base/clock.h"
#include "model/network_evaluator.h"
#include "model/trainer.h"
#include "selfplay/worker.h"

namespace pahtum {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kRounds = 5;

double median(std::array<double, kRounds> values) {
  std::ranges::sort(values);
  return values[kRounds / 2];
}

// Where threads wait while others are measured.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    if (open_) return;
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // Returns when `threads` wait.
  void close(std::size_t threads) {
    std::unique_lock lock(mutex_);
    open_ = false;
    changed_.wait(lock, [&] { return waiting_ == threads; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::size_t waiting_ = 0;
};

class GatedEvaluator final : public Evaluator {
 public:
  GatedEvaluator(std::unique_ptr<Evaluator> evaluator, Gate& gate)
      : evaluator_(std::move(evaluator)), gate_(gate) {}
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override {
    gate_.pass();
    evaluator_->evaluate(positions, evaluations);
  }

 private:
  std::unique_ptr<Evaluator> evaluator_;
  Gate& gate_;
};

struct Amounts {
  double games = 0, moves = 0, evaluations = 0, batches = 0;

  explicit Amounts(const SelfplayCounters& counters)
      : games(static_cast<double>(counters.games)),
        moves(static_cast<double>(counters.finished_moves)),
        evaluations(static_cast<double>(counters.evaluations)),
        batches(static_cast<double>(counters.batches)) {}
};

// One way of playing. Its workers play on from round to round, each on a thread of its own, and wait in
// between, so that no search is cut off.
class Mode {
 public:
  Mode(const RunConfig& config, std::size_t most_workers, const Checkpoint& weights,
       const InferenceOptions& inference)
      : workers_(make_workers(config)) {
    workers_.resize(std::min(workers_.size(), most_workers));
    for (const auto& worker : workers_) {
      evaluators_.push_back(
          std::make_unique<GatedEvaluator>(make_evaluator(weights, inference, worker->slots()), gate_));
    }
    for (std::size_t k = 0; k < workers_.size(); ++k) {
      threads_.emplace_back([this, k] {
        set_inference_threads(1);
        (void)workers_[k]->play(*evaluators_[k], std::numeric_limits<std::int64_t>::max(), stop_, counters_);
      });
    }
    gate_.close(workers_.size());
  }

  ~Mode() {
    stop_ = true;
    gate_.open();
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

  void warm_up(double seconds) {
    std::int64_t slots = 0;
    for (const auto& worker : workers_) slots += worker->slots();
    const auto start = Clock::now();
    gate_.open();
    while (counters_.games < slots && seconds_since(start) < seconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    gate_.close(workers_.size());
    before_ = Amounts(counters_);
  }

  void round(std::size_t number, double seconds) {
    const Amounts before(counters_);
    const auto start = Clock::now();
    gate_.open();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    gate_.close(workers_.size());
    const double elapsed = seconds_since(start);
    evaluations_[number] = (Amounts(counters_).evaluations - before.evaluations) / elapsed;
    elapsed_ += elapsed;
  }

  [[nodiscard]] double batch() const {
    const Amounts all(counters_);
    return all.evaluations / std::max(all.batches, 1.0);
  }
  [[nodiscard]] SelfplayRate rate() const {
    const Amounts all(counters_);
    const double games = all.games - before_.games;
    SelfplayRate rate;
    rate.workers = static_cast<int>(workers_.size());
    rate.batch = batch();
    rate.games_per_second = games / elapsed_;
    rate.moves_per_second = (all.moves - before_.moves) / elapsed_;
    rate.evaluations_per_second = median(evaluations_);
    rate.evaluations_per_game = games > 0 ? (all.evaluations - before_.evaluations) / games : 0.0;
    return rate;
  }

 private:
  std::vector<std::unique_ptr<SelfplayWorker>> workers_;
  Gate gate_;
  std::vector<std::unique_ptr<GatedEvaluator>> evaluators_;
  std::atomic<bool> stop_{false};
  SelfplayCounters counters_;
  Amounts before_{counters_};
  std::array<double, kRounds> evaluations_{};
  double elapsed_ = 0;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

// Bare forward passes of all evaluators at once, a thread each.
double raw_rate(std::span<const std::unique_ptr<NetworkEvaluator>> evaluators, int batch, double seconds) {
  std::vector<double> rates(evaluators.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < evaluators.size(); ++k) {
      threads.emplace_back([&, k] {
        set_inference_threads(1);
        rates[k] = evaluators[k]->raw_rate(batch, seconds);
      });
    }
  }
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

RunConfig as_trees(RunConfig config) {
  config.search.graph = false;
  config.search.exact_leaf = 0;
  config.search.exact_root = 0;
  return config;
}

}  // namespace

SelfplayRates measure_selfplay(const RunConfig& config, double seconds, InferenceCheck* check) {
  const Trainer trainer(config.game, config.network, config.learner,
                        static_cast<std::uint64_t>(config.run.seed), config.run.device);
  const Checkpoint weights = trainer.snapshot();
  const InferenceOptions inference = inference_of(config.run, check);
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  Mode trees(as_trees(config), kAll, weights, inference);
  Mode configured(config, kAll, weights, inference);
  Mode one_worker(config, 1, weights, inference);
  std::vector<std::unique_ptr<NetworkEvaluator>> bare;
  for (int k = 0; k < trees.rate().workers; ++k) {
    bare.push_back(std::make_unique<NetworkEvaluator>(weights, inference));
  }

  const double warm_up = seconds * static_cast<double>(kRounds);
  for (Mode* const mode : {&trees, &configured, &one_worker}) mode->warm_up(warm_up);
  std::array<double, kRounds> raw{};
  std::array<double, kRounds> raw_one{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    const int batch = std::max(1, static_cast<int>(std::lround(trees.batch())));
    trees.round(round, seconds);
    raw[round] = raw_rate(bare, batch, seconds);
    configured.round(round, seconds);
    one_worker.round(round, seconds);
    raw_one[round] = raw_rate(std::span(bare).first(1), batch, seconds);
  }
  return {trees.rate(), configured.rate(), one_worker.rate(), median(raw), median(raw_one)};
}

}  // namespace pahtum
