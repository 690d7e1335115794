#include "model/inference_program.h"

#include <torch/types.h>

#include <functional>
#include <utility>

#include "env/base/error.h"
#include "model/folded_network.h"
#include "model/frozen_network.h"
#include "model/network.h"

namespace pahtum {
namespace {

class FrozenProgram final : public InferenceProgram {
 public:
  FrozenProgram(const FrozenWeights& weights, Precision precision)
      : actions_(static_cast<std::size_t>(weights.actions())), network_(weights, precision) {}

  ProgramOutput run(std::span<const Position> positions) override {
    const FrozenOutput& output = network_.forward(positions);
    return {output.policy.data(), output.wdl.data(), output.margin.data(), actions_};
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

  ProgramOutput run(std::span<const Position> positions) override {
    const torch::InferenceMode inference;
    const torch::Tensor input = input_for(static_cast<std::int64_t>(positions.size()));
    auto* planes = input.data_ptr<float>();
    const std::size_t numbers = static_cast<std::size_t>(channels_ * size_ * size_);
    for (const Position& position : positions) {
      write_observation(position, std::span(planes, numbers));
      planes += numbers;
    }
    return compute(input.to(device_));
  }

  void repeat(int count) override {
    const torch::InferenceMode inference;
    if (!repeated_.defined() || repeated_.size(0) != count) {
      repeated_ = input_for(count).fill_(0.5f).to(device_);
    }
    static_cast<void>(compute(repeated_));
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

  ProgramOutput compute(const torch::Tensor& input) {
    output_ = forward_(input);
    output_.policy = output_.policy.to(torch::kCPU).contiguous();
    output_.wdl = output_.wdl.to(torch::kCPU).contiguous();
    output_.margin = output_.margin.to(torch::kCPU).contiguous();
    return {output_.policy.data_ptr<float>(), output_.wdl.data_ptr<float>(), output_.margin.data_ptr<float>(),
            static_cast<std::size_t>(output_.policy.size(1))};
  }

  std::int64_t size_, channels_;
  torch::Device device_;
  Forward forward_;
  torch::Tensor buffer_, repeated_;
  NetworkOutput output_;
};

bool is_frozen(const InferenceOptions& options, torch::Device device) {
  return options.form == InferenceForm::kFastest && device.is_cpu() && has_frozen_network();
}

}  // namespace

Precision choose_precision(const InferenceOptions& options) {
  const torch::Device device = choose_device(options.device);
  if (is_frozen(options, device)) return choose_cpu_precision(options.precision);
  const std::string& name = options.precision;
  if (name == "bf16" || name == "fp16") {
    throw request_error("precision", name + " was asked for, but on " +
                                         (device.is_cpu() ? "the CPU" : "CUDA") +
                                         " LibTorch computes this network in fp32; use auto or fp32");
  }
  return choose_cpu_precision(name == "auto" ? "fp32" : name);
}

ChosenProgram make_inference_program(const Checkpoint& checkpoint, const InferenceOptions& options) {
  const torch::Device device = choose_device(options.device);
  const Precision precision = choose_precision(options);
  Network network = playing_network(checkpoint);
  const int size = static_cast<int>(checkpoint.manifest.game.size);
  if (is_frozen(options, device)) {
    return {std::make_unique<FrozenProgram>(freeze(*network, size), precision), precision};
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
