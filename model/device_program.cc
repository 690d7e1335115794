#include "model/device_program.h"

#include <torch/types.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "env/base/error.h"
#include "env/observation.h"

namespace pahtum {

namespace {

constexpr std::int64_t kResults = 3;  // win, draw, loss

std::size_t capacity_of(const DeviceProgram::Options& options) {
  const std::int64_t half = (std::int64_t{options.max_batch} + 1) / 2;
  return static_cast<std::size_t>(
      padded_rows(std::max(half, std::int64_t{std::min(options.split_above, options.max_batch)})));
}

}  // namespace

std::int64_t padded_rows(std::int64_t count) noexcept {
  constexpr std::uint64_t kSteps = 8;  // from a power of two down to half of it: half as many
  const auto rows = static_cast<std::uint64_t>(count);
  const std::uint64_t power = std::bit_ceil(rows);
  if (power <= kSteps) return static_cast<std::int64_t>(power);
  const std::uint64_t step = power / kSteps;
  return static_cast<std::int64_t>((rows + step - 1) / step * step);
}

DeviceProgram::DeviceProgram(const NetworkImpl& network, int size, torch::Device device,
                             std::array<std::unique_ptr<DeviceStream>, 2> streams, Options options)
    : network_(network, device, FoldedLayout::kChannelsLast, options.precision),
      options_(std::move(options)),
      channels_(network.shape().channels),
      size_(size),
      actions_(size_ * size_ + (network.shape().swap ? 1 : 0)),
      width_(actions_ + kResults + 1 + (options_.ownership ? size_ * size_ : 0)),
      capacity_(capacity_of(options_)) {
  const torch::InferenceMode inference;
  const auto rows = static_cast<std::int64_t>(capacity_);
  const auto on_host = [&](torch::ScalarType type, std::initializer_list<std::int64_t> shape) {
    return torch::zeros(shape, torch::TensorOptions().dtype(type).pinned_memory(device.is_cuda()));
  };
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    Slot& slot = slots_[k];
    slot.stream = std::move(streams[k]);
    slot.host_planes = on_host(torch::kUInt8, {rows, channels_, size_, size_});
    slot.host_outputs = on_host(torch::kFloat32, {rows * width_});
    // Memory of a stream is allocated and first written on that stream.
    slot.stream->enqueue([&] {
      slot.planes = torch::zeros_like(slot.host_planes, torch::TensorOptions().device(device));
      slot.outputs = torch::zeros_like(slot.host_outputs, torch::TensorOptions().device(device));
    });
    slot.stream->wait();
  }
}

void DeviceProgram::run(std::span<const Position> positions, const Consumer& consume) {
  const auto numbers = static_cast<std::size_t>(channels_ * size_ * size_);
  const auto encode = [&](Slot& slot) {
    auto* planes = slot.host_planes.data_ptr<std::uint8_t>();
    for (const Position& position : positions.subspan(slot.begin, slot.count)) {
      write_observation(position, std::span(planes, numbers));
      planes += numbers;
    }
  };
  run_parts(positions.size(), encode, consume);
}

void DeviceProgram::repeat(int count) {
  run_parts(
      static_cast<std::size_t>(count), [](Slot&) {}, [](const ProgramOutput&) {});
}

void DeviceProgram::run_parts(std::size_t count, const Encode& encode, const Consumer& consume) {
  const torch::InferenceMode inference;
  std::size_t parts = (count + capacity_ - 1) / capacity_;
  if (count > static_cast<std::size_t>(options_.split_above)) parts = std::max<std::size_t>(parts, 2);
  try {
    for (std::size_t part = 0; part < parts; ++part) {
      Slot& slot = slots_[part % 2];
      finish(slot, consume);
      slot.begin = count * part / parts;
      slot.count = count * (part + 1) / parts - slot.begin;
      encode(slot);
      submit(slot);
    }
    finish(slots_[parts % 2], consume);
    finish(slots_[(parts + 1) % 2], consume);
  } catch (...) {
    for (Slot& slot : slots_) {
      slot.count = 0;
      slot.stream->wait();
    }
    throw;
  }
}

void DeviceProgram::submit(Slot& slot) {
  const std::int64_t rows = padded_rows(static_cast<std::int64_t>(slot.count));
  const auto copy = [](const torch::Tensor& to, const torch::Tensor& from, std::int64_t length) {
    to.narrow(0, 0, length).copy_(from.narrow(0, 0, length), /*non_blocking=*/true);
  };
  slot.stream->enqueue([&slot, rows, copy] { copy(slot.planes, slot.host_planes, rows); });
  pass_of(slot, rows)();
  const std::int64_t numbers = rows * width_;
  slot.stream->enqueue([&slot, numbers, copy] { copy(slot.host_outputs, slot.outputs, numbers); });
}

const DeviceStream::Work& DeviceProgram::pass_of(Slot& slot, std::int64_t rows) {
  DeviceStream::Work& pass = slot.passes[rows];
  if (pass) return pass;
  const DeviceStream::Work work = [this, &slot, rows] {
    const torch::InferenceMode inference;
    const NetworkOutput output = network_.forward(slot.planes.narrow(0, 0, rows), options_.ownership);
    std::vector<torch::Tensor> heads = {output.policy.flatten(), output.wdl.flatten(), output.margin};
    if (options_.ownership) heads.push_back(output.ownership.flatten());
    torch::Tensor outputs = slot.outputs.narrow(0, 0, rows * width_);
    torch::cat_out(outputs, heads, 0);
  };
  if (recording_) {
    try {
      pass = slot.stream->record(work);
      return pass;
    } catch (const Error& error) {
      recording_ = false;
      if (options_.warn) {
        options_.warn("networks run without recorded work, which is slower for small batches: " +
                      std::string(error.what()));
      }
    }
  }
  pass = [&slot, work] { slot.stream->enqueue(work); };
  return pass;
}

void DeviceProgram::finish(Slot& slot, const Consumer& consume) {
  if (slot.count == 0) return;
  slot.stream->wait();
  const std::int64_t rows = padded_rows(static_cast<std::int64_t>(slot.count));
  const auto* policy = slot.host_outputs.data_ptr<float>();
  const float* wdl = policy + rows * actions_;
  const float* margin = wdl + rows * kResults;
  const float* ownership = options_.ownership ? margin + rows : nullptr;
  const std::size_t count = std::exchange(slot.count, 0);
  consume({slot.begin, count, policy, wdl, margin, ownership, static_cast<std::size_t>(actions_)});
}

}  // namespace pahtum
