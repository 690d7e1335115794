#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/batch_environment.h"
#include "env/game_rules.h"
#include "selfplay/game_record.h"
#include "selfplay/run_config.h"

namespace pahtum {

inline const std::atomic<bool> kNeverStop{false};

// A configuration that trains in a second: 4×4 with two holes, a network of one block.
inline RunConfig tiny_config() {
  RunConfig config;
  config.game = {.size = 4, .holes = 2, .unequal_stones = false};
  config.network = {.channels = 4, .blocks = 1, .pooling_every = 1, .head_channels = 2};
  config.search.simulations = 6;
  config.search.exact_leaf = 3;  // the default would solve these games from the start
  config.search.exact_root = 4;
  config.selfplay = {.slots = 6, .games_per_iteration = 8, .stagger = true, .random_opening_mean = 1.0};
  config.replay = {.window_games = 20, .reuse = 2.0, .minimum_games = 4};
  config.learner.batch_size = 16;
  config.learner.warmup_steps = 2;
  config.run.iterations = 4;
  config.run.workers = 2;
  config.run.device = "cpu";
  config.evaluation.pairs = 2;
  return config;
}

// The counters of a checkpoint without what the clock says.
inline nlohmann::json timeless(nlohmann::json counters) {
  for (const char* seconds : {"selfplay_seconds", "learn_seconds"}) counters["metrics"].erase(seconds);
  return counters;
}

// A folder of its own that disappears with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> number{0};
    path_ = std::filesystem::temp_directory_path() /
            ("pahtum-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// A finished game of random moves with made-up policies; the first `random_plies` plies are unsearched.
inline GameRecord random_game(std::uint64_t index, const GameConfig& rules, int random_plies) {
  GameRecord game;
  game.episode = index;
  game.start = start_position(rules, 1, Stream::kTest, index);
  Position position = game.start;
  Random random(2, Stream::kTest, index);
  for (int ply = 0; !position.over(); ++ply) {
    const auto count = static_cast<std::uint32_t>(legal_count(position));
    const Move move = nth_legal(position, static_cast<int>(random.below(count)));
    if (ply < random_plies) {
      game.add_random(move);
    } else {
      std::vector<float> weights(count);
      for (float& weight : weights) weight = static_cast<float>(1 + random.below(50));
      const auto origin = position.empty_count() <= 3 ? MoveOrigin::kSolved : MoveOrigin::kSearched;
      game.add_searched(move, Value(0.25f), weights, origin);
    }
    apply(position, move);
  }
  return game;
}

// The game's last position and White's margin when its moves are played in a batch environment of seed 1;
// nothing where the game does not end with them.
inline std::optional<std::pair<Position, std::int32_t>> replayed(const GameRecord& game,
                                                                 const GameConfig& rules) {
  BatchEnvironment environment({.game = rules,
                                .count = 1,
                                .seed = 1,
                                .first_environment = game.environment,
                                .auto_reset = AutoReset::kSameStep});
  environment.reset();
  environment.restore(0, game.episode, {});
  for (const Move move : game.moves) {
    environment.step(std::vector<std::int32_t>{action_of(move, environment.size())});
  }
  if (environment.terminated()[0] == 0) return {};
  return std::pair(environment.final_position(0),
                   environment.final_scores()[0] - environment.final_scores()[1]);
}

}  // namespace pahtum
