#include "selfplay/replay.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <numeric>

#include "env/observation.h"
#include "env/symmetry.h"

namespace pahtum {
namespace {

// The squares of runs that score.
Bitboard scoring_squares(const Position& position, Bitboard stones) {
  const auto size = static_cast<int>(position.size);
  Bitboard scoring = 0;
  const auto line = [&](const auto& square_of) {
    Bitboard run = 0;
    for (int k = 0; k <= size; ++k) {
      const Bitboard bit = k < size ? square_bit(square_of(k)) & stones : 0;
      if (bit == 0) {
        if (position.run_points[std::popcount(run)] != 0) scoring |= run;
        run = 0;
      }
      run |= bit;
    }
  };
  for (int other = 0; other < size; ++other) {
    line([&](int k) { return square_at(other, k); });
    line([&](int k) { return square_at(k, other); });
  }
  return scoring;
}

// 1 for the squares of `own`, −1 for those of `theirs`, row by row.
void write_owners(int size, Bitboard own, Bitboard theirs, float* owner) {
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const Bitboard bit = square_bit(square_at(row, column));
      *owner++ = (own & bit) != 0 ? 1.0f : (theirs & bit) != 0 ? -1.0f : 0.0f;
    }
  }
}

}  // namespace

SampleBuffer::SampleBuffer(int count, const GameRules& rules)
    : count_(count),
      size_(rules.size()),
      channels_(static_cast<std::size_t>(rules.channels())),
      actions_(static_cast<std::size_t>(rules.actions())) {
  const auto rows = static_cast<std::size_t>(count);
  const auto squares = static_cast<std::size_t>(size_ * size_);
  planes_.resize(rows * channels_ * squares);
  policy_.resize(rows * actions_);
  wdl_.resize(rows * 3);
  margin_.resize(rows);
  ownership_.resize(rows * squares);
  search_value_.resize(rows);
  reply_.resize(rows * squares);
  runs_.resize(rows * squares);
}

TrainingBatch SampleBuffer::batch() const noexcept {
  return {count_, planes_, policy_, wdl_, margin_, ownership_, search_value_, reply_, runs_};
}

void Replay::clear() {
  games_.clear();
  seen_.clear();
  weigh();
}

std::int64_t Replay::add(std::vector<GameRecord> games) {
  std::int64_t duplicates = 0;
  for (GameRecord& game : games) {
    assert(game.position().over());
    if (seen_[game.hash()]++ > 0) ++duplicates;
    game.shrink_to_fit();
    games_.push_back(std::move(game));
    while (static_cast<std::int64_t>(games_.size()) > window_) {
      const auto oldest = seen_.find(games_.front().hash());
      if (--oldest->second == 0) seen_.erase(oldest);
      games_.pop_front();
    }
  }
  weigh();
  return duplicates;
}

void Replay::weigh() {
  samples_ = 0;
  double surprise = 0.0;
  std::size_t surprises = 0;
  for (const GameRecord& game : games_) {
    samples_ += game.samples();
    surprise = std::accumulate(game.surprises.begin(), game.surprises.end(), surprise);
    surprises += game.surprises.size();
  }
  mean_surprise_ = surprises > 0 ? surprise / static_cast<double>(surprises) : 0.0;
  ends_.clear();
  double sum = 0.0;
  for (const GameRecord& game : games_) {
    for_each_weight(game, [&](std::size_t, double weight) { sum += weight; });
    ends_.push_back(sum);
  }
}

template <class Visit>
void Replay::for_each_weight(const GameRecord& game, Visit&& visit) const {
  const bool known = surprise_weight_ > 0.0 && mean_surprise_ > 0.0 && !game.surprises.empty();
  std::size_t searched = 0;
  for (std::size_t ply = 0; ply < game.origins.size(); ++ply) {
    if (game.origins[ply] == MoveOrigin::kSolved) {
      visit(ply, solved_weight_);
    } else if (game.origins[ply] == MoveOrigin::kSearched) {
      const double surprise = known ? static_cast<double>(game.surprises[searched++]) / mean_surprise_ : 1.0;
      visit(ply, 1.0 + surprise_weight_ * (surprise - 1.0));
    }
  }
}

std::size_t Replay::bytes() const noexcept {
  std::size_t total = 0;
  for (const GameRecord& game : games_) {
    total += sizeof(game) + game.moves.capacity() + game.origins.capacity() +
             sizeof(float) * (game.root_values.capacity() + game.surprises.capacity()) +
             sizeof(std::uint16_t) * game.policy.capacity();
  }
  return total;
}

void Replay::draw(Random& random, SampleBuffer& buffer) const {
  assert(samples_ > 0);
  for (int index = 0; index < buffer.count_; ++index) {
    const auto [game, ply] = draw_ply(random);
    write_sample(*game, ply, static_cast<int>(random.below(kSymmetries)), index, buffer);
  }
}

std::pair<const GameRecord*, int> Replay::draw_ply(Random& random) const {
  const double drawn = random.uniform() * ends_.back();
  const auto end = std::min(std::upper_bound(ends_.begin(), ends_.end(), drawn), std::prev(ends_.end()));
  const GameRecord& game = games_[static_cast<std::size_t>(end - ends_.begin())];
  double left = drawn - (end == ends_.begin() ? 0.0 : *std::prev(end));
  std::size_t chosen = 0;
  // The last one with a weight where rounding leaves something.
  for_each_weight(game, [&](std::size_t ply, double weight) {
    if (left >= 0.0 && weight > 0.0) chosen = ply;
    left -= weight;
  });
  return {&game, static_cast<int>(chosen)};
}

void Replay::write_sample(const GameRecord& game, int ply, int symmetry, int index, SampleBuffer& buffer) {
  const int size = buffer.size_;
  const auto squares = static_cast<std::size_t>(size * size);
  const auto row = static_cast<std::size_t>(index);

  Position position = game.start;
  std::size_t weights_at = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(ply); ++p) {
    if (is_sample(game.origins[p])) weights_at += static_cast<std::size_t>(legal_count(position));
    apply(position, game.moves[p]);
  }
  Position last = position;
  for (std::size_t p = static_cast<std::size_t>(ply); p < game.moves.size(); ++p) apply(last, game.moves[p]);

  const std::size_t plane_numbers = buffer.channels_ * squares;
  write_observation(apply_symmetry(position, symmetry),
                    std::span(buffer.planes_).subspan(row * plane_numbers, plane_numbers));

  const std::span policy = std::span(buffer.policy_).subspan(row * buffer.actions_, buffer.actions_);
  std::fill(policy.begin(), policy.end(), 0.0f);
  float sum = 0.0f;
  for_each_legal(position, [&](Move move) {
    const auto weight = static_cast<float>(game.policy[weights_at++]);
    policy[static_cast<std::size_t>(action_of(apply_symmetry(move, symmetry, size), size))] = weight;
    sum += weight;
  });
  for (float& share : policy) share /= std::max(sum, 1.0f);

  const int margin = position.mover == Color::kWhite ? last.white_margin() : -last.white_margin();
  const Outcome result = outcome_of(Margin{margin});
  buffer.wdl_[3 * row] = result == Outcome::kWin ? 1.0f : 0.0f;
  buffer.wdl_[3 * row + 1] = result == Outcome::kDraw ? 1.0f : 0.0f;
  buffer.wdl_[3 * row + 2] = result == Outcome::kLoss ? 1.0f : 0.0f;
  buffer.margin_[row] = static_cast<float>(margin);
  buffer.search_value_[row] = game.root_values[static_cast<std::size_t>(ply)];

  const Position turned = apply_symmetry(last, symmetry);
  const Bitboard own = turned.stones(position.mover);
  const Bitboard theirs = turned.stones(opponent(position.mover));
  write_owners(size, own, theirs, buffer.ownership_.data() + row * squares);
  write_owners(size, scoring_squares(turned, own), scoring_squares(turned, theirs),
               buffer.runs_.data() + row * squares);
  write_reply(game, static_cast<std::size_t>(ply) + 1, position, weights_at, symmetry,
              std::span(buffer.reply_).subspan(row * squares, squares));
}

// The policy of the next ply where it has one, from `weights_at` on, and else its move; nothing behind the
// last ply.
void Replay::write_reply(const GameRecord& game, std::size_t next, Position position, std::size_t weights_at,
                         int symmetry, std::span<float> reply) {
  std::ranges::fill(reply, 0.0f);
  if (next == game.moves.size()) return;
  apply(position, game.moves[next - 1]);
  const bool sample = is_sample(game.origins[next]);
  float sum = 0.0f;
  for_each_legal(position, [&](Move move) {
    const float share = sample                     ? static_cast<float>(game.policy[weights_at++])
                        : move == game.moves[next] ? 1.0f
                                                   : 0.0f;
    if (move == Move::swap()) return;
    const Move turned = apply_symmetry(move, symmetry, position.size);
    reply[static_cast<std::size_t>(action_of(turned, position.size))] = share;
    sum += share;
  });
  for (float& share : reply) share /= std::max(sum, 1.0f);
}

}  // namespace pahtum
