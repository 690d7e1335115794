#include "model/trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "env/base/error.h"
#include "env/base/non_finite_error.h"
#include "env/game_rules.h"
#include "env/observation.h"
#include "model/autocast.h"
#include "model/network.h"

namespace pahtum {
namespace {

constexpr double kHuberDelta = 1.0;  // in units of kMarginUnit

// Planes of the auxiliary convolution.
enum AuxiliaryPlane : std::int64_t { kReplyPlane, kRunsPlane, kAuxiliaryPlanes };

// The averaged weights start as those of step 0, which must not linger: the decay of step t is at most
// (1 + t) / (10 + t).
double decay_at(double decay, std::int64_t step) {
  const auto t = static_cast<double>(step);
  return std::min(decay, (1.0 + t) / (10.0 + t));
}

// The key of a parameter in an optimizer's state, a text up to LibTorch 1.13 and a pointer from 2.0 on.
template <class Optimizer>
auto state_key(Optimizer& optimizer, const torch::Tensor& parameter) {
  using Key = typename std::decay_t<decltype(optimizer.state())>::key_type;
  if constexpr (std::is_same_v<Key, std::string>) {
    std::ostringstream text;
    text << parameter.unsafeGetTensorImpl();
    return text.str();
  } else {
    return static_cast<Key>(parameter.unsafeGetTensorImpl());
  }
}

const StoredTensor& learner_tensor(const Checkpoint& checkpoint, const std::string& name) {
  const StoredTensor* found = find_tensor(checkpoint.tensors, name);
  if (found != nullptr) return *found;
  throw request_error("checkpoint", "tensor \"" + name + "\" is missing, which learning goes on with");
}

bool has_tensors(const Checkpoint& checkpoint, const std::string& prefix) {
  return std::ranges::any_of(checkpoint.tensors,
                             [&](const StoredTensor& tensor) { return tensor.name.starts_with(prefix); });
}

torch::Tensor read_state(const Checkpoint& checkpoint, const std::string& name, const torch::Tensor& like) {
  const StoredTensor& stored = learner_tensor(checkpoint, name);
  if (stored.dtype != "F32" || c10::IntArrayRef(stored.shape) != like.sizes()) {
    throw request_error("checkpoint", "tensor \"" + name + "\" has another type or shape than its parameter");
  }
  // In the order of memory of the parameter: otherwise the next step would round differently.
  return torch::empty_like(like).copy_(to_tensor(stored));
}

// What learner.precision stands for on the device.
Precision choose_learner_precision(const std::string& name, torch::Device device) {
  if (!device.is_cpu()) {
    if (name == "auto" || name == "fp32") return Precision::kFp32;
    throw request_error("learner.precision", name +
                                                 " was asked for, but learning on CUDA is in fp32; use "
                                                 "auto or fp32");
  }
  // Without the instructions oneDNN has no such convolutions, and LibTorch's own ones add up in bf16.
  const Precision fastest = choose_cpu_precision("auto");
  if (name == "auto") return fastest;
  if (name == "fp32") return Precision::kFp32;
  if (name == "bf16" && fastest == Precision::kBf16) return Precision::kBf16;
  throw request_error("learner.precision",
                      name == "bf16"
                          ? "bf16 was asked for, but this processor does not multiply bf16 numbers, or this "
                            "build does not know without oneDNN; use auto or fp32"
                          : "\"" + name + "\" is not a precision to learn in; use auto, fp32 or bf16");
}

}  // namespace

class Trainer::Implementation {
 public:
  Implementation(const GameConfig& game, const NetworkConfig& shape, const LearnerConfig& learner,
                 std::uint64_t seed, torch::Device device, Precision precision)
      : game_(game),
        learner_(learner),
        device_(device),
        precision_(precision),
        network_(make_network(shape)),
        auxiliary_(make_auxiliary(shape)),
        averaged_(make_network(shape)) {
    network_->initialize(seed);
    averaged_->eval();
    copy_tensors(*network_, *averaged_);
    make_optimizer();
  }

  void restore(const Checkpoint& checkpoint);
  Losses step(const TrainingBatch& batch, double learning_rate);
  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::int64_t parameters() const {
    std::int64_t count = 0;
    for (const torch::Tensor& parameter : network_->parameters()) count += parameter.numel();
    return count;
  }
  [[nodiscard]] Checkpoint snapshot() const;
  [[nodiscard]] Precision precision() const noexcept { return precision_; }

 private:
  struct LossTensors {
    torch::Tensor total, policy, value, margin, ownership, search_value, reply, runs, entropy, output_entropy,
        policy_accuracy, value_accuracy;
  };

  [[nodiscard]] Network make_network(const NetworkConfig& shape) const {
    Network network(shape, shape_of(game_));
    network->to(device_);
    network->fuse_training();
    order_convolutions(*network);
    return network;
  }

  // Empty where no loss wants it. A new one says nothing.
  [[nodiscard]] torch::nn::Conv2d make_auxiliary(const NetworkConfig& shape) const {
    if (learner_.reply_weight <= 0.0 && learner_.runs_weight <= 0.0) return nullptr;
    torch::nn::Conv2d heads(torch::nn::Conv2dOptions(shape.channels, kAuxiliaryPlanes, 1));
    heads->to(device_);
    order_convolutions(*heads);
    const torch::NoGradGuard no_gradients;
    for (torch::Tensor& parameter : heads->parameters()) parameter.zero_();
    return heads;
  }

  // oneDNN takes convolutions in this order without reordering them first.
  static void order_convolutions(torch::nn::Module& module) {
    const torch::NoGradGuard no_gradients;
    for (torch::Tensor& parameter : module.parameters()) {
      if (parameter.dim() == 4) {
        parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
      }
    }
  }

  // Everything the optimizer moves.
  using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;
  [[nodiscard]] NamedTensors trained() const {
    NamedTensors all;
    for (const auto& item : network_->named_parameters()) all.emplace_back(item.key(), item.value());
    for (auto& [name, tensor] : auxiliary_tensors()) all.emplace_back("auxiliary." + name, tensor);
    return all;
  }
  [[nodiscard]] NamedTensors auxiliary_tensors() const {
    NamedTensors all;
    if (auxiliary_.is_empty()) return all;
    for (const auto& item : auxiliary_->named_parameters()) all.emplace_back(item.key(), item.value());
    return all;
  }

  static void copy_tensors(const NetworkImpl& from, NetworkImpl& to) {
    const torch::NoGradGuard no_gradients;
    const auto source = from.tensors();
    auto target = to.tensors();
    for (std::size_t k = 0; k < source.size(); ++k) target[k].second.copy_(source[k].second);
  }

  // Drops the gradients rather than zeroing them: 0 + (−0) is 0, so a trainer that has stepped before would
  // differ in a sign from one just restored.
  void forget_gradients() {
    for (auto& [name, parameter] : trained()) parameter.mutable_grad().reset();
  }

  void make_optimizer();
  [[nodiscard]] torch::Tensor to_device(std::span<const float> values, c10::IntArrayRef shape,
                                        const char* name) const;
  // The network's output, and the auxiliary planes [N, 2, n, n], undefined without them.
  [[nodiscard]] std::pair<NetworkOutput, torch::Tensor> forward(const torch::Tensor& planes);
  [[nodiscard]] LossTensors losses(const TrainingBatch& batch);
  void add_auxiliary(const TrainingBatch& batch, const torch::Tensor& planes, const torch::Tensor& illegal,
                     LossTensors& result) const;
  void average();
  void restore_optimizer(const Checkpoint& checkpoint);

  GameConfig game_;
  LearnerConfig learner_;
  torch::Device device_;
  Precision precision_;
  Network network_;
  torch::nn::Conv2d auxiliary_;
  Network averaged_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::int64_t steps_ = 0;
};

void Trainer::Implementation::make_optimizer() {
  std::vector<torch::Tensor> weights;
  std::vector<torch::Tensor> others;
  for (const auto& [name, parameter] : trained()) {
    (parameter.dim() >= 2 ? weights : others).push_back(parameter);
  }
  const auto groups = [&](const auto& options) {
    auto without_decay = options;
    without_decay.weight_decay(0.0);
    using Options = std::decay_t<decltype(options)>;
    std::vector<torch::optim::OptimizerParamGroup> both;
    both.emplace_back(weights, std::make_unique<Options>(options));
    both.emplace_back(others, std::make_unique<Options>(without_decay));
    return both;
  };
  if (learner_.optimizer == "adamw") {
    const auto options =
        torch::optim::AdamWOptions(learner_.learning_rate).weight_decay(learner_.weight_decay);
    optimizer_ = std::make_unique<torch::optim::AdamW>(groups(options), options);
  } else if (learner_.optimizer == "sgd") {
    const auto options = torch::optim::SGDOptions(learner_.learning_rate)
                             .momentum(learner_.momentum)
                             .weight_decay(learner_.weight_decay);
    optimizer_ = std::make_unique<torch::optim::SGD>(groups(options), options);
  } else {
    throw request_error("learner.optimizer", "\"" + learner_.optimizer + "\" is unknown; use adamw or sgd");
  }
}

torch::Tensor Trainer::Implementation::to_device(std::span<const float> values, c10::IntArrayRef shape,
                                                 const char* name) const {
  const auto expected = static_cast<std::size_t>(c10::multiply_integers(shape));
  if (values.size() != expected) {
    throw request_error(
        std::string("training batch, ") + name,
        "has " + std::to_string(values.size()) + " values; it needs " + std::to_string(expected));
  }
  torch::Tensor tensor = torch::empty(shape, torch::kFloat32);
  std::ranges::copy(values, tensor.data_ptr<float>());
  return tensor.to(device_);
}

std::pair<NetworkOutput, torch::Tensor> Trainer::Implementation::forward(const torch::Tensor& planes) {
  const torch::Tensor ordered = planes.contiguous(torch::MemoryFormat::ChannelsLast);
  const AutocastGuard guard(precision_);
  NetworkOutput output = network_->forward(ordered);
  for (torch::Tensor* logits : {&output.policy, &output.wdl, &output.margin, &output.ownership}) {
    *logits = logits->to(torch::kFloat32);
  }
  torch::Tensor auxiliary;
  if (!auxiliary_.is_empty()) auxiliary = auxiliary_->forward(output.tower).to(torch::kFloat32);
  return {std::move(output), std::move(auxiliary)};
}

void Trainer::Implementation::add_auxiliary(const TrainingBatch& batch, const torch::Tensor& planes,
                                            const torch::Tensor& illegal, LossTensors& result) const {
  const std::int64_t squares = planes.size(2) * planes.size(3);
  const std::array<std::int64_t, 3> shape{planes.size(0), planes.size(2), planes.size(3)};
  if (learner_.reply_weight > 0.0) {
    const torch::Tensor reply = to_device(batch.reply, shape, "reply").flatten(1);
    const torch::Tensor filled = illegal.narrow(1, 0, squares);
    const torch::Tensor logits = planes.select(1, kReplyPlane).flatten(1).masked_fill(filled, kIllegalLogit);
    result.reply = -(reply * torch::log_softmax(logits, 1)).sum() / reply.sum().clamp_min(1.0);
    result.total = result.total + result.reply * learner_.reply_weight;
  }
  if (learner_.runs_weight > 0.0) {
    const torch::Tensor runs = to_device(batch.runs, shape, "runs");
    result.runs = torch::mse_loss(torch::tanh(planes.select(1, kRunsPlane)), runs);
    result.total = result.total + result.runs * learner_.runs_weight;
  }
}

Trainer::Implementation::LossTensors Trainer::Implementation::losses(const TrainingBatch& batch) {
  const std::int64_t count = batch.count;
  const std::int64_t size = game_.size;
  const NetworkShape& shape = network_->shape();
  const torch::Tensor planes = to_device(batch.planes, {count, shape.channels, size, size}, "planes");
  const torch::Tensor policy = to_device(batch.policy, {count, size * size + (shape.swap ? 1 : 0)}, "policy");
  const torch::Tensor wdl = to_device(batch.wdl, {count, 3}, "wdl");
  const torch::Tensor margin = to_device(batch.margin, {count}, "margin") / kMarginUnit;
  const torch::Tensor ownership = to_device(batch.ownership, {count, size, size}, "ownership");

  const auto [output, auxiliary] = forward(planes);
  const torch::Tensor illegal = illegal_moves(planes, shape);
  const torch::Tensor log_policy = torch::log_softmax(output.policy.masked_fill(illegal, kIllegalLogit), 1);
  const torch::Tensor log_wdl = torch::log_softmax(output.wdl, 1);

  LossTensors result;
  result.policy = -(policy * log_policy).sum(1).mean();
  result.value = -(wdl * log_wdl).sum(1).mean();
  result.margin = torch::huber_loss(output.margin, margin, at::Reduction::Mean, kHuberDelta);
  result.ownership = torch::mse_loss(output.ownership, ownership);
  result.total = result.policy * learner_.policy_weight + result.value * learner_.value_weight +
                 result.margin * learner_.margin_weight + result.ownership * learner_.ownership_weight;
  result.search_value = torch::zeros_like(result.value);
  if (learner_.search_value_weight > 0.0) {
    const torch::Tensor searched = to_device(batch.search_value, {count}, "search_value");
    const torch::Tensor chances = log_wdl.exp();
    result.search_value = torch::mse_loss(chances.select(1, 0) - chances.select(1, 2), searched);
    result.total = result.total + result.search_value * learner_.search_value_weight;
  }
  result.reply = torch::zeros_like(result.value);
  result.runs = torch::zeros_like(result.value);
  if (auxiliary.defined()) add_auxiliary(batch, auxiliary, illegal, result);
  const torch::NoGradGuard no_gradients;
  result.entropy = -torch::xlogy(policy, policy).sum(1).mean();
  const torch::Tensor largest = (1.0 - illegal.to(torch::kFloat32)).sum(1).log().sum();
  result.output_entropy = -(log_policy.exp() * log_policy).sum() / largest;
  result.policy_accuracy = (log_policy.argmax(1) == policy.argmax(1)).to(torch::kFloat32).mean();
  result.value_accuracy = (log_wdl.argmax(1) == wdl.argmax(1)).to(torch::kFloat32).mean();
  return result;
}

Losses Trainer::Implementation::step(const TrainingBatch& batch, double learning_rate) {
  if (batch.count < 1) throw request_error("training batch", "holds no samples");
  network_->train();
  std::vector<torch::Tensor> statistics;
  for (const torch::Tensor& buffer : network_->buffers()) statistics.push_back(buffer.clone());
  // The forward pass moves the running statistics, so a refused step puts them back.
  const auto refuse = [&](const std::string& what) {
    const torch::NoGradGuard no_gradients;
    const std::vector<torch::Tensor> buffers = network_->buffers();
    for (std::size_t k = 0; k < buffers.size(); ++k) buffers[k].copy_(statistics[k]);
    forget_gradients();
    return NonFiniteError("learner step " + std::to_string(steps_),
                          what +
                              " is not finite; weights and optimizer are as before the step. Lower "
                              "learner.learning_rate or learner.gradient_clip");
  };

  forget_gradients();
  const LossTensors parts = losses(batch);
  const torch::Tensor values =
      torch::stack({parts.total.detach(), parts.policy.detach(), parts.value.detach(), parts.margin.detach(),
                    parts.ownership.detach(), parts.entropy, parts.output_entropy, parts.policy_accuracy,
                    parts.value_accuracy, parts.search_value.detach(), parts.reply.detach(),
                    parts.runs.detach()})
          .to(torch::kCPU);
  const float* value = values.data_ptr<float>();
  Losses result{.total = value[0],
                .policy = value[1],
                .value = value[2],
                .margin = value[3],
                .ownership = value[4],
                .search_value = value[9],
                .reply = value[10],
                .runs = value[11],
                .policy_entropy = value[5],
                .output_entropy = value[6],
                .policy_accuracy = value[7],
                .value_accuracy = value[8]};
  if (!std::isfinite(result.total)) throw refuse("the loss");
  parts.total.backward();
  std::vector<torch::Tensor> parameters;
  for (auto& [name, parameter] : trained()) parameters.push_back(std::move(parameter));
  result.gradient_norm = torch::nn::utils::clip_grad_norm_(parameters, learner_.gradient_clip);
  if (!std::isfinite(result.gradient_norm)) throw refuse("the gradient norm");
  for (auto& group : optimizer_->param_groups()) group.options().set_lr(learning_rate);
  optimizer_->step();
  average();
  ++steps_;
  return result;
}

void Trainer::Implementation::average() {
  if (learner_.average_decay <= 0.0) return;
  const torch::NoGradGuard no_gradients;
  const double share = 1.0 - decay_at(learner_.average_decay, steps_);
  const auto newest = network_->tensors();
  auto averaged = averaged_->tensors();
  for (std::size_t k = 0; k < newest.size(); ++k) averaged[k].second.lerp_(newest[k].second, share);
}

Checkpoint Trainer::Implementation::snapshot() const {
  Checkpoint checkpoint;
  checkpoint.manifest.game = game_;
  checkpoint.manifest.network = network_->config();
  checkpoint.manifest.observation_version = kObservationVersion;
  checkpoint.manifest.step = steps_;
  checkpoint.manifest.counters = nlohmann::json::object();
  for (const auto& [name, tensor] : network_->tensors()) {
    checkpoint.tensors.push_back(to_stored("weights/" + name, tensor));
  }
  if (learner_.average_decay > 0.0) {
    for (const auto& [name, tensor] : averaged_->tensors()) {
      checkpoint.tensors.push_back(to_stored("averaged/" + name, tensor));
    }
  }
  for (const auto& [name, tensor] : auxiliary_tensors()) {
    checkpoint.tensors.push_back(to_stored("auxiliary/" + name, tensor));
  }
  checkpoint.tensors.push_back(
      to_stored("optimizer/" + learner_.optimizer + "/step", torch::full({1}, steps_, torch::kInt64)));
  auto& state = optimizer_->state();
  for (const auto& [name, parameter] : trained()) {
    const auto found = state.find(state_key(*optimizer_, parameter));
    if (found == state.end()) continue;
    const std::string prefix = "optimizer/" + name + "/";
    if (learner_.optimizer == "adamw") {
      const auto& moments = static_cast<const torch::optim::AdamWParamState&>(*found->second);
      checkpoint.tensors.push_back(to_stored(prefix + "exp_avg", moments.exp_avg()));
      checkpoint.tensors.push_back(to_stored(prefix + "exp_avg_sq", moments.exp_avg_sq()));
    } else {
      const auto& momentum = static_cast<const torch::optim::SGDParamState&>(*found->second);
      checkpoint.tensors.push_back(to_stored(prefix + "momentum_buffer", momentum.momentum_buffer()));
    }
  }
  return checkpoint;
}

void Trainer::Implementation::restore_optimizer(const Checkpoint& checkpoint) {
  make_optimizer();
  auto& state = optimizer_->state();
  for (const auto& [name, parameter] : trained()) {
    const std::string prefix = "optimizer/" + name + "/";
    if (!has_tensors(checkpoint, prefix)) {
      const bool none_kept = learner_.optimizer == "sgd" && learner_.momentum == 0.0;
      if (checkpoint.manifest.step == 0 || none_kept) continue;
    }
    const auto key = state_key(*optimizer_, parameter);
    if (learner_.optimizer == "adamw") {
      auto moments = std::make_unique<torch::optim::AdamWParamState>();
      moments->step(checkpoint.manifest.step);
      moments->exp_avg(read_state(checkpoint, prefix + "exp_avg", parameter).detach());
      moments->exp_avg_sq(read_state(checkpoint, prefix + "exp_avg_sq", parameter).detach());
      state[key] = std::move(moments);
    } else {
      auto momentum = std::make_unique<torch::optim::SGDParamState>();
      momentum->momentum_buffer(read_state(checkpoint, prefix + "momentum_buffer", parameter).detach());
      state[key] = std::move(momentum);
    }
  }
}

void Trainer::Implementation::restore(const Checkpoint& checkpoint) {
  const Manifest& manifest = checkpoint.manifest;
  if (!(manifest.network == network_->config())) {
    throw request_error(
        "checkpoint", "its network has " + to_text(manifest.network) + " (pooling_every " +
                          std::to_string(manifest.network.pooling_every) + ", head_channels " +
                          std::to_string(manifest.network.head_channels) + "); the configuration asks for " +
                          to_text(network_->config()) + " (pooling_every " +
                          std::to_string(network_->config().pooling_every) + ", head_channels " +
                          std::to_string(network_->config().head_channels) + ")");
  }
  if (!same_interface(manifest.game, game_)) {
    throw request_error("checkpoint", "it plays " + to_text(manifest.game) + "; the configuration asks for " +
                                          to_text(game_));
  }
  const std::string other = learner_.optimizer == "adamw" ? "sgd" : "adamw";
  if (has_tensors(checkpoint, "optimizer/" + other + "/")) {
    throw request_error("checkpoint", "it was trained with learner.optimizer: " + other +
                                          "; the configuration asks for " + learner_.optimizer);
  }
  learner_tensor(checkpoint, "optimizer/" + learner_.optimizer + "/step");

  const torch::NoGradGuard no_gradients;
  Network weights = make_network(network_->config());
  torch::nn::Conv2d auxiliary = make_auxiliary(network_->config());
  Network averaged = make_network(network_->config());
  load_network(checkpoint, "weights", *weights);
  load_network(checkpoint, has_tensors(checkpoint, "averaged/") ? "averaged" : "weights", *averaged);
  averaged->eval();
  if (!auxiliary.is_empty()) {
    for (const auto& item : auxiliary->named_parameters()) {
      item.value().copy_(read_state(checkpoint, "auxiliary/" + item.key(), item.value()));
    }
  }
  std::swap(network_, weights);
  std::swap(auxiliary_, auxiliary);
  std::unique_ptr<torch::optim::Optimizer> old_optimizer = std::move(optimizer_);
  try {
    restore_optimizer(checkpoint);
  } catch (...) {
    std::swap(network_, weights);
    std::swap(auxiliary_, auxiliary);
    optimizer_ = std::move(old_optimizer);
    throw;
  }
  averaged_ = std::move(averaged);
  steps_ = manifest.step;
}

Trainer::Trainer(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
                 std::uint64_t seed, const std::string& device)
    : implementation_(std::make_unique<Implementation>(
          game, network, learner, seed, choose_device(device),
          choose_learner_precision(learner.precision, choose_device(device)))) {}
Trainer::Trainer(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
                 std::uint64_t seed, Precision precision)
    : implementation_(
          std::make_unique<Implementation>(game, network, learner, seed, torch::kCPU, precision)) {}
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
Precision Trainer::precision() const noexcept {
  return implementation_->precision();
}
Checkpoint Trainer::snapshot() const {
  return implementation_->snapshot();
}

}  // namespace pahtum
