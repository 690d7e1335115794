#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "env/base/schema.h"
#include "model/checkpoint.h"
#include "model/inference.h"
#include "search/evaluator.h"

namespace pahtum {

// How the network learns: the `learner` section of a configuration.
struct LearnerConfig {
  std::string optimizer = "adamw";  // adamw or sgd
  double learning_rate = 2e-3;
  std::string schedule =
      "cosine";  // constant, or cosine from learning_rate to learning_rate · final_fraction
  double final_fraction = 0.05;
  std::int64_t warmup_steps = 100;
  double momentum = 0.9;       // sgd
  double weight_decay = 1e-4;  // decoupled for adamw; weights of convolutions and dense layers only
  double gradient_clip = 1.0;  // largest gradient norm
  std::int64_t batch_size = 256;
  std::string precision = "auto";  // auto, fp32 or bf16, see Trainer::precision()
  double average_decay =
      0.995;  // of the exponential moving average of the weights, per step; 0: play with the raw ones
  double policy_weight = 1.0;
  double value_weight = 1.0;
  double margin_weight = 0.2;
  double ownership_weight = 0.2;
  double search_value_weight = 0.0;
  double reply_weight = 0.0;  // with it or the next one, auxiliary heads, see Trainer
  double runs_weight = 0.0;
};

[[nodiscard]] Schema describe(LearnerConfig& config);

// Learning rate of step `step` (from 0) of `total`.
[[nodiscard]] double learning_rate_at(const LearnerConfig& config, std::int64_t step,
                                      std::int64_t total) noexcept;

// Samples of one learner step, float32, C order; every span is for the same B samples of n×n boards. All
// targets are from the side of the sample's mover.
struct TrainingBatch {
  int count = 0;
  std::span<const float> planes;     // [B, C, n, n], see env/observation.h
  std::span<const float> policy;     // [B, A] visit shares, sums to 1; zero on illegal actions
  std::span<const float> wdl;        // [B, 3] win, draw, loss; sums to 1
  std::span<const float> margin;     // [B] points
  std::span<const float> ownership;  // [B, n, n] final owner: 1 own, −1 the opponent's, 0 hole
  // [B] what the search expected, −1 … 1; read where learner.search_value_weight is not 0
  std::span<const float> search_value = {};
  // [B, n, n] what the opponent answers, shares that sum to 1 on empty squares, or all zero where that is not
  // known; read where learner.reply_weight is not 0
  std::span<const float> reply = {};
  // [B, n, n] whether the square ends in a run that scores: 1 own, −1 the opponent's, 0 not; read where
  // learner.runs_weight is not 0
  std::span<const float> runs = {};
};

struct Losses {
  double total = 0, policy = 0, value = 0, margin = 0, ownership = 0, search_value = 0, reply = 0, runs = 0;
  double policy_entropy = 0;  // mean entropy of the policy targets: the floor of the policy loss, in nats
  // Mean entropy of the network's policy by the mean of the largest that the legal moves allow: 1 when all
  // are equally likely, 0 when one is certain. No number where no sample has two legal moves.
  double output_entropy = 0;
  double policy_accuracy = 0;  // share of samples whose most visited move is the network's first choice
  double value_accuracy = 0;   // share of samples whose result is the likeliest of win, draw, loss
  double gradient_norm = 0;    // before clipping
};

// Owns the network being trained, its averaged copy and the optimizer. One thread at a time.
//
// With learner.reply_weight or learner.runs_weight it also trains a 1×1 convolution from the tower's last
// features to two planes: logits of the opponent's answer, and, through tanh, the squares of the final
// scoring runs. They only shape the tower (D. J. Wu, "Accelerating Self-Play Learning in Go", 2020,
// sections 3.4 and 4.1): no player, export or averaged copy has them; checkpoints hold them as "auxiliary/…".
class Trainer {
 public:
  // A new network with weights drawn from `seed`. Throws a kRequest Error for a device or a precision that
  // is not there, and for an optimizer or a precision it does not know.
  Trainer(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
          std::uint64_t seed, const std::string& device);
  // Computes in `precision` on the CPU, whatever learner.precision says, also where the processor does not
  // multiply it: for comparisons. LibTorch then adds up gradients in bf16, too, which is slow and coarse.
  Trainer(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
          std::uint64_t seed, Precision precision);
  ~Trainer();

  // Takes weights, averaged weights, optimizer state and step from a checkpoint. Throws a kRequest Error
  // naming what differs when it belongs to another network shape, board or optimizer.
  void restore(const Checkpoint& checkpoint);

  // One optimizer step. Throws a NonFiniteError when loss or gradient norm is not finite; nothing is then
  // changed.
  Losses step(const TrainingBatch& batch, double learning_rate);

  [[nodiscard]] std::int64_t steps() const noexcept;
  [[nodiscard]] std::int64_t parameters() const noexcept;

  // What learner.precision stands for on this device: kBf16 when the convolutions of the step, and what lies
  // between them, are computed and kept in bf16. Weights, gradients of weights, statistics, losses and
  // optimizer are float32 always.
  [[nodiscard]] Precision precision() const noexcept;

  // All tensors a checkpoint needs; the caller fills in the rest of the manifest.
  [[nodiscard]] Checkpoint snapshot() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pahtum
