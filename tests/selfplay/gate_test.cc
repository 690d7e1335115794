#include "selfplay/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/checkpoint.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "tests/env/expect_error.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
MatchResult with_verdict(SprtVerdict verdict) {
  MatchResult match;
  match.sprt = SprtResult{};
  match.sprt->verdict = verdict;
  return match;
}

RunConfig gated(const std::string& mode, const std::string& at_limit = "accept") {
  RunConfig config = tiny_config();
  config.learner.schedule = "constant";
  config.gate.mode = mode;
  config.gate.pairs = 4;
  config.gate.at_limit = at_limit;
  return config;
}

// A test that four pairs cannot decide, so that the configured decision counts.
RunConfig undecidable(const std::string& at_limit) {
  RunConfig config = gated("sprt", at_limit);
  config.gate.elo1 = 1;
  return config;
}

TEST(Gate, PassesWhomTheTestAcceptsAndEverybodyWithoutOne) {
  const GateConfig sprt{.mode = "sprt"};
  EXPECT_TRUE(passes(sprt, with_verdict(SprtVerdict::kAccept)));
  EXPECT_FALSE(passes(sprt, with_verdict(SprtVerdict::kReject)));
  EXPECT_FALSE(passes(sprt, MatchResult{}));
  EXPECT_TRUE(passes({.mode = "always"}, MatchResult{}));
  EXPECT_FALSE(has_matches({}));
}

TEST(Gate, TheTestHasTheConfiguredDecisionAtItsLimit) {
  EXPECT_FALSE(gate_test({.mode = "always"}).has_value());
  EXPECT_EQ(gate_test({.mode = "sprt"})->at_limit, SprtVerdict::kAccept);
  const auto test = gate_test({.mode = "sprt", .elo0 = -5, .elo1 = 5, .error = 0.1, .at_limit = "reject"});
  EXPECT_EQ(test->at_limit, SprtVerdict::kReject);
  EXPECT_EQ(test->elo0, -5);
  EXPECT_EQ(test->elo1, 5);
  EXPECT_EQ(test->alpha, 0.1);
  EXPECT_EQ(test->beta, 0.1);
}

TEST(Gate, MatchesShareNoLayoutsWithEachOther) {
  const GateConfig gate{.mode = "sprt", .pairs = 7};
  for (std::int64_t iteration = 0; iteration < 5; ++iteration) {
    EXPECT_EQ(gate_layout(gate, iteration + 1) - gate_layout(gate, iteration), 7u);
    EXPECT_GE(gate_layout(gate, iteration), std::uint64_t{1} << 32);
  }
}

TEST(Gate, RefusesATestBetweenEqualStrengths) {
  test::expect_error(Fault::kRequest, {"gate.elo1", "greater than gate.elo0"},
                     [] { validate(GateConfig{.mode = "sprt", .elo0 = 5, .elo1 = 5}); });
  EXPECT_NO_THROW(validate(GateConfig{.mode = "none", .elo0 = 5, .elo1 = 5}));
}

// What the rows of a run say of its gate.
struct GateHistory {
  std::vector<std::int64_t> against;
  std::vector<bool> accepted;
};
GateHistory history(const fs::path& run) {
  GateHistory result;
  for (const auto& row : read_metrics(run / "metrics.jsonl")) {
    if (!row.contains("gate")) continue;
    EXPECT_EQ(row["gate"]["candidate"], row["iteration"]);
    result.against.push_back(row["gate"]["against"].get<std::int64_t>());
    result.accepted.push_back(row["gate"]["accepted"].get<bool>());
  }
  return result;
}

TEST(Gate, WithoutOneNoMatchIsPlayed) {
  const TemporaryFolder folder;
  (void)start_training(gated("none"), folder.path() / "run", kNeverStop);
  EXPECT_TRUE(history(folder.path() / "run").against.empty());
}

TEST(Gate, AlwaysPlaysTheMatchAndTakesEveryNetwork) {
  const TemporaryFolder folder;
  (void)start_training(gated("always"), folder.path() / "run", kNeverStop);
  const GateHistory gates = history(folder.path() / "run");
  EXPECT_EQ(gates.against, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(gates.accepted, (std::vector<bool>{true, true, true, true}));
  // The games are those of a run without a gate.
  (void)start_training(gated("none"), folder.path() / "free", kNeverStop);
  EXPECT_EQ(read_file(folder.path() / "run/games/000004.games"),
            read_file(folder.path() / "free/games/000004.games"));
}

TEST(Gate, AtTheLimitTheConfiguredDecisionCountsAndARejectedNetworkDoesNotPlay) {
  const TemporaryFolder folder;
  RunConfig config = undecidable("reject");
  config.run.keep_checkpoints = 1;
  const fs::path run = folder.path() / "run";
  (void)start_training(config, run, kNeverStop);
  const GateHistory gates = history(run);
  EXPECT_EQ(gates.against, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(gates.accepted, (std::vector<bool>{false, false, false, false}));
  EXPECT_TRUE(fs::exists(run / "checkpoints/000000.ckpt")) << "the network that plays is kept";
  EXPECT_FALSE(fs::exists(run / "checkpoints/000003.ckpt"));
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000004.ckpt").manifest.counters["playing"], 0);

  (void)start_training(undecidable("accept"), folder.path() / "accepting", kNeverStop);
  EXPECT_EQ(history(folder.path() / "accepting").against, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_NE(read_file(run / "games/000004.games"), read_file(folder.path() / "accepting/games/000004.games"));
}

TEST(Gate, AResumedRunPlaysWithTheSameNetwork) {
  const TemporaryFolder folder;
  (void)start_training(undecidable("reject"), folder.path() / "whole", kNeverStop);
  RunConfig half = undecidable("reject");
  half.run.iterations = 2;
  (void)start_training(half, folder.path() / "parts", kNeverStop);
  const std::string longer[] = {"run.iterations=4"};
  (void)resume_training(folder.path() / "parts", longer, kNeverStop);
  EXPECT_EQ(read_file(folder.path() / "whole/games/000004.games"),
            read_file(folder.path() / "parts/games/000004.games"));
  EXPECT_EQ(history(folder.path() / "parts").against, (std::vector<std::int64_t>{0, 0, 0, 0}));
}

TEST(Gate, AMatchCutOffIsPlayedWhenTheRunGoesOn) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = undecidable("accept");
  config.run.iterations = 3;
  (void)start_training(config, run, kNeverStop);
  const std::string games = read_file(run / "games/000003.games");
  // As after a kill during the match that follows iteration 2.
  fs::remove(run / "checkpoints/000003.ckpt");
  Checkpoint checkpoint = load_checkpoint(run / "checkpoints/000002.ckpt");
  checkpoint.manifest.counters["playing"] = 1;
  checkpoint.manifest.counters["gate_pending"] = true;
  save_checkpoint(run / "checkpoints/000002.ckpt", checkpoint);
  (void)resume_training(run, {}, kNeverStop);
  EXPECT_EQ(read_file(run / "games/000003.games"), games);
  EXPECT_EQ(load_checkpoint(run / "checkpoints/000003.ckpt").manifest.counters["playing"], 3);
}

TEST(Gate, ALostNetworkIsReplacedByTheNewest) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = undecidable("reject");
  config.run.iterations = 2;
  (void)start_training(config, run, kNeverStop);
  fs::remove(run / "checkpoints/000000.ckpt");
  const std::string longer[] = {"run.iterations=3"};
  (void)resume_training(run, longer, kNeverStop);
  EXPECT_EQ(history(run).against.back(), 2);
}

}  // namespace
}  // namespace pahtum
