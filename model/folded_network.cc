#include "model/folded_network.h"

namespace pahtum {
namespace {

FoldedConvolution place(torch::Tensor weight, torch::Tensor bias, std::int64_t padding,
                        torch::Device device) {
  return {weight.detach().to(device).contiguous(torch::MemoryFormat::ChannelsLast),
          bias.detach().to(device).contiguous(), padding};
}

FoldedConvolution fold(const Convolution& layer, torch::Device device) {
  const auto& norm = layer->norm;
  const torch::Tensor scale = norm->weight / torch::sqrt(norm->running_var + norm->options.eps());
  const torch::Tensor weight = layer->conv->weight * scale.view({-1, 1, 1, 1});
  return place(weight, norm->bias - norm->running_mean * scale, layer->conv->weight.size(2) / 2, device);
}

FoldedConvolution plain(const torch::nn::Conv2d& layer, torch::Device device) {
  return place(layer->weight.clone(), layer->bias.clone(), 0, device);
}

DenseLayer dense(const torch::nn::Linear& layer, torch::Device device) {
  if (!layer) return {};
  return {layer->weight.detach().clone().to(device), layer->bias.detach().clone().to(device)};
}

torch::Tensor apply_dense(const DenseLayer& layer, const torch::Tensor& values) {
  return torch::addmm(layer.bias, values, layer.weight.t());
}

void add_pooled_bias(torch::Tensor& planes, const DenseLayer& layer) {
  planes.add_(apply_dense(layer, pool_board(planes)).unsqueeze(2).unsqueeze(3));
}

}  // namespace

torch::Tensor FoldedConvolution::operator()(const torch::Tensor& planes) const {
  return torch::conv2d(planes, weight, bias, 1, padding);
}

FoldedNetwork::FoldedNetwork(const Network& network, torch::Device device) {
  const torch::NoGradGuard no_gradients;
  input = fold(network->input, device);
  for (const ResidualBlock& block : network->blocks) {
    blocks.push_back({fold(block->first, device), fold(block->second, device), dense(block->pooled, device)});
  }
  policy_input = fold(network->policy_input, device);
  policy_pooled = dense(network->policy_pooled, device);
  policy_output = plain(network->policy_output, device);
  value_input = fold(network->value_input, device);
  value_hidden = dense(network->value_hidden, device);
  value_output = dense(network->value_output, device);
  ownership_output = plain(network->ownership_output, device);
}

NetworkOutput FoldedNetwork::forward(const torch::Tensor& planes) const {
  torch::Tensor tower = input(planes.contiguous(torch::MemoryFormat::ChannelsLast)).relu_();
  for (const Block& block : blocks) {
    torch::Tensor inner = block.first(tower).relu_();
    if (block.pooled.weight.defined()) add_pooled_bias(inner, block.pooled);
    tower = block.second(inner).add_(tower).relu_();
  }
  torch::Tensor policy = policy_input(tower).relu_();
  add_pooled_bias(policy, policy_pooled);
  policy.relu_();
  const torch::Tensor value = value_input(tower).relu_();
  const torch::Tensor results =
      apply_dense(value_output, apply_dense(value_hidden, pool_board(value)).relu_());
  return {policy_output(policy).flatten(1), results.slice(1, 0, 3), results.select(1, 3),
          ownership_output(tower).tanh_().squeeze(1)};
}

}  // namespace pahtum
