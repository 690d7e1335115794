#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/bench_row.h"
#include "model/network_evaluator.h"
#include "model/trainer.h"

namespace pahtum {
namespace {

constexpr std::size_t kRounds = 9;
constexpr int kBatch = 64;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// As rate(), by the process's time on the processor: neighbours that share the core do not count.
template <class Work>
double processor_rate(double seconds, Work&& work) {
  static_cast<void>(work());
  const std::clock_t start = std::clock();
  double amount = 0;
  double elapsed = 0;
  do {
    amount += static_cast<double>(work());
    elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (elapsed < seconds);
  return amount / elapsed;
}

// What is measured once in every round. A rate may also be shown in another unit and beside several others.
struct Measurement {
  std::string what;
  std::string unit;
  std::function<double(double seconds)> measure;
  std::vector<double> values = {};
};

// A row of the table: a measurement, in its own unit times `factor`, over another one.
struct Shown {
  std::size_t measurement;
  std::string what, unit;
  double factor = 1.0;
  std::optional<std::size_t> against = {};  // of the rows
};

// One network's measurements and rows.
class NetworkBench {
 public:
  NetworkBench(const RunConfig& config, const NetworkConfig& shape)
      : config_(config), shape_(shape), weights_(weights()), positions_(start_positions(config, kBatch)) {
    const InferenceOptions fastest{.device = "cpu", .precision = config.run.precision};
    const InferenceOptions eager{.device = "cpu", .form = InferenceForm::kEager};
    const InferenceOptions folded_form{.device = "cpu", .form = InferenceForm::kFolded};
    const std::string name = to_text(shape);
    const std::string precision = std::string(to_text(NetworkEvaluator(weights_, fastest).precision()));
    const std::size_t limit = add_convolutions(Precision::kFp32);
    std::size_t own_limit = limit;
    if (const auto narrow = add_narrow_convolutions()) {
      if (precision == to_text(Precision::kBf16)) own_limit = *narrow;
    }
    const std::size_t eager_single = add_evaluator(name + ", eager, batch 1", eager, 1);
    const std::size_t eager_batch =
        add_evaluator(name + fmt::format(", eager, batch {}", kBatch), eager, kBatch);
    const std::size_t folded =
        add_evaluator(name + fmt::format(", folded, batch {}", kBatch), folded_form, kBatch);
    const std::string form = has_frozen_network() ? ", frozen " : ", ";
    add_evaluator(name + form + precision + ", batch 1", fastest, 1, eager_single);
    const std::string whole = name + form + precision + fmt::format(", batch {}", kBatch);
    const std::size_t frozen = add_evaluator(whole, fastest, kBatch, eager_batch);
    shown_.push_back({shown_[frozen].measurement, whole + " (beside folded)", "evaluations/s", 1.0, folded});
    const double operations = operations_per_position(weights_.manifest) * 1e-9;
    shown_.push_back(
        {shown_[frozen].measurement, whole + ", its arithmetic", "GFLOP/s", operations, own_limit});
  }

  void round(double seconds) {
    for (Measurement& measurement : measurements_) measurement.values.push_back(measurement.measure(seconds));
  }

  [[nodiscard]] std::vector<BenchRow> rows() const {
    std::vector<BenchRow> rows;
    for (const Shown& shown : shown_) {
      const std::vector<double>& values = measurements_[shown.measurement].values;
      BenchRow& row = rows.emplace_back();
      row = {shown.what, median(values) * shown.factor,          shown.unit, {},
             "",         std::ranges::max(values) * shown.factor};
      if (!shown.against) continue;
      const Shown& other = shown_[*shown.against];
      std::vector<double> ratios;
      for (std::size_t round = 0; round < values.size(); ++round) {
        ratios.push_back(values[round] * shown.factor /
                         (measurements_[other.measurement].values[round] * other.factor));
      }
      row.ratio = median(ratios);
      row.against = other.what;
    }
    return rows;
  }

 private:
  [[nodiscard]] Checkpoint weights() const {
    return Trainer(config_.game, shape_, config_.learner, static_cast<std::uint64_t>(config_.run.seed), "cpu")
        .snapshot();
  }

  std::size_t add(Measurement measurement, std::optional<std::size_t> against = {}) {
    shown_.push_back({measurements_.size(), measurement.what, measurement.unit, 1.0, against});
    measurements_.push_back(std::move(measurement));
    return shown_.size() - 1;
  }

  std::size_t add_convolutions(Precision precision) {
    const int channels = static_cast<int>(shape_.channels);
    const int size = static_cast<int>(config_.game.size);
    return add(
        {fmt::format("bare convolutions of {} channels, {}, batch {}", channels, to_text(precision), kBatch),
         "GFLOP/s",
         [=](double seconds) { return best_convolution_rate(channels, size, kBatch, precision, seconds); }});
  }

  std::optional<std::size_t> add_narrow_convolutions() {
    constexpr double kInstant = 1e-6;
    const auto channels = static_cast<int>(shape_.channels);
    if (best_convolution_rate(channels, static_cast<int>(config_.game.size), 1, Precision::kBf16, kInstant) <=
        0) {
      return std::nullopt;
    }
    return add_convolutions(Precision::kBf16);
  }

  std::size_t add_evaluator(const std::string& what, const InferenceOptions& options, int batch,
                            std::optional<std::size_t> against = {}) {
    const std::vector<Position> positions(positions_.begin(), positions_.begin() + batch);
    auto network = std::make_shared<NetworkEvaluator>(weights_, options);
    auto evaluations = std::make_shared<std::vector<Evaluation>>(positions.size());
    return add({what, "evaluations/s",
                [=](double seconds) {
                  return processor_rate(seconds, [&] {
                    network->evaluate(positions, *evaluations);
                    return positions.size();
                  });
                }},
               against);
  }

  const RunConfig& config_;
  NetworkConfig shape_;
  Checkpoint weights_;
  std::vector<Position> positions_;
  std::vector<Measurement> measurements_;
  std::vector<Shown> shown_;
};

}  // namespace

std::vector<BenchRow> bench_inference(const RunConfig& config, double seconds) {
  set_inference_threads(1);
  std::vector<NetworkConfig> shapes;
  for (const auto& [channels, blocks] : {std::pair{32, 4}, {64, 6}, {128, 8}}) {
    NetworkConfig shape;
    shape.channels = channels;
    shape.blocks = blocks;
    shapes.push_back(shape);
  }
  if (std::ranges::find(shapes, config.network) == shapes.end()) shapes.push_back(config.network);
  std::vector<BenchRow> rows;
  for (const NetworkConfig& shape : shapes) {
    NetworkBench bench(config, shape);
    for (std::size_t round = 0; round < kRounds; ++round) bench.round(seconds / kRounds);
    for (BenchRow& row : bench.rows()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pahtum
