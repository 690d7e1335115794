#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench_rounds.h"
#include "app/measuring_process.h"
#include "model/network_evaluator.h"
#include "model/trainer.h"

namespace pahtum {
namespace {

constexpr int kBatch = 64;

std::vector<NetworkConfig> shapes_of(const RunConfig& config) {
  std::vector<NetworkConfig> shapes;
  for (const auto& [channels, blocks] : {std::pair{32, 4}, {64, 6}, {128, 8}}) {
    NetworkConfig shape;
    shape.channels = channels;
    shape.blocks = blocks;
    shapes.push_back(shape);
  }
  if (std::ranges::find(shapes, config.network) == shapes.end()) shapes.push_back(config.network);
  return shapes;
}

Checkpoint weights_of(const RunConfig& config, const NetworkConfig& shape) {
  return Trainer(config.game, shape, config.learner, static_cast<std::uint64_t>(config.run.seed), "cpu")
      .snapshot();
}

// A network that evaluates the same positions again and again.
class EvaluationRate {
 public:
  EvaluationRate(const Checkpoint& weights, const InferenceOptions& options, std::vector<Position> positions)
      : network_(weights, options), positions_(std::move(positions)), evaluations_(positions_.size()) {}

  double measure(double seconds) {
    return processor_rate(seconds, [&] {
      network_.evaluate(positions_, evaluations_);
      return positions_.size();
    });
  }

 private:
  NetworkEvaluator network_;
  std::vector<Position> positions_;
  std::vector<Evaluation> evaluations_;
};

const InferenceOptions kEager{.device = "cpu", .form = InferenceForm::kEager};

// The eager module where the allocator is not tuned; what is measured is numbered 2 · shape + (batch > 1).
class UntunedEager {
 public:
  explicit UntunedEager(const RunConfig& config) : config_(config) {}

  double measure(int what, double seconds) {
    if (what / 2 != shape_) {
      set_inference_threads(1);
      shape_ = what / 2;
      const Checkpoint weights = weights_of(config_, shapes_of(config_)[static_cast<std::size_t>(shape_)]);
      const auto rate = [&](int batch) {
        return std::make_shared<EvaluationRate>(weights, kEager, start_positions(config_, batch));
      };
      rates_ = {rate(1), rate(kBatch)};
    }
    return rates_[static_cast<std::size_t>(what % 2)]->measure(seconds);
  }

 private:
  const RunConfig& config_;
  int shape_ = -1;
  std::array<std::shared_ptr<EvaluationRate>, 2> rates_;
};

// Takes one network's measurements, `number` among shapes_of(); returns its rows.
class NetworkBench {
 public:
  NetworkBench(const RunConfig& config, int number, MeasuringProcess& untuned)
      : config_(config),
        number_(number),
        untuned_(untuned),
        shape_(shapes_of(config)[static_cast<std::size_t>(number)]),
        weights_(weights_of(config, shape_)) {
    const InferenceOptions fastest{.device = "cpu", .precision = config.run.precision};
    const InferenceOptions folded_form{.device = "cpu", .form = InferenceForm::kFolded};
    const std::string name = to_text(shape_);
    const std::string precision = std::string(to_text(NetworkEvaluator(weights_, fastest).precision()));
    const BenchRounds::Row limit = add_convolutions(Precision::kFp32);
    BenchRounds::Row own_limit = limit;
    if (const auto narrow = add_narrow_convolutions()) {
      if (precision == to_text(Precision::kBf16)) own_limit = *narrow;
    }
    const std::string batch = fmt::format(", batch {}", kBatch);
    const std::string single = ", batch 1";
    const std::string plain_allocator = ", the C library's allocator settings";
    const auto eager_single = add_evaluator(name + ", eager" + single, kEager, 1);
    const auto untuned_single = add_untuned(name + ", eager" + single + plain_allocator, 1, eager_single);
    const auto eager_batch = add_evaluator(name + ", eager" + batch, kEager, kBatch);
    const auto untuned_batch = add_untuned(name + ", eager" + batch + plain_allocator, kBatch, eager_batch);
    const auto folded = add_evaluator(name + ", folded" + batch, folded_form, kBatch);
    const std::string form = (has_frozen_network() ? ", frozen " : ", ") + precision;
    const auto beside = [&](BenchRounds::Row row, const std::string& other, BenchRounds::Row against) {
      rounds_.show(row, rounds_.what(row) + " (beside " + other + ")", "evaluations/s", 1.0, against);
    };
    const auto frozen_single = add_evaluator(name + form + single, fastest, 1, eager_single);
    beside(frozen_single, "eager, the C library's allocator", untuned_single);
    const auto frozen = add_evaluator(name + form + batch, fastest, kBatch, eager_batch);
    beside(frozen, "eager, the C library's allocator", untuned_batch);
    beside(frozen, "folded", folded);
    const double operations = operations_per_position(weights_.manifest) * 1e-9;
    rounds_.show(frozen, rounds_.what(frozen) + ", its arithmetic", "GFLOP/s", operations, own_limit);
  }

  [[nodiscard]] std::vector<BenchRow> run(double seconds) {
    rounds_.run(seconds);
    return rounds_.rows();
  }

 private:
  BenchRounds::Row add_convolutions(Precision precision) {
    const int channels = static_cast<int>(shape_.channels);
    const int size = static_cast<int>(config_.game.size);
    return rounds_.add(
        fmt::format("bare convolutions of {} channels, {}, batch {}", channels, to_text(precision), kBatch),
        "GFLOP/s",
        [=](double seconds) { return best_convolution_rate(channels, size, kBatch, precision, seconds); });
  }

  std::optional<BenchRounds::Row> add_narrow_convolutions() {
    constexpr double kInstant = 1e-6;
    const auto channels = static_cast<int>(shape_.channels);
    if (best_convolution_rate(channels, static_cast<int>(config_.game.size), 1, Precision::kBf16, kInstant) <=
        0) {
      return std::nullopt;
    }
    return add_convolutions(Precision::kBf16);
  }

  BenchRounds::Row add_evaluator(const std::string& what, const InferenceOptions& options, int batch,
                                 std::optional<BenchRounds::Row> against = {}) {
    const auto evaluation =
        std::make_shared<EvaluationRate>(weights_, options, start_positions(config_, batch));
    return rounds_.add(
        what, "evaluations/s", [evaluation](double seconds) { return evaluation->measure(seconds); },
        against);
  }

  BenchRounds::Row add_untuned(const std::string& what, int batch, BenchRounds::Row against) {
    const int number = 2 * number_ + (batch > 1 ? 1 : 0);
    return rounds_.add(
        what, "evaluations/s", [this, number](double seconds) { return untuned_.measure(number, seconds); },
        against);
  }

  const RunConfig& config_;
  int number_;
  MeasuringProcess& untuned_;
  NetworkConfig shape_;
  Checkpoint weights_;
  BenchRounds rounds_;
};

}  // namespace

std::vector<BenchRow> bench_inference(const RunConfig& config, double seconds) {
  MeasuringProcess untuned(
      [eager = UntunedEager(config)](int what, double time) mutable { return eager.measure(what, time); });
  tune_allocator();
  set_inference_threads(1);
  std::vector<BenchRow> rows;
  for (int number = 0; number < static_cast<int>(shapes_of(config).size()); ++number) {
    for (BenchRow& row : NetworkBench(config, number, untuned).run(seconds)) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pahtum
