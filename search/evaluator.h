#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "env/position.h"

namespace pahtum {

// Probabilities of the result for the side to move; they sum to 1.
struct Wdl {
  float win = 0.0f;
  float draw = 1.0f;
  float loss = 0.0f;

  [[nodiscard]] constexpr Value value() const noexcept { return Value(win - loss); }
};

// What an evaluator says of one position, from the side of its mover.
struct Evaluation {
  // Probability of each move, by Move::index(): zero for illegal moves, sums to 1 over the legal ones.
  std::array<float, kMoveIndices> policy{};
  Wdl wdl;
  float margin = 0.0f;  // expected final margin in points
};

// What a margin of so many points is worth where games are played for points: between −1 and 1, half of that
// at kMarginHalf points, so that large leads still differ and small ones matter most.
inline constexpr double kMarginHalf = 20.0;
[[nodiscard]] constexpr double margin_utility(double points) noexcept {
  return points / ((points < 0.0 ? -points : points) + kMarginHalf);
}

// Judges positions in batches. Search knows nothing else of networks. Positions are never over.
class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;

  // Fills evaluations[k] for positions[k]; the spans have equal length, which may be 0 or more than any batch
  // size the evaluator works with inside. One thread at a time per object, unless a class says otherwise.
  virtual void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) = 0;
};

// Every legal move equally likely, every position a draw.
class UniformEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override;
};

// Policy and value made from the position's hash by integer arithmetic: deterministic on every machine, and
// different for every position, holes and phase included. For tests and the behaviour signature.
class HashEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override;
};

}  // namespace pahtum
