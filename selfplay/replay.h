#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "env/base/random.h"
#include "env/game_rules.h"
#include "model/trainer.h"
#include "selfplay/game_record.h"

namespace pahtum {

// Owns the arrays of a TrainingBatch, reused from step to step.
class SampleBuffer {
 public:
  SampleBuffer(int count, const GameRules& rules);
  [[nodiscard]] TrainingBatch batch() const noexcept;

 private:
  friend class Replay;
  int count_;
  int size_;
  std::size_t channels_, actions_;
  std::vector<float> planes_, policy_, wdl_, margin_, ownership_;
};

// The newest finished games, and the samples drawn from them. One thread at a time.
class Replay {
 public:
  explicit Replay(std::int64_t window_games) : window_(window_games) {}

  // Appends finished games in order and forgets the oldest beyond the window. Returns how many of the new
  // ones were played before by another game in the window (same layout, same moves).
  std::int64_t add(std::vector<GameRecord> games);

  [[nodiscard]] std::int64_t games() const noexcept { return static_cast<std::int64_t>(games_.size()); }
  [[nodiscard]] std::int64_t samples() const noexcept { return samples_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

  // Fills the buffer with samples: each searched ply of each game equally likely, turned by one of the eight
  // symmetries (planes, policy and ownership together). samples() must be positive.
  void draw(Random& random, SampleBuffer& buffer) const;

  // Writes sample `index` of the buffer from one ply of a game, turned by `symmetry`.
  static void write_sample(const GameRecord& game, int ply, int symmetry, int index, SampleBuffer& buffer);

 private:
  std::int64_t window_;
  std::int64_t samples_ = 0;
  std::deque<GameRecord> games_;
  std::vector<std::int64_t> ends_;  // ends_[k]: samples in games 0 … k
  std::unordered_map<std::uint64_t, int> seen_;
};

}  // namespace pahtum
