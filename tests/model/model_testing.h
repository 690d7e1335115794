#pragma once

// What the tests of model/ share: small configurations, positions and batches drawn from fixed seeds, and a
// folder that removes itself.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "env/game_rules.h"
#include "env/observation.h"
#include "env/position.h"
#include "model/export.h"
#include "model/trainer.h"

namespace pahtum::testing {

inline constexpr std::array kExportFormats = {ExportFormat::kTorchScript, ExportFormat::kOnnx,
                                              ExportFormat::kSafetensors};

inline GameConfig small_game() {
  return {.size = 5, .holes = 3};
}

// Placed holes and the pie rule: more channels and one more action.
inline GameConfig phase_game() {
  return {.size = 5, .holes = 3, .hole_mode = HoleMode::kPlaced, .swap = true};
}

inline NetworkConfig small_network() {
  return {.channels = 8, .blocks = 2, .pooling_every = 2, .head_channels = 4};
}

// A position of the game after a random number of random moves, not over.
inline Position random_position(const GameConfig& game, std::uint64_t index) {
  Position position = start_position(game, 1, Stream::kTest, index);
  Random random(2, Stream::kTest, index);
  const auto plies = random.below(static_cast<std::uint32_t>(position.empty_count()));
  for (std::uint32_t ply = 0; ply < plies; ++ply) {
    const auto count = static_cast<std::uint32_t>(legal_count(position));
    apply(position, nth_legal(position, static_cast<int>(random.below(count))));
  }
  return position;
}

inline std::vector<Position> random_positions(const GameConfig& game, int count) {
  std::vector<Position> positions;
  for (int k = 0; k < count; ++k) positions.push_back(random_position(game, static_cast<std::uint64_t>(k)));
  return positions;
}

inline std::vector<float> planes_of(std::span<const Position> positions, int channels = kChannels) {
  std::vector<float> planes;
  for (const Position& position : positions) {
    const auto size = static_cast<std::size_t>(position.size);
    const std::size_t begin = planes.size();
    planes.resize(begin + static_cast<std::size_t>(channels) * size * size);
    write_observation(position, std::span(planes).subspan(begin));
  }
  return planes;
}

// Owns the memory of a TrainingBatch. Targets are simple functions of the position, so that they can be
// learned: the first legal square, the result and the margin as they stand, the stones' owners.
struct Samples {
  explicit Samples(const std::vector<Position>& positions, const GameRules& rules = GameRules(small_game()))
      : count(static_cast<int>(positions.size())), planes(planes_of(positions, rules.channels())) {
    for (const Position& position : positions) {
      const int squares = position.size * position.size;
      const int best = action_of(nth_legal(position, 0), position.size);
      const int points = static_cast<int>(position.margin());
      for (int action = 0; action < squares; ++action) {
        policy.push_back(action == best ? 1.0f : 0.0f);
        const Bitboard bit = square_bit(move_of(action, position.size).square());
        ownership.push_back((position.own() & bit) != 0      ? 1.0f
                            : (position.theirs() & bit) != 0 ? -1.0f
                                                             : 0.0f);
      }
      if (rules.has_swap()) policy.push_back(0.0f);
      wdl.insert(wdl.end(), {points > 0 ? 1.0f : 0.0f, points == 0 ? 1.0f : 0.0f, points < 0 ? 1.0f : 0.0f});
      margin.push_back(static_cast<float>(points));
      search_value.push_back(points > 0 ? 0.5f : points < 0 ? -0.5f : 0.0f);
      // The last empty square; the stones.
      int answer = -1;
      for_each_legal(position, [&](Move move) {
        if (move != Move::swap()) answer = action_of(move, position.size);
      });
      for (int action = 0; action < squares; ++action) reply.push_back(action == answer ? 1.0f : 0.0f);
    }
  }
  [[nodiscard]] TrainingBatch batch() const {
    return {.count = count,
            .planes = planes,
            .policy = policy,
            .wdl = wdl,
            .margin = margin,
            .ownership = ownership,
            .search_value = search_value,
            .reply = reply,
            .runs = ownership};
  }

  int count;
  std::vector<float> planes, policy, wdl, margin, ownership, search_value, reply;
};

// Takes `steps` learner steps of 32 samples each; the samples of a step depend on its number alone.
inline Losses learn(Trainer& trainer, const GameConfig& game, int steps, double learning_rate = 5e-3) {
  constexpr int kBatch = 32;
  Losses losses;
  for (int k = 0; k < steps; ++k) {
    std::vector<Position> positions;
    for (int sample = 0; sample < kBatch; ++sample) {
      positions.push_back(
          random_position(game, static_cast<std::uint64_t>(1000 + trainer.steps() * kBatch + sample)));
    }
    losses = trainer.step(Samples(positions, GameRules(game)).batch(), learning_rate);
  }
  return losses;
}

// After eight steps: running statistics and normalisation are far from where they start.
inline Checkpoint trained_checkpoint(const GameConfig& game, const NetworkConfig& network,
                                     double average_decay = 0.5) {
  LearnerConfig learner;
  learner.average_decay = average_decay;
  Trainer trainer(game, network, learner, 1, "cpu");
  learn(trainer, game, 8);
  return trainer.snapshot();
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pahtum_model_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// The text of the Error that `function` throws, or "" when it throws none.
template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace pahtum::testing
