#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/checkpoint.h"
#include "model/inference.h"
#include "search/evaluator.h"

namespace pahtum {

// The network of a checkpoint as an Evaluator: averaged weights, evaluation mode, no gradients, policy masked
// to the legal moves before the softmax. Evaluates the batch it is given as it is (larger ones in pieces of
// `max_batch`). Each object has weights of its own and may be used by one thread at a time; on the CPU
// the frozen network computes on the calling thread alone, LibTorch's forms on as many threads as
// set_inference_threads says.
class NetworkEvaluator final : public Evaluator {
 public:
  // Throws a kRequest Error that says what differs when the checkpoint's tensors do not fit its own network
  // shape or the observation version is not this program's, and for options that this machine cannot serve.
  NetworkEvaluator(const Checkpoint& checkpoint, const InferenceOptions& options, int max_batch = 1024);
  // In float32, whatever the device has.
  NetworkEvaluator(const Checkpoint& checkpoint, const std::string& device, int max_batch = 1024)
      : NetworkEvaluator(checkpoint, InferenceOptions{.device = device, .precision = "fp32"}, max_batch) {}
  ~NetworkEvaluator() override;

  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override;

  // What `auto` became.
  [[nodiscard]] Precision precision() const noexcept;

  // Raw forward passes of `batch` positions already encoded, without encoding or decoding: the limit that
  // `bench selfplay` measures against. Returns evaluations per second over about `seconds`.
  [[nodiscard]] double raw_rate(int batch, double seconds);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// A NetworkEvaluator; where options.check is set, in a CheckingEvaluator beside the eager module in fp32 on
// the CPU. Throws what the NetworkEvaluator throws.
[[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(const Checkpoint& checkpoint,
                                                        const InferenceOptions& options,
                                                        int max_batch = 1024);

// Throws a kRequest Error naming what this machine cannot serve: an unknown device or precision, or one that
// is not there.
void require_inference(const InferenceOptions& options);

// What a position costs in a network: 2 · multiplications, of its convolutions and dense layers.
[[nodiscard]] double operations_per_position(const Manifest& manifest);

// Number of LibTorch threads used by operations of the calling thread (and of threads it starts later).
void set_inference_threads(int threads);

// Makes the C library keep the memory of freed tensors; call once when a program starts.
void tune_allocator();

}  // namespace pahtum
