#pragma once

#include <memory>
#include <string>

#include "model/trainer.h"

namespace pahtum {

// The learner step as one writes it with LibTorch's own parts, on a CPU in float32, nothing tuned: what
// `bench learn` measures Trainer beside, and what the tests hold its losses to. It learns the same, but for
// rounding; accuracies and the entropy it does not count.
class PlainLearner {
 public:
  // The weights of Trainer with the same seed. With `channels_last` weights and input lie in that order,
  // which oneDNN takes without reordering.
  PlainLearner(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
               std::uint64_t seed, bool channels_last);
  ~PlainLearner();

  Losses step(const TrainingBatch& batch, double learning_rate);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pahtum
