#include "selfplay/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "env/game_rules.h"
#include "search/search_graph.h"
#include "selfplay/game_record.h"
#include "selfplay/worker.h"

namespace pahtum {

MemoryEstimate estimate_memory(const RunConfig& config, int workers) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t squares = config.game.size * config.game.size;
  const std::int64_t plies = GameRules(config.game).longest_game();

  MemoryEstimate estimate;
  estimate.program = std::int64_t{300} << 20;

  // A visit brings a node with a prior for each move, and about three edges in room for four
  // (search/search_graph.h); the array of nodes and the table grow by steps. Where kept visits do not count,
  // a search begins with up to as many again.
  constexpr std::int64_t kNodeBytes = sizeof(GraphNode) * 5 / 4 + 8;
  constexpr std::int64_t kEdgesBytes = 120;
  const std::int64_t visits = config.search.simulations * (config.search.count_reused ? 1 : 2);
  const std::int64_t tree = visits * (kNodeBytes + kEdgesBytes + 4 * plies);
  const bool solves = config.search.exact_leaf > 0 || config.search.exact_root > 0;
  const auto solvers = solves ? workers * static_cast<std::int64_t>(SelfplayWorker::kSolverBytes) : 0;
  estimate.trees = config.selfplay.slots * tree + solvers;

  // A game: its record, per ply a move, a flag and a value, and a 16-bit count per legal move.
  const std::int64_t game =
      static_cast<std::int64_t>(sizeof(GameRecord)) + plies * 6 + plies * plies / 2 * 2 + 64;
  estimate.replay =
      (config.replay.window_games + config.selfplay.slots + config.selfplay.games_per_iteration) * game;

  // Weights ×4 (values, gradients, two moments) and averaged; a copy per worker. Activations: the forward
  // pass of the learner keeps about eight planes per convolution; an evaluator reuses a few.
  const std::int64_t convolution = config.network.channels * config.network.channels * 9;
  const std::int64_t weights = (2 * config.network.blocks + 2) * convolution * kFloat;
  const std::int64_t plane = config.network.channels * squares * kFloat;
  const std::int64_t learner = config.learner.batch_size * plane * 8 * (2 * config.network.blocks + 2);
  const std::int64_t batch = std::max<std::int64_t>(1, config.selfplay.slots / std::max(1, workers));
  estimate.network = weights * (6 + workers) + learner + workers * batch * plane * 8;
  return estimate;
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  if (!(file >> total >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace pahtum
