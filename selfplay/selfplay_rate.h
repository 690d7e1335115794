#pragma once

#include "selfplay/run_config.h"

namespace pahtum {

// How much of the network's speed self-play reaches.
struct SelfplayRate {
  int workers = 0;
  double batch = 0;                   // mean positions of an evaluator batch
  double moves_per_second = 0;        // over all workers
  double evaluations_per_second = 0;  // in self-play
  double raw_per_second = 0;          // bare forward passes of that batch size, on as many threads
};

// Plays with a freshly initialised network and runs its bare forward passes in turn, each for about
// `seconds`, five times, all workers at once; the rates are medians over the rounds, so that a machine that
// changes its speed changes both alike. Where `check` is set, evaluations of self-play are compared with the
// eager module's, at the cost of its time.
[[nodiscard]] SelfplayRate measure_selfplay(const RunConfig& config, double seconds,
                                            InferenceCheck* check = nullptr);

}  // namespace pahtum
