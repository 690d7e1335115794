#include "model/inference_program.h"

#include <torch/types.h>

#include <functional>
#include <iostream>
#include <utility>

#include "env/base/error.h"
#include "model/cuda_stream.h"
#include "model/device_program.h"
#include "model/folded_network.h"
#include "model/frozen_network.h"
#include "model/network.h"

namespace pahtum {
namespace {

class FrozenProgram final : public InferenceProgram {
 public:
  FrozenProgram(const FrozenWeights& weights, Precision precision)
      : actions_(static_cast<std::size_t>(weights.actions())), network_(weights, precision) {}

  void run(std::span<const Position> positions, const Consumer& consume) override {
    const FrozenOutput& output = network_.forward(positions);
    consume({0, positions.size(), output.policy.data(), output.wdl.data(), output.margin.data(), nullptr,
             actions_});
  }
  void repeat(int count) override { network_.repeat(count); }

 private:
  std::size_t actions_;
  FrozenNetwork network_;
};

// LibTorch's operators: `forward` takes planes on the device.
class TorchProgram final : public InferenceProgram {
 public:
  using Forward = std::function<NetworkOutput(const torch::Tensor&)>;

  TorchProgram(int size, NetworkShape shape, torch::Device device, Forward forward)
      : size_(size), channels_(shape.channels), device_(device), forward_(std::move(forward)) {}

  void run(std::span<const Position> positions, const Consumer& consume) override {
    const torch::InferenceMode inference;
    const torch::Tensor input = input_for(static_cast<std::int64_t>(positions.size()));
    auto* planes = input.data_ptr<float>();
    const std::size_t numbers = static_cast<std::size_t>(channels_ * size_ * size_);
    for (const Position& position : positions) {
      write_observation(position, std::span(planes, numbers));
      planes += numbers;
    }
    compute(input.to(device_));
    consume({0, positions.size(), output_.policy.data_ptr<float>(), output_.wdl.data_ptr<float>(),
             output_.margin.data_ptr<float>(), nullptr, static_cast<std::size_t>(output_.policy.size(1))});
  }

  void repeat(int count) override {
    const torch::InferenceMode inference;
    if (!repeated_.defined() || repeated_.size(0) != count) {
      repeated_ = input_for(count).fill_(0.5f).to(device_);
    }
    compute(repeated_);
  }

 private:
  // The first `count` rows of the buffer, which grows to the largest batch seen.
  torch::Tensor input_for(std::int64_t count) {
    if (!buffer_.defined() || buffer_.size(0) < count) {
      buffer_ = torch::zeros({count, channels_, size_, size_},
                             torch::TensorOptions().dtype(torch::kFloat32).pinned_memory(device_.is_cuda()));
    }
    return buffer_.narrow(0, 0, count);
  }

  void compute(const torch::Tensor& input) {
    output_ = forward_(input);
    output_.policy = output_.policy.to(torch::kCPU).contiguous();
    output_.wdl = output_.wdl.to(torch::kCPU).contiguous();
    output_.margin = output_.margin.to(torch::kCPU).contiguous();
  }

  std::int64_t size_, channels_;
  torch::Device device_;
  Forward forward_;
  torch::Tensor buffer_, repeated_;
  NetworkOutput output_;
};

enum class Runner { kFrozen, kDevice, kTorch };

Runner runner_of(const InferenceOptions& options, torch::Device device) {
  if (options.form == InferenceForm::kFastest && device.is_cpu() && has_frozen_network()) {
    return Runner::kFrozen;
  }
  const bool streams = device.is_cuda() && has_cuda_streams();
  return streams && options.form != InferenceForm::kEager ? Runner::kDevice : Runner::kTorch;
}

std::unique_ptr<InferenceProgram> make_device_program(const NetworkImpl& network, int size,
                                                      torch::Device device, Precision precision,
                                                      const InferenceOptions& options, int max_batch) {
  DeviceProgram::Options own{.precision = precision, .max_batch = max_batch, .warn = options.warn};
  if (!own.warn) own.warn = [](const std::string& text) { std::clog << "pahtum: " << text << "\n"; };
  return std::make_unique<DeviceProgram>(network, size, device,
                                         std::array{make_cuda_stream(), make_cuda_stream()}, std::move(own));
}

}  // namespace

Precision choose_precision(const InferenceOptions& options) {
  const torch::Device device = choose_device(options.device);
  const std::string& name = options.precision;
  switch (runner_of(options, device)) {
    case Runner::kFrozen:
      return choose_cpu_precision(name);
    case Runner::kDevice:
      return choose_cuda_precision(name, cuda_capability());
    case Runner::kTorch:
      break;
  }
  if (name == "bf16" || name == "fp16") {
    throw request_error("precision", name + " was asked for, but on " +
                                         (device.is_cpu() ? "the CPU" : "CUDA") +
                                         " LibTorch computes this network in fp32; use auto or fp32");
  }
  return choose_cpu_precision(name == "auto" ? "fp32" : name);
}

ChosenProgram make_inference_program(const Checkpoint& checkpoint, const InferenceOptions& options,
                                     int max_batch) {
  const torch::Device device = choose_device(options.device);
  const Precision precision = choose_precision(options);
  Network network = playing_network(checkpoint);
  const int size = static_cast<int>(checkpoint.manifest.game.size);
  switch (runner_of(options, device)) {
    case Runner::kFrozen:
      return {std::make_unique<FrozenProgram>(freeze(*network, size), precision), precision};
    case Runner::kDevice:
      return {make_device_program(*network, size, device, precision, options, max_batch), precision};
    case Runner::kTorch:
      break;
  }
  TorchProgram::Forward forward;
  if (options.form == InferenceForm::kEager) {
    network->to(device);
    forward = [network](const torch::Tensor& planes) mutable { return network->forward(planes); };
  } else {
    forward = [folded = std::make_shared<FoldedNetwork>(*network, device)](const torch::Tensor& planes) {
      return folded->forward(planes, false);
    };
  }
  return {std::make_unique<TorchProgram>(size, network->shape(), device, std::move(forward)), precision};
}

}  // namespace pahtum
