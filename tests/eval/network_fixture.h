#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "env/observation.h"
#include "model/checkpoint.h"
#include "model/trainer.h"

namespace pahtum {

inline const GameConfig kSmall{5, 3, false};

// Writes an untrained network of a tiny shape for `game` to a file of its own and returns the path.
inline std::string write_untrained_checkpoint(const GameConfig& game, const std::string& name,
                                              std::int64_t simulations = 8) {
  NetworkConfig network;
  network.channels = 8;
  network.blocks = 1;
  network.head_channels = 4;
  Checkpoint checkpoint = Trainer(game, network, LearnerConfig{}, 5, "cpu").snapshot();
  checkpoint.manifest.game = game;
  checkpoint.manifest.network = network;
  checkpoint.manifest.observation_version = kObservationVersion;
  checkpoint.manifest.search.simulations = simulations;
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pahtum_eval_test";
  std::filesystem::create_directories(folder);
  const std::filesystem::path path = folder / (name + ".ckpt");
  save_checkpoint(path, checkpoint);
  return path.string();
}

}  // namespace pahtum
