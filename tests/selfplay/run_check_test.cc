#include "selfplay/run_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/observation.h"
#include "eval/report_data.h"
#include "eval/results_json.h"
#include "model/checkpoint.h"
#include "model/trainer.h"
#include "selfplay/config_file.h"
#include "selfplay/event_file.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kIterations = 3;
constexpr int kGamesEach = 8;

StoredTensor games_tensor(const char* name, const std::vector<GameRecord>& games) {
  std::string bytes = serialize(games);
  const auto length = static_cast<std::int64_t>(bytes.size());
  return {name, "U8", {length}, std::move(bytes)};
}

// A run of three iterations whose files were made one by one.
class RunCheckTest : public testing::Test {
 protected:
  RunCheckTest() : config_(tiny_config()), directory_(folder_.path() / "run") {
    directory_.create(config_);
    const Trainer trainer(config_.game, config_.network, config_.learner, 1, Precision::kFp32);
    for (int iteration = 0; iteration <= kIterations; ++iteration) {
      Checkpoint checkpoint = trainer.snapshot();
      Manifest& manifest = checkpoint.manifest;
      manifest.game = config_.game;
      manifest.network = config_.network;
      manifest.observation_version = kObservationVersion;
      manifest.iteration = iteration;
      manifest.counters = {{"games", kGamesEach * iteration},
                           {"played", false},
                           {"steps_done", 0},
                           {"playing", iteration},
                           {"gate_pending", false}};
      std::vector<GameRecord> slots(static_cast<std::size_t>(config_.selfplay.slots));
      for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        slots[slot].environment = static_cast<std::uint32_t>(slot);
        slots[slot].start = start_position(config_.game, 1, Stream::kLayout, slot);
      }
      checkpoint.tensors.push_back(games_tensor("selfplay/in_progress", slots));
      checkpoint.tensors.push_back(games_tensor("selfplay/finished", {}));
      save_checkpoint(directory_.checkpoint_path(iteration), checkpoint);
      if (iteration > 0) add_games_and_row(iteration);
    }
    EventFile events(run(), 1);
    events.add(kGamesEach, {{"loss/total", 1.5f}});
    events_ = events.path().filename().string();
    write_file_atomically(run() / "report.json", to_json_text(ReportData{}));
    write_file_atomically(run() / "report.html", "<html>\n</html>\n");
    write_file_atomically(run() / "evaluation.json", evaluate_json("run", {}, {}).dump());
    write_file_atomically(run() / "games.txt",
                          "pahtum-game 1\tpoints=3-0\tstart=3/xxx/2x w\tmoves=a3 a1 b3 b1 c3\n");
  }

  void add_games_and_row(int iteration) const {
    std::vector<GameRecord> games;
    json row = {{"iteration", iteration}, {"step", 0},  {"games", kGamesEach * iteration},
                {"white_wins", 0},        {"draws", 0}, {"black_wins", 0}};
    for (int number = 0; number < kGamesEach; ++number) {
      games.push_back(
          random_game(static_cast<std::uint64_t>(kGamesEach * iteration + number), config_.game, 1));
      const int margin = games.back().position().white_margin();
      json& count = row[margin > 0 ? "white_wins" : margin < 0 ? "black_wins" : "draws"];
      count = count.get<int>() + 1;
    }
    save_games(directory_.games_path(iteration), games);
    directory_.append_metrics(row);
  }

  [[nodiscard]] fs::path run() const { return directory_.root(); }

  // Changes the bytes of a file, looks, and puts them back.
  template <class Change>
  [[nodiscard]] RunCheck changed(const std::string& name, Change&& change) const {
    const std::string whole = read_file(run() / name);
    std::string bytes = whole;
    change(bytes);
    write_file_atomically(run() / name, bytes);
    RunCheck check = check_run(run());
    write_file_atomically(run() / name, whole);
    return check;
  }
  template <class Change>
  void expect_refused(const std::string& name, const std::string& part, Change&& change) const {
    expect_one(changed(name, change).findings, name, part);
  }
  // One finding, about `name`, with `part` in its line.
  static void expect_one(const std::vector<RunFinding>& findings, const std::string& name,
                         const std::string& part) {
    std::string all;
    for (const RunFinding& finding : findings) all += to_text(finding) + "\n";
    ASSERT_EQ(findings.size(), 1u) << name << " (" << part << ")\n" << all;
    EXPECT_EQ(findings[0].file, name) << all;
    EXPECT_NE(all.find(part), std::string::npos) << all << "lacks \"" << part << "\"";
    EXPECT_FALSE(findings[0].meaning.empty() || findings[0].advice.empty());
    EXPECT_EQ(std::ranges::count(all, '\n'), 1);
  }

  TemporaryFolder folder_;
  RunConfig config_;
  RunDirectory directory_;
  std::string events_;
};

TEST_F(RunCheckTest, AWholeRunHasNoFindingsAndIsLeftAsItIs) {
  const RunCheck check = check_run(run());
  EXPECT_TRUE(check.whole()) << to_text(check.findings[0]);
  EXPECT_TRUE(check.notes.empty()) << to_text(check.notes[0]);
  EXPECT_EQ(check.checkpoints, 4);
  EXPECT_EQ(check.shards, 3);
  EXPECT_EQ(check.games, 24);
  EXPECT_EQ(check.metrics_rows, 3);
  EXPECT_EQ(check.event_files, 1);
  const auto document = to_json(check, run());
  EXPECT_EQ(document["whole"], true);
  EXPECT_EQ(document["checked"]["games"], 24);
  EXPECT_TRUE(document["findings"].empty());
  EXPECT_THROW((void)check_run(run() / "missing"), Error);
  EXPECT_THROW((void)check_run(run() / "games"), Error) << "a folder without a run";
}

TEST_F(RunCheckTest, EveryFileCutShortOrWithAByteChangedIsFound) {
  for (const std::string& name :
       {std::string("checkpoints/000001.ckpt"), std::string("games/000001.games"),
        std::string("checkpoints/000003.ckpt"), std::string("games/000003.games")}) {
    expect_refused(name, "is cut short", [](std::string& bytes) { bytes.resize(bytes.size() - 5); });
    expect_refused(name, "too short", [](std::string& bytes) { bytes.clear(); });
    expect_refused(name, "checksum", [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; });
    expect_refused(name, "does not start with", [](std::string& bytes) { bytes[0] = 'X'; });
    expect_refused(name, "version", [](std::string& bytes) { bytes[8] = 77; });
  }
  expect_refused(events_, "the checksum of the record at byte", [](std::string& bytes) { bytes[15] ^= 1; });
  expect_refused("config.yaml", "game", [](std::string& bytes) { bytes.resize(20); });
  expect_refused("config.yaml", "unknown section", [](std::string& bytes) { bytes[0] = 'q'; });
  expect_refused("version.txt", "does not hold a version", [](std::string& bytes) { bytes = "\x01\n"; });
  expect_refused("report.json", "no JSON document", [](std::string& bytes) { bytes.resize(30); });
  expect_refused("report.html", "cut short", [](std::string& bytes) { bytes.resize(8); });
  expect_refused("evaluation.json", "matches", [](std::string& bytes) { bytes = "{}"; });
  expect_refused("games.txt", "1:", [](std::string& bytes) { bytes[20] = '#'; });
  for (const std::string name : {"config.yaml", "version.txt"}) {
    const std::string bytes = read_file(run() / name);
    fs::remove(run() / name);
    expect_one(check_run(run()).findings, name, "is missing");
    write_file_atomically(run() / name, bytes);
  }
}

TEST_F(RunCheckTest, WhatFitsAnotherRunIsFound) {
  const auto refused = [&](const std::string& part, const std::function<void(Checkpoint&)>& change) {
    const fs::path path = directory_.checkpoint_path(2);
    const std::string whole = read_file(path);
    Checkpoint checkpoint = load_checkpoint(path);
    change(checkpoint);
    save_checkpoint(path, checkpoint);
    expect_one(check_run(run()).findings, "checkpoints/000002.ckpt", part);
    write_file_atomically(path, whole);
  };
  refused("of iteration 7", [](Checkpoint& one) { one.manifest.iteration = 7; });
  refused("other rules", [](Checkpoint& one) { one.manifest.game.holes = 4; });
  refused("its network has 3 blocks", [](Checkpoint& one) { one.manifest.network.blocks = 3; });
  refused("observations of version 9", [](Checkpoint& one) { one.manifest.observation_version = 9; });
  refused("counters", [](Checkpoint& one) { one.manifest.counters.erase("played"); });
  refused("is missing", [](Checkpoint& one) { one.tensors.erase(one.tensors.begin()); });
  refused("not finite", [](Checkpoint& one) { one.tensors[0].data.replace(0, 4, "\xFF\xFF\xFF\x7F"); });
  refused("selfplay/finished", [](Checkpoint& one) { one.tensors.pop_back(); });
  refused("ends too early", [](Checkpoint& one) {
    StoredTensor& games = one.tensors[one.tensors.size() - 2];
    games.data.resize(games.data.size() - 1);
    --games.shape[0];
  });
  refused("slot", [](Checkpoint& one) {
    one.tensors[one.tensors.size() - 2] = games_tensor("selfplay/in_progress", {});
  });

  const fs::path shard = directory_.games_path(2);
  const std::string whole = read_file(shard);
  GameConfig others = config_.game;
  others.holes = 4;
  save_games(shard, {random_game(1, others, 1)});
  expect_one(check_run(run()).findings, "games/000002.games", "other rules");
  GameRecord unfinished;
  unfinished.start = start_position(config_.game, 1, Stream::kTest, 1);
  save_games(shard, {unfinished});
  expect_one(check_run(run()).findings, "games/000002.games", "is not over");
  save_games(shard, {random_game(1, config_.game, 1)});
  expect_one(check_run(run()).findings, "games/000002.games", "holds other games than metrics.jsonl counted");
  write_file_atomically(shard, read_file(directory_.checkpoint_path(1)));
  expect_one(check_run(run()).findings, "games/000002.games", "is not a PahTum game shard");
  write_file_atomically(shard, whole);
  EXPECT_TRUE(check_run(run()).whole());
}

TEST_F(RunCheckTest, ItSaysWhatTheRunDoesWithoutACheckpoint) {
  const auto broken = [&](int iteration, const std::function<void()>& look) {
    const fs::path path = directory_.checkpoint_path(iteration);
    const std::string whole = read_file(path);
    write_file_atomically(path, whole.substr(0, 100));
    look();
    write_file_atomically(path, whole);
  };
  broken(1, [&] {
    expect_one(check_run(run()).findings, "checkpoints/000001.ckpt", "newer checkpoints are whole");
  });
  broken(3, [&] {
    expect_one(check_run(run()).findings, "checkpoints/000003.ckpt", "goes on from iteration 2");
  });
  // Whole, newest and unfit: a resume takes it and stops.
  Checkpoint foreign = load_checkpoint(directory_.checkpoint_path(3));
  foreign.manifest.game.holes = 4;
  save_checkpoint(directory_.checkpoint_path(3), foreign);
  expect_one(check_run(run()).findings, "checkpoints/000003.ckpt",
             "Delete it; the run then goes on from iteration 2");
  fs::remove(directory_.checkpoint_path(3));
  expect_one(check_run(run()).findings, "checkpoints/000003.ckpt",
             "is missing, though metrics.jsonl has its iteration");
  fs::remove(directory_.checkpoint_path(1));
  EXPECT_EQ(check_run(run()).findings.size(), 2u) << "one missing between others";
  fs::copy(directory_.checkpoint_path(2), run() / "checkpoints/2.ckpt");
  EXPECT_EQ(check_run(run()).findings.size(), 3u) << "one that only looks like it";
  for (const char* name : {"000000", "000002", "2"})
    fs::remove(run() / "checkpoints" / (std::string(name) + ".ckpt"));
  expect_one(check_run(run()).findings, "checkpoints", "holds no checkpoint");
  fs::remove(run() / "checkpoints");
  EXPECT_EQ(check_run(run()).findings.size(), 2u);
}

TEST_F(RunCheckTest, ItSaysWhatTheRunDoesWithoutAShard) {
  const auto missing = [&](const std::string& part) {
    const fs::path path = directory_.games_path(2);
    const std::string whole = read_file(path);
    fs::remove(path);
    expect_one(check_run(run()).findings, "games/000002.games", part);
    write_file_atomically(path, whole);
  };
  missing("The run cannot go on: its replay needs these games");
  missing("--set replay.window_games=8");
  config_.replay.window_games = kGamesEach;
  directory_.save_config(config_);
  missing("The run can go on");
  // The newest checkpoint says that the next iteration's games are played.
  Checkpoint checkpoint = load_checkpoint(directory_.checkpoint_path(3));
  checkpoint.manifest.counters["played"] = true;
  save_checkpoint(directory_.checkpoint_path(3), checkpoint);
  expect_one(check_run(run()).findings, "games/000004.games", "is missing");
  checkpoint.manifest.counters["played"] = false;
  checkpoint.manifest.counters["playing"] = 2;
  save_checkpoint(directory_.checkpoint_path(3), checkpoint);
  EXPECT_TRUE(check_run(run()).whole());
  fs::remove(directory_.checkpoint_path(2));
  EXPECT_EQ(check_run(run()).findings[0].meaning,
            "The network that plays the games is lost; they go on with that of iteration 3");
}

TEST_F(RunCheckTest, MetricsAreOneRowForEachIteration) {
  const std::string text = read_file(directory_.metrics_path());
  const std::size_t second = text.find('\n') + 1;
  const std::size_t third = text.find('\n', second) + 1;
  const auto refused = [&](const std::string& part, const std::string& content) {
    expect_refused("metrics.jsonl", part, [&](std::string& bytes) { bytes = content; });
  };
  refused("line 2 is no JSON document", text.substr(0, second) + "{\"iter\n" + text.substr(second));
  refused("line 4 is no JSON object", text + "[1]\n");
  refused("deeper than", text + std::string(100'000, '[') + "\n");
  refused("line 4 lacks iteration", text + "{}\n");
  refused("line 4 is of iteration 3 and stands behind iteration 3", text + text.substr(third));
  refused("lacks iteration 2 before line 2", text.substr(0, second) + text.substr(third));
  refused("ends with iteration 1; the newest checkpoint is of iteration 3", text.substr(0, second));
  std::string other = text;
  other.replace(other.rfind("\"games\":24"), 10, "\"games\":25");
  refused("counts 25 games", other);
  // As a training run leaves them between saving the checkpoint and the end of its matches.
  EXPECT_TRUE(changed("metrics.jsonl", [&](std::string& bytes) { bytes.resize(third); }).whole());
  const RunCheck torn = changed("metrics.jsonl", [](std::string& bytes) { bytes.resize(bytes.size() - 3); });
  EXPECT_TRUE(torn.whole());
  expect_one(torn.notes, "metrics.jsonl", "line 3 is cut short");
  fs::remove(directory_.metrics_path());
  expect_one(check_run(run()).findings, "metrics.jsonl", "Curves lack iterations 1 to 3");
}

TEST_F(RunCheckTest, FilesOfOthersAndOfACrashAreNamed) {
  write_file_atomically(run() / "games/notes", "mine");
  expect_one(check_run(run()).notes, "games/notes", "is no file of a run");
  fs::rename(run() / "games/notes", run() / "checkpoints/000004.ckpt.tmp");
  RunCheck check = check_run(run());
  EXPECT_TRUE(check.whole()) << "it may be written just now";
  expect_one(check.notes, "checkpoints/000004.ckpt.tmp", "being written");
  fs::last_write_time(run() / "checkpoints/000004.ckpt.tmp",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  check = check_run(run());
  expect_one(check.findings, "checkpoints/000004.ckpt.tmp", "cut off");
  EXPECT_TRUE(check.notes.empty());
  fs::rename(run() / "checkpoints/000004.ckpt.tmp", run() / "games/7.games");
  expect_one(check_run(run()).findings, "games/7.games", "mistaken for the file of iteration 7");
  fs::remove(run() / "games/7.games");
  const RunCheck torn = changed(events_, [](std::string& bytes) { bytes.resize(bytes.size() - 3); });
  EXPECT_TRUE(torn.whole());
  expect_one(torn.notes, events_, "ends within its last record");
  fs::remove(run() / "games.txt");
  fs::create_directory(run() / "games.txt");
  expect_one(check_run(run()).findings, "games.txt", "is not a regular file");
}

TEST(RunCheckWhileTraining, GivesNoFalseAlarms) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  RunConfig config = tiny_config();
  config.run.iterations = 3;
  config.run.keep_checkpoints = 2;
  const std::atomic<bool> never{false};
  std::atomic<bool> done{false};
  std::thread training([&] {
    static_cast<void>(start_training(config, run, never));
    done = true;
  });
  // Often while files are being made, when a look is short; then seldom, as two that compute wait for each
  // other.
  for (int look = 0; !done; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(look < 20 ? 2 : 100));
    if (!RunDirectory(run).holds_run()) continue;
    const RunCheck check = check_run(run);
    EXPECT_TRUE(check.whole()) << to_text(check.findings[0]);
  }
  training.join();
  const RunCheck check = check_run(run);
  EXPECT_TRUE(check.whole()) << to_text(check.findings[0]);
  EXPECT_TRUE(check.notes.empty()) << to_text(check.notes[0]);
  EXPECT_EQ(check.checkpoints, 2);
  EXPECT_EQ(check.metrics_rows, 3);
  EXPECT_GE(check.games, 3 * config.selfplay.games_per_iteration);
}

TEST(RunCheckWhileTraining, ARunThatHasJustBegunIsNoFault) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder.path() / "run");
  directory.create(tiny_config());
  EXPECT_TRUE(check_run(directory.root()).whole());
  fs::remove(directory.config_path());
  EXPECT_TRUE(check_run(directory.root()).whole()) << "folders come first";
  fs::last_write_time(directory.root() / "checkpoints",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(check_run(directory.root()).whole());
}

}  // namespace
}  // namespace pahtum
