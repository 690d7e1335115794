#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/base/schema.h"
#include "env/game_config.h"
#include "model/inference.h"
#include "model/network_config.h"
#include "model/trainer.h"
#include "search/search_config.h"
#include "selfplay/gate.h"
#include "selfplay/health_config.h"

namespace pahtum {

// The run as a whole: the `run` section.
struct ScheduleConfig {
  std::int64_t seed = 1;
  std::int64_t iterations = 20;  // an iteration plays games, learns from them and saves a checkpoint
  std::string device = "auto";
  std::string precision = "auto";  // of inference
  std::int64_t workers = 0;        // self-play threads; 0: one per core
  std::int64_t keep_checkpoints = 5;
  std::int64_t save_every_games = 0;  // also save within iterations, each time so many games are finished
  bool tensorboard = true;            // also write each iteration's metrics as an event file
};
[[nodiscard]] Schema describe(ScheduleConfig& config);

// How the run's networks judge positions; `check`, which may be null, outlives the evaluators.
[[nodiscard]] InferenceOptions inference_of(const ScheduleConfig& config, InferenceCheck* check);

// How games are played for training: the `selfplay` section.
struct SelfplayConfig {
  std::int64_t slots = 256;                // games in progress at once, over all workers
  std::int64_t games_per_iteration = 256;  // finished games of an iteration, over all workers
  bool stagger = true;  // first games start at random plies, so that slots do not reach the endgame together
  double random_opening_mean = 2.0;  // mean number of random plies at the start of a game
  std::string opening = "uniform";   // how these are drawn: uniform, or policy for the network's own
  // Share of moves that are searched in full, noise and all; the others get `short_simulations` without noise
  // and are no samples (playout cap randomization).
  double full_search_share = 1.0;
  std::int64_t short_simulations = 32;
};
[[nodiscard]] Schema describe(SelfplayConfig& config);

// What the learner remembers and how much it takes from it: the `replay` section.
struct ReplayConfig {
  std::int64_t window_games = 2000;  // newest finished games samples are drawn from
  double window_growth = 0.0;        // exponent with which the window grows beyond that, see window_after()
  double solved_weight = 1.0;        // how often a solved position is drawn, compared to a searched one
  double surprise_weight =
      0.0;             // how much of a searched position's weight is its surprise, see Replay::draw()
  double reuse = 4.0;  // samples drawn per position played: learner steps = reuse · new positions / batch
  std::int64_t minimum_games = 100;  // games before the first learner step
};
[[nodiscard]] Schema describe(ReplayConfig& config);

// Games in the window once `games` were played in the run: with W = window_games, W · (games /
// W)^window_growth and at least W. The power law is KataGo's (D. J. Wu, "Accelerating Self-Play Learning in
// Go", 2020) without its offset.
[[nodiscard]] std::int64_t window_after(const ReplayConfig& config, std::int64_t games) noexcept;

// What is measured after training: the `evaluation` section.
struct EvaluationConfig {
  std::vector<std::string> against = {"random", "greedy", "charles", "uct:1000"};
  std::int64_t pairs = 100;
  std::string oracle;      // file of solved positions; empty: none are looked at
  std::int64_t every = 0;  // iterations from one measurement on the way to the next; 0: none is made
  std::int64_t every_pairs = 20;
  std::int64_t seed = 1;
  std::int64_t opening_plies = 0;
};
[[nodiscard]] Schema describe(EvaluationConfig& config);

// Everything a training run is made from; one YAML section per member.
struct RunConfig {
  GameConfig game;
  NetworkConfig network;
  SearchConfig search;
  SelfplayConfig selfplay;
  ReplayConfig replay;
  LearnerConfig learner;
  ScheduleConfig run;
  GateConfig gate;
  HealthConfig health;
  EvaluationConfig evaluation;
};

// All sections in the order of RunConfig, bound to `config`.
[[nodiscard]] std::vector<Schema> describe(RunConfig& config);

// What single ranges cannot say: rules that make a game, fewer workers than slots, and so on. Throws a
// kRequest Error that names the key ("game.holes").
void validate(const RunConfig& config);

}  // namespace pahtum
