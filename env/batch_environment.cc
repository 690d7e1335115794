#include "env/batch_environment.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "env/base/error.h"

namespace pahtum {
namespace {

void require_same_length(std::size_t given, std::size_t expected) {
  if (given != expected) {
    throw request_error("actions", "has " + std::to_string(given) + " entries; one for each of the " +
                                       std::to_string(expected) + " rows stepped is needed");
  }
}

}  // namespace

BatchEnvironment::BatchEnvironment(const BatchConfig& config) : config_(config) {
  validate(config.game);
  if (config.count < 1) {
    throw request_error("count", std::to_string(config.count) + " environments; use at least 1");
  }
  constexpr std::int64_t kNumbers = std::int64_t{1} << Random::kSubBits;
  if (std::int64_t{config.first_environment} + config.count > kNumbers) {
    throw request_error("first_environment",
                        std::to_string(config.first_environment) + " with " + std::to_string(config.count) +
                            " environments; their numbers must stay below " + std::to_string(kNumbers));
  }
  const std::size_t n = index(config.count);
  const std::size_t squares = index(actions());
  all_rows_.resize(n);
  std::iota(all_rows_.begin(), all_rows_.end(), 0);
  named_by_.resize(n);
  Position blank;
  blank.size = static_cast<std::uint8_t>(config.game.size);
  positions_.resize(n, blank);
  final_positions_.resize(n, blank);
  episodes_.resize(n);
  states_.resize(n, RowState::kEnded);
  if (config.observations) {
    observation_.resize(n * kChannels * squares);
    final_observation_.resize(n * kChannels * squares);
    action_mask_.resize(n * squares);
  }
  terminated_.resize(n);
  rewards_.resize(2 * n);
  scores_.resize(2 * n);
  final_scores_.resize(2 * n);
  current_player_.resize(n);
}

void BatchEnvironment::reset() {
  started_ = true;
  for (const std::int32_t row : all_rows_) start(row, 0);
}

void BatchEnvironment::reset(std::span<const std::int32_t> rows) {
  require_started();
  require_distinct_rows(rows);
  for (const std::int32_t row : rows) start(row, episodes_[index(row)] + 1);
}

void BatchEnvironment::restore(std::int32_t row, std::uint64_t episode, std::span<const Move> moves) {
  require_started();
  require_row(row);
  Position position = start_position(config_.game, config_.seed, Stream::kLayout, episode,
                                     config_.first_environment + static_cast<std::uint32_t>(row));
  for (const Move move : moves) {
    if (position.over() || !is_legal(position, move)) {
      throw request_error("environment " + std::to_string(row), "cannot restore the game: move " +
                                                                    to_text(move, position.size) +
                                                                    " is illegal in " + to_text(position));
    }
    apply(position, move);
  }
  if (position.over()) {
    throw request_error("environment " + std::to_string(row), "cannot restore a game that is over");
  }
  start(row, episode);
  positions_[index(row)] = position;
  write_row(row);
}

void BatchEnvironment::step(std::span<const std::int32_t> actions) {
  require_started();
  require_same_length(actions.size(), all_rows_.size());
  step_checked(all_rows_, actions);
}

void BatchEnvironment::step(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions) {
  require_started();
  require_same_length(actions.size(), rows.size());
  require_distinct_rows(rows);
  step_checked(rows, actions);
}

void BatchEnvironment::step_checked(std::span<const std::int32_t> rows,
                                    std::span<const std::int32_t> actions) {
  for (std::size_t k = 0; k < rows.size(); ++k) check_action(rows[k], actions[k]);
  for (std::size_t k = 0; k < rows.size(); ++k) step_row(rows[k], actions[k]);
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

void BatchEnvironment::check_action(std::int32_t row, std::int32_t action) const {
  if (states_[index(row)] == RowState::kEnded) {
    if (config_.auto_reset == AutoReset::kNextStep) return;  // the action of a reset row is never read
    throw request_error("environment " + std::to_string(row),
                        "its game is over; reset it before the next step");
  }
  const Position& position = positions_[index(row)];
  const auto subject = [row] { return "environment " + std::to_string(row); };
  if (action < 0 || action >= actions()) {
    throw request_error(subject(), "action " + std::to_string(action) + " is no square; use 0 … " +
                                       std::to_string(actions() - 1));
  }
  const Move move = move_of(action, position.size);
  if (is_legal(position, move)) return;
  const bool hole = (position.holes & square_bit(move.square())) != 0;
  throw request_error(subject(),
                      "action " + std::to_string(action) + " (" + to_text(move, position.size) +
                          ") is illegal: " + (hole ? "the square is a hole" : "a stone is already there"));
}

void BatchEnvironment::start(std::int32_t row, std::uint64_t episode) {
  const std::size_t r = index(row);
  episodes_[r] = episode;
  positions_[r] = start_position(config_.game, config_.seed, Stream::kLayout, episode,
                                 config_.first_environment + static_cast<std::uint32_t>(row));
  states_[r] = RowState::kRunning;
  terminated_[r] = 0;
  rewards_[2 * r] = rewards_[2 * r + 1] = 0.0f;
  write_row(row);
}

void BatchEnvironment::step_row(std::int32_t row, std::int32_t action) {
  const std::size_t r = index(row);
  if (states_[r] == RowState::kEnded) {
    start(row, episodes_[r] + 1);
    return;
  }
  terminated_[r] = 0;
  rewards_[2 * r] = rewards_[2 * r + 1] = 0.0f;
  Position& position = positions_[r];
  apply(position, move_of(action, position.size));
  if (position.over()) {
    end_game(row);
  } else {
    write_row(row);
  }
}

void BatchEnvironment::end_game(std::int32_t row) {
  const std::size_t r = index(row);
  const Position& position = positions_[r];
  final_positions_[r] = position;
  final_scores_[2 * r] = points(position.white);
  final_scores_[2 * r + 1] = points(position.black);
  const Outcome white = outcome_of(Margin{final_scores_[2 * r] - final_scores_[2 * r + 1]});
  if (config_.observations) {
    const std::size_t planes = index(kChannels * actions());
    write_observation<std::uint8_t>(position, std::span(final_observation_).subspan(r * planes, planes));
  }
  if (config_.auto_reset == AutoReset::kSameStep) {
    start(row, episodes_[r] + 1);
  } else {
    states_[r] = RowState::kEnded;
    write_row(row);
    std::ranges::fill(mask_of(row), std::uint8_t{1});
  }
  terminated_[r] = 1;
  rewards_[2 * r] = static_cast<float>(white);
  rewards_[2 * r + 1] = static_cast<float>(-white);
}

void BatchEnvironment::write_row(std::int32_t row) {
  const std::size_t r = index(row);
  const Position& position = positions_[r];
  scores_[2 * r] = points(position.white);
  scores_[2 * r + 1] = points(position.black);
  current_player_[r] = static_cast<std::int8_t>(position.mover);
  if (!config_.observations) return;
  const std::size_t squares = index(actions());
  write_observation<std::uint8_t>(
      position, std::span(observation_).subspan(r * kChannels * squares, kChannels * squares));
  write_action_mask(position, mask_of(row));
}

}  // namespace pahtum
