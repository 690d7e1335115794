#include "search/evaluator.h"

#include <cassert>

#include "search/legal_priors.h"

namespace pahtum {
namespace {

constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15ull;

// Word number `index` of the SplitMix64 sequence (Steele, Lea, Flood 2014) that starts at `state`.
constexpr std::uint64_t split_mix(std::uint64_t state, std::uint64_t index) noexcept {
  std::uint64_t word = state + (index + 1) * kGoldenGamma;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

// 1 … 2^16: up to 65 of them add up to less than 2^24, so sums are exact in a float.
constexpr std::uint32_t weight(std::uint64_t state, std::uint64_t index) noexcept {
  return static_cast<std::uint32_t>(split_mix(state, index) >> 48) + 1;
}

}  // namespace

void UniformEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  assert(positions.size() == evaluations.size());
  for (std::size_t k = 0; k < positions.size(); ++k) {
    Evaluation& evaluation = evaluations[k];
    evaluation.wdl = {};
    evaluation.margin = 0.0f;
    fill_legal(positions[k], 1.0f / static_cast<float>(legal_count(positions[k])), evaluation.policy);
  }
}

void HashEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  assert(positions.size() == evaluations.size());
  constexpr std::uint64_t kWdlIndex = kMoveIndices;  // words behind those of the moves
  for (std::size_t k = 0; k < positions.size(); ++k) {
    Evaluation& evaluation = evaluations[k];
    evaluation = Evaluation{};
    const std::uint64_t state = hash(positions[k]);

    std::uint32_t sum = 0;
    const auto weight_of = [&](Move move) { return weight(state, static_cast<std::uint64_t>(move.index())); };
    for_each_legal(positions[k], [&](Move move) { sum += weight_of(move); });
    for_each_legal(positions[k], [&](Move move) {
      evaluation.policy[static_cast<std::size_t>(move.index())] =
          static_cast<float>(weight_of(move)) / static_cast<float>(sum);
    });

    const std::uint32_t win = weight(state, kWdlIndex);
    const std::uint32_t draw = weight(state, kWdlIndex + 1);
    const std::uint32_t loss = weight(state, kWdlIndex + 2);
    const auto total = static_cast<float>(win + draw + loss);
    evaluation.wdl = {static_cast<float>(win) / total, static_cast<float>(draw) / total,
                      static_cast<float>(loss) / total};
    evaluation.margin = static_cast<float>(split_mix(state, kWdlIndex + 3) % 101) - 50.0f;
  }
}

}  // namespace pahtum
