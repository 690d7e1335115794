#include "selfplay/memory.h"

#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

#include "env/game_rules.h"
#include "search/search_graph.h"
#include "selfplay/game_record.h"
#include "selfplay/worker.h"

namespace pahtum {

MemoryEstimate estimate_memory(const RunConfig& config, int workers, std::int64_t resident) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t squares = config.game.size * config.game.size;
  const std::int64_t plies = GameRules(config.game).longest_game();

  MemoryEstimate estimate;
  // The first use of LibTorch and its libraries brings in more of their code and buffers.
  constexpr std::int64_t kFirstUse = std::int64_t{24} << 20;
  estimate.program = resident + kFirstUse;

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

  // A game: its record, per ply a move, a flag, a value and a surprise, and a 16-bit count per legal move;
  // what malloc adds to five vectors, and an entry in the table of hashes.
  const std::int64_t game =
      static_cast<std::int64_t>(sizeof(GameRecord)) + plies * 10 + plies * (plies + 1) / 2 * 2 + 5 * 16 + 64;
  estimate.replay =
      (window_after(config.replay, config.run.iterations * config.selfplay.games_per_iteration) +
       config.selfplay.slots + config.selfplay.games_per_iteration) *
      game;

  // The factors are those that measured peaks gave, from 32×3 with 256 samples a step to 128×8 and to 1024
  // samples (docs/reliability.md). Weights: values, gradients, moments, averages, the layouts that a step
  // makes of them, a frozen copy for each worker, and the copies of a checkpoint on its way to the disk.
  // Activations: what the forward pass keeps of each convolution; an evaluator reuses a few planes. And the
  // library's own buffers.
  const std::int64_t convolution = config.network.channels * config.network.channels * 9;
  const std::int64_t weights = (2 * config.network.blocks + 2) * convolution * kFloat;
  const std::int64_t plane = config.network.channels * squares * kFloat;
  const std::int64_t learner = config.learner.batch_size * plane * 7 / 2 * (2 * config.network.blocks + 2);
  const std::int64_t batch = std::max<std::int64_t>(1, config.selfplay.slots / std::max(1, workers));
  estimate.network = weights * (16 + workers) + learner + workers * batch * plane * 8;
  return estimate;
}

ProcessUsage process_usage() {
  constexpr std::int64_t kKibibyte = 1024;
  ProcessUsage usage;
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    std::int64_t value = 0;
    if (name == "VmRSS:" && status >> value) usage.resident_bytes = value * kKibibyte;
    if (name == "VmHWM:" && status >> value) usage.peak_resident_bytes = value * kKibibyte;
    if (name == "Threads:" && status >> value) usage.threads = value;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 heap = ::mallinfo2();
  usage.allocated_bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
#endif
  std::error_code error;
  for (std::filesystem::directory_iterator files("/proc/self/fd", error), end; !error && files != end;
       files.increment(error)) {
    ++usage.open_files;
  }
  usage.open_files = std::max<std::int64_t>(0, usage.open_files - 1);  // without the listing's own
  return usage;
}

}  // namespace pahtum
