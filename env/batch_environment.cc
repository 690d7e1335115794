#include "env/batch_environment.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "env/base/cache_size.h"
#include "env/base/error.h"
#include "env/row_writer.h"

namespace pahtum {
namespace {

constexpr int kMostThreads = 1024;
BatchConfig checked(const BatchConfig& config) {
  if (config.count < 1) {
    throw request_error("count", std::to_string(config.count) + " environments; use at least 1");
  }
  if (config.threads < 1 || config.threads > kMostThreads) {
    throw request_error(
        "threads", std::to_string(config.threads) + " threads; use 1 to " + std::to_string(kMostThreads));
  }
  constexpr std::int64_t kNumbers = std::int64_t{1} << Random::kSubBits;
  if (std::int64_t{config.first_environment} + config.count > kNumbers) {
    throw request_error("first_environment",
                        std::to_string(config.first_environment) + " with " + std::to_string(config.count) +
                            " environments; their numbers must stay below " + std::to_string(kNumbers));
  }
  return config;
}

// Makes stores past the caches visible to whoever is told next that they were made.
void finish_streaming() noexcept {
#ifdef __AVX2__
  _mm_sfence();
#endif
}

// The eight squares of a column as the bits of a line, row 0 first.
unsigned column_line(Bitboard board, int column) noexcept {
  return static_cast<unsigned>((((board >> column) & 0x0101010101010101ull) * 0x0102040810204080ull) >> 56);
}

std::byte* bytes_at(const ObservationSpan& array) noexcept {
  return std::visit(
      [](const auto& span) -> std::byte* {
        if constexpr (requires { span.data(); }) {
          return span.empty() ? nullptr : reinterpret_cast<std::byte*>(span.data());
        } else {
          return nullptr;
        }
      },
      array);
}

template <class T>
void clear(std::span<T> array) noexcept {
  std::ranges::fill(array, T{});
}

}  // namespace

RowWriter::RowWriter(const BatchBuffers& buffers, const GameRules& rules)
    : planes(bytes_at(buffers.observation)),
      final_planes(bytes_at(buffers.final_observation)),
      mask(buffers.action_mask.data()),
      rewards(buffers.rewards.data()),
      scores(buffers.scores.data()),
      terminated(buffers.terminated.data()),
      current_player(buffers.current_player.data()),
      final_scores(buffers.final_scores.data()),
      type(static_cast<ObservationType>(
          (planes != nullptr ? buffers.observation : buffers.final_observation).index())),
      channels(rules.channels()),
      actions(rules.actions()) {
  plane_bytes = observation_bytes(rules, type);
}

// What follows is the inner loop of every step; inline, so that it works on the loop's own copy of the
// writer.

inline bool BatchEnvironment::is_legal_action(const Position& position, std::int64_t action) const noexcept {
  const auto number = static_cast<std::uint64_t>(action);
  const auto squares = static_cast<std::uint64_t>(position.size * position.size);
  if (number < squares) return (position.empty() & action_squares_[number]) != 0;
  return number == squares && may_swap(position);
}

inline bool BatchEnvironment::is_acceptable(const Row& row, std::int64_t action) const noexcept {
  // The action of a row that waits for its reset is never read.
  if (row.ended != 0) return config_.auto_reset == AutoReset::kNextStep;
  return config_.illegal_action == IllegalAction::kForfeit || is_legal_action(row.position, action);
}

// Only the stone's row and column change their points.
inline void BatchEnvironment::put_stone(Row& row, std::int64_t action) const noexcept {
  const Bitboard bit = action_squares_[static_cast<std::size_t>(action)];
  const int square = lowest_square(bit);
  const LinePoints& points = rules_.line_points();
  Position& position = row.position;
  const bool white = position.mover == Color::kWhite;
  Bitboard& stones = white ? position.white : position.black;
  const Bitboard before = stones;
  const auto line = static_cast<unsigned>(before >> (square & 56)) & 0xFFu;
  const unsigned column = column_line(before, column_of(square));
  stones = before | bit;
  position.mover = opponent(position.mover);
  (white ? row.white_points : row.black_points) += points[line | (1u << column_of(square))] - points[line] +
                                                   points[column | (1u << row_of(square))] - points[column];
}

PAHTUM_FORCE_INLINE inline void BatchEnvironment::step_row(const RowWriter& writer, std::size_t number,
                                                           std::int64_t action, std::byte* planes) noexcept {
  Row& row = rows_[number];
  Position& position = row.position;
  if (row.ended != 0) {
    start(number, row.episode + 1);
  } else if (config_.illegal_action == IllegalAction::kForfeit && !is_legal_action(position, action)) {
    end_game(number, planes, true);
    return;
  } else {
    if (position.phase == Phase::kPlaying) {
      put_stone(row, action);
    } else {
      apply(position, move_of(static_cast<int>(action), size()));
      row.white_points = rules_.points(position.white);
      row.black_points = rules_.points(position.black);
    }
    if (position.over()) {
      end_game(number, planes, false);
      return;
    }
  }
  writer.write_reward(number, 0.0f, false);
  writer.write_scores(number, row.white_points, row.black_points);
  writer.write_position(number, position, false, planes);
}

BatchEnvironment::BatchEnvironment(BatchEnvironment&&) noexcept = default;
BatchEnvironment& BatchEnvironment::operator=(BatchEnvironment&&) noexcept = default;
BatchEnvironment::~BatchEnvironment() = default;

BatchEnvironment::BatchEnvironment(const BatchConfig& config) : BatchEnvironment(config, nullptr) {}
BatchEnvironment::BatchEnvironment(const BatchConfig& config, const BatchBuffers& buffers)
    : BatchEnvironment(config, &buffers) {}

BatchEnvironment::BatchEnvironment(const BatchConfig& config, const BatchBuffers* buffers)
    : config_(checked(config)), rules_(config.game) {
  if (buffers == nullptr) {
    storage_.emplace(rules_, config.count, config.observation);
    buffers_ = storage_->buffers();
  } else {
    require_lengths(*buffers, rules_, config.count);
    buffers_ = *buffers;
    clear(buffers_.truncated);
    clear(buffers_.final_scores);
  }
  const std::size_t n = index(config.count);
  open_actions_.resize(n);
  RowWriter writer(buffers_, rules_);
  writer.open_actions = open_actions_.data();
  // The action of a row that waits for its reset is never read; with kDisabled there may be none.
  writer.open_when_ended = config.auto_reset == AutoReset::kDisabled ? 0 : ~std::uint64_t{0};
  writer_ = std::make_unique<const RowWriter>(writer);
  if (writer_->final_planes != nullptr) std::memset(writer_->final_planes, 0, n * writer_->plane_bytes);

  // Only floats are: rows of bytes do not start where such stores may.
  past_caches_ = writer_->type == ObservationType::kFloat32 &&
                 n * writer_->plane_bytes > last_level_cache_bytes() &&
                 reinterpret_cast<std::uintptr_t>(writer_->planes) % 16 == 0;
  action_squares_ = rules_.action_squares();
  Position blank;
  blank.size = static_cast<std::uint8_t>(size());
  blank.run_points = config.game.run_points;
  rows_.resize(n);
  for (Row& row : rows_) row.position = blank;
  final_positions_.resize(n, blank);
  seeds_.resize(n, config.seed);
  named_by_.resize(n);
  shares_ = std::vector<Share>(index(config.threads));
  team_ = std::make_unique<ThreadTeam>(config.threads);
}

void BatchEnvironment::reset() {
  started_ = true;
  std::ranges::fill(seeds_, config_.seed);
  in_parts(rows_.size(), [this](Part part) {
    for (std::size_t number = part.begin; number < part.end; ++number) {
      begin(number, 0);
    }
  });
}

void BatchEnvironment::reset(std::span<const std::int32_t> rows) {
  require_started();
  require_distinct_rows(rows);
  for (const std::int32_t row : rows) {
    const std::size_t number = index(row);
    begin(number, rows_[number].episode + 1);
  }
}

void BatchEnvironment::reset(std::span<const std::int32_t> rows, std::span<const std::uint64_t> seeds) {
  require_started();
  require_one_each("seeds", seeds.size(), rows.size());
  require_distinct_rows(rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t number = index(rows[k]);
    seeds_[number] = seeds[k];
    begin(number, 0);
  }
}

void BatchEnvironment::restore(std::int32_t row, std::uint64_t episode, std::span<const Move> moves) {
  require_started();
  require_row(row);
  const std::size_t number = index(row);
  const std::string subject = "environment " + std::to_string(row);
  if (episode > kEpisodes) {
    throw request_error(subject, "episode " + std::to_string(episode) + " is too high; use at most " +
                                     std::to_string(kEpisodes));
  }
  Position position = rules_.start(seeds_[number], Stream::kLayout, episode, environment_of(number));
  for (const Move move : moves) {
    if (position.over() || !is_legal(position, move)) {
      throw request_error(subject, "cannot restore the game: move " + to_text(move, position.size) +
                                       " is illegal in " + to_text(position));
    }
    apply(position, move);
  }
  if (position.over()) throw request_error(subject, "cannot restore a game that is over");
  start(number, episode);
  Row& restored = rows_[number];
  restored.position = position;
  restored.white_points = rules_.points(position.white);
  restored.black_points = rules_.points(position.black);
  show_row(number, 0.0f, false, writer_->planes_of(number));
}

void BatchEnvironment::step(std::span<const std::int32_t> actions) {
  require_one_each("actions", actions.size(), rows_.size());
  step_rows(nullptr, actions);
}
void BatchEnvironment::step(std::span<const std::int64_t> actions) {
  require_one_each("actions", actions.size(), rows_.size());
  step_rows(nullptr, actions);
}
void BatchEnvironment::step(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions) {
  require_one_each("actions", actions.size(), rows.size());
  require_distinct_rows(rows);
  step_rows(rows.data(), actions);
}
void BatchEnvironment::step(std::span<const std::int32_t> rows, std::span<const std::int64_t> actions) {
  require_one_each("actions", actions.size(), rows.size());
  require_distinct_rows(rows);
  step_rows(rows.data(), actions);
}

template <class Action>
void BatchEnvironment::step_rows(const std::int32_t* rows, std::span<const Action> actions) {
  require_started();
  const bool every_action_is_fine =
      config_.illegal_action == IllegalAction::kForfeit && config_.auto_reset != AutoReset::kDisabled;
  if (!every_action_is_fine) check_actions(rows, actions);
  in_parts(actions.size(), [&](Part part) {
    RowWriter writer = *writer_;
    writer.past_caches = rows == nullptr && past_caches_;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      const std::size_t number = rows == nullptr ? k : index(rows[k]);
      step_row(writer, number, static_cast<std::int64_t>(actions[k]), writer.planes_of(number));
    }
    if (writer.past_caches) finish_streaming();
  });
}

template <class Action>
void BatchEnvironment::check_actions(const std::int32_t* rows, std::span<const Action> actions) const {
  const auto row_of = [rows](std::size_t k) { return rows == nullptr ? k : index(rows[k]); };
  std::atomic<std::size_t> first_bad{actions.size()};
  const auto check = [&](Part part) {
    bool all_open = true;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      const auto action = static_cast<std::uint64_t>(actions[k]);
      all_open &= action < 64 && ((open_actions_[row_of(k)] >> action) & 1) != 0;
    }
    if (all_open) return;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      if (is_acceptable(rows_[row_of(k)], static_cast<std::int64_t>(actions[k]))) continue;
      std::size_t known = first_bad.load(std::memory_order_relaxed);
      while (k < known && !first_bad.compare_exchange_weak(known, k, std::memory_order_relaxed)) {
      }
      return;
    }
  };
  // Below that, one thread is done before the others could have started.
  constexpr std::size_t kWorthThreads = 16384;
  if (actions.size() < kWorthThreads) {
    check(Part{0, actions.size()});
  } else {
    in_parts(actions.size(), check);
  }
  const std::size_t k = first_bad.load();
  if (k == actions.size()) return;
  refuse(row_of(k), static_cast<std::int64_t>(actions[k]));
}

void BatchEnvironment::refuse(std::size_t number, std::int64_t action) const {
  const std::string subject = "environment " + std::to_string(number);
  const Row& row = rows_[number];
  if (row.ended != 0) throw request_error(subject, "its game is over; reset it before the next step");
  const std::string what = "action " + std::to_string(action);
  if (action < 0 || action >= actions()) {
    throw request_error(subject, what + " is no move; use 0 … " + std::to_string(actions() - 1));
  }
  const Move move = move_of(static_cast<int>(action), size());
  const char* why = "a stone is already there";
  if (move.is_swap()) {
    why = "colours may be swapped only right after the first stone";
  } else if ((row.position.holes & square_bit(move.square())) != 0) {
    why = "the square is a hole";
  }
  throw request_error(subject, what + " (" + to_text(move, size()) + ") is illegal: " + why);
}

void BatchEnvironment::require_one_each(const char* name, std::size_t given, std::size_t rows) {
  if (given == rows) return;
  throw request_error(name, "has " + std::to_string(given) + " entries; one for each of the " +
                                std::to_string(rows) + " rows is needed");
}

void BatchEnvironment::require_started() const {
  if (!started_) throw request_error("environment", "is not started; call reset() first");
}

void BatchEnvironment::require_distinct_rows(std::span<const std::int32_t> rows) {
  ++call_;
  for (const std::int32_t row : rows) {
    require_row(row);
    if (named_by_[index(row)] == call_) {
      throw request_error("row " + std::to_string(row), "stands there twice; name each row at most once");
    }
    named_by_[index(row)] = call_;
  }
}

void BatchEnvironment::require_row(std::int32_t row) const {
  if (row < 0 || row >= config_.count) {
    throw request_error("row " + std::to_string(row),
                        "is not an environment; use 0 … " + std::to_string(config_.count - 1));
  }
}

void BatchEnvironment::start(std::size_t number, std::uint64_t episode) noexcept {
  Row& row = rows_[number];
  episode &= kEpisodes;
  row.position = rules_.start(seeds_[number], Stream::kLayout, episode, environment_of(number));
  row.white_points = row.black_points = 0;
  row.episode = episode & kEpisodes;
  row.ended = 0;
}

void BatchEnvironment::begin(std::size_t number, std::uint64_t episode) noexcept {
  start(number, episode);
  show_row(number, 0.0f, false, writer_->planes_of(number));
}

void BatchEnvironment::show_row(std::size_t number, float reward, bool ends, std::byte* planes) noexcept {
  const Row& row = rows_[number];
  writer_->write_reward(number, reward, ends);
  writer_->write_scores(number, row.white_points, row.black_points);
  writer_->write_position(number, row.position, row.ended != 0, planes);
}

void BatchEnvironment::end_game(std::size_t number, std::byte* planes, bool forfeited) noexcept {
  Row& row = rows_[number];
  const float reward = forfeited ? (row.position.mover == Color::kWhite ? -1.0f : 1.0f) : white_reward(row);
  record_end(number, row);
  if (config_.auto_reset == AutoReset::kSameStep) {
    start(number, row.episode + 1);
  } else {
    row.ended = 1;
  }
  show_row(number, reward, true, planes);
}

void BatchEnvironment::record_end(std::size_t number, const Row& row) noexcept {
  final_positions_[number] = row.position;
  writer_->write_end(number, row.position, row.white_points, row.black_points);
}

float BatchEnvironment::white_reward(const Row& row) const noexcept {
  const std::int32_t margin = row.white_points - row.black_points;
  if (config_.game.result == Objective::kMargin) return static_cast<float>(margin);
  return static_cast<float>(outcome_of(Margin{margin}));
}

}  // namespace pahtum
