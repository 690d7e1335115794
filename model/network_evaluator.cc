#include "model/network_evaluator.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "env/base/error.h"
#include "env/observation.h"
#include "model/folded_network.h"

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

}  // namespace

class NetworkEvaluator::Implementation {
 public:
  Implementation(const Checkpoint& checkpoint, const std::string& device, int max_batch)
      : size_(static_cast<int>(checkpoint.manifest.game.size)),
        channels_(shape_of(checkpoint.manifest.game).channels),
        device_(choose_device(device)),
        max_batch_(max_batch),
        network_(*playing_network(checkpoint), device_) {
    if (max_batch < 1) throw request_error("max_batch", std::to_string(max_batch) + " is below 1");
  }

  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
    const auto piece = static_cast<std::size_t>(max_batch_);
    for (std::size_t begin = 0; begin < positions.size(); begin += piece) {
      const std::size_t count = std::min(piece, positions.size() - begin);
      evaluate_piece(positions.subspan(begin, count), evaluations.subspan(begin, count));
    }
  }

  double raw_rate(int batch, double seconds) {
    if (batch < 1) throw request_error("batch", std::to_string(batch) + " is below 1");
    const torch::InferenceMode inference;
    const torch::Tensor input = input_for(batch).fill_(0.5f).to(device_);
    constexpr int kWarmUp = 2;
    for (int pass = 0; pass < kWarmUp; ++pass) forward(input);
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    double elapsed = 0.0;
    double done = 0.0;
    do {
      forward(input);
      done += batch;
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    return done / elapsed;
  }

 private:
  // The first `count` rows of the buffer, which grows to the largest batch seen.
  torch::Tensor input_for(std::int64_t count) {
    if (!buffer_.defined() || buffer_.size(0) < count) {
      buffer_ = torch::zeros({count, channels_, size_, size_},
                             torch::TensorOptions().dtype(torch::kFloat32).pinned_memory(device_.is_cuda()));
    }
    return buffer_.narrow(0, 0, count);
  }

  NetworkOutput forward(const torch::Tensor& input) {
    NetworkOutput output = network_.forward(input, false);
    output.policy = output.policy.to(torch::kCPU).contiguous();
    output.wdl = output.wdl.to(torch::kCPU).contiguous();
    output.margin = output.margin.to(torch::kCPU).contiguous();
    return output;
  }

  void evaluate_piece(std::span<const Position> positions, std::span<Evaluation> evaluations) {
    const torch::InferenceMode inference;
    const auto squares = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
    const torch::Tensor input = input_for(static_cast<std::int64_t>(positions.size()));
    auto* planes = input.data_ptr<float>();
    const std::size_t numbers = static_cast<std::size_t>(channels_) * squares;
    for (const Position& position : positions) {
      if (position.size != size_) {
        throw request_error("position \"" + to_text(position) + "\"", "the network plays on boards of size " +
                                                                          std::to_string(size_) + ", not " +
                                                                          std::to_string(position.size));
      }
      write_observation(position, std::span(planes, numbers));
      planes += numbers;
    }
    const NetworkOutput output = forward(input.to(device_));
    const auto actions = static_cast<std::size_t>(output.policy.size(1));
    const float* policy = output.policy.data_ptr<float>();
    const float* wdl = output.wdl.data_ptr<float>();
    const float* margin = output.margin.data_ptr<float>();
    for (std::size_t k = 0; k < positions.size(); ++k) {
      Evaluation& evaluation = evaluations[k];
      const bool finite =
          fill_policy(positions[k], policy + k * actions, actions > squares, evaluation.policy);
      evaluation.wdl = softmax(wdl + 3 * k);
      evaluation.margin = margin[k] * static_cast<float>(kMarginUnit);
      if (!finite || !std::isfinite(evaluation.wdl.value().get()) || !std::isfinite(evaluation.margin)) {
        throw failure("network", "its output for position \"" + to_text(positions[k]) + "\" is not finite");
      }
    }
  }

  int size_;
  std::int64_t channels_;
  torch::Device device_;
  int max_batch_;
  FoldedNetwork network_;
  torch::Tensor buffer_;
};

NetworkEvaluator::NetworkEvaluator(const Checkpoint& checkpoint, const std::string& device, int max_batch)
    : implementation_(std::make_unique<Implementation>(checkpoint, device, max_batch)) {}
NetworkEvaluator::~NetworkEvaluator() = default;

void NetworkEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  implementation_->evaluate(positions, evaluations);
}

double NetworkEvaluator::raw_rate(int batch, double seconds) {
  return implementation_->raw_rate(batch, seconds);
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
