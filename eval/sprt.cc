#include "eval/sprt.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "env/base/error.h"

namespace pahtum {
namespace {

constexpr double kUnseen = 1e-3;    // pairs that an outcome which never came counts as
constexpr double kMostElo = 1'000;  // scores beyond say nothing of real players

using PairWeights = std::array<double, 5>;

// Scores of the five outcomes on the scale 0 … 1.
constexpr double outcome_score(std::size_t outcome) noexcept {
  return static_cast<double>(outcome) / 4.0;
}

// log of the likelihood of `weights` under the distribution of mean `score` that makes it greatest, less a
// term that depends on the weights alone. That distribution is p[k] = share[k] / (1 + t · (a[k] − score))
// with the one t that gives it its mean. The sum that must vanish falls strictly in t between the poles,
// where all denominators are positive, from +∞ to −∞: halving finds it safely.
double log_likelihood(const PairWeights& weights, double score) noexcept {
  const auto slope = [&](double t) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double distance = outcome_score(k) - score;
      sum += weights[k] * distance / (1.0 + t * distance);
    }
    return sum;
  };
  double low = -1.0 / (1.0 - score);
  double high = 1.0 / score;
  constexpr int kHalvings = 64;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > 0 ? low : high) = middle;
  }
  const double t = 0.5 * (low + high);
  double result = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    result -= weights[k] * std::log1p(t * (outcome_score(k) - score));
  }
  return result;
}

}  // namespace

const char* to_text(SprtVerdict verdict) noexcept {
  switch (verdict) {
    case SprtVerdict::kAccept:
      return "accept";
    case SprtVerdict::kReject:
      return "reject";
    case SprtVerdict::kUndecided:
      break;
  }
  return "undecided";
}

void validate(const SprtConfig& config) {
  for (const double elo : {config.elo0, config.elo1}) {
    if (!(std::abs(elo) <= kMostElo)) throw request_error("sprt", "Elo differences are -1000 to 1000");
  }
  if (!(config.elo0 < config.elo1)) {
    throw request_error("sprt", "the first Elo difference must be below the second, as in 0,10");
  }
  for (const double chance : {config.alpha, config.beta}) {
    if (!(chance > 0 && chance < 0.5)) {
      throw request_error("sprt", "chances of error are above 0 and below 0.5");
    }
  }
}

SprtBounds sprt_bounds(const SprtConfig& config) noexcept {
  return {std::log(config.beta / (1.0 - config.alpha)), std::log((1.0 - config.beta) / config.alpha)};
}

double sprt_log_ratio(const PairScores& pairs, double elo0, double elo1) noexcept {
  if (std::reduce(pairs.begin(), pairs.end()) == 0) return 0;
  PairWeights weights{};
  std::ranges::transform(pairs, weights.begin(),
                         [](std::int64_t count) { return count > 0 ? static_cast<double>(count) : kUnseen; });
  return log_likelihood(weights, score_of_elo(elo1)) - log_likelihood(weights, score_of_elo(elo0));
}

Sprt::Sprt(const SprtConfig& config, std::int64_t limit) : config_(config), limit_(limit) {
  assert(limit >= 1);
  validate(config);
}

void Sprt::add(const PairScores& pairs) noexcept {
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs_[k] += pairs[k];
  played_ += std::reduce(pairs.begin(), pairs.end());
  if (result_) return;
  const double llr = log_ratio();
  const SprtBounds bounds = sprt_bounds(config_);
  if (llr >= bounds.upper) {
    result_ = {SprtVerdict::kAccept, false, llr, config_};
  } else if (llr <= bounds.lower) {
    result_ = {SprtVerdict::kReject, false, llr, config_};
  } else if (played_ >= limit_) {
    result_ = {config_.at_limit, true, llr, config_};
  }
}

}  // namespace pahtum
