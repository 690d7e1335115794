#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/checkpoint.h"
#include "search/evaluator.h"

namespace pahtum {

// The network of a checkpoint as an Evaluator: averaged weights, evaluation mode, no gradients, policy masked
// to the legal moves before the softmax. Evaluates the batch it is given as it is, in one forward pass
// (larger ones in pieces of `max_batch`). Each object has weights of its own and may be used by one thread at
// a time; on the CPU the calling thread's LibTorch thread count applies (see set_inference_threads).
class NetworkEvaluator final : public Evaluator {
 public:
  // Throws a kRequest Error that says what differs when the checkpoint's tensors do not fit its own network
  // shape or the observation version is not this program's.
  NetworkEvaluator(const Checkpoint& checkpoint, const std::string& device, int max_batch = 1024);
  ~NetworkEvaluator() override;

  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override;

  // Raw forward passes of `batch` positions already encoded, without encoding or decoding: the limit that
  // `bench selfplay` measures against. Returns evaluations per second over about `seconds`.
  [[nodiscard]] double raw_rate(int batch, double seconds);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// Number of LibTorch threads used by operations of the calling thread (and of threads it starts later).
void set_inference_threads(int threads);

// Makes the C library keep the memory of freed tensors; call once when a program starts.
void tune_allocator();

}  // namespace pahtum
