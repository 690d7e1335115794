#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "selfplay/replay.h"

namespace pahtum {

// Draws the batch of the next learner step on a thread of its own while the caller learns from the one
// before:
//
//   caller    next(0) ─ step 0 ─ next(1) ─ step 1 ─ next(2) ─ …
//   thread    draw 0 ─ draw 1 ──────────── draw 2 ─────────── …
//
// At most one batch is drawn ahead, and none beyond the last step. One thread at a time calls next().
class BatchPipeline {
 public:
  // Fills the buffer with the samples of a step. Called on the pipeline's thread, for one step after the
  // other, from construction to destruction: until then nothing may change what it reads.
  using Draw = std::function<void(std::int64_t step, SampleBuffer& buffer)>;

  // For the steps from `first` up to `end`, which is left out; `buffer` gives the shape of a batch.
  BatchPipeline(std::int64_t first, std::int64_t end, const SampleBuffer& buffer, Draw draw);
  // Drops what is drawn and waits for a draw that is under way.
  ~BatchPipeline();
  BatchPipeline(const BatchPipeline&) = delete;
  BatchPipeline& operator=(const BatchPipeline&) = delete;

  // The batch of the next step, valid until the call after. Throws what drawing it threw. There must be a
  // next step.
  [[nodiscard]] TrainingBatch next();

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] SampleBuffer& buffer_of(std::int64_t step) noexcept {
    return buffers_[static_cast<std::size_t>(step - first_) % buffers_.size()];
  }

  std::int64_t first_, end_;
  Draw draw_;
  std::array<SampleBuffer, 2> buffers_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Under the mutex. Steps below `drawn_` lie in their buffers; the caller has asked for those below `asked_`
  // and still reads the last of them.
  std::int64_t drawn_, asked_;
  std::exception_ptr error_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace pahtum
