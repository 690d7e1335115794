#include "selfplay/worker.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "env/base/bytes.h"
#include "env/base/error.h"
#include "env/base/random.h"
#include "env/base/thread_team.h"
#include "env/random_move.h"

namespace pahtum {
namespace {

BatchConfig batch_config(const RunConfig& config, int first_slot, int slots) {
  BatchConfig batch;
  batch.game = config.game;
  batch.count = slots;
  batch.seed = static_cast<std::uint64_t>(config.run.seed);
  batch.first_environment = static_cast<std::uint32_t>(first_slot);
  batch.auto_reset = AutoReset::kSameStep;
  batch.observation =
      ObservationType::kNone;  // the evaluator encodes the leaves; nobody reads the boards of the slots
  return batch;
}

// Drawn by the priors, whatever was visited.
Move move_by_policy(std::span<const RootMove> moves, Random& random) {
  std::vector<RootMove> unvisited(moves.begin(), moves.end());
  for (RootMove& entry : unvisited) entry.visits = 0;
  return choose_move(unvisited, 1.0, random);
}

// How far what the search found is from what the network thought (its noise included): Σ t · ln(t / p).
float surprise_of(const SearchTree& tree) {
  constexpr double kLeast = 1e-6;
  const std::span<const RootMove> moves = tree.root_moves();
  const std::span<const float> target = tree.policy_target();
  double sum = 0.0;
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (target[k] <= 0.0f) continue;
    const auto share = static_cast<double>(target[k]);
    sum += share * std::log(share / std::max(static_cast<double>(moves[k].prior), kLeast));
  }
  return static_cast<float>(std::max(sum, 0.0));
}

}  // namespace

SelfplayWorker::SelfplayWorker(const RunConfig& config, int first_slot, int slots)
    : config_(config),
      seed_(static_cast<std::uint64_t>(config.run.seed)),
      first_slot_(static_cast<std::uint32_t>(first_slot)),
      environment_(batch_config(config, first_slot, slots)),
      solver_(kSolverBytes) {
  slots_.reserve(static_cast<std::size_t>(slots));
  for (int slot = 0; slot < slots; ++slot) {
    slots_.push_back({SearchTree(config.search, config.game.result), {}, 0});
    slots_.back().tree.use_solver(&solver_);
  }
  environment_.reset();
  for (int row = 0; row < slots; ++row) begin_game(row);
}

std::uint64_t SelfplayWorker::game_number(std::int32_t row) const noexcept {
  const auto slot = static_cast<std::uint64_t>(first_slot_) + static_cast<std::uint64_t>(row);
  return (slot << 40) | environment_.episode(row);
}

bool SelfplayWorker::staggered(std::int32_t row) const noexcept {
  return config_.selfplay.stagger && environment_.episode(row) == 0;
}

int SelfplayWorker::planned_random_plies(std::int32_t row) const {
  Random random(seed_, Stream::kOpening, game_number(row));
  const int plies = environment_.position(row).empty_count();
  if (staggered(row)) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(plies)));
  }
  const double drawn = -config_.selfplay.random_opening_mean * std::log(1.0 - random.uniform());
  return std::min(static_cast<int>(drawn), plies / 2);
}

void SelfplayWorker::begin_game(std::int32_t row) {
  Slot& slot = slots_[static_cast<std::size_t>(row)];
  slot.record = {};
  slot.record.environment = first_slot_ + static_cast<std::uint32_t>(row);
  slot.record.episode = environment_.episode(row);
  slot.record.start = environment_.position(row);
  slot.random_plies = planned_random_plies(row);
  slot.by_policy = config_.selfplay.opening == "policy" && !staggered(row);
}

void SelfplayWorker::begin_search(Slot& slot, std::int32_t row, bool keep_tree, Move last) {
  if (keep_tree) {
    slot.tree.advance(last);
  } else {
    slot.tree.reset(environment_.position(row));
  }
  if (static_cast<int>(slot.record.moves.size()) < slot.random_plies) {
    slot.tree.begin_move(std::nullopt, 1);  // a uniform ply asks for nothing, one by the policy for this
  } else if (searches_short(row)) {
    slot.tree.begin_move(std::nullopt, config_.selfplay.short_simulations);
  } else {
    slot.tree.begin_move(Random(seed_, Stream::kRootNoise, game_number(row),
                                static_cast<std::uint32_t>(slot.record.moves.size())));
  }
}

bool SelfplayWorker::searches_short(std::int32_t row) const {
  if (config_.selfplay.full_search_share >= 1.0) return false;
  const std::size_t ply = slots_[static_cast<std::size_t>(row)].record.moves.size();
  Random random(seed_, Stream::kSearchLength, game_number(row), static_cast<std::uint32_t>(ply));
  return random.uniform() >= config_.selfplay.full_search_share;
}

bool SelfplayWorker::choose(Slot& slot, std::int32_t row, Move& move, Position& leaf) {
  const auto ply = static_cast<int>(slot.record.moves.size());
  Random random(seed_, Stream::kMoveChoice, game_number(row), static_cast<std::uint32_t>(ply));
  const bool opening = ply < slot.random_plies;
  if (opening && !slot.by_policy) {
    move = random_move(environment_.position(row), random);
    slot.record.add_random(move);
    return true;
  }
  if (slot.tree.next_leaf(leaf)) return false;
  if (opening) {
    move = move_by_policy(slot.tree.root_moves(), random);
    slot.record.add_random(move);
    return true;
  }
  move = slot.tree.choose(temperature_at(config_.search, ply), random);
  const Value value = slot.tree.root_value();
  if (slot.tree.root_proven()) {
    slot.record.add_searched(move, value, slot.tree.policy_target(), MoveOrigin::kSolved);
  } else if (searches_short(row)) {
    slot.record.add_short(move, value);
  } else {
    slot.record.add_searched(move, value, slot.tree.policy_target(), MoveOrigin::kSearched,
                             surprise_of(slot.tree));
  }
  return true;
}

void SelfplayWorker::step(std::vector<GameRecord>& finished, SelfplayCounters& counters,
                          const OnFinished& on_finished) {
  environment_.step(pending_rows_, pending_actions_);
  counters.moves += static_cast<std::int64_t>(pending_rows_.size());
  for (const std::int32_t row : pending_rows_) {
    Slot& slot = slots_[static_cast<std::size_t>(row)];
    const auto ply = static_cast<int>(slot.record.moves.size());
    if (environment_.terminated()[static_cast<std::size_t>(row)] != 0) {
      counters.finished_moves += static_cast<std::int64_t>(slot.record.moves.size());
      if (on_finished) on_finished(slot.record);
      finished.push_back(std::move(slot.record));
      ++counters.games;
      begin_game(row);
      begin_search(slot, row, false, {});
    } else {
      // Uniformly random moves leave the tree untouched.
      const bool searched = slot.by_policy || ply > slot.random_plies;
      begin_search(slot, row, searched, slot.record.moves.back());
    }
  }
}

void SelfplayWorker::collect(std::vector<GameRecord>& finished, std::int64_t wanted,
                             SelfplayCounters& counters, const OnFinished& on_finished) {
  next_rows_.resize(slots_.size());
  std::iota(next_rows_.begin(), next_rows_.end(), 0);
  leaves_.clear();
  batch_rows_.clear();
  while (!next_rows_.empty() && static_cast<std::int64_t>(finished.size()) < wanted) {
    pending_rows_.clear();
    pending_actions_.clear();
    for (const std::int32_t row : next_rows_) {
      Slot& slot = slots_[static_cast<std::size_t>(row)];
      Move move;
      Position leaf;
      if (choose(slot, row, move, leaf)) {
        pending_rows_.push_back(row);
        pending_actions_.push_back(action_of(move, environment_.size()));
      } else {
        batch_rows_.push_back(row);
        leaves_.push_back(leaf);
      }
    }
    if (!pending_rows_.empty()) step(finished, counters, on_finished);
    next_rows_ = pending_rows_;
  }
}

std::vector<GameRecord> SelfplayWorker::play(Evaluator& evaluator, std::int64_t games,
                                             const std::atomic<bool>& stop, SelfplayCounters& counters,
                                             const OnFinished& on_finished) {
  std::vector<GameRecord> finished;
  for (std::int32_t row = 0; row < slots() && !midway_; ++row) {
    begin_search(slots_[static_cast<std::size_t>(row)], row, false, {});
  }
  midway_ = false;
  while (static_cast<std::int64_t>(finished.size()) < games && !stop.load(std::memory_order_relaxed)) {
    collect(finished, games, counters, on_finished);
    if (static_cast<std::int64_t>(finished.size()) >= games) break;
    evaluations_.resize(leaves_.size());
    evaluator.evaluate(leaves_, evaluations_);
    counters.evaluations += static_cast<std::int64_t>(leaves_.size());
    ++counters.batches;
    for (std::size_t k = 0; k < batch_rows_.size(); ++k) {
      slots_[static_cast<std::size_t>(batch_rows_[k])].tree.receive(evaluations_[k]);
    }
  }
  midway_ = static_cast<std::int64_t>(finished.size()) < games;
  return finished;
}

std::string SelfplayWorker::searches() const {
  std::string bytes;
  if (!midway_) return bytes;
  for (const Slot& slot : slots_) slot.tree.append_state(bytes);
  return bytes;
}

void SelfplayWorker::restore_searches(std::string_view bytes, const std::string& source) {
  midway_ = false;
  if (bytes.empty()) return;
  ByteReader reader(bytes, source);
  for (std::int32_t row = 0; row < slots(); ++row) {
    SearchTree& tree = slots_[static_cast<std::size_t>(row)].tree;
    tree.restore_state(reader);
    if (tree.root() != environment_.position(row)) {
      throw reader.refuse("holds a search of another position than slot " +
                          std::to_string(first_slot_ + static_cast<std::uint32_t>(row)) +
                          "'s game has reached");
    }
  }
  reader.require_end();
  midway_ = true;
}

std::vector<GameRecord> SelfplayWorker::games_in_progress() const {
  std::vector<GameRecord> games;
  games.reserve(slots_.size());
  for (const Slot& slot : slots_) games.push_back(slot.record);
  return games;
}

void SelfplayWorker::restore(const std::vector<GameRecord>& games) {
  if (games.size() != slots_.size()) {
    throw request_error("selfplay.slots",
                        "the run was saved with other slots: " + std::to_string(games.size()) +
                            " games for " + std::to_string(slots_.size()) + " slots of a worker");
  }
  for (std::int32_t row = 0; row < slots(); ++row) {
    const GameRecord& game = games[static_cast<std::size_t>(row)];
    Slot& slot = slots_[static_cast<std::size_t>(row)];
    if (game.environment != first_slot_ + static_cast<std::uint32_t>(row)) {
      throw request_error("selfplay.slots", "the run was saved with another order of slots");
    }
    environment_.restore(row, game.episode, {});
    begin_game(row);
    if (game.start != slot.record.start) {
      // start_position is a function of seed and rules; another start means another run's games.
      throw request_error(
          "run.seed", "the games in progress start from other layouts than this seed and these rules give");
    }
    environment_.restore(row, game.episode, game.moves);
    slot.record = game;
  }
}

std::vector<std::unique_ptr<SelfplayWorker>> make_workers(const RunConfig& config) {
  const std::int64_t wanted = config.run.workers > 0 ? config.run.workers : hardware_threads();
  const std::int64_t count = std::clamp<std::int64_t>(wanted, 1, config.selfplay.slots);
  std::vector<std::unique_ptr<SelfplayWorker>> workers;
  std::int64_t first = 0;
  for (std::int64_t worker = 0; worker < count; ++worker) {
    const std::int64_t slots = share_of(config.selfplay.slots, count, worker);
    workers.push_back(
        std::make_unique<SelfplayWorker>(config, static_cast<int>(first), static_cast<int>(slots)));
    first += slots;
  }
  return workers;
}

}  // namespace pahtum
