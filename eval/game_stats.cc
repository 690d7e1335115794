#include "eval/game_stats.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "env/base/random.h"
#include "env/symmetry.h"

namespace pahtum {
namespace {

// Start and moves as one word; of a million games two different ones share it once in some 10^7 collections.
std::uint64_t identity(const PlayedGame& game) noexcept {
  std::uint64_t result = hash(game.start);
  for (const Move move : game.moves) {
    result = mix64(result + kGoldenRatio64 * static_cast<std::uint64_t>(move.index() + 1));
  }
  return result;
}

Spread spread_of(const std::vector<double>& values) noexcept {
  Spread spread;
  if (values.empty()) return spread;
  spread.mean = mean_estimate(values);
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean.value) * (value - spread.mean.value);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  const auto [least, most] = std::ranges::minmax(values);
  spread.least = std::llround(least);
  spread.most = std::llround(most);
  return spread;
}

void add_row_runs(Bitboard stones, RunCounts& counts) noexcept {
  for (; stones != 0; stones >>= 8) {
    for (unsigned row = stones & 0xFF; row != 0;) {
      row >>= std::countr_zero(row);
      const int length = std::countr_one(row);
      ++counts[static_cast<std::size_t>(length)];
      row >>= length;
    }
  }
}

void add_scoring_runs(const Position& position, Bitboard stones, RunCounts& counts) noexcept {
  const RunCounts runs = count_runs(stones);
  for (int length = 1; length <= kMaxSize; ++length) {
    const auto at = static_cast<std::size_t>(length);
    if (position.run_points[length] > 0) counts[at] += runs[at];
  }
}

void count(WinDrawLoss& results, int margin) noexcept {
  ++(margin > 0 ? results.wins : margin < 0 ? results.losses : results.draws);
}

}  // namespace

ResultShares result_shares(const WinDrawLoss& results) noexcept {
  const std::int64_t games = results.games();
  return {share_estimate(results.wins, games), share_estimate(results.draws, games),
          share_estimate(results.losses, games)};
}

void add_runs(Bitboard stones, RunCounts& counts) noexcept {
  add_row_runs(stones, counts);
  add_row_runs(transpose(stones), counts);
}

RunCounts count_runs(Bitboard stones) noexcept {
  RunCounts counts{};
  add_runs(stones, counts);
  return counts;
}

void GameCounter::add(const PlayedGame& game) {
  const Position end = game.final_position();
  const int margin = end.white_margin();
  ++counts_.games;
  identities_.insert(identity(game));
  count(counts_.white, margin);
  count(counts_.by_holes[std::popcount(end.holes)], margin);
  margins_.push_back(margin);
  white_points_.push_back(end.points_of(Color::kWhite));
  black_points_.push_back(end.points_of(Color::kBlack));
  plies_.push_back(static_cast<double>(game.moves.size()));
  add_scoring_runs(end, end.white, counts_.white_runs);
  add_scoring_runs(end, end.black, counts_.black_runs);
  add_first_move(game);
}

void GameCounter::add_first_move(const PlayedGame& game) {
  Position position = game.start;
  if ((position.white | position.black) != 0) return;
  for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
    apply(position, game.moves[ply]);
    if ((position.white | position.black) == 0) continue;  // it placed a hole
    if (ply < game.opening) return;
    FirstMoves& first = counts_.first_moves[position.size];
    ++first.games;
    for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      ++first.hits[static_cast<std::size_t>(
          apply_symmetry_to_square(game.moves[ply].square(), symmetry, position.size))];
    }
    return;
  }
}

GameStats GameCounter::stats() const {
  GameStats stats = counts_;
  stats.distinct = static_cast<std::int64_t>(identities_.size());
  stats.margin = spread_of(margins_);
  stats.white_points = spread_of(white_points_);
  stats.black_points = spread_of(black_points_);
  stats.plies = spread_of(plies_);
  return stats;
}

}  // namespace pahtum
