#include "model/device_stream.h"

#include <utility>

namespace pahtum {
namespace {

class HostStream final : public DeviceStream {
 public:
  void enqueue(Work work) override { work(); }
  void wait() override {}
  Work record(Work work) override { return work; }
};

}  // namespace

std::unique_ptr<DeviceStream> make_host_stream() {
  return std::make_unique<HostStream>();
}

}  // namespace pahtum
