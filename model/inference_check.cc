#include "model/inference_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "model/network_config.h"

namespace pahtum {
namespace {

// Probabilities below this are rounding: their logarithm says nothing about a network.
constexpr double kSmallest = 1e-12;

void add_one(const Evaluation& tested, const Evaluation& expected, InferenceDifferences& sums) {
  const auto keep = [](double& largest, double difference) {
    // A difference that is not a number is the largest of all.
    if (!(difference <= largest)) largest = difference;
  };
  double divergence = 0.0;
  for (std::size_t move = 0; move < tested.policy.size(); ++move) {
    const double p = expected.policy[move];
    const double q = tested.policy[move];
    keep(sums.largest_policy, std::abs(p - q));
    if (p > kSmallest) divergence += p * std::log(p / std::max(q, kSmallest));
  }
  const double value = std::abs(double{tested.wdl.value().get()} - double{expected.wdl.value().get()});
  keep(sums.largest_value, value);
  keep(sums.largest_margin, std::abs(double{tested.margin} - double{expected.margin}) / kMarginUnit);
  sums.mean_divergence += divergence;
  sums.mean_value_error += value;
  ++sums.positions;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace

InferenceLimits limits_of(Precision precision) noexcept {
  constexpr InferenceLimits kFull{.largest = 1e-4, .mean_divergence = 1e-4, .mean_value_error = 1e-4};
  constexpr InferenceLimits kNarrow{.largest = 0.0, .mean_divergence = 2e-3, .mean_value_error = 0.01};
  return precision == Precision::kFp32 ? kFull : kNarrow;
}

void InferenceCheck::add(std::span<const Evaluation> tested, std::span<const Evaluation> expected,
                         Precision precision) {
  const std::lock_guard lock(mutex_);
  precision_ = precision;
  for (std::size_t k = 0; k < tested.size(); ++k) add_one(tested[k], expected[k], sums_);
}

InferenceDifferences InferenceCheck::differences() const {
  const std::lock_guard lock(mutex_);
  InferenceDifferences result = sums_;
  const auto count = static_cast<double>(std::max<std::int64_t>(result.positions, 1));
  result.mean_divergence /= count;
  result.mean_value_error /= count;
  return result;
}

bool InferenceCheck::within_limits() const {
  const InferenceDifferences found = differences();
  const std::lock_guard lock(mutex_);
  const InferenceLimits limits = limits_of(precision_);
  const auto exceeds = [](double value, double limit) { return !(value <= limit); };
  if (limits.largest > 0.0 &&
      (exceeds(found.largest_policy, limits.largest) || exceeds(found.largest_value, limits.largest) ||
       exceeds(found.largest_margin, limits.largest))) {
    return false;
  }
  return !exceeds(found.mean_divergence, limits.mean_divergence) &&
         !exceeds(found.mean_value_error, limits.mean_value_error);
}

std::string InferenceCheck::report() const {
  const InferenceDifferences found = differences();
  const std::lock_guard lock(mutex_);
  if (found.positions == 0) return "inference check: no position was evaluated by a network";
  const InferenceLimits limits = limits_of(precision_);
  const std::string each = limits.largest > 0.0 ? " (limit " + number(limits.largest) + " each)" : "";
  return "inference check: " + std::to_string(found.positions) + " positions in " +
         std::string(to_text(precision_)) + " beside the eager fp32 module\n  largest difference: policy " +
         number(found.largest_policy) + ", value " + number(found.largest_value) + ", margin " +
         number(found.largest_margin * kMarginUnit) + " points = " + number(found.largest_margin) + " units" +
         each + "\n  mean: policy divergence " + number(found.mean_divergence) + " (limit " +
         number(limits.mean_divergence) + "), value error " + number(found.mean_value_error) + " (limit " +
         number(limits.mean_value_error) + ")";
}

CheckingEvaluator::CheckingEvaluator(std::unique_ptr<Evaluator> tested, std::unique_ptr<Evaluator> expected,
                                     Precision precision, InferenceCheck& check)
    : tested_(std::move(tested)), expected_(std::move(expected)), precision_(precision), check_(check) {}

void CheckingEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  tested_->evaluate(positions, evaluations);
  scratch_.resize(positions.size());
  expected_->evaluate(positions, scratch_);
  check_.add(evaluations, scratch_, precision_);
}

}  // namespace pahtum
