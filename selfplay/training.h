#pragma once

#include <atomic>
#include <filesystem>
#include <span>
#include <string>

#include "selfplay/run_config.h"

namespace pahtum {

// A run directory:
//
//   config.yaml            the resolved configuration
//   version.txt            project version that started the run
//   checkpoints/NNNNNN.ckpt   after iteration NNNNNN; the newest `keep_checkpoints` are kept
//   games/NNNNNN.games     finished games of iteration NNNNNN
//   metrics.jsonl          one JSON object per iteration
//   events.out.tfevents.*  the same for TensorBoard, a file per session
//   evaluation.json, report.html   written by the evaluation
struct TrainingSummary {
  std::filesystem::path checkpoint;  // newest
  std::int64_t iterations = 0;       // finished, over all sessions of the run
  std::int64_t games = 0;
  std::int64_t steps = 0;
  double seconds = 0;        // of this session
  bool interrupted = false;  // `stop` was set; everything is saved and --resume goes on
};

// Starts a new run in `run` (created; a kRequest Error when it already holds one). Where `check` is set, it
// learns how far the networks' evaluations are from the eager module's; it must outlive the call.
[[nodiscard]] TrainingSummary start_training(const RunConfig& config, const std::filesystem::path& run,
                                             const std::atomic<bool>& stop, InferenceCheck* check = nullptr);

// Goes on from the newest whole checkpoint of `run`, with the configuration saved there and `overrides` on
// top of it (only what does not change the network, the rules or the optimizer).
[[nodiscard]] TrainingSummary resume_training(const std::filesystem::path& run,
                                              std::span<const std::string> overrides,
                                              const std::atomic<bool>& stop, InferenceCheck* check = nullptr);

}  // namespace pahtum
