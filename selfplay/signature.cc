#include "selfplay/signature.h"

#include <atomic>
#include <vector>

#include "env/base/fingerprint.h"
#include "search/evaluator.h"
#include "selfplay/game_record.h"
#include "selfplay/run_config.h"
#include "selfplay/worker.h"

namespace pahtum {

std::uint64_t selfplay_signature() {
  RunConfig config;
  config.game = {.size = 7, .holes = 5};
  config.selfplay.slots = 12;
  config.search.simulations = 40;
  config.search.exact_leaf = 8;
  config.search.exact_root = 10;
  // Noise and temperature go through the mathematical library, whose last bit differs between machines.
  config.search.noise_fraction = 0.0;
  config.search.temperature = 0.0;
  config.search.temperature_final = 0.0;
  constexpr std::int64_t kGames = 24;
  SelfplayWorker worker(config, 0, static_cast<int>(config.selfplay.slots));
  HashEvaluator evaluator;
  SelfplayCounters counters;
  const std::atomic<bool> never_stop{false};
  Fingerprint fingerprint;
  std::vector<GameRecord> games = worker.play(evaluator, kGames, never_stop, counters);
  for (GameRecord& game : games) game.surprises.clear();  // logarithms differ in the last bit, too
  fingerprint.add_bytes(serialize(games));
  return fingerprint.value();
}

}  // namespace pahtum
