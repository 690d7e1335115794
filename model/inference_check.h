#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/inference.h"
#include "search/evaluator.h"

namespace pahtum {

// How far evaluations are from those of the eager fp32 module for the same positions.
struct InferenceDifferences {
  std::int64_t positions = 0;
  double largest_policy = 0.0;    // of a move's probability
  double largest_value = 0.0;     // of P(win) − P(loss)
  double largest_margin = 0.0;    // in units of the margin head, 20 points
  double mean_divergence = 0.0;   // Kullback–Leibler, of the policy from the eager one, in nats
  double mean_value_error = 0.0;  // absolute
};

// How far they may be: every single one in fp32, on average in the narrower precisions.
struct InferenceLimits {
  double largest = 0.0;  // of each of the three; 0 where averages are what counts
  double mean_divergence = 0.0;
  double mean_value_error = 0.0;
};
[[nodiscard]] InferenceLimits limits_of(Precision precision) noexcept;

// Gathers the differences of any number of evaluators on any number of threads.
class InferenceCheck {
 public:
  void add(std::span<const Evaluation> tested, std::span<const Evaluation> expected, Precision precision);

  [[nodiscard]] InferenceDifferences differences() const;
  [[nodiscard]] bool within_limits() const;
  // Differences and limits in a few lines for people.
  [[nodiscard]] std::string report() const;

 private:
  mutable std::mutex mutex_;
  InferenceDifferences sums_;  // means are sums until they are read
  Precision precision_ = Precision::kFp32;
};

// Answers like `tested` and tells `check` how far that is from `expected`, which judges the same positions.
class CheckingEvaluator final : public Evaluator {
 public:
  // `check` outlives this object.
  CheckingEvaluator(std::unique_ptr<Evaluator> tested, std::unique_ptr<Evaluator> expected,
                    Precision precision, InferenceCheck& check);
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override;

 private:
  std::unique_ptr<Evaluator> tested_, expected_;
  Precision precision_;
  InferenceCheck& check_;
  std::vector<Evaluation> scratch_;
};

}  // namespace pahtum
