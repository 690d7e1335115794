#include "selfplay/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "env/base/error.h"
#include "env/base/files.h"
#include "eval/oracle_make.h"
#include "eval/oracle_score.h"
#include "eval/player.h"
#include "eval/results_json.h"
#include "model/checkpoint.h"
#include "selfplay/config_file.h"
#include "selfplay/replay.h"
#include "selfplay/run_check.h"
#include "selfplay/run_directory.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
RunConfig with_iterations(std::int64_t iterations) {
  RunConfig config = tiny_config();
  config.run.iterations = iterations;
  config.learner.schedule = "constant";  // a cosine knows how long the run will be
  return config;
}

// Everything but the configuration text, which names the number of iterations.
void expect_same_state(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.manifest.step, b.manifest.step);
  EXPECT_EQ(a.manifest.iteration, b.manifest.iteration);
  EXPECT_EQ(timeless(a.manifest.counters), timeless(b.manifest.counters));
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t k = 0; k < a.tensors.size(); ++k) {
    EXPECT_EQ(a.tensors[k].name, b.tensors[k].name);
    if (a.tensors[k].name.starts_with("optimizer/")) continue;  // its container orders entries by address
    EXPECT_EQ(a.tensors[k].data, b.tensors[k].data) << a.tensors[k].name;
  }
}

TEST(Training, WritesCheckpointsGamesAndMetrics) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(4);
  config.run.keep_checkpoints = 2;
  const TrainingSummary summary = start_training(config, run, kNeverStop);
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_EQ(summary.games, 32);
  EXPECT_FALSE(summary.interrupted);
  EXPECT_EQ(summary.checkpoint, run / "checkpoints/000004.ckpt");
  EXPECT_TRUE(fs::exists(run / "checkpoints/000003.ckpt"));
  EXPECT_FALSE(fs::exists(run / "checkpoints/000002.ckpt")) << "only two are kept";
  const auto rows = read_metrics(run / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k]["iteration"], static_cast<int>(k) + 1);
    EXPECT_GT(rows[k]["loss"]["total"].get<double>(), 0.0);
    EXPECT_EQ(
        rows[k]["white_wins"].get<int>() + rows[k]["draws"].get<int>() + rows[k]["black_wins"].get<int>(), 8);
  }
  for (int iteration = 1; iteration <= 4; ++iteration) {
    EXPECT_EQ(load_games(RunDirectory(run).games_path(iteration)).size(), 8u);
  }
  for (const auto& entry : fs::recursive_directory_iterator(run)) EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST(Training, FourIterationsEqualTwoAndTwoResumedBitForBit) {
  const TemporaryFolder folder;
  (void)start_training(with_iterations(4), folder.path() / "whole", kNeverStop);
  (void)start_training(with_iterations(2), folder.path() / "parts", kNeverStop);
  const std::string longer[] = {"run.iterations=4"};
  const TrainingSummary summary = resume_training(folder.path() / "parts", longer, kNeverStop);
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_EQ(load_run_config(folder.path() / "parts/config.yaml").run.iterations, 4);
  EXPECT_EQ(read_file(folder.path() / "whole/games/000004.games"),
            read_file(folder.path() / "parts/games/000004.games"));
  expect_same_state(load_checkpoint(folder.path() / "whole/checkpoints/000004.ckpt"),
                    load_checkpoint(folder.path() / "parts/checkpoints/000004.ckpt"));
  const auto rows = read_metrics(folder.path() / "parts/metrics.jsonl");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_GT(rows[2]["step"].get<int>(), rows[1]["step"].get<int>()) << "steps go on after a resume";
}

TEST(Training, ARunCutOffBehindItsCheckpointIsPlayedAgain) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(3), run, kNeverStop);
  const Checkpoint whole = load_checkpoint(run / "checkpoints/000003.ckpt");
  // As after a kill during iteration 3: its shard and metrics are there, its checkpoint is not.
  fs::remove(run / "checkpoints/000003.ckpt");
  (void)resume_training(run, {}, kNeverStop);
  expect_same_state(whole, load_checkpoint(run / "checkpoints/000003.ckpt"));
  EXPECT_EQ(read_metrics(run / "metrics.jsonl").size(), 3u);
}

TEST(Training, ABrokenNewestCheckpointFallsBackToTheOneBefore) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(3), run, kNeverStop);
  const Checkpoint whole = load_checkpoint(run / "checkpoints/000003.ckpt");
  fs::resize_file(run / "checkpoints/000003.ckpt", 1000);
  (void)resume_training(run, {}, kNeverStop);
  expect_same_state(whole, load_checkpoint(run / "checkpoints/000003.ckpt"));
}

TEST(Training, ARunKilledBeforeItsFirstCheckpointStartsOver) {
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole";
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(1), whole, kNeverStop);
  fs::create_directories(run / "checkpoints");  // killed before config.yaml
  EXPECT_FALSE(RunDirectory(run).holds_run());
  RunDirectory(run).create(with_iterations(1));  // killed behind it
  EXPECT_TRUE(RunDirectory(run).holds_configuration_only());
  EXPECT_EQ(resume_training(run, {}, kNeverStop).iterations, 1);
  EXPECT_EQ(read_file(run / "games/000001.games"), read_file(whole / "games/000001.games"));
  // With anything of a run in it the folder keeps what it has: without a checkpoint it cannot go on.
  fs::remove_all(run / "checkpoints");
  EXPECT_FALSE(RunDirectory(run).holds_configuration_only());
  EXPECT_THROW((void)resume_training(run, {}, kNeverStop), Error);
  EXPECT_TRUE(fs::exists(run / "games/000001.games"));
}

TEST(Training, ASecondProcessOnTheRunIsRefused) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  const RunLock elsewhere = RunDirectory(run).lock();
  EXPECT_THROW((void)start_training(with_iterations(1), run, kNeverStop), Error);
  RunDirectory(run).create(with_iterations(1));
  EXPECT_THROW((void)resume_training(run, {}, kNeverStop), Error);
  EXPECT_TRUE(RunDirectory(run).checkpoint_paths().empty());
}

TEST(Training, AStopSavesGamesInProgressAndResumeFinishesTheRun) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(1000);
  std::atomic<bool> stop{false};
  std::jthread stopper([&] {
    while (!fs::exists(run / "checkpoints/000002.ckpt"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop = true;
  });
  const TrainingSummary stopped = start_training(config, run, stop);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_GE(stopped.iterations, 2);
  const std::string end[] = {"run.iterations=" + std::to_string(stopped.iterations + 2)};
  const TrainingSummary resumed = resume_training(run, end, kNeverStop);
  EXPECT_FALSE(resumed.interrupted);
  EXPECT_EQ(resumed.iterations, stopped.iterations + 2);
  EXPECT_EQ(resumed.games, 8 * resumed.iterations);
  for (std::int64_t iteration = 1; iteration <= resumed.iterations; ++iteration) {
    EXPECT_EQ(load_games(RunDirectory(run).games_path(iteration)).size(), 8u) << iteration;
  }
}

// Rows of metrics without what depends on the clock and on the machine's load.
std::vector<nlohmann::json> timeless_rows(const fs::path& run) {
  std::vector<nlohmann::json> rows = read_metrics(run / "metrics.jsonl");
  for (nlohmann::json& row : rows) {
    for (const char* key : {"seconds", "selfplay_seconds", "learn_seconds", "games_per_second",
                            "moves_per_second", "evaluations_per_second", "resident_mib", "peak_resident_mib",
                            "allocated_mib", "threads", "open_files"}) {
      row.erase(key);
    }
  }
  return rows;
}

void expect_same_run(const RunConfig& config, const fs::path& a, const fs::path& b) {
  for (std::int64_t iteration = 1; iteration <= config.run.iterations; ++iteration) {
    EXPECT_EQ(read_file(RunDirectory(a).games_path(iteration)),
              read_file(RunDirectory(b).games_path(iteration)))
        << iteration;
  }
  expect_same_state(load_checkpoint(RunDirectory(a).checkpoint_path(config.run.iterations)),
                    load_checkpoint(RunDirectory(b).checkpoint_path(config.run.iterations)));
  EXPECT_EQ(timeless_rows(a), timeless_rows(b));
  EXPECT_FALSE(fs::exists(b / "state.ckpt")) << "what the last checkpoint replaces is removed";
  EXPECT_FALSE(fs::exists(RunDirectory(b).unfinished_games_path(config.run.iterations)));
}

RunConfig with_matches(std::int64_t iterations) {
  RunConfig config = with_iterations(iterations);
  config.search.simulations = 12;
  config.evaluation.against = {"greedy"};
  config.evaluation.every = 2;
  config.evaluation.every_pairs = 2;
  config.gate.mode = "always";
  config.run.save_every_games = 3;
  return config;
}

// Positions of the games' ends, solved.
std::string write_oracle(const GameConfig& game, const fs::path& path) {
  const OracleRequest request{.game = game, .players = {"random"}, .empty = {4, 6}, .positions = 40};
  const auto positions = draw_oracle_positions(request);
  save_oracle_data(path, {game, request.seed, request.opening_plies, request.players,
                          solve_oracle_positions(positions, 1)});
  return path.string();
}

// Trains in one go, and stopped within games, learning and matches, each time a little later.
void expect_same_when_stopped(const RunConfig& config, const fs::path& folder) {
  (void)start_training(config, folder / "whole", kNeverStop);
  const fs::path parts = folder / "parts";
  int stops = 0;
  for (auto after = std::chrono::microseconds(500);; after += after) {
    std::atomic<bool> stop{false};
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(after);
      stop = true;
    });
    const TrainingSummary summary =
        stops == 0 ? start_training(config, parts, stop) : resume_training(parts, {}, stop);
    if (!summary.interrupted) break;
    ++stops;
  }
  EXPECT_GT(stops, 3);
  expect_same_run(config, folder / "whole", parts);
}

TEST(Training, StoppedAgainAndAgainARunIsTheSameBitForBit) {
  for (const std::string root : {"puct", "gumbel"}) {
    SCOPED_TRACE(root);
    const TemporaryFolder folder;
    RunConfig config = with_matches(root == "puct" ? 4 : 2);
    config.search.root = root;
    config.evaluation.oracle = write_oracle(config.game, folder.path() / "oracle.pahtum");
    expect_same_when_stopped(config, folder.path());
  }
}

TEST(Training, NetworksAreComparedWithSolvedPositionsOnTheWay) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(4);
  config.run.precision = "fp32";
  config.evaluation.against = {};
  config.evaluation.every = 2;
  config.evaluation.oracle = write_oracle(config.game, folder.path() / "oracle.pahtum");
  (void)start_training(config, run, kNeverStop);
  const auto rows = read_metrics(run / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 4u);
  const OracleData data = load_oracle_data(config.evaluation.oracle);
  for (const nlohmann::json& row : rows) {
    const auto iteration = row["iteration"].get<std::int64_t>();
    ASSERT_EQ(row.contains("oracle"), iteration % 2 == 0);
    EXPECT_FALSE(row.contains("match"));
    if (!row.contains("oracle")) continue;
    for (const std::string choice : {"policy", "search"}) {
      const auto player = make_player("net:" + RunDirectory(run).checkpoint_path(iteration).string() +
                                          (choice == "policy" ? ",policy" : ""),
                                      {.seed = 1, .inference = {.device = "cpu", .precision = "fp32"}});
      nlohmann::json expected = oracle_json(score_oracle(*player, data));
      expected.erase("player");
      EXPECT_EQ(row["oracle"][choice], expected) << choice;
      EXPECT_EQ(row["oracle"][choice]["rows"].size(), 2u);
    }
  }
}

TEST(Training, SolvedPositionsThatDoNotFitAreRefusedBeforeAnyWork) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(1);
  const auto refusal = [&] {
    try {
      (void)start_training(config, run, kNeverStop);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kRequest);
      return std::string(error.what());
    }
    return std::string();
  };
  config.evaluation.oracle = (folder.path() / "nowhere").string();
  EXPECT_TRUE(refusal().starts_with("evaluation.oracle: ")) << refusal();
  GameConfig other = config.game;
  other.size = 3;
  other.holes = 1;
  config.evaluation.oracle = write_oracle(other, folder.path() / "oracle.pahtum");
  EXPECT_NE(refusal().find("oracle.pahtum: its positions are of 3×3"), std::string::npos) << refusal();
  EXPECT_FALSE(fs::exists(run));
}

TEST(Training, WithShortSearchesAndAGrowingWindowStoppedRunsAreTheSameBitForBit) {
  const TemporaryFolder folder;
  RunConfig config = with_matches(4);
  config.selfplay.full_search_share = 0.4;
  config.selfplay.short_simulations = 3;
  config.replay.window_games = 8;
  config.replay.window_growth = 0.6;
  config.replay.solved_weight = 0.5;
  config.learner.search_value_weight = 0.5;
  expect_same_when_stopped(config, folder.path());
}

TEST(Training, WithPolicyOpeningsSurprisesAndAuxiliaryHeadsStoppedRunsAreTheSameBitForBit) {
  const TemporaryFolder folder;
  RunConfig config = with_matches(4);
  config.selfplay.opening = "policy";
  config.selfplay.random_opening_mean = 2.0;
  config.replay.surprise_weight = 0.5;
  config.learner.reply_weight = 0.2;
  config.learner.runs_weight = 0.2;
  expect_same_when_stopped(config, folder.path());
}

TEST(Training, WhatAKillLeftUndoneBehindACheckpointIsDoneOnResume) {
  const TemporaryFolder folder;
  const RunConfig config = with_matches(2);
  const fs::path whole = folder.path() / "whole";
  const fs::path killed = folder.path() / "killed";
  (void)start_training(config, whole, kNeverStop);
  fs::copy(whole, killed, fs::copy_options::recursive);
  // Killed between the checkpoint of the last iteration and its row of metrics.
  const std::string metrics = read_file(killed / "metrics.jsonl");
  write_file_atomically(killed / "metrics.jsonl", metrics.substr(0, metrics.find('\n') + 1));
  (void)resume_training(killed, {}, kNeverStop);
  expect_same_run(config, whole, killed);
}

TEST(Training, GamesBehindTheCheckpointAreSetAsideAndPlayedAgain) {
  const TemporaryFolder folder;
  const RunConfig config = with_iterations(2);
  const fs::path whole = folder.path() / "whole";
  const fs::path killed = folder.path() / "killed";
  (void)start_training(config, whole, kNeverStop);
  fs::copy(whole, killed, fs::copy_options::recursive);
  fs::remove(killed / "checkpoints/000002.ckpt");
  const RunDirectory directory(killed);
  const std::vector<GameRecord> games = load_games(directory.games_path(2));
  append_game(directory.unfinished_games_path(3), games[0]);
  append_game(directory.unfinished_games_path(3), games[1]);
  std::ofstream(directory.unfinished_games_path(3), std::ios::app) << "PAHTUMGM, cut short";
  (void)resume_training(killed, {}, kNeverStop);
  expect_same_run(config, whole, killed);
  EXPECT_EQ(load_games(killed / "games/set-aside/000002.games"), games);
  EXPECT_EQ(load_appended_games(killed / "games/set-aside/000003.part"),
            std::vector<GameRecord>(games.begin(), games.begin() + 2));
}

TEST(Training, KilledBeforeItsFirstCheckpointARunStartsOnResume) {
  const TemporaryFolder folder;
  const RunConfig config = with_iterations(1);
  (void)start_training(config, folder.path() / "whole", kNeverStop);
  const fs::path killed = folder.path() / "killed";
  fs::create_directories(killed);
  RunDirectory(killed).save_config(config);
  (void)resume_training(killed, {}, kNeverStop);
  expect_same_run(config, folder.path() / "whole", killed);
}

TEST(Training, AFolderWithACheckpointAndItsGamesAloneGoesOn) {
  const TemporaryFolder folder;
  const RunConfig config = with_iterations(2);
  const fs::path whole = folder.path() / "whole";
  (void)start_training(config, whole, kNeverStop);
  const fs::path carried = folder.path() / "carried";
  fs::create_directories(carried / "checkpoints");
  fs::copy(whole / "config.yaml", carried / "config.yaml");
  fs::copy(whole / "checkpoints/000002.ckpt", carried / "checkpoints/000002.ckpt");
  fs::create_directory(carried / "games");
  fs::copy(whole / "games/000002.games", carried / "games/000002.games");  // of 16 games half are there
  const std::string three[] = {"run.iterations=3"};
  EXPECT_EQ(resume_training(carried, three, kNeverStop).iterations, 3);
  // From there on it is a run as any other.
  const std::string four[] = {"run.iterations=4"};
  EXPECT_EQ(resume_training(carried, four, kNeverStop).iterations, 4);
  const auto rows = read_metrics(carried / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["iteration"], 3);
  EXPECT_EQ(rows[0]["replay_games"], 16);
  const auto missed_games = [&] {
    return std::ranges::count_if(check_run(carried).findings, [](const RunFinding& finding) {
      return finding.file.starts_with("games/");
    });
  };
  EXPECT_EQ(missed_games(), 0);
  // Games that it has played itself are missed.
  fs::remove(carried / "games/000003.games");
  const std::string five[] = {"run.iterations=5"};
  EXPECT_THROW((void)resume_training(carried, five, kNeverStop), Error);
  EXPECT_EQ(missed_games(), 1);
}

TEST(Training, ABrokenStateGoesOnFromTheLastFinishedIteration) {
  const TemporaryFolder folder;
  const RunConfig config = with_iterations(3);
  (void)start_training(config, folder.path() / "whole", kNeverStop);
  const fs::path stopped = folder.path() / "stopped";
  std::atomic<bool> stop{false};
  std::jthread stopper([&] {
    while (!fs::exists(RunDirectory(stopped).unfinished_games_path(2))) std::this_thread::yield();
    stop = true;
  });
  (void)start_training(config, stopped, stop);
  stopper.join();
  if (fs::exists(stopped / "state.ckpt")) fs::resize_file(stopped / "state.ckpt", 100);
  (void)resume_training(stopped, {}, kNeverStop);
  expect_same_run(config, folder.path() / "whole", stopped);
}

TEST(Training, AFolderThatHoldsARunIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(1), run, kNeverStop);
  const std::string metrics = read_file(run / "metrics.jsonl");
  try {
    (void)start_training(with_iterations(2), run, kNeverStop);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos);
  }
  EXPECT_EQ(read_file(run / "metrics.jsonl"), metrics);
  EXPECT_THROW((void)resume_training(folder.path() / "nothing", {}, kNeverStop), Error);
}

TEST(Training, ResumingWithAnotherNetworkOrBoardIsRefused) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(with_iterations(1), run, kNeverStop);
  for (const char* change :
       {"network.channels=8", "game.size=6", "learner.optimizer=sgd", "selfplay.slots=5"}) {
    const std::string overrides[] = {std::string(change), "run.iterations=2"};
    try {
      (void)resume_training(run, overrides, kNeverStop);
      FAIL() << change;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kRequest) << change;
    }
  }
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000001.ckpt").manifest.iteration, 1);
}

TEST(Training, ANonFiniteLossStopsTheRunAndKeepsTheBatch) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = with_iterations(3);
  config.learner.learning_rate = 10.0;
  config.learner.optimizer = "sgd";
  config.learner.gradient_clip = 1e6;
  config.learner.value_weight = 100.0;
  config.learner.policy_weight = 100.0;
  config.learner.weight_decay = 1.0;
  config.learner.warmup_steps = 0;
  config.replay.reuse = 200.0;
  try {
    (void)start_training(config, run, kNeverStop);
    FAIL() << "a learning rate of ten should have blown the network up";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_NE(std::string(error.what()).find("not finite"), std::string::npos) << error.what();
  }
  const Checkpoint dump = load_checkpoint(run / "failed-batch.ckpt");
  // The batch is the one of the step that failed, not the one already drawn for the step behind it.
  const RunDirectory directory(run);
  Replay replay(config.replay.window_games);
  replay.add(directory.load_newest_games(dump.manifest.iteration + 1, config.replay.window_games));
  Random random(static_cast<std::uint64_t>(config.run.seed), Stream::kSamples,
                static_cast<std::uint64_t>(dump.manifest.step));
  SampleBuffer buffer(static_cast<int>(config.learner.batch_size), GameRules(config.game));
  replay.draw(random, buffer);
  const std::span<const float> planes = buffer.batch().planes;
  const auto saved = std::ranges::find(dump.tensors, "batch/planes", &StoredTensor::name);
  ASSERT_NE(saved, dump.tensors.end());
  EXPECT_EQ(saved->data, std::string(reinterpret_cast<const char*>(planes.data()), planes.size_bytes()));
}

TEST(RunDirectory, MetricsCutShortByACrashStillRead) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder.path());
  directory.append_metrics({{"iteration", 1}});
  directory.append_metrics({{"iteration", 2}});
  std::ofstream(directory.metrics_path(), std::ios::app) << "{\"iteration\": 3, \"lo";
  EXPECT_EQ(read_metrics(directory.metrics_path()).size(), 2u);
  directory.drop_metrics_after(1);
  EXPECT_EQ(read_metrics(directory.metrics_path()).size(), 1u);
  std::ofstream(directory.metrics_path(), std::ios::app) << "nonsense\n{}\n";
  EXPECT_THROW((void)read_metrics(directory.metrics_path()), Error);
}

}  // namespace
}  // namespace pahtum
