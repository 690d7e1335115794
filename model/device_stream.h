#pragma once

// Internal to model/: where the work of a device program runs.

#include <functional>
#include <memory>

namespace pahtum {

// An order of work on a device. LibTorch operations inside the work that it is given are done one after the
// other, and may still be going on when the call returns; two streams work side by side. One thread at a time
// per object.
class DeviceStream {
 public:
  using Work = std::function<void()>;

  DeviceStream() = default;
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  virtual ~DeviceStream() = default;

  // What `work` refers to must live until wait() returns, and memory of the host that it reads or writes
  // must be left alone until then.
  virtual void enqueue(Work work) = 0;

  // Returns when all that was enqueued is done.
  virtual void wait() = 0;

  // A function that enqueues all that `work` does, at less cost than enqueue(work) where the device can
  // record it: then its operations find the tensors at the places they have now. May run `work` a few times.
  // The result is used while this stream lives. Throws a kFailure Error that gives the reason where the
  // device does not record; `work` can then still be enqueued.
  [[nodiscard]] virtual Work record(Work work) = 0;
};

// The CPU's: work is done at once, by the caller.
[[nodiscard]] std::unique_ptr<DeviceStream> make_host_stream();

}  // namespace pahtum
