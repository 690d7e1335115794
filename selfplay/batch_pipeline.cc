#include "selfplay/batch_pipeline.h"

#include <cassert>
#include <utility>

namespace pahtum {

BatchPipeline::BatchPipeline(std::int64_t first, std::int64_t end, const SampleBuffer& buffer, Draw draw)
    : first_(first),
      end_(end),
      draw_(std::move(draw)),
      buffers_{buffer, buffer},
      drawn_(first),
      asked_(first),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

BatchPipeline::~BatchPipeline() = default;  // the thread is asked to stop, and joined

TrainingBatch BatchPipeline::next() {
  std::unique_lock lock(mutex_);
  assert(asked_ < end_);
  const std::int64_t step = asked_++;
  changed_.notify_one();
  changed_.wait(lock, [&] { return drawn_ > step || error_ != nullptr; });
  if (drawn_ <= step) std::rethrow_exception(error_);
  return buffer_of(step).batch();
}

void BatchPipeline::run(const std::stop_token& stop) {
  for (std::int64_t step = first_; step < end_; ++step) {
    {
      // The buffer is free once the caller has asked for the step behind the one it held.
      const auto other = static_cast<std::int64_t>(buffers_.size()) - 1;
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return asked_ + other > step; }) || stop.stop_requested()) return;
    }
    std::exception_ptr error;
    try {
      draw_(step, buffer_of(step));
    } catch (...) {
      error = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    error_ = error;
    if (error == nullptr) drawn_ = step + 1;
    changed_.notify_one();
    if (error != nullptr) return;
  }
}

}  // namespace pahtum
