#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "env/base/files.h"
#include "env/position.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files.insert(entry.path().string());
  return files;
}

// Waits until the file exists; false when it does not come within a minute.
bool appears(const fs::path& file) {
  for (int tries = 0; tries < 1200; ++tries) {
    if (fs::exists(file)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// Resident memory at its peak, as the last row of a run's metrics has it, beside what was said at the start.
TEST(MemoryOfARun, IsWhatTheStartSays) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(3));
  for (const std::vector<std::string>& larger :
       {std::vector<std::string>{},
        {"--set", "network.channels=64", "--set", "network.blocks=4", "--set", "learner.batch_size=512",
         "--set", "replay.reuse=64"}}) {
    std::vector<std::string> arguments{"train", "short.yaml", "--run", larger.empty() ? "small" : "large"};
    arguments.insert(arguments.end(), larger.begin(), larger.end());
    const Finished trained = run_program(arguments, folder.path());
    ASSERT_EQ(trained.status, 0) << trained.err;
    std::smatch said;
    ASSERT_TRUE(std::regex_search(trained.err, said, std::regex("memory: about ([0-9]+) MiB")))
        << trained.err;
    const std::string rows = read_file(folder / (arguments[3] + "/metrics.jsonl"));
    std::istringstream lines(rows);
    json row;
    for (std::string line; std::getline(lines, line);) row = json::parse(line);
    const double peak = row.at("peak_resident_mib").get<double>();
    EXPECT_NEAR(std::stod(said[1]), peak, 0.25 * peak);
  }
}

TEST(Train, EndToEnd) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(2));
  const Finished trained = run_program({"train", "short.yaml"}, folder.path());
  ASSERT_EQ(trained.status, 0) << trained.err;
  const fs::path run = folder / "runs/short-1";
  for (const char* name :
       {"config.yaml", "metrics.jsonl", "checkpoints/000002.ckpt", "evaluation.json", "report.html"}) {
    EXPECT_TRUE(fs::exists(run / name)) << name;
  }
  for (const std::string line :
       {"checkpoint: runs/short-1/checkpoints/000002.ckpt", "report:     runs/short-1/report.html",
        "build/pahtum play net:runs/short-1"}) {
    EXPECT_NE(trained.out.find(line), std::string::npos) << trained.out;
  }
  EXPECT_EQ(json::parse(read_file(run / "evaluation.json"))["matches"][0]["second"], "random");

  const Finished evaluated = run_program(
      {"evaluate", "runs/short-1", "--against", "greedy", "--against", "random", "--pairs", "1", "--json"},
      folder.path());
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  const json document = json::parse(evaluated.out);
  EXPECT_EQ(document["target"], "runs/short-1");
  ASSERT_EQ(document["matches"].size(), 2u);
  EXPECT_EQ(document["matches"][0]["second"], "greedy");
  EXPECT_EQ(document["matches"][0]["pairs"], 1);
  EXPECT_EQ(json::parse(read_file(run / "evaluation.json"))["matches"].size(), 1u) << "replaced unasked";

  const Finished reported = run_program({"evaluate", "runs/short-1/checkpoints/000002.ckpt", "--policy",
                                         "--against", "random", "--pairs", "1", "--report", "out"},
                                        folder.path());
  EXPECT_EQ(reported.status, 0) << reported.err;
  EXPECT_TRUE(fs::exists(folder / "out/report.html"));

  const Finished match =
      run_program({"match", "net:runs/short-1,sims=2", "random", "--pairs", "1"}, folder.path());
  EXPECT_EQ(match.status, 0) << match.err;
  EXPECT_NE(match.out.find("3×3, 1 random hole"), std::string::npos) << match.out;
  const Finished other_rules =
      run_program({"match", "net:runs/short-1", "random", "--size", "5", "--holes", "3"}, folder.path());
  EXPECT_EQ(other_rules.status, 2) << other_rules.err;
}

TEST(Export, WhatItWritesIsANetworkWhereverACheckpointIs) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  std::string source = "mine";
  for (const std::string format : {"safetensors", "onnx", "torchscript"}) {
    SCOPED_TRACE(format);
    // Each from the one before.
    const Finished exported =
        run_program({"export", source, "--format", format, "--output", format + ".net"}, folder.path());
    ASSERT_EQ(exported.status, 0) << exported.err;
    source = format + ".net";
    const Finished match =
        run_program({"match", "net:" + source + ",sims=2", "net:mine,policy", "--pairs", "1"}, folder.path());
    EXPECT_EQ(match.status, 0) << match.err;
    EXPECT_NE(match.out.find("3×3, 1 random hole"), std::string::npos) << match.out;
    const std::string bytes = read_file(folder / source);
    write_file_atomically(folder / "half.net", std::string_view(bytes).substr(0, bytes.size() / 2));
    const Finished refused = run_program({"match", "net:half.net", "random", "--pairs", "1"}, folder.path());
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("half.net"), std::string::npos) << refused.err;
  }
  const Finished evaluated = run_program(
      {"evaluate", source, "--against", "random", "--pairs", "1", "--report", "out"}, folder.path());
  EXPECT_EQ(evaluated.status, 0) << evaluated.err;
  EXPECT_TRUE(fs::exists(folder / "out/report.html"));
  const Finished played = run_program({"play", "net:" + source, "--side", "none"}, folder.path(), "quit\n");
  EXPECT_EQ(played.status, 0) << played.err;
}

TEST(Export, SamplesArePositionsWithWhatTheNetworkSaysOfThem) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  const Finished exported = run_program({"export", "mine", "--format", "onnx", "--output", "agent.onnx",
                                         "--samples", "samples.jsonl", "--sample-count", "20"},
                                        folder.path());
  ASSERT_EQ(exported.status, 0) << exported.err;
  std::istringstream lines(read_file(folder / "samples.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json sample = json::parse(line);
    const Position position = parse_position(sample["position"].get<std::string>());
    EXPECT_FALSE(position.over());
    EXPECT_EQ(sample["legal"].size(), static_cast<std::size_t>(legal_count(position)));
    EXPECT_EQ(sample["planes"].size(), 4u * 9u);
    EXPECT_EQ(sample["policy"].size(), 9u);
    EXPECT_EQ(sample["wdl"].size(), 3u);
    EXPECT_TRUE(sample["margin"].is_number_float());
    EXPECT_EQ(sample["ownership"].size(), 9u);
  }
  EXPECT_EQ(count, 20);
}

TEST(Train, NeverTouchesARunThatIsThere) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  const auto files = files_in(folder.path());
  const std::string metrics = read_file(folder / "mine/metrics.jsonl");
  const Finished again = run_program({"train", "short.yaml", "--run", "mine"}, folder.path());
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("--resume"), std::string::npos) << again.err;
  EXPECT_EQ(files_in(folder.path()), files);
  EXPECT_EQ(read_file(folder / "mine/metrics.jsonl"), metrics);
}

TEST(Train, WrongRequestsWriteNothing) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  fs::create_directory(folder / "empty");
  const auto files = files_in(folder.path());
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"train", "short.yaml", "--resume"},
           {"train", "--resume"},
           {"train", "--resume", "--run", "empty"},
           {"train", "--resume", "--run", "missing"},
           {"train", "short.yaml", "--set", "game.holes=2"},
           {"train", "short.yaml", "--set", "run.device=cdua"},
           {"train", "short.yaml", "--set", "evaluation.against=[net:nowhere]"},
           {"train", "short.yaml", "--run", "a,b"},
           {"train", "short.yaml", "--run", "short.yaml"}}) {
    const Finished result = run_program(arguments, folder.path());
    EXPECT_EQ(result.status, 2) << arguments.back() << ": " << result.err;
    EXPECT_EQ(result.out, "") << arguments.back();
    EXPECT_EQ(files_in(folder.path()), files) << arguments.back();
  }
}

TEST(Train, InterruptedRunsGoOn) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "long.yaml", second_long_config(100000));
  Program training({"train", "long.yaml"}, folder.path());
  ASSERT_TRUE(appears(folder / "runs/long-1/checkpoints/000002.ckpt"));
  const Finished second = run_program({"train", "--resume"}, folder.path());
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("runs/long-1: is in training by process "), std::string::npos) << second.err;
  EXPECT_NE(second.err.find("train long.yaml"), std::string::npos) << second.err;
  training.send(SIGINT);
  const Finished stopped = training.wait();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_NE(stopped.out.find("build/pahtum train --resume --run runs/long-1"), std::string::npos)
      << stopped.out;

  const std::size_t rows = read_file(folder / "runs/long-1/metrics.jsonl").size();
  Program going_on({"train", "--resume"}, folder.path());
  for (int tries = 0; tries < 1200 && read_file(folder / "runs/long-1/metrics.jsonl").size() <= rows;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  going_on.send(SIGTERM);
  EXPECT_EQ(going_on.wait().status, 130);
  const std::string metrics = read_file(folder / "runs/long-1/metrics.jsonl");
  EXPECT_GT(metrics.size(), rows);
  // Steps go on where they were: every iteration has one row, in order.
  std::int64_t iteration = 0;
  for (std::size_t start = 0; start < metrics.size(); start = metrics.find('\n', start) + 1) {
    const json row = json::parse(metrics.substr(start, metrics.find('\n', start) - start));
    EXPECT_EQ(row["iteration"].get<std::int64_t>(), ++iteration);
  }
}

TEST(Train, DamagedCheckpointsAreRefused) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "short.yaml", second_long_config(1));
  ASSERT_EQ(run_program({"train", "short.yaml", "--run", "mine"}, folder.path()).status, 0);
  const std::string whole = read_file(folder / "mine/checkpoints/000001.ckpt");
  write_file_atomically(folder / "cut.ckpt", whole.substr(0, whole.size() / 2));
  write_file_atomically(folder / "other.ckpt", "not a checkpoint");
  for (const std::string file : {"cut.ckpt", "other.ckpt"}) {
    const Finished result = run_program({"evaluate", file, "--pairs", "1"}, folder.path());
    EXPECT_EQ(result.status, 2) << file;
    EXPECT_NE(result.err.find(file), std::string::npos) << result.err;
  }
  // A run whose newest checkpoint is cut falls back to the one before and says so.
  write_file_atomically(folder / "mine/checkpoints/000001.ckpt", whole.substr(0, whole.size() / 2));
  const Finished result =
      run_program({"evaluate", "mine", "--against", "random", "--pairs", "1"}, folder.path());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("000001.ckpt"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("000000.ckpt"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace pahtum
