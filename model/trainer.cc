#include "model/trainer.h"

#include <cmath>
#include <numbers>
#include <sstream>
#include <variant>

#include "env/base/error.h"
#include "env/observation.h"
#include "model/network.h"

namespace pahtum {
namespace {

namespace F = torch::nn::functional;
using torch::Tensor;

constexpr double kMaskedLogit = -1e9;  // finite, so that 0 · log p of an illegal square is 0 and not NaN

Tensor view_of(std::span<const float> values, at::IntArrayRef shape, torch::Device device) {
  // LibTorch has no tensors over constant memory; the view is only read.
  return torch::from_blob(const_cast<float*>(values.data()), shape).to(device);
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const Network& network, const LearnerConfig& config) {
  std::vector<Tensor> decayed;
  std::vector<Tensor> others;
  for (const auto& item : network->named_parameters())
    (item.value().dim() > 1 ? decayed : others).push_back(item.value());
  std::vector<torch::optim::OptimizerParamGroup> groups;
  if (config.optimizer == "adamw") {
    using Options = torch::optim::AdamWOptions;
    const Options options(config.learning_rate);
    groups.emplace_back(decayed,
                        std::make_unique<Options>(Options(options).weight_decay(config.weight_decay)));
    groups.emplace_back(others, std::make_unique<Options>(Options(options).weight_decay(0.0)));
    return std::make_unique<torch::optim::AdamW>(groups, options);
  }
  using Options = torch::optim::SGDOptions;
  const Options options = Options(config.learning_rate).momentum(config.momentum);
  groups.emplace_back(decayed, std::make_unique<Options>(Options(options).weight_decay(config.weight_decay)));
  groups.emplace_back(others, std::make_unique<Options>(Options(options).weight_decay(0.0)));
  return std::make_unique<torch::optim::SGD>(groups, options);
}

}  // namespace

Schema describe(LearnerConfig& config) {
  Schema schema("learner", "How the network learns from the games.");
  schema.text("optimizer", &config.optimizer, {"adamw", "sgd"}, "AdamW, or SGD with momentum.")
      .real("learning_rate", &config.learning_rate, 1e-7, 10.0, "", "Highest learning rate.")
      .text("schedule", &config.schedule, {"constant", "cosine"},
            "Constant, or a cosine from learning_rate down to learning_rate · final_fraction over the whole "
            "run.")
      .real("final_fraction", &config.final_fraction, 0.0, 1.0, "", "Where the cosine schedule ends.")
      .integer("warmup_steps", &config.warmup_steps, 0, 1'000'000, "steps",
               "Linear rise of the learning rate at the start.")
      .real("momentum", &config.momentum, 0.0, 0.9999, "", "Momentum of SGD.")
      .real("weight_decay", &config.weight_decay, 0.0, 1.0, "",
            "Weight decay of convolutions and dense layers (decoupled with AdamW).")
      .real("gradient_clip", &config.gradient_clip, 1e-6, 1e6, "",
            "Largest norm of the gradient; larger ones are scaled down.")
      .integer("batch_size", &config.batch_size, 2, 65536, "samples", "Samples of one learner step.")
      .real(
          "average_decay", &config.average_decay, 0.0, 0.999999, "",
          "Decay per step of the moving average of the weights, which plays; 0: the weights themselves play.")
      .real("policy_weight", &config.policy_weight, 0.0, 100.0, "",
            "Weight of the policy loss (cross-entropy).")
      .real("value_weight", &config.value_weight, 0.0, 100.0, "",
            "Weight of the win/draw/loss loss (cross-entropy).")
      .real("margin_weight", &config.margin_weight, 0.0, 100.0, "", "Weight of the margin loss (Huber).")
      .real("ownership_weight", &config.ownership_weight, 0.0, 100.0, "",
            "Weight of the loss of the final owner of each square (mean square).");
  return schema;
}

double learning_rate_at(const LearnerConfig& config, std::int64_t step, std::int64_t total) noexcept {
  double rate = config.learning_rate;
  if (config.schedule == "cosine") {
    const double progress =
        std::min(1.0, static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(total, 1)));
    const double wave = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    rate *= config.final_fraction + (1.0 - config.final_fraction) * wave;
  }
  if (step < config.warmup_steps) {
    rate *= static_cast<double>(step + 1) / static_cast<double>(config.warmup_steps);
  }
  return rate;
}

class Trainer::Implementation {
 public:
  Implementation(const GameConfig& game, const NetworkConfig& shape, const LearnerConfig& learner,
                 std::uint64_t seed, const std::string& device)
      : game_(game),
        shape_(shape),
        learner_(learner),
        device_(choose_device(device)),
        network_(shape),
        average_(shape) {
    initialize(network_, seed);
    network_->to(device_);
    average_->to(device_);
    copy_to_average();
    optimizer_ = make_optimizer(network_, learner_);
  }

  void restore(const Checkpoint& checkpoint) {
    const Manifest& manifest = checkpoint.manifest;
    if (manifest.game.size != game_.size) {
      throw request_error("checkpoint", "was trained on a board of size " +
                                            std::to_string(manifest.game.size) + "; the configuration says " +
                                            std::to_string(game_.size));
    }
    if (!(manifest.network == shape_)) {
      throw request_error("checkpoint", "holds a network of " + to_text(manifest.network) +
                                            "; the configuration describes one of " + to_text(shape_));
    }
    load_state(network_, checkpoint, "weights/");
    if (has_tensors(checkpoint, "averaged/")) {
      load_state(average_, checkpoint, "averaged/");
    } else {
      copy_to_average();
    }
    restore_optimizer(checkpoint);
    steps_ = manifest.step;
  }

  Losses step(const TrainingBatch& batch, double learning_rate);

  [[nodiscard]] Checkpoint snapshot() const {
    Checkpoint checkpoint;
    checkpoint.manifest.game = game_;
    checkpoint.manifest.network = shape_;
    checkpoint.manifest.observation_version = kObservationVersion;
    checkpoint.manifest.step = steps_;
    checkpoint.manifest.counters = nlohmann::json::object();
    checkpoint.tensors = store_state(network_, "weights/");
    if (learner_.average_decay > 0.0) {
      for (StoredTensor& tensor : store_state(average_, "averaged/"))
        checkpoint.tensors.push_back(std::move(tensor));
    }
    std::ostringstream bytes;
    torch::save(*optimizer_, bytes);
    std::string data = std::move(bytes).str();
    const auto length = static_cast<std::int64_t>(data.size());
    checkpoint.tensors.push_back({optimizer_name(), "U8", {length}, std::move(data)});
    return checkpoint;
  }

  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::int64_t parameters() const noexcept {
    std::int64_t count = 0;
    for (const Tensor& parameter : network_->parameters()) count += parameter.numel();
    return count;
  }

 private:
  [[nodiscard]] std::string optimizer_name() const { return "optimizer/" + learner_.optimizer; }

  void restore_optimizer(const Checkpoint& checkpoint) {
    for (const StoredTensor& tensor : checkpoint.tensors) {
      if (tensor.name != optimizer_name()) continue;
      std::istringstream bytes(tensor.data);
      try {
        torch::load(*optimizer_, bytes, device_);
      } catch (const c10::Error& error) {
        throw request_error("checkpoint", "has an optimizer state that does not fit: " + error.msg());
      }
      return;
    }
    throw request_error("checkpoint", "holds no state of the optimizer " + learner_.optimizer +
                                          "; a run goes on with the optimizer it started with");
  }

  void copy_to_average() { blend_average(0.0); }

  // average ← decay · average + (1 − decay) · network, running statistics included.
  void blend_average(double decay) {
    const torch::NoGradGuard no_gradients;
    auto averaged = named_state(average_);
    const auto current = named_state(network_);
    for (std::size_t k = 0; k < current.size(); ++k) {
      Tensor& target = averaged[k].second;
      if (target.is_floating_point()) {
        target.mul_(decay).add_(current[k].second, 1.0 - decay);
      } else {
        target.copy_(current[k].second);
      }
    }
  }

  [[nodiscard]] std::vector<Tensor> copy_buffers() const {
    std::vector<Tensor> copies;
    for (const Tensor& buffer : network_->buffers()) copies.push_back(buffer.clone());
    return copies;
  }
  void put_back_buffers(const std::vector<Tensor>& copies) {
    const torch::NoGradGuard no_gradients;
    const auto buffers = network_->buffers();
    for (std::size_t k = 0; k < buffers.size(); ++k) buffers[k].copy_(copies[k]);
  }

  GameConfig game_;
  NetworkConfig shape_;
  LearnerConfig learner_;
  torch::Device device_;
  Network network_;
  Network average_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::int64_t steps_ = 0;
};

Losses Trainer::Implementation::step(const TrainingBatch& batch, double learning_rate) {
  const std::int64_t count = batch.count;
  const std::int64_t size = game_.size;
  const Tensor planes = view_of(batch.planes, {count, kChannels, size, size}, device_);
  const Tensor policy_target = view_of(batch.policy, {count, size * size}, device_);
  const Tensor wdl_target = view_of(batch.wdl, {count, 3}, device_);
  const Tensor margin_target = view_of(batch.margin, {count}, device_) / kMarginScale;
  const Tensor ownership_target = view_of(batch.ownership, {count, size, size}, device_);
  const std::vector<Tensor> buffers = copy_buffers();

  network_->train();
  optimizer_->zero_grad();
  const NetworkOutput output = network_->forward(planes.contiguous(torch::MemoryFormat::ChannelsLast));

  constexpr std::int64_t kEmptyChannel = 2;
  const Tensor illegal = planes.select(1, kEmptyChannel).flatten(1) == 0;
  const Tensor log_policy = torch::log_softmax(output.policy.masked_fill(illegal, kMaskedLogit), 1);
  const Tensor policy_loss = -(policy_target * log_policy).sum(1).mean();
  const Tensor value_loss = -(wdl_target * torch::log_softmax(output.wdl, 1)).sum(1).mean();
  const Tensor margin_loss = F::smooth_l1_loss(output.margin, margin_target);
  const Tensor ownership_loss = F::mse_loss(output.ownership, ownership_target);
  const Tensor total = learner_.policy_weight * policy_loss + learner_.value_weight * value_loss +
                       learner_.margin_weight * margin_loss + learner_.ownership_weight * ownership_loss;
  total.backward();

  Losses losses;
  losses.total = total.item<double>();
  losses.policy = policy_loss.item<double>();
  losses.value = value_loss.item<double>();
  losses.margin = margin_loss.item<double>();
  losses.ownership = ownership_loss.item<double>();
  losses.gradient_norm = torch::nn::utils::clip_grad_norm_(network_->parameters(), learner_.gradient_clip);
  if (!std::isfinite(losses.total) || !std::isfinite(losses.gradient_norm)) {
    put_back_buffers(buffers);
    optimizer_->zero_grad();
    throw failure("learner",
                  std::string(std::isfinite(losses.total) ? "the gradient" : "the loss") + " is not finite");
  }
  for (auto& group : optimizer_->param_groups()) group.options().set_lr(learning_rate);
  optimizer_->step();
  ++steps_;
  blend_average(learner_.average_decay);

  const torch::NoGradGuard no_gradients;
  const Tensor logarithm = policy_target.clamp_min(1e-20).log();
  losses.policy_entropy = -(policy_target * logarithm).sum(1).mean().item<double>();
  losses.policy_accuracy =
      log_policy.argmax(1).eq(policy_target.argmax(1)).to(torch::kFloat32).mean().item<double>();
  losses.value_accuracy =
      output.wdl.argmax(1).eq(wdl_target.argmax(1)).to(torch::kFloat32).mean().item<double>();
  return losses;
}

Trainer::Trainer(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
                 std::uint64_t seed, const std::string& device)
    : implementation_(std::make_unique<Implementation>(game, network, learner, seed, device)) {}

Trainer::~Trainer() = default;

void Trainer::restore(const Checkpoint& checkpoint) {
  implementation_->restore(checkpoint);
}

Losses Trainer::step(const TrainingBatch& batch, double learning_rate) {
  return implementation_->step(batch, learning_rate);
}

std::int64_t Trainer::steps() const noexcept {
  return implementation_->steps();
}
std::int64_t Trainer::parameters() const noexcept {
  return implementation_->parameters();
}
Checkpoint Trainer::snapshot() const {
  return implementation_->snapshot();
}

}  // namespace pahtum
