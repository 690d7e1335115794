#include "search/evaluator.h"

namespace pahtum {

void UniformEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  for (std::size_t k = 0; k < positions.size(); ++k) {
    evaluations[k] = {};
    const float share = 1.0f / static_cast<float>(legal_count(positions[k]));
    for_each_legal(positions[k],
                   [&](Move move) { evaluations[k].policy[static_cast<std::size_t>(move.index())] = share; });
  }
}

void HashEvaluator::evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) {
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const std::uint64_t key = hash(positions[k]);
    const auto weight_of = [key](Move move) {
      const std::uint64_t mixed =
          (key + static_cast<std::uint64_t>(move.index()) * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
      return 1u + static_cast<std::uint32_t>(mixed >> 56);
    };
    std::uint32_t sum = 0;
    for_each_legal(positions[k], [&](Move move) { sum += weight_of(move); });
    Evaluation& evaluation = evaluations[k];
    evaluation = {};
    for_each_legal(positions[k], [&](Move move) {
      evaluation.policy[static_cast<std::size_t>(move.index())] =
          static_cast<float>(weight_of(move)) / static_cast<float>(sum);
    });
    // Sixteenths are exact in binary, so win, draw and loss sum to exactly 1.
    const auto win = static_cast<int>(key & 7);
    const auto loss = static_cast<int>((key >> 3) & 7);
    evaluation.wdl = {static_cast<float>(win) / 16.0f, static_cast<float>(16 - win - loss) / 16.0f,
                      static_cast<float>(loss) / 16.0f};
    evaluation.margin = static_cast<float>(win - loss);
  }
}

}  // namespace pahtum
