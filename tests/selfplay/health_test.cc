#include "selfplay/health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "model/checkpoint.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "tests/env/expect_error.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::expect_error;
Losses with_norm(double norm) {
  Losses losses;
  losses.gradient_norm = norm;
  return losses;
}

// What a monitor finds in a row of so many games, all of it ordinary but for `changes`.
std::vector<HealthFinding> found(const json& changes, const HealthConfig& config = {}) {
  json row{{"white_wins", 120},      {"draws", 30},           {"black_wins", 106},
           {"duplicate_games", 0.0}, {"search_entropy", 1.5}, {"output_entropy", 0.5}};
  row.update(changes);
  return HealthMonitor(config).observe_iteration(row);
}

HealthMonitor with_steps(std::size_t steps, double norm, const HealthConfig& config = {}) {
  HealthMonitor monitor(config);
  for (std::size_t step = 0; step < steps; ++step) EXPECT_FALSE(monitor.observe_step(with_norm(norm)));
  return monitor;
}

TEST(HealthMonitor, ExplodingGradientIsComparedWithTheStepsBefore) {
  HealthMonitor edge = with_steps(HealthMonitor::kFewestNorms, 2.0);
  EXPECT_FALSE(edge.observe_step(with_norm(200.0))) << "a hundred times the median is still allowed";
  HealthMonitor over = with_steps(HealthMonitor::kFewestNorms, 2.0);
  const auto finding = over.observe_step(with_norm(200.5));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, HealthKind::kGradient);
  EXPECT_EQ(finding->action, HealthAction::kWarn);
  EXPECT_DOUBLE_EQ(finding->limit, 200.0);
  EXPECT_NE(finding->what.find("200.5"), std::string::npos) << finding->what;
  EXPECT_NE(finding->what.find("health.gradient_ratio"), std::string::npos) << finding->what;
  HealthMonitor early = with_steps(HealthMonitor::kFewestNorms - 1, 2.0);
  EXPECT_FALSE(early.observe_step(with_norm(1e5))) << "too few steps to compare with";
}

TEST(HealthMonitor, TheMedianForgetsOldStepsAndIgnoresSingleOnes) {
  HealthMonitor monitor = with_steps(HealthMonitor::kNorms, 1.0);
  EXPECT_TRUE(monitor.observe_step(with_norm(5000.0)));
  EXPECT_TRUE(monitor.observe_iteration(json::object()).empty());
  EXPECT_TRUE(monitor.observe_step(with_norm(150.0))) << "one exploded step does not raise the median";
  for (std::size_t step = 0; step < HealthMonitor::kNorms; ++step) {
    (void)monitor.observe_step(with_norm(90.0));
  }
  EXPECT_TRUE(monitor.observe_iteration(json::object()).empty());
  EXPECT_FALSE(monitor.observe_step(with_norm(5000.0))) << "ninety is usual now";
}

TEST(HealthMonitor, GradientLimitHoldsFromTheFirstStep) {
  HealthConfig config;
  config.gradient_limit = 50.0;
  config.on_gradient = "rollback";
  HealthMonitor monitor(config);
  EXPECT_FALSE(monitor.observe_step(with_norm(50.0)));
  for (int step = 0; step < 2; ++step) {
    const auto finding = monitor.observe_step(with_norm(50.1));
    ASSERT_TRUE(finding) << "an action is taken each time";
    EXPECT_EQ(finding->action, HealthAction::kRollback);
    EXPECT_FALSE(finding->of_games);
  }
}

TEST(HealthMonitor, AGradientIsWarnedOfOnceInAnIteration) {
  HealthConfig config;
  config.gradient_limit = 1.0;
  HealthMonitor monitor(config);
  EXPECT_TRUE(monitor.observe_step(with_norm(2.0)));
  EXPECT_FALSE(monitor.observe_step(with_norm(3.0)));
  (void)monitor.observe_iteration(json::object());
  EXPECT_TRUE(monitor.observe_step(with_norm(2.0)));
}

TEST(HealthMonitor, NonFiniteNumbersFollowTheirRule) {
  HealthConfig config;
  EXPECT_EQ(HealthMonitor(config).non_finite("the loss", false).action, HealthAction::kStop);
  config.on_non_finite = "rollback";
  HealthMonitor monitor(config);
  const HealthFinding finding = monitor.non_finite("an output", true);
  EXPECT_EQ(finding.action, HealthAction::kRollback);
  EXPECT_TRUE(finding.of_games);
  monitor.record(finding, 3, 70, 1);
  const json& entry = monitor.findings().at(0);
  EXPECT_EQ(entry["kind"], "non_finite");
  EXPECT_EQ(entry["action"], "rollback");
  EXPECT_EQ(entry["iteration"], 3);
  EXPECT_EQ(entry["step"], 70);
  EXPECT_EQ(entry["target"], 1);
  EXPECT_TRUE(entry["value"].is_null()) << "JSON has no such number";
}

TEST(HealthMonitor, AnOrdinaryIterationIsLeftInPeace) {
  EXPECT_TRUE(found(json::object()).empty());
  EXPECT_TRUE(HealthMonitor(HealthConfig{}).observe_iteration(json::object()).empty());
}

TEST(HealthMonitor, PolicyCollapseIsSeenInTargetsAndInOutputs) {
  EXPECT_TRUE(found({{"search_entropy", 0.02}, {"output_entropy", 0.005}}).empty()) << "the edge";
  const auto search = found({{"search_entropy", 0.0199}});
  ASSERT_EQ(search.size(), 1u);
  EXPECT_EQ(search[0].kind, HealthKind::kEntropy);
  EXPECT_TRUE(search[0].of_games);
  EXPECT_DOUBLE_EQ(search[0].value, 0.0199);
  EXPECT_DOUBLE_EQ(search[0].limit, 0.02);
  const auto output = found({{"output_entropy", 0.0049}});
  ASSERT_EQ(output.size(), 1u);
  EXPECT_EQ(output[0].kind, HealthKind::kEntropy);
  EXPECT_FALSE(output[0].of_games);
  EXPECT_TRUE(found({{"output_entropy", std::nan("")}}).empty()) << "no sample had a choice";
}

TEST(HealthMonitor, OneSidedResultsAreJudgedByTheirInterval) {
  const auto wins = [](int white, int draws, int black) {
    return json{{"white_wins", white}, {"draws", draws}, {"black_wins", black}};
  };
  // The low end for n wins of n is n / (n + 1.96²): 0.9849 for 250, 0.9791 for 180.
  EXPECT_TRUE(found(wins(180, 50, 0)).empty());
  EXPECT_TRUE(found(wins(900, 0, 100)).empty()) << "strong first players are no fault";
  for (const json& row : {wins(250, 50, 0), wins(0, 0, 250)}) {
    const auto findings = found(row);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, HealthKind::kOneSided);
    EXPECT_DOUBLE_EQ(findings[0].value, 1.0);
    EXPECT_NE(findings[0].what.find(row["white_wins"] == 0 ? "Black" : "White"), std::string::npos);
  }
  HealthConfig strict;
  strict.one_sided_share = 0.5;
  EXPECT_TRUE(found(wins(99, 200, 0), strict).empty()) << "fewer decisive games than health.fewest_games";
  EXPECT_EQ(found(wins(100, 200, 0), strict).size(), 1u);
  strict.one_sided_share = 1.0;
  EXPECT_TRUE(found(wins(100000, 0, 0), strict).empty()) << "1 allows any";
}

TEST(HealthMonitor, AFallingShareOfDistinctGamesIsNoticed) {
  EXPECT_TRUE(found({{"duplicate_games", 0.8}}).empty()) << "the edge";
  const auto findings = found({{"duplicate_games", 0.81}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, HealthKind::kRepeated);
  EXPECT_NEAR(findings[0].value, 0.19, 1e-12);
  HealthConfig config;
  config.fewest_games = 257;
  EXPECT_TRUE(found({{"duplicate_games", 1.0}}, config).empty()) << "too few games";
  config.fewest_games = 256;
  EXPECT_EQ(found({{"duplicate_games", 1.0}}, config).size(), 1u);
}

TEST(HealthMonitor, AStallNamesWhatItWaitsFor) {
  HealthConfig config;
  config.stall_seconds = 5.0;
  HealthMonitor monitor(config);
  SelfplayProgress progress{.games = 3, .wanted_games = 8, .moves = 40, .evaluations = 900, .workers = 2};
  EXPECT_FALSE(monitor.observe_progress(progress, 0.5));
  for (int poll = 0; poll < 9; ++poll) EXPECT_FALSE(monitor.observe_progress(progress, 0.5)) << poll;
  ++progress.moves;
  EXPECT_FALSE(monitor.observe_progress(progress, 0.5)) << "a move is a sign of life";
  for (int poll = 0; poll < 9; ++poll) EXPECT_FALSE(monitor.observe_progress(progress, 0.5)) << poll;
  const auto finding = monitor.observe_progress(progress, 0.5);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, HealthKind::kStall);
  EXPECT_EQ(finding->action, HealthAction::kStop);
  EXPECT_NE(finding->what.find("waits for 5 of 8 games"), std::string::npos) << finding->what;
  EXPECT_NE(finding->what.find("2 workers"), std::string::npos) << finding->what;
  EXPECT_FALSE(monitor.observe_progress(progress, 0.5)) << "the next warning comes as much later";
}

TEST(HealthMonitor, ASuspendedProgramIsNoStall) {
  HealthConfig config;
  config.stall_seconds = 5.0;
  HealthMonitor monitor(config);
  EXPECT_FALSE(monitor.observe_progress({}, 0.02));
  EXPECT_FALSE(monitor.observe_progress({}, 86400.0)) << "the program slept for a day";
}

TEST(HealthMonitor, StateGoesThroughJson) {
  HealthConfig config;
  HealthMonitor monitor = with_steps(HealthMonitor::kFewestNorms - 1, 0.1 + 0.2, config);
  (void)monitor.observe_step(with_norm(1e6 + 1));
  monitor.record(monitor.non_finite("the loss", false), 2, 30);
  HealthMonitor failed(config);
  monitor.go_on_after(monitor);
  const json state = json::parse(monitor.to_json().dump());
  HealthMonitor again = HealthMonitor::from_json(config, state, "run.ckpt");
  EXPECT_EQ(again.to_json(), monitor.to_json());
  EXPECT_EQ(again.rollbacks(), 1);
  EXPECT_DOUBLE_EQ(again.learning_rate_factor(), 0.5);
  EXPECT_FALSE(again.observe_step(with_norm(1e6 + 1))) << "this iteration has its warning";
  EXPECT_DOUBLE_EQ(HealthMonitor::from_json(config, json(), "run.ckpt").learning_rate_factor(), 1.0);
}

TEST(HealthMonitor, ABrokenStateIsRefused) {
  const json sound = HealthMonitor(HealthConfig{}).to_json();
  const json changes[] = {{{"gradient_norms", {1.0, -1.0}}},
                          {{"gradient_norms", std::vector<double>(HealthMonitor::kNorms + 1, 1.0)}},
                          {{"gradient_norms", "many"}},
                          {{"gradient_noted", 3}},
                          {{"rollbacks", -1}},
                          {{"learning_rate_factor", 0.0}},
                          {{"learning_rate_factor", 1.5}},
                          {{"learning_rate_factor", json()}},
                          {{"findings", {1, 2}}},
                          {{"findings", "none"}}};
  for (const json& change : changes) {
    json state = sound;
    state.update(change);
    expect_error(Fault::kRequest, {"run.ckpt", "health"},
                 [&] { (void)HealthMonitor::from_json({}, state, "run.ckpt"); });
  }
  for (const json& state : {json::object(), json::array(), json(3)}) {
    expect_error(Fault::kRequest, {"run.ckpt"},
                 [&] { (void)HealthMonitor::from_json({}, state, "run.ckpt"); });
  }
}

TEST(HealthMonitor, RollbacksAreCountedAndLowerTheLearningRate) {
  HealthConfig config;
  config.rollback_factor = 0.1;
  config.max_rollbacks = 2;
  HealthMonitor monitor(config);
  monitor.record(monitor.non_finite("the loss", false), 4, 9, 3);
  for (int rollback = 1; rollback <= 2; ++rollback) {
    EXPECT_TRUE(monitor.may_roll_back());
    HealthMonitor restored(config);  // of a checkpoint that knows of no rollback
    restored.go_on_after(monitor);
    monitor = restored;
    EXPECT_EQ(monitor.rollbacks(), rollback);
    EXPECT_NEAR(monitor.learning_rate_factor(), std::pow(0.1, rollback), 1e-12);
    EXPECT_EQ(monitor.findings().size(), 1u) << "what was found goes into the next row";
  }
  EXPECT_FALSE(monitor.may_roll_back());
}

TEST(HealthConfig, ARollbackNeedsACheckpointBeforeTheNewest) {
  RunConfig config = tiny_config();
  config.run.keep_checkpoints = 1;
  validate(config);
  for (std::string* rule :
       {&config.health.on_non_finite, &config.health.on_gradient, &config.health.on_entropy,
        &config.health.on_one_sided, &config.health.on_repeated}) {
    *rule = "rollback";
    expect_error(Fault::kRequest, {"run.keep_checkpoints", "2"}, [&] { validate(config); });
    *rule = "stop";
  }
}

// Small real runs, into each of which a fault is planted.

RunConfig small_run(std::int64_t iterations) {
  RunConfig config = tiny_config();
  config.run.iterations = iterations;
  config.run.tensorboard = false;
  config.run.workers = 1;
  config.learner.schedule = "constant";
  config.learner.warmup_steps = 0;
  config.health.fewest_games = 8;
  return config;
}

// Every game of it is the same, and White wins it: a run scores its length, so that every stone counts twice
// and White has five of the nine.
RunConfig repeating_run(std::int64_t iterations) {
  RunConfig config = small_run(iterations);
  config.game = {.size = 3, .holes = 0, .unequal_stones = true};
  config.game.run_points = parse_run_points("1,2,3,4,5,6,7,8");
  config.search.exact_leaf = config.search.exact_root = 0;
  config.search.noise_fraction = 0;
  config.search.temperature = config.search.temperature_final = 0;
  config.selfplay.stagger = false;
  config.selfplay.random_opening_mean = 0;
  return config;
}

std::vector<std::string> overrides(std::initializer_list<std::string> changes) {
  return changes;
}

// The findings of all rows, as "kind action target".
std::vector<std::string> findings_of(const fs::path& run) {
  std::vector<std::string> all;
  for (const json& row : read_metrics(run / "metrics.jsonl")) {
    for (const json& finding : row.value("health", json::array())) {
      all.push_back(finding["kind"].get<std::string>() + " " + finding["action"].get<std::string>() +
                    (finding.contains("target") ? " " + std::to_string(finding["target"].get<int>()) : ""));
    }
  }
  return all;
}

json health_of(const Checkpoint& checkpoint) {
  return checkpoint.manifest.counters.at("health");
}

void break_weights(const fs::path& path) {
  Checkpoint checkpoint = load_checkpoint(path);
  const float broken = std::numeric_limits<float>::quiet_NaN();
  for (StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name.starts_with("weights/") || tensor.name.starts_with("averaged/")) {
      tensor.data.replace(0, sizeof broken,
                          std::string(reinterpret_cast<const char*>(&broken), sizeof broken));
    }
  }
  save_checkpoint(path, checkpoint);
}

using Names = std::vector<std::string>;

TEST(HealthOfARun, DefaultsFindNothingAndTheRowsHoldWhatTheyJudge) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(small_run(2), run, kNeverStop);
  for (const json& row : read_metrics(run / "metrics.jsonl")) {
    EXPECT_FALSE(row.contains("health")) << row.dump();
    EXPECT_GT(row.at("output_entropy").get<double>(), 0.1);
    EXPECT_LE(row.at("output_entropy").get<double>(), 1.0);
    EXPECT_GT(row.at("search_entropy").get<double>(), 0.1);
  }
}

TEST(HealthOfARun, AWarningStandsInTheMetricsAndTheRunGoesOn) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = small_run(2);
  config.health.gradient_limit = 1e-6;
  EXPECT_EQ(start_training(config, run, kNeverStop).iterations, 2);
  EXPECT_EQ(findings_of(run), (Names{"gradient warn", "gradient warn"}));
  EXPECT_FALSE(fs::exists(run / "failed-batch.ckpt"));
}

TEST(HealthOfARun, RollbacksLowerTheLearningRateUntilTheyAreUsedUp) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = small_run(2);
  config.health.gradient_limit = 1e-6;
  config.health.on_gradient = "rollback";
  config.health.max_rollbacks = 2;
  expect_error(Fault::kFailure,
               {"health.on_gradient", "health.gradient_limit", "max_rollbacks", "failed-batch.ckpt",
                "000000.ckpt", "--resume"},
               [&] { (void)start_training(config, run, kNeverStop); });
  EXPECT_EQ(findings_of(run), (Names{"gradient rollback 0", "gradient rollback 0", "gradient stop"}));
  const json row = read_metrics(run / "metrics.jsonl").back();
  EXPECT_EQ(row["iteration"], 1);
  EXPECT_DOUBLE_EQ(row["learning_rate"].get<double>(), config.learner.learning_rate / 4);
  const Checkpoint saved = load_checkpoint(run / "checkpoints/000000.ckpt");
  EXPECT_EQ(health_of(saved)["rollbacks"], 2);
  EXPECT_DOUBLE_EQ(health_of(saved)["learning_rate_factor"].get<double>(), 0.25);
  EXPECT_EQ(saved.manifest.step, 0);
  const Checkpoint dump = load_checkpoint(run / "failed-batch.ckpt");
  EXPECT_NE(std::ranges::find(dump.tensors, "batch/planes", &StoredTensor::name), dump.tensors.end());

  const auto allowed = overrides({"health.on_gradient=warn"});
  EXPECT_EQ(resume_training(run, allowed, kNeverStop).iterations, 2);
  const auto rows = read_metrics(run / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[1]["learning_rate"].get<double>(), config.learner.learning_rate / 4)
      << "the lower rate stays";
}

// Two runs of three iterations came to the same network and counters.
void expect_same_end(const fs::path& run, const fs::path& twin) {
  const Checkpoint one = load_checkpoint(run / "checkpoints/000003.ckpt");
  const Checkpoint other = load_checkpoint(twin / "checkpoints/000003.ckpt");
  EXPECT_EQ(timeless(one.manifest.counters), timeless(other.manifest.counters));
  ASSERT_EQ(one.tensors.size(), other.tensors.size());
  for (std::size_t k = 0; k < one.tensors.size(); ++k) {
    if (one.tensors[k].name.starts_with("optimizer/")) continue;  // its order is that of addresses
    EXPECT_EQ(one.tensors[k].data, other.tensors[k].data) << one.tensors[k].name;
  }
}

TEST(HealthOfARun, ANonFiniteOutputGoesBackBeyondItsNetwork) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  const fs::path twin = folder.path() / "twin";
  RunConfig config = small_run(2);
  (void)start_training(config, run, kNeverStop);
  break_weights(run / "checkpoints/000002.ckpt");
  fs::copy(run, twin, fs::copy_options::recursive);
  const auto changes = overrides({"run.iterations=3", "health.on_non_finite=rollback"});
  EXPECT_EQ(resume_training(run, changes, kNeverStop).iterations, 3);
  const auto rows = read_metrics(run / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1]["health"].size(), 1u) << "of the row that follows";
  EXPECT_EQ(findings_of(run), (Names{"non_finite rollback 1"}));
  EXPECT_DOUBLE_EQ(rows[0]["learning_rate"].get<double>(), config.learner.learning_rate);
  EXPECT_DOUBLE_EQ(rows[1]["learning_rate"].get<double>(), config.learner.learning_rate / 2);

  (void)resume_training(twin, changes, kNeverStop);
  expect_same_end(run, twin);
}

// What a kill leaves at each place of a rollback: before the broken checkpoint is dropped, after that, and
// when the good one holds the rollback.
TEST(HealthOfARun, ARollbackThatIsKilledGoesOnFromWhereItWas) {
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole";
  const fs::path before = folder.path() / "before";
  const fs::path dropped = folder.path() / "dropped";
  const fs::path saved = folder.path() / "saved";
  (void)start_training(small_run(2), whole, kNeverStop);
  for (const fs::path& killed : {before, dropped, saved}) {
    fs::copy(whole, killed, fs::copy_options::recursive);
    fs::remove(killed / "state.ckpt");
    if (killed != before) fs::remove(killed / "checkpoints/000002.ckpt");
  }
  break_weights(whole / "checkpoints/000002.ckpt");
  break_weights(before / "checkpoints/000002.ckpt");
  Checkpoint good = load_checkpoint(saved / "checkpoints/000001.ckpt");
  good.manifest.counters["health"]["rollbacks"] = 1;
  good.manifest.counters["health"]["learning_rate_factor"] = 0.5;
  save_checkpoint(saved / "checkpoints/000001.ckpt", good);

  const auto changes = overrides({"run.iterations=3", "health.on_non_finite=rollback"});
  for (const fs::path& run : {whole, before, dropped, saved}) {
    SCOPED_TRACE(run.string());
    EXPECT_EQ(resume_training(run, changes, kNeverStop).iterations, 3);
    EXPECT_EQ(read_metrics(run / "metrics.jsonl").size(), 3u);
  }
  expect_same_end(whole, before);
  expect_same_end(whole, saved);
  // The rollback itself was lost, and with it what it found: what failed is played and learned again.
  const json health = health_of(load_checkpoint(dropped / "checkpoints/000003.ckpt"));
  EXPECT_EQ(health["rollbacks"], 0);
  EXPECT_EQ(findings_of(dropped), Names{});
}

TEST(HealthOfARun, ANonFiniteOutputStopsWhereNothingIsLeftToGoBackTo) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(small_run(1), run, kNeverStop);
  break_weights(run / "checkpoints/000001.ckpt");
  const auto stop = overrides({"run.iterations=2"});
  expect_error(Fault::kFailure, {"health.on_non_finite", "network of iteration 1", "not finite"},
               [&] { (void)resume_training(run, stop, kNeverStop); });
  EXPECT_EQ(findings_of(run), (Names{"non_finite stop"}));
  break_weights(run / "checkpoints/000000.ckpt");
  const auto rollback = overrides({"run.iterations=2", "health.on_non_finite=rollback"});
  expect_error(Fault::kFailure, {"no good checkpoint before iteration 1"},
               [&] { (void)resume_training(run, rollback, kNeverStop); });
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000001.ckpt").manifest.iteration, 1) << "nothing is lost";
}

TEST(HealthOfARun, ANonFiniteLossGoesBackUntilTheLearningRateIsLowEnough) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = small_run(1);
  config.learner.optimizer = "sgd";
  config.learner.learning_rate = 10.0;
  config.learner.gradient_clip = 1e6;
  config.learner.value_weight = config.learner.policy_weight = 100.0;
  config.learner.weight_decay = 1.0;
  config.replay.reuse = 8.0;
  config.health.on_non_finite = "rollback";
  config.health.rollback_factor = 1e-3;
  EXPECT_EQ(start_training(config, run, kNeverStop).iterations, 1);
  const Names findings = findings_of(run);
  EXPECT_EQ(std::ranges::count(findings, "non_finite rollback 0"), 1);
  EXPECT_TRUE(fs::exists(run / "failed-batch.ckpt"));
  EXPECT_DOUBLE_EQ(read_metrics(run / "metrics.jsonl").back()["learning_rate"].get<double>(), 0.01);
}

TEST(HealthOfARun, AStallStopsTheRunAndSavesTheGamesInProgress) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = small_run(1);
  config.game = {.size = 6, .holes = 4};
  config.search.simulations = 1;
  config.search.exact_root = 24;  // solving that many squares takes much longer than the limit
  config.selfplay = {.slots = 1, .games_per_iteration = 1, .stagger = false, .random_opening_mean = 0};
  config.replay.minimum_games = 1;
  config.health.stall_seconds = 0.02;
  expect_error(Fault::kFailure, {"health.on_stall", "waits for 1 of 1 games", "1 workers", "000000.ckpt"},
               [&] { (void)start_training(config, run, kNeverStop); });
  EXPECT_EQ(findings_of(run), (Names{"stall stop"}));
  EXPECT_EQ(health_of(load_checkpoint(run / "state.ckpt"))["findings"].size(), 1u);
  const auto patient = overrides({"health.stall_seconds=900"});
  EXPECT_EQ(resume_training(run, patient, kNeverStop).iterations, 1);
  EXPECT_EQ(findings_of(run), (Names{"stall stop"})) << "the row of the iteration that went on keeps it";
}

// Many roots to solve one after the other, which nothing interrupts: the program gives up waiting and ends.
TEST(HealthOfARun, AStallWhoseWorkersDoNotEndEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* kFolder = "PAHTUM_TEST_STALLED_RUN";  // the parent's, in the process that ends
  std::optional<TemporaryFolder> folder;
  if (std::getenv(kFolder) == nullptr) ::setenv(kFolder, folder.emplace().path().c_str(), 1);
  const fs::path run = fs::path(std::getenv(kFolder)) / "run";
  RunConfig config = small_run(1);
  config.game = {.size = 6, .holes = 12};
  config.search.exact_root = 24;
  config.selfplay = {.slots = 256, .games_per_iteration = 1, .stagger = false, .random_opening_mean = 0};
  config.replay.minimum_games = 1;
  config.run.workers = 1;
  config.health.stall_seconds = 0.02;
  EXPECT_EXIT((void)start_training(config, run, kNeverStop), testing::ExitedWithCode(EXIT_FAILURE), "");
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000000.ckpt").manifest.iteration, 0);
  const auto without_solving =
      overrides({"search.exact_root=4", "search.exact_leaf=4", "health.on_stall=warn"});
  EXPECT_EQ(resume_training(run, without_solving, kNeverStop).iterations, 1);
  ::unsetenv(kFolder);
}

TEST(HealthOfARun, AStopAfterAnIterationLeavesItFinished) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = repeating_run(3);
  config.health.on_repeated = "stop";
  expect_error(Fault::kFailure, {"health.on_repeated", "health.distinct_share", "000001.ckpt"},
               [&] { (void)start_training(config, run, kNeverStop); });
  EXPECT_EQ(findings_of(run), (Names{"repeated stop"}));
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000001.ckpt").manifest.iteration, 1);
  const auto allowed = overrides({"health.on_repeated=warn"});
  EXPECT_EQ(resume_training(run, allowed, kNeverStop).iterations, 3);
  EXPECT_EQ(read_metrics(run / "metrics.jsonl").size(), 3u);
}

TEST(HealthOfARun, OneSidedResultsAndCollapsedPoliciesAreNoticed) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = repeating_run(1);
  config.health.one_sided_share = 0.6;  // eight of eight games have 67.6 % at the low end
  config.learner.learning_rate = 0.02;
  config.health.search_entropy = 5.0;
  config.health.output_entropy = 1.0;
  (void)start_training(config, run, kNeverStop);
  EXPECT_EQ(findings_of(run), (Names{"entropy warn", "entropy warn", "one_sided warn", "repeated warn"}));
}

TEST(HealthOfARun, WhatGamesShowGoesBackBeyondTheNetworkThatPlayedThem) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(repeating_run(2), run, kNeverStop);
  const auto changes = overrides({"run.iterations=3", "health.on_repeated=rollback"});
  expect_error(Fault::kFailure, {"health.on_repeated", "no good checkpoint before iteration 0"},
               [&] { (void)resume_training(run, changes, kNeverStop); });
  const Names findings = findings_of(run);
  const Names expected{"repeated rollback 1", "repeated rollback 0", "repeated stop"};
  ASSERT_GE(findings.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.rbegin(), expected.rend(), findings.rbegin()));
}

}  // namespace
}  // namespace pahtum
