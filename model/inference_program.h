#pragma once

// Internal to model/: the programs a NetworkEvaluator may run.

#include <memory>
#include <span>

#include "model/checkpoint.h"
#include "model/inference.h"

namespace pahtum {

// Logits of N positions, row-major; valid until the next run.
struct ProgramOutput {
  const float* policy;  // [N, actions], not masked
  const float* wdl;     // [N, 3]
  const float* margin;  // [N] in units of kMarginUnit
  std::size_t actions;
};

class InferenceProgram {
 public:
  virtual ~InferenceProgram() = default;
  // Positions of the network's board size, at least one.
  virtual ProgramOutput run(std::span<const Position> positions) = 0;
  // A forward pass of `count` positions, without encoding any.
  virtual void repeat(int count) = 0;
};

struct ChosenProgram {
  std::unique_ptr<InferenceProgram> program;
  Precision precision;
};

// What the options' precision stands for on their device. Throws the kRequest Errors of choose_device and
// choose_cpu_precision.
[[nodiscard]] Precision choose_precision(const InferenceOptions& options);

// Throws the kRequest Errors of playing_network, choose_device and choose_cpu_precision.
[[nodiscard]] ChosenProgram make_inference_program(const Checkpoint& checkpoint,
                                                   const InferenceOptions& options);

}  // namespace pahtum
