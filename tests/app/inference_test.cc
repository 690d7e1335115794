// Which numbers networks are computed in, and --check-inference, in the program as a user meets it.

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "env/base/files.h"
#include "model/checkpoint.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using nlohmann::json;

// A run that was trained, checked all the while.
class InferenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file_atomically(folder_ / "short.yaml", second_long_config(1));
    trained_ = run({"train", "short.yaml", "--check-inference"});
    ASSERT_EQ(trained_.status, 0) << trained_.err;
  }

  [[nodiscard]] Finished run(const std::vector<std::string>& arguments) const {
    return run_program(arguments, folder_.path());
  }

  TemporaryFolder folder_;
  Finished trained_;
};

TEST_F(InferenceTest, EveryCommandWithNetworksCanCheckThem) {
  const std::string line = "inference check: ";
  EXPECT_NE(trained_.err.find(line), std::string::npos) << trained_.err;
  EXPECT_EQ(trained_.err.find("no position"), std::string::npos) << trained_.err;
  const std::string player = "net:runs/short-1,sims=4";
  for (const std::vector<std::string>& command : {
           std::vector<std::string>{"match", player, "random", "--pairs", "2", "--json"},
           {"evaluate", "runs/short-1", "--against", "random", "--pairs", "2", "--json"},
           {"oracle", "make", player, "--empty", "4", "--positions", "5", "--output", "data", "--json"},
           {"oracle", "score", player, "data", "--json"},
           {"bench", "selfplay", "--config", "short.yaml", "--seconds", "0.02", "--json"},
       }) {
    std::vector<std::string> checked = command;
    checked.emplace_back("--check-inference");
    const Finished result = run(checked);
    EXPECT_EQ(result.status, 0) << command[0] << ": " << result.err;
    EXPECT_NE(result.err.find(line), std::string::npos) << command[0] << ": " << result.err;
    EXPECT_EQ(result.err.find("no position"), std::string::npos) << command[0] << ": " << result.err;
    EXPECT_TRUE(json::accept(result.out)) << command[0] << ": " << result.out;
  }
}

// Outputs so large that float32 alone rounds them by more than the limit.
TEST_F(InferenceTest, DifferencesBeyondTheLimitsEndWithStatusOne) {
  const auto path = folder_ / "runs/short-1/checkpoints/000001.ckpt";
  Checkpoint checkpoint = load_checkpoint(path);
  for (StoredTensor& tensor : checkpoint.tensors) {
    if (!tensor.name.ends_with("/value_margin.weight")) continue;
    for (std::size_t at = 0; at < tensor.data.size(); at += sizeof(float)) {
      float weight = 0.0f;
      std::memcpy(&weight, &tensor.data[at], sizeof weight);
      weight *= 1e9f;
      std::memcpy(&tensor.data[at], &weight, sizeof weight);
    }
  }
  save_checkpoint(folder_ / "large.ckpt", checkpoint);
  const Finished result = run({"match", "net:large.ckpt,sims=4", "random", "--pairs", "2", "--precision",
                               "fp32", "--check-inference"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.err.find("more than the limits"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("random"), std::string::npos) << "the result itself is lost";
}

TEST_F(InferenceTest, APrecisionThatIsNotThereIsRefusedBeforeAnyWork) {
  const Finished wrong = run({"match", "net:runs/short-1", "random", "--precision", "fp64"});
  EXPECT_EQ(wrong.status, 2) << wrong.err;
  const Finished match = run({"match", "net:runs/short-1", "random", "--pairs", "1", "--precision", "fp16"});
  if (match.status != 0) {
    EXPECT_EQ(match.status, 2) << match.err;
    EXPECT_NE(match.err.find("use auto"), std::string::npos) << match.err;
    const Finished train = run({"train", "short.yaml", "--run", "other", "--set", "run.precision=fp16"});
    EXPECT_EQ(train.status, 2) << train.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "other"));
  }
  const Finished plain = run({"match", "net:runs/short-1", "random", "--pairs", "1", "--precision", "fp32"});
  EXPECT_EQ(plain.status, 0) << plain.err;
}

}  // namespace
}  // namespace pahtum
