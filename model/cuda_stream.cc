#include "model/cuda_stream.h"

#include "env/base/error.h"

#ifdef PAHTUM_WITH_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <string>
#include <utility>
#endif

namespace pahtum {

#ifdef PAHTUM_WITH_CUDA

namespace {

// LibTorch 2.1 and later. Earlier ones capture in a mode that makes other threads' allocations fail
// meanwhile.
template <class Graph>
concept CapturesOneThread = requires(Graph graph) {
  graph.capture_begin(at::cuda::graph_pool_handle(), cudaStreamCaptureModeThreadLocal);
};

template <class Graph>
void capture(Graph& graph, at::cuda::MempoolId_t pool, const DeviceStream::Work& work) {
  if constexpr (CapturesOneThread<Graph>) {
    graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    work();
    graph.capture_end();
  }
}

// Takes the thread's current stream out of a capture that failed. LibTorch's allocator may go on asking the
// graph about later allocations, so the graph is never destroyed.
void abandon(std::unique_ptr<at::cuda::CUDAGraph> graph) {
  try {
    graph->capture_end();
  } catch (const c10::Error&) {
    // It never began, or the driver had ended it.
  }
  static_cast<void>(graph.release());
  static_cast<void>(cudaGetLastError());
}

cudaStream_t make_stream() {
  // Not one of LibTorch's pool: those are shared, and what another thread enqueued on a stream while it is
  // captured would become part of the graph.
  cudaStream_t stream = nullptr;
  const cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (status != cudaSuccess) throw failure("CUDA", std::string("no stream: ") + cudaGetErrorString(status));
  return stream;
}

class CudaStream final : public DeviceStream {
 public:
  CudaStream()
      : own_(make_stream()),
        stream_(c10::cuda::getStreamFromExternal(own_, c10::cuda::current_device())),
        pool_(at::cuda::graph_pool_handle()) {}
  ~CudaStream() override {
    static_cast<void>(cudaStreamSynchronize(own_));
    static_cast<void>(cudaStreamDestroy(own_));
  }

  void enqueue(Work work) override {
    const c10::cuda::CUDAStreamGuard guard(stream_);
    work();
  }

  void wait() override { stream_.synchronize(); }

  Work record(Work work) override {
    if (!CapturesOneThread<at::cuda::CUDAGraph>) {
      throw failure("CUDA graphs", "LibTorch 2.1 or later is needed to capture them beside other threads");
    }
    // Libraries make their handles and workspaces at the first call, which no capture allows.
    constexpr int kWarmUp = 2;
    for (int pass = 0; pass < kWarmUp; ++pass) enqueue(work);
    wait();
    const c10::cuda::CUDAStreamGuard guard(stream_);
    auto graph = std::make_unique<at::cuda::CUDAGraph>();
    try {
      // All graphs of a stream share their scratch memory: they never run at the same time.
      capture(*graph, pool_, work);
    } catch (const c10::Error& error) {
      abandon(std::move(graph));
      throw failure("CUDA graphs", error.what_without_backtrace());
    } catch (...) {
      abandon(std::move(graph));
      throw;
    }
    return [this, recorded = std::shared_ptr<at::cuda::CUDAGraph>(std::move(graph))] {
      const c10::cuda::CUDAStreamGuard replaying(stream_);
      recorded->replay();
    };
  }

 private:
  cudaStream_t own_;
  c10::cuda::CUDAStream stream_;
  at::cuda::MempoolId_t pool_;
};

}  // namespace

bool has_cuda_streams() noexcept {
  return true;
}

int cuda_capability() {
  const cudaDeviceProp* properties = at::cuda::getCurrentDeviceProperties();
  return 10 * properties->major + properties->minor;
}

std::unique_ptr<DeviceStream> make_cuda_stream() {
  return std::make_unique<CudaStream>();
}

#else

bool has_cuda_streams() noexcept {
  return false;
}

int cuda_capability() {
  throw failure("CUDA", "this program was built without it");
}

std::unique_ptr<DeviceStream> make_cuda_stream() {
  throw failure("CUDA", "this program was built without it");
}

#endif

}  // namespace pahtum
