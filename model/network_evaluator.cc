#include "model/network_evaluator.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "env/observation.h"
#include "model/folded_network.h"

namespace pahtum {
namespace {

// Softmax of one row of logits over the legal moves. A swap, which the network has no logit for yet, gets an
// even share.
void decode_policy(const Position& position, const float* logits, Evaluation& evaluation) {
  const int size = position.size;
  float largest = -1e30f;
  for_each_legal(position, [&](Move move) {
    if (!move.is_swap()) largest = std::max(largest, logits[action_of(move, size)]);
  });
  const float swap_share = may_swap(position) ? 1.0f / static_cast<float>(legal_count(position)) : 0.0f;
  float sum = 0.0f;
  for_each_legal(position, [&](Move move) {
    if (move.is_swap()) return;
    const float weight = std::exp(logits[action_of(move, size)] - largest);
    evaluation.policy[static_cast<std::size_t>(move.index())] = weight;
    sum += weight;
  });
  const float scale = (1.0f - swap_share) / sum;
  for_each_legal(position, [&](Move move) {
    float& share = evaluation.policy[static_cast<std::size_t>(move.index())];
    share = move.is_swap() ? swap_share : share * scale;
  });
}

Wdl decode_wdl(const float* logits) {
  const float largest = std::max({logits[0], logits[1], logits[2]});
  const float win = std::exp(logits[0] - largest);
  const float draw = std::exp(logits[1] - largest);
  const float loss = std::exp(logits[2] - largest);
  const float sum = win + draw + loss;
  return {win / sum, draw / sum, loss / sum};
}

}  // namespace

class NetworkEvaluator::Implementation {
 public:
  Implementation(const Checkpoint& checkpoint, const std::string& device, int max_batch)
      : device_(choose_device(device)),
        network_(playing_network(checkpoint), device_),
        size_(static_cast<int>(checkpoint.manifest.game.size)),
        max_batch_(max_batch) {
    auto options = torch::TensorOptions().dtype(torch::kFloat32);
    if (device_.is_cuda()) options = options.pinned_memory(true);
    planes_ = torch::zeros({max_batch, kChannels, size_, size_}, options);
  }

  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
    const torch::InferenceMode inference;
    const auto limit = static_cast<std::size_t>(max_batch_);
    for (std::size_t start = 0; start < positions.size(); start += limit) {
      const std::size_t count = std::min(limit, positions.size() - start);
      evaluate_piece(positions.subspan(start, count), evaluations.subspan(start, count));
    }
  }

  double raw_rate(int batch, double seconds) {
    const torch::InferenceMode inference;
    const torch::Tensor planes = torch::rand({batch, kChannels, size_, size_}).to(device_);
    const auto start = std::chrono::steady_clock::now();
    double elapsed = 0.0;
    std::int64_t done = 0;
    do {
      const NetworkOutput output = network_.forward(planes);
      // Reading one number waits for a device that works asynchronously.
      if (!std::isfinite(output.wdl[0][0].item<float>())) break;
      done += batch;
      elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    } while (elapsed < seconds);
    return static_cast<double>(done) / elapsed;
  }

 private:
  void evaluate_piece(std::span<const Position> positions, std::span<Evaluation> evaluations) {
    const auto count = static_cast<std::int64_t>(positions.size());
    const auto squares = static_cast<std::size_t>(size_ * size_);
    const std::span<float> planes(planes_.data_ptr<float>(), positions.size() * kChannels * squares);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      write_observation(positions[k], planes.subspan(k * kChannels * squares, kChannels * squares));
    }
    const NetworkOutput output =
        network_.forward(planes_.slice(0, 0, count).to(device_, /*non_blocking=*/true));
    const torch::Tensor policy = output.policy.to(torch::kCPU).contiguous();
    const torch::Tensor wdl = output.wdl.to(torch::kCPU).contiguous();
    const torch::Tensor margin = output.margin.to(torch::kCPU).contiguous();
    const float* policy_rows = policy.data_ptr<float>();
    const float* wdl_rows = wdl.data_ptr<float>();
    const float* margins = margin.data_ptr<float>();
    for (std::size_t k = 0; k < positions.size(); ++k) {
      evaluations[k] = {};
      decode_policy(positions[k], policy_rows + k * squares, evaluations[k]);
      evaluations[k].wdl = decode_wdl(wdl_rows + 3 * k);
      evaluations[k].margin = static_cast<float>(kMarginScale) * margins[k];
    }
  }

  torch::Device device_;
  FoldedNetwork network_;
  int size_;
  int max_batch_;
  torch::Tensor planes_;
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
  torch::set_num_threads(threads);
}

void tune_allocator() {
#ifdef __GLIBC__
  // glibc otherwise returns the memory of freed tensors to the kernel and faults it in again at the next
  // batch.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace pahtum
