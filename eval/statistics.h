#pragma once

#include <array>
#include <cstdint>
#include <numbers>
#include <span>

namespace pahtum {

struct WinDrawLoss {
  std::int64_t wins = 0, draws = 0, losses = 0;

  [[nodiscard]] std::int64_t games() const noexcept { return wins + draws + losses; }
  // (wins + draws / 2) / games; 0.5 without games.
  [[nodiscard]] double score() const noexcept;

  friend bool operator==(const WinDrawLoss&, const WinDrawLoss&) = default;
};

// Pairs in which the first player scored 0, ½, 1, 1½ and 2 points in its two games of one layout. Results
// within a pair are not independent (a layout may favour a colour), so every interval counts pairs.
using PairScores = std::array<std::int64_t, 5>;

// Pairs by both games: [the first player's result as White][as Black], each 0 lost, 1 drawn, 2 won.
using PairResults = std::array<std::array<std::int64_t, 3>, 3>;
[[nodiscard]] PairScores pair_scores(const PairResults& results) noexcept;

// Of the normal distribution: a two-sided interval of so many standard deviations holds 95 %.
inline constexpr double kNormalQuantile95 = 1.959964;
// Elo that multiply the odds of a win by e.
inline constexpr double kEloPerLogOdds = 400.0 / std::numbers::ln10;

// A measured strength with its 95 % interval: low ≤ value ≤ high.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

// Elo difference: 400 · log10(score / (1 − score)). One drawn pair is added to those played, so that it is
// finite whatever the results. The interval is the normal one of the mean pair score, with the variance of
// the pairs, carried over to the logarithm of the odds by its derivative 1 / (score · (1 − score)). It never
// has zero width: a sample without any spread is taken to hide one half point among its pairs.
[[nodiscard]] Estimate elo_difference(const PairScores& pairs) noexcept;

// The score of the pairs as they are (0.5 without any) with the same interval expressed as scores, widened to
// hold the score itself: of 100 pairs all won the score is 1 and the interval ends there.
[[nodiscard]] Estimate score_estimate(const PairScores& pairs) noexcept;

// Expected score of a player whose Elo difference to its opponent is `elo`.
[[nodiscard]] double score_of_elo(double elo) noexcept;

// Share of `total` ≥ 1 independent trials that came out as `hits`, with the score interval of Wilson
// ("Probable inference, the law of succession, and statistical inference", JASA 22, 1927): it stays within
// 0 … 1 and has width even when all trials came out alike.
[[nodiscard]] Estimate share_estimate(std::int64_t hits, std::int64_t total) noexcept;

// Mean of at least one independent value with the normal interval, by the deviation of the sample. One value
// says nothing of its spread: low and high are then −∞ and ∞. Equal values give an interval without width.
[[nodiscard]] Estimate mean_estimate(std::span<const double> values) noexcept;

}  // namespace pahtum
