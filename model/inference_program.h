#pragma once

// Internal to model/: the programs a NetworkEvaluator may run.

#include <functional>
#include <memory>
#include <span>

#include "model/checkpoint.h"
#include "model/inference.h"

namespace pahtum {

// Logits of the N = `count` positions of a batch from `begin` on, row-major.
struct ProgramOutput {
  std::size_t begin, count;
  const float* policy;     // [N, actions], not masked
  const float* wdl;        // [N, 3]
  const float* margin;     // [N] in units of kMarginUnit
  const float* ownership;  // [N, n, n] in [−1, 1]; null where it is not computed
  std::size_t actions;
};

class InferenceProgram {
 public:
  // Called on the thread that runs the program. The output is valid until it returns.
  using Consumer = std::function<void(const ProgramOutput&)>;

  virtual ~InferenceProgram() = default;
  // Positions of the network's board size, at least one. `consume` sees all of them in ascending order, in
  // one or more parts, while later parts may still be computed.
  virtual void run(std::span<const Position> positions, const Consumer& consume) = 0;
  // A forward pass of `count` positions, without encoding any.
  virtual void repeat(int count) = 0;
};

struct ChosenProgram {
  std::unique_ptr<InferenceProgram> program;
  Precision precision;
};

// What the options' precision stands for on their device. Throws the kRequest Errors of choose_device,
// choose_cpu_precision and choose_cuda_precision.
[[nodiscard]] Precision choose_precision(const InferenceOptions& options);

// `max_batch`, at least 1, is the most positions of a batch that buffers are made for. Throws the kRequest
// Errors of playing_network and choose_precision.
[[nodiscard]] ChosenProgram make_inference_program(const Checkpoint& checkpoint,
                                                   const InferenceOptions& options, int max_batch);

}  // namespace pahtum
