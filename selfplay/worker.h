#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/batch_environment.h"
#include "search/evaluator.h"
#include "search/search_tree.h"
#include "search/solver.h"
#include "selfplay/game_record.h"
#include "selfplay/run_config.h"

namespace pahtum {

// What the workers of a run have done so far in an iteration; written by them, read by the progress line.
struct SelfplayCounters {
  std::atomic<std::int64_t> games{0};
  std::atomic<std::int64_t> moves{0};
  std::atomic<std::int64_t> finished_moves{0};  // of the finished games, those before the iteration included
  std::atomic<std::int64_t> evaluations{0};
  std::atomic<std::int64_t> batches{0};
};

// Plays games in a fixed number of slots, all stepped by one BatchEnvironment, one search tree per slot.
//
//   slot 0 │ tree ─ leaf ┐                        ┌ evaluation ─ tree
//   slot 1 │ tree ─ leaf ┼─ one evaluator batch ─ ┼ evaluation ─ tree ─ has its visits: move → environment
//   slot 2 │ tree ─ leaf ┘                        └ evaluation ─ tree
//
// A slot whose game ends starts the next one at once. A batch goes out when no slot can add to it. What a
// worker plays is a function of the configuration, its slots and the evaluator's answers alone. One thread at
// a time per object.
class SelfplayWorker {
 public:
  static constexpr std::size_t kSolverBytes = std::size_t{8} << 20;  // of the table for exact endings

  // Plays in slots first_slot … first_slot + slots − 1 of the run.
  SelfplayWorker(const RunConfig& config, int first_slot, int slots);

  // Plays until `games` more games are finished, or `stop` is set; returns the finished ones in the order
  // they ended. `on_finished`, where set, sees each as it ends. Search trees start afresh at each call, so
  // that a run resumed between two calls plays the same games.
  using OnFinished = std::function<void(const GameRecord&)>;
  [[nodiscard]] std::vector<GameRecord> play(Evaluator& evaluator, std::int64_t games,
                                             const std::atomic<bool>& stop, SelfplayCounters& counters,
                                             const OnFinished& on_finished = {});

  // The games in progress, one per slot, and the way back to them after a restart. restore() throws a
  // kRequest Error when the records are not one for each slot.
  [[nodiscard]] std::vector<GameRecord> games_in_progress() const;
  void restore(const std::vector<GameRecord>& games);

  // The searches that a play() left when it was stopped before it had its games, as bytes; empty when it was
  // not. After restore() and restore_searches(), the next play() goes on in the middle of these as if it had
  // never been stopped. restore_searches() throws a kRequest Error naming `source` for bytes that are not the
  // searches of the games in progress.
  [[nodiscard]] std::string searches() const;
  void restore_searches(std::string_view bytes, const std::string& source);

  [[nodiscard]] int slots() const noexcept { return environment_.count(); }

 private:
  struct Slot {
    SearchTree tree;
    GameRecord record;
    int random_plies = 0;    // the game's first plies made at random,
    bool by_policy = false;  // by the network's policy
  };

  void begin_game(std::int32_t row);
  void begin_search(Slot& slot, std::int32_t row, bool keep_tree, Move last);
  [[nodiscard]] bool choose(Slot& slot, std::int32_t row, Move& move, Position& leaf);
  void collect(std::vector<GameRecord>& finished, std::int64_t wanted, SelfplayCounters& counters,
               const OnFinished& on_finished);
  void step(std::vector<GameRecord>& finished, SelfplayCounters& counters, const OnFinished& on_finished);
  [[nodiscard]] std::uint64_t game_number(std::int32_t row) const noexcept;
  // The first game of a slot starts late, by selfplay.stagger.
  [[nodiscard]] bool staggered(std::int32_t row) const noexcept;
  [[nodiscard]] int planned_random_plies(std::int32_t row) const;
  // Whether the next move of the game gets selfplay.short_simulations only.
  [[nodiscard]] bool searches_short(std::int32_t row) const;

  RunConfig config_;
  std::uint64_t seed_;
  std::uint32_t first_slot_;
  bool midway_ = false;  // the trees are those of a play() that was stopped
  BatchEnvironment environment_;
  Solver solver_;  // all slots' trees use it
  std::vector<Slot> slots_;
  std::vector<std::int32_t> pending_rows_, pending_actions_, batch_rows_, next_rows_;
  std::vector<Position> leaves_;
  std::vector<Evaluation> evaluations_;
};

// `total` shared out in `parts` parts that differ by one at most: the part number `index`.
[[nodiscard]] constexpr std::int64_t share_of(std::int64_t total, std::int64_t parts,
                                              std::int64_t index) noexcept {
  return total * (index + 1) / parts - total * index / parts;
}

// The workers of a run: `run.workers` of them (one per core for 0, at most one per slot) with the slots
// shared evenly.
[[nodiscard]] std::vector<std::unique_ptr<SelfplayWorker>> make_workers(const RunConfig& config);

}  // namespace pahtum
