// Steps a thousand games of 7×7 with the caller's own memory until each has ended at least once, and says who
// won: what a program that brings its own learner does with the batch environment.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "env/batch_environment.h"

int main() {
  pahtum::BatchConfig config;
  config.game = {.size = 7, .holes = {{3, 1.0}, {5, 2.0}}};  // three or five holes, five twice as often
  config.count = 1000;
  config.seed = 1;
  config.auto_reset = pahtum::AutoReset::kSameStep;

  const pahtum::GameRules rules(config.game);
  const auto n = static_cast<std::size_t>(config.count);
  std::vector<float> planes(n * static_cast<std::size_t>(rules.channels() * rules.size() * rules.size()));
  std::vector<std::uint8_t> mask(n * static_cast<std::size_t>(rules.actions())), terminated(n);
  std::vector<float> rewards(2 * n);
  pahtum::BatchBuffers buffers;
  buffers.observation = std::span(planes);
  buffers.action_mask = mask;
  buffers.terminated = terminated;
  buffers.rewards = rewards;

  pahtum::BatchEnvironment environment(config, buffers);
  environment.reset();
  std::vector<std::int64_t> actions(n);
  long white = 0, draws = 0, black = 0;
  for (int step = 0; step < rules.longest_game(); ++step) {
    const auto legal = pahtum::rows_of(environment.action_mask(), config.count);
    for (Eigen::Index row = 0; row < legal.rows(); ++row) {
      Eigen::Index first = 0;
      legal.row(row).maxCoeff(&first);  // a network would choose here, from `planes`
      actions[static_cast<std::size_t>(row)] = first;
    }
    environment.step(actions);
    for (std::size_t row = 0; row < n; ++row) {
      if (terminated[row] == 0) continue;
      ++(rewards[2 * row] > 0 ? white : rewards[2 * row] < 0 ? black : draws);
    }
  }
  std::printf("first legal square for both: White won %ld, drawn %ld, Black won %ld\n", white, draws, black);
  return white + draws + black >= config.count ? 0 : 1;
}
