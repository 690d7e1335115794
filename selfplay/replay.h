#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
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
  std::vector<float> planes_, policy_, wdl_, margin_, ownership_, search_value_, reply_, runs_;
};

// Samples of a game as replay.reuse counts them: a solved ply is `solved_weight` of a searched one.
[[nodiscard]] inline double weighted_samples(const GameRecord& game, double solved_weight) noexcept {
  return game.samples() - (1.0 - solved_weight) * game.solved();
}

// The newest finished games, and the samples drawn from them. One thread at a time.
class Replay {
 public:
  // `solved_weight` is replay.solved_weight, in (0, 1], `surprise_weight` replay.surprise_weight, in [0, 1].
  explicit Replay(std::int64_t window_games, double solved_weight = 1.0, double surprise_weight = 0.0)
      : window_(window_games), solved_weight_(solved_weight), surprise_weight_(surprise_weight) {}

  // For the games added from now on.
  void set_window(std::int64_t games) noexcept { window_ = games; }

  // Forgets all games.
  void clear();

  // Appends finished games in order and forgets the oldest beyond the window. Returns how many of the new
  // ones were played before by another game in the window (same layout, same moves).
  std::int64_t add(std::vector<GameRecord> games);

  [[nodiscard]] std::int64_t games() const noexcept { return static_cast<std::int64_t>(games_.size()); }
  [[nodiscard]] std::int64_t samples() const noexcept { return samples_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

  // Fills the buffer with samples, turned by one of the eight symmetries (planes, policy and ownership
  // together). How likely a ply is: a solved one as `solved_weight`; a searched one, with s the
  // `surprise_weight`, as 1 − s + s · its surprise / the mean surprise of the window's games (D. J. Wu,
  // "Policy Surprise Weighting", KataGo's documentation of its methods), or 1 where that is not known.
  // samples() must be positive.
  void draw(Random& random, SampleBuffer& buffer) const;

  // Writes sample `index` of the buffer from one ply of a game, turned by `symmetry`.
  static void write_sample(const GameRecord& game, int ply, int symmetry, int index, SampleBuffer& buffer);

 private:
  // Counts the samples and adds up their weights.
  void weigh();
  // Calls visit(ply, weight) for the samples of the game in turn.
  template <class Visit>
  void for_each_weight(const GameRecord& game, Visit&& visit) const;
  static void write_reply(const GameRecord& game, std::size_t next, Position position, std::size_t weights_at,
                          int symmetry, std::span<float> reply);
  [[nodiscard]] std::pair<const GameRecord*, int> draw_ply(Random& random) const;

  std::int64_t window_;
  double solved_weight_;
  double surprise_weight_;
  std::int64_t samples_ = 0;
  double mean_surprise_ = 0.0;  // of the searched plies where it is known
  std::deque<GameRecord> games_;
  std::vector<double> ends_;  // ends_[k]: weights of the samples in games 0 … k
  std::unordered_map<std::uint64_t, int> seen_;
};

}  // namespace pahtum
