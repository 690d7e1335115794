#include "model/plain_learner.h"

#include <torch/torch.h>

#include <algorithm>

#include "env/game_rules.h"
#include "env/observation.h"
#include "model/network.h"

namespace pahtum {
namespace {

torch::Tensor tensor_of(std::span<const float> values, c10::IntArrayRef shape) {
  return torch::tensor(c10::ArrayRef<float>(values.data(), values.size())).reshape(shape);
}

}  // namespace

class PlainLearner::Implementation {
 public:
  Implementation(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
                 std::uint64_t seed, bool channels_last)
      : size_(game.size),
        learner_(learner),
        order_(channels_last ? torch::MemoryFormat::ChannelsLast : torch::MemoryFormat::Contiguous),
        network_(network, shape_of(game)),
        averaged_(network, shape_of(game)) {
    network_->initialize(seed);
    averaged_->initialize(seed);
    const torch::NoGradGuard no_gradients;
    std::vector<torch::Tensor> weights;
    std::vector<torch::Tensor> others;
    for (torch::Tensor& parameter : network_->parameters()) {
      if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(order_));
      (parameter.dim() >= 2 ? weights : others).push_back(parameter);
    }
    if (learner_.optimizer == "sgd") {
      make_optimizer<torch::optim::SGD>(weights, others,
                                        torch::optim::SGDOptions(learner_.learning_rate)
                                            .momentum(learner_.momentum)
                                            .weight_decay(learner_.weight_decay));
    } else {
      make_optimizer<torch::optim::AdamW>(
          weights, others,
          torch::optim::AdamWOptions(learner_.learning_rate).weight_decay(learner_.weight_decay));
    }
  }

  Losses step(const TrainingBatch& batch, double learning_rate) {
    const std::int64_t count = batch.count;
    const NetworkShape& shape = network_->shape();
    const torch::Tensor planes = tensor_of(batch.planes, {count, shape.channels, size_, size_});
    const torch::Tensor policy = tensor_of(batch.policy, {count, -1});
    const torch::Tensor wdl = tensor_of(batch.wdl, {count, 3});
    const torch::Tensor margin = tensor_of(batch.margin, {count}) / kMarginUnit;
    const torch::Tensor ownership = tensor_of(batch.ownership, {count, size_, size_});

    network_->train();
    optimizer_->zero_grad();
    const NetworkOutput output = network_->forward(planes.contiguous(order_));
    const torch::Tensor logits = output.policy.masked_fill(illegal_moves(planes, shape), kIllegalLogit);
    const torch::Tensor policy_loss = -(policy * torch::log_softmax(logits, 1)).sum(1).mean();
    const torch::Tensor value_loss = -(wdl * torch::log_softmax(output.wdl, 1)).sum(1).mean();
    const torch::Tensor margin_loss = torch::huber_loss(output.margin, margin);
    const torch::Tensor ownership_loss = torch::mse_loss(output.ownership, ownership);
    torch::Tensor total = policy_loss * learner_.policy_weight + value_loss * learner_.value_weight +
                          margin_loss * learner_.margin_weight + ownership_loss * learner_.ownership_weight;
    if (learner_.search_value_weight > 0.0) {
      const torch::Tensor chances = torch::softmax(output.wdl, 1);
      const torch::Tensor searched = tensor_of(batch.search_value, {count});
      total = total + torch::mse_loss(chances.select(1, 0) - chances.select(1, 2), searched) *
                          learner_.search_value_weight;
    }
    total.backward();
    const double norm = torch::nn::utils::clip_grad_norm_(network_->parameters(), learner_.gradient_clip);
    for (auto& group : optimizer_->param_groups()) group.options().set_lr(learning_rate);
    optimizer_->step();
    if (learner_.average_decay > 0.0) average();
    return {.total = total.item<double>(),
            .policy = policy_loss.item<double>(),
            .value = value_loss.item<double>(),
            .margin = margin_loss.item<double>(),
            .ownership = ownership_loss.item<double>(),
            .gradient_norm = norm};
  }

 private:
  template <class Optimizer, class Options>
  void make_optimizer(const std::vector<torch::Tensor>& weights, const std::vector<torch::Tensor>& others,
                      const Options& options) {
    auto without_decay = options;
    without_decay.weight_decay(0.0);
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(weights, std::make_unique<Options>(options));
    groups.emplace_back(others, std::make_unique<Options>(without_decay));
    optimizer_ = std::make_unique<Optimizer>(groups, options);
  }

  void average() {
    const torch::NoGradGuard no_gradients;
    const auto newest = network_->tensors();
    auto averaged = averaged_->tensors();
    for (std::size_t k = 0; k < newest.size(); ++k) {
      averaged[k].second.lerp_(newest[k].second, 1.0 - learner_.average_decay);
    }
  }

  std::int64_t size_;
  LearnerConfig learner_;
  torch::MemoryFormat order_;
  Network network_, averaged_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

PlainLearner::PlainLearner(const GameConfig& game, const NetworkConfig& network, const LearnerConfig& learner,
                           std::uint64_t seed, bool channels_last)
    : implementation_(std::make_unique<Implementation>(game, network, learner, seed, channels_last)) {}
PlainLearner::~PlainLearner() = default;

Losses PlainLearner::step(const TrainingBatch& batch, double learning_rate) {
  return implementation_->step(batch, learning_rate);
}

}  // namespace pahtum
