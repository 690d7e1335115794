#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/trainer.h"

namespace pahtum {

Schema describe(LearnerConfig& config) {
  Schema schema("learner", "How the network learns from the games played.");
  schema.text("optimizer", &config.optimizer, {"adamw", "sgd"}, "AdamW, or SGD with momentum.")
      .real("learning_rate", &config.learning_rate, 1e-8, 10.0, "",
            "Highest learning rate, reached after the warm-up. Typical: 0.002 for adamw, 0.05 for sgd.")
      .text("schedule", &config.schedule, {"constant", "cosine"},
            "`constant`, or `cosine` from learning_rate down to learning_rate · final_fraction at the last "
            "step.")
      .real("final_fraction", &config.final_fraction, 0.0, 1.0, "",
            "Share of the learning rate left at the end of a cosine schedule.")
      .integer("warmup_steps", &config.warmup_steps, 0, 1'000'000, "steps",
               "First steps, in which the learning rate grows linearly from nothing.")
      .real("momentum", &config.momentum, 0.0, 0.9999, "", "Momentum of sgd; adamw does not use it.")
      .real("weight_decay", &config.weight_decay, 0.0, 1.0, "",
            "Decay of the weights of convolutions and dense layers, decoupled for adamw; biases and "
            "normalisation have none.")
      .real("gradient_clip", &config.gradient_clip, 1e-6, 1e9, "", "Largest norm of the gradient.")
      .integer("batch_size", &config.batch_size, 2, 65536, "samples", "Samples of one learner step.")
      .text("precision", &config.precision, {"auto", "fp32", "bf16"},
            "In what numbers a learner step multiplies; `auto` takes bf16 on a CPU that multiplies it, else "
            "fp32. "
            "Weights, losses and optimizer are fp32 always.")
      .real(
          "average_decay", &config.average_decay, 0.0, 0.999999, "",
          "Decay per step of the moving average of the weights that games are played with; 0: play with the "
          "newest weights.")
      .real("policy_weight", &config.policy_weight, 0.0, 100.0, "", "Weight of the policy loss.")
      .real("value_weight", &config.value_weight, 0.0, 100.0, "", "Weight of the win/draw/loss loss.")
      .real("margin_weight", &config.margin_weight, 0.0, 100.0, "", "Weight of the final-margin loss.")
      .real("ownership_weight", &config.ownership_weight, 0.0, 100.0, "",
            "Weight of the loss of each square's final owner.")
      .real("search_value_weight", &config.search_value_weight, 0.0, 100.0, "",
            "Weight of the squared difference between the expected result, chance of a win minus that of a "
            "loss, and what the search expected; for games played to win.")
      .real("reply_weight", &config.reply_weight, 0.0, 100.0, "",
            "Weight of the loss of the opponent's answer, an auxiliary policy that nobody plays by.")
      .real("runs_weight", &config.runs_weight, 0.0, 100.0, "",
            "Weight of the loss of which squares end in runs that score, an auxiliary target too.");
  return schema;
}

double learning_rate_at(const LearnerConfig& config, std::int64_t step, std::int64_t total) noexcept {
  if (step < config.warmup_steps) {
    return config.learning_rate * static_cast<double>(step + 1) / static_cast<double>(config.warmup_steps);
  }
  if (config.schedule != "cosine") return config.learning_rate;
  const std::int64_t span = std::max<std::int64_t>(total - config.warmup_steps - 1, 1);
  const double progress =
      std::clamp(static_cast<double>(step - config.warmup_steps) / static_cast<double>(span), 0.0, 1.0);
  const double fraction = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  return config.learning_rate * (config.final_fraction + (1.0 - config.final_fraction) * fraction);
}

}  // namespace pahtum
