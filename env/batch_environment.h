#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "env/game_config.h"
#include "env/observation.h"
#include "env/position.h"

namespace pahtum {

// When a finished game is replaced by the next one (Gymnasium's names and meanings).
enum class AutoReset : std::uint8_t {
  kNextStep,  // the step after the end ignores its action, returns the new game's first observation and
              // reward 0
  kSameStep,  // the step that ends a game returns the new game's first observation; the end is in `final_*`
  kDisabled,  // a finished game waits for reset(); stepping it is an error
};

struct BatchConfig {
  GameConfig game;
  int count = 1;           // environments N
  std::uint64_t seed = 0;  // same seed, same games
  // Number of environment 0, so that a batch split over several objects stays the same. Numbers end at 2^24.
  std::uint32_t first_environment = 0;
  AutoReset auto_reset = AutoReset::kNextStep;
  bool observations = true;  // false: the observation and mask buffers are empty and cost nothing
};

// N games stepped together, every array with one row per environment and contiguous in memory:
//
//   observation        uint8 [N, C, n, n]  from the mover's side, see observation.h
//   action_mask        uint8 [N, n²]       legality while the game runs; all ones on the row that ends it
//   rewards            float [N, 2]        by colour (White, Black): −1, 0, 1 on the step that ends a game,
//                                          else 0
//   scores             int32 [N, 2]        points as they stand, by colour
//   terminated         uint8 [N]           1 on the step that ended a game
//   current_player     int8  [N]           0 White, 1 Black
//   final_observation  uint8 [N, C, n, n]  the last board of the game that ended last in this row
//   final_scores       int32 [N, 2]        its points, by colour
//
// final_* and final_position() are unchanged until the next game in the same row ends, resets included;
// before the first end they are zeros and the empty board. With kSameStep the row of an ended game already
// shows the next one (scores, mover, mask and position too). The layout of episode e in environment i depends
// on (seed, i, e) alone.
//
// The buffers belong to the object, never move, and are overwritten by the next step of their row. No
// allocation after construction. Different objects may be used by different threads; one object by one thread
// at a time.
class BatchEnvironment {
 public:
  // Throws a kRequest Error for rules that make no game, count < 1, or environment numbers from 2^24 on. The
  // games are not started: call reset().
  explicit BatchEnvironment(const BatchConfig& config);

  // Starts episode 0 in every row: the same games as those of a new object.
  void reset();
  // Starts the next episode in the rows given, each at most once. Throws a kRequest Error, with nothing
  // reset, for a row that is no environment or stands there twice, or before reset().
  void reset(std::span<const std::int32_t> rows);
  // Continues episode `episode` of a row from the moves played so far: what a resumed run does. Throws a
  // kRequest Error when a move is illegal or the moves end the game.
  void restore(std::int32_t row, std::uint64_t episode, std::span<const Move> moves);

  // One action per row: actions.size() = N, each 0 … n² − 1. Throws a kRequest Error, with the whole batch
  // unchanged: naming environment, square and reason when an action is illegal; when sizes differ; before
  // reset(); with kDisabled, for a row whose game is over.
  void step(std::span<const std::int32_t> actions);
  // The same for some rows: actions[k] is for rows[k]; each row at most once.
  void step(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions);

  [[nodiscard]] int count() const noexcept { return config_.count; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(config_.game.size); }
  [[nodiscard]] int actions() const noexcept { return size() * size(); }
  [[nodiscard]] const BatchConfig& config() const noexcept { return config_; }

  [[nodiscard]] const Position& position(int row) const noexcept { return positions_[index(row)]; }
  [[nodiscard]] const Position& final_position(int row) const noexcept {
    return final_positions_[index(row)];
  }
  [[nodiscard]] std::uint64_t episode(int row) const noexcept { return episodes_[index(row)]; }

  [[nodiscard]] std::span<const std::uint8_t> observation() const noexcept { return observation_; }
  [[nodiscard]] std::span<const std::uint8_t> action_mask() const noexcept { return action_mask_; }
  [[nodiscard]] std::span<const float> rewards() const noexcept { return rewards_; }
  [[nodiscard]] std::span<const std::int32_t> scores() const noexcept { return scores_; }
  [[nodiscard]] std::span<const std::uint8_t> terminated() const noexcept { return terminated_; }
  [[nodiscard]] std::span<const std::int8_t> current_player() const noexcept { return current_player_; }
  [[nodiscard]] std::span<const std::uint8_t> final_observation() const noexcept {
    return final_observation_;
  }
  [[nodiscard]] std::span<const std::int32_t> final_scores() const noexcept { return final_scores_; }

  // The same memory as Eigen arrays, a row per environment; valid while the object lives.
  template <class T>
  using Rows = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  [[nodiscard]] Rows<std::uint8_t> observation_rows() const { return rows_of<std::uint8_t>(observation_); }
  [[nodiscard]] Rows<std::uint8_t> action_mask_rows() const { return rows_of<std::uint8_t>(action_mask_); }
  [[nodiscard]] Rows<float> reward_rows() const { return rows_of<float>(rewards_); }
  [[nodiscard]] Rows<std::int32_t> score_rows() const { return rows_of<std::int32_t>(scores_); }

 private:
  enum class RowState : std::uint8_t { kRunning, kEnded };

  template <class T>
  [[nodiscard]] Rows<T> rows_of(std::span<const T> values) const {
    return {values.data(), config_.count, static_cast<Eigen::Index>(values.size()) / config_.count};
  }
  [[nodiscard]] static std::size_t index(int row) noexcept { return static_cast<std::size_t>(row); }
  void require_started() const;
  void require_distinct_rows(std::span<const std::int32_t> rows);
  void require_row(std::int32_t row) const;
  void check_action(std::int32_t row, std::int32_t action) const;
  void step_checked(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions);
  // Empty without observations.
  [[nodiscard]] std::span<std::uint8_t> mask_of(std::int32_t row) noexcept {
    const std::size_t squares = action_mask_.size() / index(config_.count);
    return std::span(action_mask_).subspan(index(row) * squares, squares);
  }
  void start(std::int32_t row, std::uint64_t episode);
  void step_row(std::int32_t row, std::int32_t action);
  void end_game(std::int32_t row);
  void write_row(std::int32_t row);

  BatchConfig config_;
  bool started_ = false;
  std::vector<std::int32_t> all_rows_;
  // The call that named a row last, to find a row named twice without clearing anything.
  std::vector<std::uint64_t> named_by_;
  std::uint64_t call_ = 0;
  std::vector<Position> positions_;
  std::vector<Position> final_positions_;
  std::vector<std::uint64_t> episodes_;
  std::vector<RowState> states_;
  std::vector<std::uint8_t> observation_, action_mask_, terminated_, final_observation_;
  std::vector<float> rewards_;
  std::vector<std::int32_t> scores_, final_scores_;
  std::vector<std::int8_t> current_player_;
};

}  // namespace pahtum
