#include "model/network_evaluator.h"

#include <ATen/Parallel.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "env/base/error.h"
#include "env/base/non_finite_error.h"
#include "env/observation.h"
#include "model/inference_check.h"
#include "model/inference_program.h"
#include "model/network.h"

namespace pahtum {
namespace {

// Priors of the legal moves from a row of logits. A network made for rules without a swap has no logit for
// it: the swap then gets the mean share. Returns false when the logits are not finite.
bool fill_policy(const Position& position, const float* logits, bool swap_logit, std::span<float> policy) {
  std::ranges::fill(policy, 0.0f);
  const int size = position.size;
  const int count = legal_count(position);
  const bool guess_swap = may_swap(position) && !swap_logit;
  const auto has_logit = [&](Move move) { return swap_logit || !move.is_swap(); };
  float largest = -std::numeric_limits<float>::infinity();
  for_each_legal(position, [&](Move move) {
    if (has_logit(move)) largest = std::max(largest, logits[action_of(move, size)]);
  });
  float total = 0.0f;
  for_each_legal(position, [&](Move move) {
    if (!has_logit(move)) return;
    const float share = std::exp(logits[action_of(move, size)] - largest);
    policy[static_cast<std::size_t>(move.index())] = share;
    total += share;
  });
  if (guess_swap && count == 1) {
    policy[static_cast<std::size_t>(Move::swap().index())] = 1.0f;
    return true;
  }
  const float swap = guess_swap ? 1.0f / static_cast<float>(count) : 0.0f;
  const float factor = (1.0f - swap) / total;
  for_each_legal(position, [&](Move move) { policy[static_cast<std::size_t>(move.index())] *= factor; });
  if (guess_swap) policy[static_cast<std::size_t>(Move::swap().index())] = swap;
  return std::isfinite(factor);
}

Wdl softmax(const float* logits) {
  const float largest = std::max({logits[0], logits[1], logits[2]});
  const float win = std::exp(logits[0] - largest);
  const float draw = std::exp(logits[1] - largest);
  const float loss = std::exp(logits[2] - largest);
  const float total = win + draw + loss;
  return {.win = win / total, .draw = draw / total, .loss = loss / total};
}

int at_least_one(const char* name, int value) {
  if (value < 1) throw request_error(name, std::to_string(value) + " is below 1");
  return value;
}

}  // namespace

class NetworkEvaluator::Implementation {
 public:
  Implementation(const Checkpoint& checkpoint, const InferenceOptions& options, int max_batch)
      : size_(static_cast<int>(checkpoint.manifest.game.size)),
        max_batch_(at_least_one("max_batch", max_batch)),
        chosen_(make_inference_program(checkpoint, options, max_batch_)) {}

  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
    const auto piece = static_cast<std::size_t>(max_batch_);
    for (std::size_t begin = 0; begin < positions.size(); begin += piece) {
      const std::size_t count = std::min(piece, positions.size() - begin);
      evaluate_piece(positions.subspan(begin, count), evaluations.subspan(begin, count));
    }
  }

  [[nodiscard]] Precision precision() const noexcept { return chosen_.precision; }

  double raw_rate(int batch, double seconds) {
    static_cast<void>(at_least_one("batch", batch));
    constexpr int kWarmUp = 2;
    for (int pass = 0; pass < kWarmUp; ++pass) chosen_.program->repeat(batch);
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    double elapsed = 0.0;
    double done = 0.0;
    do {
      chosen_.program->repeat(batch);
      done += batch;
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    return done / elapsed;
  }

 private:
  void evaluate_piece(std::span<const Position> positions, std::span<Evaluation> evaluations) {
    for (const Position& position : positions) {
      if (position.size == size_) continue;
      throw request_error("position \"" + to_text(position) + "\"", "the network plays on boards of size " +
                                                                        std::to_string(size_) + ", not " +
                                                                        std::to_string(position.size));
    }
    chosen_.program->run(positions, [&](const ProgramOutput& output) {
      decode(output, positions.subspan(output.begin, output.count),
             evaluations.subspan(output.begin, output.count));
    });
  }

  void decode(const ProgramOutput& output, std::span<const Position> positions,
              std::span<Evaluation> evaluations) const {
    const auto squares = static_cast<std::size_t>(size_ * size_);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      Evaluation& evaluation = evaluations[k];
      const bool finite = fill_policy(positions[k], output.policy + k * output.actions,
                                      output.actions > squares, evaluation.policy);
      evaluation.wdl = softmax(output.wdl + 3 * k);
      evaluation.margin = output.margin[k] * static_cast<float>(kMarginUnit);
      if (!finite || !std::isfinite(evaluation.wdl.value().get()) || !std::isfinite(evaluation.margin)) {
        throw NonFiniteError("network",
                             "its output for position \"" + to_text(positions[k]) + "\" is not finite");
      }
    }
  }

  int size_;
  int max_batch_;
  ChosenProgram chosen_;
};

NetworkEvaluator::NetworkEvaluator(const Checkpoint& checkpoint, const InferenceOptions& options,
                                   int max_batch)
    : implementation_(std::make_unique<Implementation>(checkpoint, options, max_batch)) {}
NetworkEvaluator::~NetworkEvaluator() = default;

void NetworkEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  implementation_->evaluate(positions, evaluations);
}

Precision NetworkEvaluator::precision() const noexcept {
  return implementation_->precision();
}

double NetworkEvaluator::raw_rate(int batch, double seconds) {
  return implementation_->raw_rate(batch, seconds);
}

std::unique_ptr<Evaluator> make_evaluator(const Checkpoint& checkpoint, const InferenceOptions& options,
                                          int max_batch) {
  auto tested = std::make_unique<NetworkEvaluator>(checkpoint, options, max_batch);
  if (options.check == nullptr) return tested;
  const InferenceOptions eager{.device = "cpu", .precision = "fp32", .form = InferenceForm::kEager};
  const Precision precision = tested->precision();
  return std::make_unique<CheckingEvaluator>(std::move(tested),
                                             std::make_unique<NetworkEvaluator>(checkpoint, eager, max_batch),
                                             precision, *options.check);
}

void require_inference(const InferenceOptions& options) {
  static_cast<void>(choose_precision(options));
}

double operations_per_position(const Manifest& manifest) {
  const auto squares = static_cast<double>(manifest.game.size * manifest.game.size);
  const auto width = static_cast<double>(manifest.network.channels);
  const auto head = static_cast<double>(manifest.network.head_channels);
  const auto blocks = static_cast<double>(manifest.network.blocks);
  const NetworkShape shape = shape_of(manifest.game);
  constexpr double kTaps = 9.0;
  const double stem = squares * kTaps * static_cast<double>(shape.channels) * width;
  const double tower = 2.0 * blocks * squares * kTaps * width * width;
  double pooling = 0.0;
  for (std::int64_t block = 0; block < manifest.network.blocks; ++block) {
    if (is_pooled(manifest.network, block)) pooling += 2.0 * width * width;
  }
  const auto hidden = static_cast<double>(kValueHidden);
  const double policy = squares * head * (width + 1.0) + 2.0 * head * (head + (shape.swap ? 1.0 : 0.0));
  const double value = squares * head * width + 2.0 * head * hidden + 4.0 * hidden;
  return 2.0 * (stem + tower + pooling + policy + value);
}

void set_inference_threads(int threads) {
  at::set_num_threads(threads);
}

void tune_allocator() {
#ifdef __GLIBC__
  constexpr int kKeep = 1 << 30;
  constexpr int kGrowth = 64 << 20;
  mallopt(M_TRIM_THRESHOLD, kKeep);
  mallopt(M_MMAP_THRESHOLD, kKeep);
  mallopt(M_TOP_PAD, kGrowth);
#endif
}

}  // namespace pahtum
