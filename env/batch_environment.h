#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/base/thread_team.h"
#include "env/batch_buffers.h"
#include "env/game_rules.h"
#include "env/observation.h"
#include "env/position.h"

namespace pahtum {

struct RowWriter;

// When a finished game is replaced by the next one (Gymnasium's names and meanings).
enum class AutoReset : std::uint8_t {
  kNextStep,  // the step after the end ignores its action, returns the new game's first observation and
              // reward 0
  kSameStep,  // the step that ends a game returns the new game's first observation; the end is in `final_*`
  kDisabled,  // a finished game waits for reset(); stepping it is an error
};

// What an illegal action does.
enum class IllegalAction : std::uint8_t {
  kError,    // step() throws and changes nothing
  kForfeit,  // the game ends as it stands: −1 for the mover, 1 for the other player
};

struct BatchConfig {
  GameConfig game;
  int count = 1;           // environments N
  std::uint64_t seed = 0;  // same seed, same games
  // Number of environment 0, so that a batch split over several objects stays the same. Numbers end at 2^24.
  std::uint32_t first_environment = 0;
  AutoReset auto_reset = AutoReset::kNextStep;
  IllegalAction illegal_action = IllegalAction::kError;
  int threads = 1;  // that step the batch, the caller included; results do not depend on it
  // Of the environment's own arrays; not read when the caller gives arrays.
  ObservationType observation = ObservationType::kUint8;
};

// Results of the games that ended during random play.
struct RandomPlay {
  std::int64_t moves = 0;
  std::int64_t white_wins = 0, draws = 0, black_wins = 0;

  [[nodiscard]] std::int64_t games() const noexcept { return white_wins + draws + black_wins; }
  friend bool operator==(const RandomPlay&, const RandomPlay&) = default;
};

// N games stepped together. What a caller sees lies in arrays with a row per environment: see BatchBuffers.
//
// Rewards stand on the row of the step that ends a game: −1, 0, 1, or with `result: margin` the difference in
// points; a forfeited game gives −1 and 1 under either. With kSameStep the row of an ended game already shows
// the next one (scores, mover, mask and position too). final_* and final_position() are unchanged until the
// next game in the same row ends, resets included; from construction to the first end they are zeros and the
// empty board. Messages about environment k mean row k.
//
// The layout of episode e in environment i depends on (seed, i, e) alone: neither the number of environments
// nor that of threads changes a game.
//
// Arrays are overwritten by the next step of their row. No allocation after construction. Different objects
// may be used by different threads; one object by one thread at a time.
class BatchEnvironment {
 public:
  // With arrays of its own. Throws a kRequest Error for rules that make no game, count < 1, threads < 1, or
  // environment numbers from 2^24 on. The games are not started: call reset().
  explicit BatchEnvironment(const BatchConfig& config);
  // Writing into the caller's arrays. Throws also when an array has another length than BatchBuffers says.
  BatchEnvironment(const BatchConfig& config, const BatchBuffers& buffers);
  BatchEnvironment(BatchEnvironment&&) noexcept;
  BatchEnvironment& operator=(BatchEnvironment&&) noexcept;
  ~BatchEnvironment();

  // Starts episode 0 in every row: the same games as those of a new object. Rows that were given seeds of
  // their own go back to the batch's.
  void reset();
  // Starts the next episode in the rows given, each at most once. Throws a kRequest Error, with nothing
  // reset, for a row that is no environment or stands there twice, or before reset().
  void reset(std::span<const std::int32_t> rows);
  // Gives rows[k] the seed seeds[k] from now on, and starts episode 0 of it: the games of environment
  // first_environment + rows[k] in a batch with that seed. Throws as above, and when the lengths differ.
  void reset(std::span<const std::int32_t> rows, std::span<const std::uint64_t> seeds);
  // Continues episode `episode` of a row from the moves played so far: what a resumed run does. Throws a
  // kRequest Error when a move is illegal or the moves end the game, or for an episode from 2^63 on.
  void restore(std::int32_t row, std::uint64_t episode, std::span<const Move> moves);

  // One action per row: actions.size() = N, each 0 … A − 1. Throws a kRequest Error, with the whole batch
  // unchanged: naming environment, square and reason when an action is illegal (kError); when sizes differ;
  // before reset(); with kDisabled, for a row whose game is over.
  void step(std::span<const std::int32_t> actions);
  void step(std::span<const std::int64_t> actions);
  // The same for some rows: actions[k] is for rows[k]; each row at most once.
  void step(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions);
  void step(std::span<const std::int32_t> rows, std::span<const std::int64_t> actions);

  // Steps every row `steps` times with random legal moves, drawn from (seed, environment, episode, squares
  // left) alone; arrays and final_* are then what that many calls of step() would leave. A row that waits for
  // its reset spends a step on it; with kDisabled, rows whose game is over are left as they are. Squares are
  // drawn with a bias below 2^-40. Throws a kRequest Error before reset() or for steps < 0.
  RandomPlay play_random(std::int64_t steps);
  // The actions the next step of play_random would play; 0 on rows whose game is over. actions.size() = N.
  void random_actions(std::span<std::int32_t> actions) const;

  [[nodiscard]] int count() const noexcept { return config_.count; }
  [[nodiscard]] int size() const noexcept { return rules_.size(); }
  [[nodiscard]] int actions() const noexcept { return rules_.actions(); }
  [[nodiscard]] const BatchConfig& config() const noexcept { return config_; }
  [[nodiscard]] const GameRules& rules() const noexcept { return rules_; }

  [[nodiscard]] const Position& position(int row) const noexcept { return rows_[index(row)].position; }
  [[nodiscard]] const Position& final_position(int row) const noexcept {
    return final_positions_[index(row)];
  }
  [[nodiscard]] std::uint64_t episode(int row) const noexcept { return rows_[index(row)].episode; }
  // The row's game is over and waits for its reset.
  [[nodiscard]] bool ended(int row) const noexcept { return rows_[index(row)].ended != 0; }

  [[nodiscard]] const BatchBuffers& buffers() const noexcept { return buffers_; }
  // The uint8 observations; empty when they are of another type.
  [[nodiscard]] std::span<const std::uint8_t> observation() const noexcept {
    return bytes_of(buffers_.observation);
  }
  [[nodiscard]] std::span<const std::uint8_t> final_observation() const noexcept {
    return bytes_of(buffers_.final_observation);
  }
  [[nodiscard]] std::span<const std::uint8_t> action_mask() const noexcept { return buffers_.action_mask; }
  [[nodiscard]] std::span<const float> rewards() const noexcept { return buffers_.rewards; }
  [[nodiscard]] std::span<const std::int32_t> scores() const noexcept { return buffers_.scores; }
  [[nodiscard]] std::span<const std::uint8_t> terminated() const noexcept { return buffers_.terminated; }
  [[nodiscard]] std::span<const std::int8_t> current_player() const noexcept {
    return buffers_.current_player;
  }
  [[nodiscard]] std::span<const std::int32_t> final_scores() const noexcept { return buffers_.final_scores; }

 private:
  // What a step reads and writes of a game, in one cache line.
  //
  //   0          48             52             56               64
  //   | position | white_points | black_points | episode, ended |
  struct alignas(64) Row {
    Position position;
    std::int32_t white_points = 0;
    std::int32_t black_points = 0;
    std::uint64_t episode : 63 = 0;
    std::uint64_t ended : 1 = 1;
  };
  static_assert(sizeof(Row) == 64);

  static constexpr std::uint64_t kEpisodes = ~std::uint64_t{0} >> 1;  // 63 bits

  struct Part {  // of a list of rows
    std::size_t begin, end;
  };

  [[nodiscard]] static std::size_t index(int row) noexcept { return static_cast<std::size_t>(row); }
  [[nodiscard]] static std::span<const std::uint8_t> bytes_of(const ObservationSpan& array) noexcept {
    const auto* span = std::get_if<std::span<std::uint8_t>>(&array);
    return span == nullptr ? std::span<const std::uint8_t>() : *span;
  }
  [[nodiscard]] std::uint32_t environment_of(std::size_t row) const noexcept {
    return config_.first_environment + static_cast<std::uint32_t>(row);
  }
  // Rows that are worked on in one go. A multiple of 16: pieces then start on a cache line of their own in
  // every array of whole 4-byte words a row.
  static constexpr std::size_t kPiece = 128;

  // Calls work(Part) for every piece of `count` rows. Each thread has its share, which is the same in every
  // step so that its rows stay in its caches, and takes over pieces of others when it is done before them or
  // they are not there.
  template <class Work>
  void in_parts(std::size_t count, const Work& work) const {
    const std::size_t pieces = (count + kPiece - 1) / kPiece;
    if (config_.threads == 1 || pieces < 2) {
      work(Part{0, count});
      return;
    }
    const auto members = static_cast<std::size_t>(config_.threads);
    const auto share_begin = [&](std::size_t member) { return pieces * member / members; };
    for (std::size_t member = 0; member < members; ++member) {
      shares_[member].next.store(share_begin(member), std::memory_order_relaxed);
    }
    team_->run([&](int self) {
      for (std::size_t k = 0; k < members; ++k) {
        const std::size_t owner = (static_cast<std::size_t>(self) + k) % members;
        const std::size_t end = share_begin(owner + 1);
        std::atomic<std::size_t>& next = shares_[owner].next;
        for (std::size_t piece = next.fetch_add(1, std::memory_order_relaxed); piece < end;
             piece = next.fetch_add(1, std::memory_order_relaxed)) {
          work(Part{piece * kPiece, std::min(count, (piece + 1) * kPiece)});
        }
      }
    });
  }

  static void require_one_each(const char* name, std::size_t given, std::size_t rows);
  void require_started() const;
  void require_distinct_rows(std::span<const std::int32_t> rows);
  void require_row(std::int32_t row) const;

  BatchEnvironment(const BatchConfig& config, const BatchBuffers* buffers);

  // `rows` is null for all rows in order.
  template <class Action>
  void step_rows(const std::int32_t* rows, std::span<const Action> actions);
  template <class Action>
  void check_actions(const std::int32_t* rows, std::span<const Action> actions) const;
  [[nodiscard]] bool is_legal_action(const Position& position, std::int64_t action) const noexcept;
  [[nodiscard]] bool is_acceptable(const Row& row, std::int64_t action) const noexcept;
  [[noreturn]] void refuse(std::size_t number, std::int64_t action) const;

  void start(std::size_t number, std::uint64_t episode) noexcept;
  // start(), and writes all of the row's arrays.
  void begin(std::size_t number, std::uint64_t episode) noexcept;
  void show_row(std::size_t number, float reward, bool ends, std::byte* planes) noexcept;
  // Steps one row; its observation goes to `planes` (null: nowhere).
  void step_row(const RowWriter& writer, std::size_t number, std::int64_t action, std::byte* planes) noexcept;
  void put_stone(Row& row, std::int64_t action) const noexcept;
  void end_game(std::size_t number, std::byte* planes, bool forfeited) noexcept;
  void record_end(std::size_t number, const Row& row) noexcept;
  [[nodiscard]] float white_reward(const Row& row) const noexcept;

  void play_row(std::size_t number, std::int64_t steps, RandomPlay& played) noexcept;
  void play_row_of_stones(std::size_t number, std::int64_t steps, RandomPlay& played) noexcept;
  // Of a row's moves: a key for its environment, then one for the episode.
  [[nodiscard]] std::uint64_t random_environment_key(std::size_t number) const noexcept;
  [[nodiscard]] static std::uint64_t random_key(std::uint64_t environment_key,
                                                std::uint64_t episode) noexcept;
  [[nodiscard]] std::uint64_t random_key(std::size_t number) const noexcept;

  BatchConfig config_;
  GameRules rules_;
  std::optional<BatchStorage> storage_;
  BatchBuffers buffers_;
  std::unique_ptr<const RowWriter> writer_;
  bool past_caches_ = false;  // observations are larger than the caches and bypass them
  std::span<const Bitboard> action_squares_;
  // Of each row: bit a is set where action a may be played or will not be read. The swap of the largest board
  // has no bit.
  std::vector<std::uint64_t> open_actions_;
  bool started_ = false;
  std::vector<Row> rows_;
  std::vector<Position> final_positions_;
  std::vector<std::uint64_t> seeds_;
  // The call that named a row last, to find a row named twice without clearing anything.
  std::vector<std::uint64_t> named_by_;
  std::uint64_t call_ = 0;
  struct alignas(64) Share {  // of the work in progress
    std::atomic<std::size_t> next{0};
  };
  mutable std::vector<Share> shares_;  // one for each thread
  std::unique_ptr<ThreadTeam> team_;
};

}  // namespace pahtum
