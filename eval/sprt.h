#pragma once

#include <cstdint>
#include <optional>

#include "eval/statistics.h"

namespace pahtum {

// What a sequential test says of the first player: kAccept, its strength is that of `elo1`; kReject, it is
// that of `elo0`.
enum class SprtVerdict { kUndecided, kAccept, kReject };

// "undecided", "accept", "reject".
[[nodiscard]] const char* to_text(SprtVerdict verdict) noexcept;

// A sequential probability ratio test between two Elo differences of the first player to the second, each the
// logistic one: a score of 1 / (1 + 10^(−elo / 400)).
struct SprtConfig {
  double elo0 = 0, elo1 = 10;                      // elo0 < elo1
  double alpha = 0.05;                             // chance to accept a player of strength elo0, in (0, 0.5)
  double beta = 0.05;                              // chance to reject a player of strength elo1, in (0, 0.5)
  SprtVerdict at_limit = SprtVerdict::kUndecided;  // what counts when the pairs run out
};

// Throws a kRequest Error that names the member at fault.
void validate(const SprtConfig& config);

// The bounds on the log-likelihood ratio: at `upper` and above elo1 is accepted, at `lower` and below
// rejected. log((1 − β) / α) and log(β / (1 − α)) (Wald, "Sequential Tests of Statistical Hypotheses", Annals
// of Mathematical Statistics 16, 1945, section 3.4).
struct SprtBounds {
  double lower = 0, upper = 0;
};
[[nodiscard]] SprtBounds sprt_bounds(const SprtConfig& config) noexcept;

// Log of the generalised likelihood ratio of elo1 to elo0 given the five outcomes of pairs: the likelihood
// under each hypothesis is the greatest that any distribution over the five outcomes with that mean reaches
// (Van den Bergh, "A Practical Introduction to the GSPRT"; the distribution is that of Owen, "Empirical
// Likelihood Ratio Confidence Intervals for a Single Functional", Biometrika 75, 1988). Outcomes that never
// came count as a thousandth of a pair, so that both maxima exist. 0 without pairs. Positive: elo1 explains
// the results better.
[[nodiscard]] double sprt_log_ratio(const PairScores& pairs, double elo0, double elo1) noexcept;

struct SprtResult {
  SprtVerdict verdict = SprtVerdict::kUndecided;
  bool at_limit = false;  // the verdict is SprtConfig::at_limit: the pairs ran out
  double llr = 0;         // log-likelihood ratio when the test ended
  SprtConfig config;
};

// A running test. Looking at it seldom makes it longer, never less safe.
class Sprt {
 public:
  // The test ends after `limit` ≥ 1 pairs at the latest. Throws as validate().
  Sprt(const SprtConfig& config, std::int64_t limit);

  // Adds pairs. Those after the end change log_ratio() but no result.
  void add(const PairScores& pairs) noexcept;
  // Set once the ratio has passed a bound or the pairs have run out.
  [[nodiscard]] const std::optional<SprtResult>& result() const noexcept { return result_; }
  [[nodiscard]] double log_ratio() const noexcept {
    return sprt_log_ratio(pairs_, config_.elo0, config_.elo1);
  }

 private:
  SprtConfig config_;
  std::int64_t limit_;
  PairScores pairs_{};
  std::int64_t played_ = 0;
  std::optional<SprtResult> result_;
};

}  // namespace pahtum
