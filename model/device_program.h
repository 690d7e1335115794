#pragma once

// Internal to model/: networks on a device of LibTorch's that works beside the processor.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "model/device_stream.h"
#include "model/folded_network.h"
#include "model/inference_program.h"

namespace pahtum {

// What runs where, in a batch of two halves:
//
//   processor  │ encode A │ encode B │   wait A   │ decode A │ wait B │ decode B
//   stream A              │ copy, network, copy   │
//   stream B                         │ copy, network, copy            │
//
// Planes go to the device as bytes and become numbers of its precision, channels last, in the first operation
// there. All heads come back as float32 in one piece. All memory of the host that the device reads and
// writes is allocated once, pinned where the device is CUDA. Batches are padded to few sizes, each of which
// the stream records once.
class DeviceProgram final : public InferenceProgram {
 public:
  struct Options {
    Precision precision = Precision::kFp32;
    int max_batch = 1024;    // at least 1; larger ones go through in more pieces
    int split_above = 128;   // positions in a batch up to which it goes as one piece; at least 1
    bool ownership = false;  // compute that head too
    std::function<void(const std::string&)> warn = {};  // told at most once; nobody where empty
  };

  // `size` of the board. `streams` are two of `device`.
  DeviceProgram(const NetworkImpl& network, int size, torch::Device device,
                std::array<std::unique_ptr<DeviceStream>, 2> streams, Options options);

  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  // Where `consume` throws, the program is as it was before.
  void run(std::span<const Position> positions, const Consumer& consume) override;
  void repeat(int count) override;

 private:
  // One stream and what it alone works on.
  struct Slot {
    std::unique_ptr<DeviceStream> stream;
    torch::Tensor host_planes, planes;    // bytes [capacity, C, n, n]
    torch::Tensor outputs, host_outputs;  // float32, head by head, each [rows, numbers of the head]
    std::map<std::int64_t, DeviceStream::Work> passes;  // by number of rows
    std::size_t begin = 0;                              // of its part of the batch
    std::size_t count = 0;                              // of positions in flight
  };
  using Encode = std::function<void(Slot&)>;

  void run_parts(std::size_t count, const Encode& encode, const Consumer& consume);
  void submit(Slot& slot);
  void finish(Slot& slot, const Consumer& consume);
  const DeviceStream::Work& pass_of(Slot& slot, std::int64_t rows);

  FoldedNetwork network_;
  Options options_;
  std::int64_t channels_, size_, actions_;
  std::int64_t width_;  // numbers of all heads for one position
  std::size_t capacity_;
  bool recording_ = true;
  std::array<Slot, 2> slots_;
};

// The number of rows that `count` positions, at least one, are padded to: 1, 2, 4, 8, then eighths of the
// next power of two, so that at most a fifth of the rows is padding beyond the first few.
[[nodiscard]] std::int64_t padded_rows(std::int64_t count) noexcept;

}  // namespace pahtum
