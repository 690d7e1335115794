#pragma once

#include "selfplay/run_config.h"

namespace pahtum {

// How fast one way of playing is, over all workers. Moves are the stones of finished games, openings and
// solved ends included.
struct SelfplayRate {
  int workers = 0;
  double batch = 0;  // mean positions of an evaluator batch
  double games_per_second = 0;
  double moves_per_second = 0;
  double evaluations_per_second = 0;
  double evaluations_per_game = 0;
};

struct SelfplayRates {
  SelfplayRate trees;  // one node for every line of play, nothing solved: every simulation asks the network
  SelfplayRate configured;  // as the configuration says
  SelfplayRate one_worker;  // the same by one of its workers
  // Bare forward passes of the batch size of `trees`, on as many threads and on one.
  double raw_per_second = 0;
  double raw_per_second_one = 0;
};

// Plays with a freshly initialised network in each way, and runs its bare forward passes, in turn, five
// rounds of about `seconds` each. Before that each way plays until as many games are finished as it has
// slots, five rounds at most, so that the slots are spread over a game as they are later on. Rates of games
// are over all rounds, those of evaluations medians of the rounds. Where `check` is set, evaluations of
// self-play are compared with the eager module's, at the cost of its time.
[[nodiscard]] SelfplayRates measure_selfplay(const RunConfig& config, double seconds,
                                             InferenceCheck* check = nullptr);

}  // namespace pahtum
