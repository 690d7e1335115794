// The part of BatchEnvironment that plays by itself.

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "env/base/error.h"
#include "env/batch_environment.h"
#include "env/row_writer.h"
#include "env/select_square.h"

namespace pahtum {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Moves are numbered by the squares left before them, four numbers 4g + 3 … 4g to one 64-bit word. The word,
// taken as a fraction of 2^64, times the squares left gives the move as its whole part and the fraction for
// the next move as the rest (Brackett-Rozinsky and Lemire, "Batched Ranged Random Integer Generation", 2024);
// without the rejection that would make it exact, every choice is biased by less than 64^4 / 2^64.
constexpr int kSwapGroup = 32;  // of the move that may be the swap: it has the squares of the move after it

std::uint64_t word_of(std::uint64_t key, int group) noexcept {
  return mix64(key + static_cast<std::uint64_t>(group) * kGoldenRatio64);
}

// The fraction before the move with `left` squares left: its word, less the moves before it in the group.
std::uint64_t fraction_of(std::uint64_t key, int left) noexcept {
  std::uint64_t fraction = word_of(key, left >> 2);
  for (int before = left | 3; before > left; --before) fraction *= static_cast<std::uint64_t>(before);
  return fraction;
}

Move random_move(const Position& position, std::uint64_t key) noexcept {
  const std::uint64_t fraction = position.phase == Phase::kSwapping
                                     ? word_of(key, kSwapGroup)
                                     : fraction_of(key, position.empty_count());
  const auto choices = static_cast<std::uint64_t>(legal_count(position));
  return nth_legal(position, static_cast<int>((static_cast<Uint128>(fraction) * choices) >> 64));
}

void count_result(int margin, RandomPlay& played) noexcept {
  played.white_wins += margin > 0 ? 1 : 0;
  played.draws += margin == 0 ? 1 : 0;
  played.black_wins += margin < 0 ? 1 : 0;
}

// A game of stones alone, in registers.
struct Stones {
  Bitboard empty, mine, theirs;  // `mine` are the mover's
  int left;                      // squares of `empty`
};

// The game after its next `moves` stones, at most stones.left: what random_move would play.
inline Stones play_stones(Stones stones, std::uint64_t key, int moves) noexcept {
  Bitboard empty = stones.empty;
  Bitboard mine = stones.mine;
  Bitboard theirs = stones.theirs;
  int left = stones.left;
  std::uint64_t fraction = fraction_of(key, left);
  const auto choose = [&]() __attribute__((always_inline)) {
    const Uint128 product = static_cast<Uint128>(fraction) * static_cast<std::uint64_t>(left--);
    fraction = static_cast<std::uint64_t>(product);
    const Bitboard bit = nth_square_bit(empty, static_cast<int>(product >> 64));
    empty ^= bit;
    return bit;
  };
  for (; moves > 0 && (left & 3) != 3; --moves) {
    mine |= choose();
    std::swap(mine, theirs);
  }
  for (; moves >= 4; moves -= 4) {
    fraction = word_of(key, left >> 2);
    mine |= choose();
    theirs |= choose();
    mine |= choose();
    theirs |= choose();
  }
  if (moves > 0) fraction = word_of(key, left >> 2);
  for (; moves > 0; --moves) {
    mine |= choose();
    std::swap(mine, theirs);
  }
  return {empty, mine, theirs, left};
}

}  // namespace

std::uint64_t BatchEnvironment::random_key(std::size_t number) const noexcept {
  return random_key(random_environment_key(number), rows_[number].episode);
}

std::uint64_t BatchEnvironment::random_environment_key(std::size_t number) const noexcept {
  const std::uint64_t seed =
      mix64(seeds_[number] + static_cast<std::uint64_t>(Stream::kRandomPlay) * kGoldenRatio64);
  return mix64(seed + environment_of(number) * kGoldenRatio64);
}

std::uint64_t BatchEnvironment::random_key(std::uint64_t environment_key, std::uint64_t episode) noexcept {
  return mix64(environment_key + episode * kGoldenRatio64);
}

RandomPlay BatchEnvironment::play_random(std::int64_t steps) {
  require_started();
  if (steps < 0) throw request_error("steps", std::to_string(steps) + " steps; use 0 or more");
  if (steps == 0) return {};
  std::atomic<std::int64_t> moves{0};
  std::atomic<std::int64_t> white_wins{0};
  std::atomic<std::int64_t> draws{0};
  std::atomic<std::int64_t> black_wins{0};
  in_parts(rows_.size(), [&](Part part) {
    RandomPlay played;
    const bool stones_alone = !rules_.has_phases();
    for (std::size_t number = part.begin; number < part.end; ++number) {
      stones_alone ? play_row_of_stones(number, steps, played) : play_row(number, steps, played);
    }
    moves += played.moves;
    white_wins += played.white_wins;
    draws += played.draws;
    black_wins += played.black_wins;
  });
  return {moves, white_wins, draws, black_wins};
}

// The general form: any phase, move by move.
void BatchEnvironment::play_row(std::size_t number, std::int64_t steps, RandomPlay& played) noexcept {
  Row& row = rows_[number];
  Position& position = row.position;
  if (row.ended != 0 && config_.auto_reset == AutoReset::kDisabled) return;
  bool ended_last = false;  // the last step ended a game
  float reward = 0.0f;
  for (; steps > 0; --steps) {
    ended_last = false;
    if (row.ended != 0) {
      start(number, row.episode + 1);
      continue;
    }
    apply(position, random_move(position, random_key(number)));
    ++played.moves;
    if (!position.over()) continue;
    row.white_points = rules_.points(position.white);
    row.black_points = rules_.points(position.black);
    count_result(row.white_points - row.black_points, played);
    record_end(number, row);
    ended_last = true;
    reward = white_reward(row);
    if (config_.auto_reset == AutoReset::kSameStep) {
      start(number, row.episode + 1);
    } else {
      row.ended = 1;
      if (config_.auto_reset == AutoReset::kDisabled) break;
    }
  }
  row.white_points = rules_.points(position.white);
  row.black_points = rules_.points(position.black);
  show_row(number, ended_last ? reward : 0.0f, ended_last, writer_->planes_of(number));
}

// The same where stones are all there is to play: whole games in registers, their record written once.
void BatchEnvironment::play_row_of_stones(std::size_t number, std::int64_t steps,
                                          RandomPlay& played) noexcept {
  Row& row = rows_[number];
  const AutoReset mode = config_.auto_reset;
  if (row.ended != 0 && mode == AutoReset::kDisabled) return;
  const Bitboard board = board_mask(row.position.size);
  const std::uint64_t seed = seeds_[number];
  const std::uint64_t environment_key = random_environment_key(number);
  std::uint64_t episode = row.episode;
  std::uint64_t key = random_key(environment_key, episode);
  Bitboard holes = row.position.holes;
  Stones stones{row.position.empty(), row.position.own(), row.position.theirs(), row.position.empty_count()};
  bool white_moves = row.position.mover == Color::kWhite;
  bool ended = row.ended != 0;
  const auto white = [&] { return white_moves ? stones.mine : stones.theirs; };
  const auto black = [&] { return white_moves ? stones.theirs : stones.mine; };
  const auto holes_after = [&] {
    return rules_.start_holes(seed, Stream::kLayout, (episode + 1) & kEpisodes, environment_of(number));
  };
  const auto start_next = [&](Bitboard next_holes) {
    episode = (episode + 1) & kEpisodes;
    key = random_key(environment_key, episode);
    holes = next_holes;
    const Bitboard empty = board & ~holes;
    stones = {empty, 0, 0, std::popcount(empty)};
    white_moves = true;
    ended = false;
  };
  const auto write_board = [&](Row& target) {
    target.position.holes = holes;
    target.position.white = white();
    target.position.black = black();
    target.position.mover = white_moves ? Color::kWhite : Color::kBlack;
  };

  Row last = row;  // the game that ended last, when one did
  bool recorded = false;
  bool ended_last = false;
  while (steps > 0) {
    ended_last = false;
    if (ended) {
      start_next(holes_after());
      --steps;
      continue;
    }
    const int moves = static_cast<int>(std::min<std::int64_t>(steps, stones.left));
    // Drawn before the game is played out: neither waits for the other, so the processor does both at once.
    const bool goes_on = mode == AutoReset::kSameStep && steps >= stones.left;
    const Bitboard next_holes = goes_on ? holes_after() : 0;
    stones = play_stones(stones, key, moves);
    if ((moves & 1) != 0) white_moves = !white_moves;
    steps -= moves;
    played.moves += moves;
    if (stones.left != 0) break;
    last.white_points = rules_.points(white());
    last.black_points = rules_.points(black());
    count_result(last.white_points - last.black_points, played);
    write_board(last);
    recorded = ended_last = ended = true;
    if (goes_on) start_next(next_holes);
    if (mode == AutoReset::kDisabled) break;
  }
  if (recorded) record_end(number, last);
  write_board(row);
  row.white_points = rules_.points(white());
  row.black_points = rules_.points(black());
  row.episode = episode & kEpisodes;
  row.ended = ended ? 1 : 0;
  show_row(number, ended_last ? white_reward(last) : 0.0f, ended_last, writer_->planes_of(number));
}

void BatchEnvironment::random_actions(std::span<std::int32_t> actions) const {
  require_started();
  require_one_each("actions", actions.size(), rows_.size());
  for (std::size_t number = 0; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    actions[number] = row.ended != 0 ? 0 : action_of(random_move(row.position, random_key(number)), size());
  }
}

}  // namespace pahtum
