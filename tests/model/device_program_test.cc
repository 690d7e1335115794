#include "model/device_program.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/cuda_stream.h"
#include "model/inference_check.h"
#include "model/network.h"
#include "model/network_evaluator.h"
#include "tests/model/model_testing.h"

namespace pahtum {
namespace {

using testing::error_of;
using testing::random_positions;
using testing::small_game;
using testing::small_network;
using testing::trained_checkpoint;

// What fp32 may differ from the eager module by, in every number of every head.
constexpr float kLimit = 1e-4f;
constexpr float kRounding = 1e-5f;

// As late as a device may be: nothing is done before somebody waits. Writes down what happens.
class LateStream final : public DeviceStream {
 public:
  LateStream(std::string name, std::vector<std::string>& journal)
      : name_(std::move(name)), journal_(journal) {}
  void enqueue(Work work) override { pending_.push_back(std::move(work)); }
  void wait() override {
    journal_.push_back("wait " + name_);
    for (const Work& work : std::exchange(pending_, {})) work();
  }
  Work record(Work work) override {
    journal_.push_back("record " + name_);
    return [this, work = std::move(work)] {
      journal_.push_back("replay " + name_);
      enqueue(work);
    };
  }

 private:
  std::string name_;
  std::vector<std::string>& journal_;
  std::vector<Work> pending_;
};

class ForgetfulStream final : public DeviceStream {
 public:
  void enqueue(Work work) override { work(); }
  void wait() override {}
  Work record(Work /*work*/) override { throw failure("stream", "keeps no records"); }
};

using Streams = std::array<std::unique_ptr<DeviceStream>, 2>;

Streams streams_of(torch::Device device) {
  if (device.is_cuda()) return {make_cuda_stream(), make_cuda_stream()};
  return {make_host_stream(), make_host_stream()};
}

DeviceProgram host_program(Network& network, int size, DeviceProgram::Options options) {
  return DeviceProgram(*network, size, torch::kCPU, streams_of(torch::kCPU), std::move(options));
}

// All outputs of a batch, whatever the parts they came in.
struct Heads {
  std::vector<float> policy, wdl, margin, ownership;
};

Heads run(DeviceProgram& program, std::span<const Position> positions) {
  Heads heads;
  std::size_t done = 0;
  program.run(positions, [&](const ProgramOutput& output) {
    EXPECT_EQ(output.begin, done);
    EXPECT_GT(output.count, 0u);
    done += output.count;
    const auto squares = static_cast<std::size_t>(positions[0].size * positions[0].size);
    const auto append = [&](std::vector<float>& to, const float* from, std::size_t numbers) {
      to.insert(to.end(), from, from + output.count * numbers);
    };
    append(heads.policy, output.policy, output.actions);
    append(heads.wdl, output.wdl, 3);
    append(heads.margin, output.margin, 1);
    if (output.ownership != nullptr) append(heads.ownership, output.ownership, squares);
  });
  EXPECT_EQ(done, positions.size());
  return heads;
}

std::vector<float> numbers_of(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.contiguous();
  const auto* data = values.data_ptr<float>();
  return {data, data + values.numel()};
}

Heads eager_heads(Network& network, const GameConfig& game, const std::vector<Position>& positions) {
  const torch::NoGradGuard no_gradients;
  const int channels = GameRules(game).channels();
  std::vector<float> planes = testing::planes_of(positions, channels);
  const NetworkOutput output = network->forward(
      torch::from_blob(planes.data(), {std::ssize(positions), channels, game.size, game.size}));
  return {numbers_of(output.policy), numbers_of(output.wdl), numbers_of(output.margin),
          numbers_of(output.ownership)};
}

// NaN where the two are not the same numbers of something, or one is not a number.
float largest_difference(std::span<const float> left, std::span<const float> right) {
  if (left.size() != right.size()) return std::numeric_limits<float>::quiet_NaN();
  float largest = 0.0f;
  for (std::size_t k = 0; k < left.size(); ++k) {
    const float difference = std::abs(left[k] - right[k]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

void expect_same(const Heads& left, const Heads& right, float limit) {
  EXPECT_LE(largest_difference(left.policy, right.policy), limit);
  EXPECT_LE(largest_difference(left.wdl, right.wdl), limit);
  EXPECT_LE(largest_difference(left.margin, right.margin), limit);
  EXPECT_LE(largest_difference(left.ownership, right.ownership), limit);
}

torch::Tensor rows_of(const std::vector<float>& numbers, std::size_t rows) {
  return torch::tensor(numbers).reshape({static_cast<std::int64_t>(rows), -1});
}

// Mean Kullback–Leibler divergence of the policies.
double mean_divergence(const Heads& expected, const Heads& actual) {
  const std::size_t rows = expected.margin.size();
  const torch::Tensor right = torch::log_softmax(rows_of(expected.policy, rows), 1);
  const torch::Tensor wrong = torch::log_softmax(rows_of(actual.policy, rows), 1);
  return (right.exp() * (right - wrong)).sum(1).mean().item<double>();
}

double mean_value_error(const Heads& expected, const Heads& actual) {
  const auto value = [](const Heads& heads) {
    const torch::Tensor shares = torch::softmax(rows_of(heads.wdl, heads.margin.size()), 1);
    return shares.select(1, 0) - shares.select(1, 2);
  };
  return (value(expected) - value(actual)).abs().mean().item<double>();
}

// Whether LibTorch has convolutions of this precision there.
bool convolves(torch::Device device, Precision precision) {
  if (device.is_cuda()) {
    return error_of([&] {
             static_cast<void>(choose_cuda_precision(std::string(to_text(precision)), cuda_capability()));
           })
        .empty();
  }
  if (precision == Precision::kFp32) return true;
  const torch::ScalarType type = precision == Precision::kBf16 ? torch::kBFloat16 : torch::kFloat16;
  const torch::NoGradGuard no_gradients;
  try {
    static_cast<void>(torch::conv2d(torch::ones({1, 8, 3, 3}, type), torch::ones({8, 8, 3, 3}, type)));
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

struct Case {
  GameConfig game;
  NetworkConfig network;
};

class DeviceParityTest : public ::testing::TestWithParam<Case> {
 protected:
  // Every head against the eager module's on the CPU.
  static void compare(torch::Device device, Precision precision) {
    SCOPED_TRACE(std::string(to_text(precision)));
    const auto& [game, shape] = GetParam();
    Network network = playing_network(trained_checkpoint(game, shape));
    const std::vector<Position> positions = random_positions(game, 300);
    const Heads expected = eager_heads(network, game, positions);
    DeviceProgram program(*network, static_cast<int>(game.size), device, streams_of(device),
                          {.precision = precision, .max_batch = 100, .split_above = 16, .ownership = true});
    const Heads actual = run(program, positions);
    if (precision == Precision::kFp32) {
      expect_same(expected, actual, kLimit);
      return;
    }
    const InferenceLimits limits = limits_of(precision);
    EXPECT_LE(mean_divergence(expected, actual), limits.mean_divergence);
    EXPECT_LE(mean_value_error(expected, actual), limits.mean_value_error);
    EXPECT_LE(largest_difference(expected.margin, actual.margin), 0.2f);
    EXPECT_LE(largest_difference(expected.ownership, actual.ownership), 0.1f);
  }
};

TEST_P(DeviceParityTest, EveryHeadIsTheEagerModulesInFp32) {
  compare(torch::kCPU, Precision::kFp32);
}

TEST_P(DeviceParityTest, EveryHeadIsNearTheEagerModulesInBf16) {
  if (!convolves(torch::kCPU, Precision::kBf16)) GTEST_SKIP() << "LibTorch has no such convolutions here";
  compare(torch::kCPU, Precision::kBf16);
}

TEST_P(DeviceParityTest, EveryHeadIsNearTheEagerModulesInFp16) {
  if (!convolves(torch::kCPU, Precision::kFp16)) GTEST_SKIP() << "LibTorch has no such convolutions here";
  compare(torch::kCPU, Precision::kFp16);
}

TEST_P(DeviceParityTest, EveryHeadIsTheEagerModulesOnCuda) {
  if (!torch::cuda::is_available() || !has_cuda_streams()) GTEST_SKIP() << "there is no CUDA device";
  for (const Precision precision : {Precision::kFp32, Precision::kBf16, Precision::kFp16}) {
    if (convolves(torch::kCUDA, precision)) compare(torch::kCUDA, precision);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DeviceParityTest,
    ::testing::Values(
        Case{{.size = 3, .holes = 1}, {.channels = 1, .blocks = 1, .pooling_every = 1, .head_channels = 1}},
        Case{small_game(), small_network()}, Case{testing::phase_game(), small_network()},
        Case{{.size = 7, .holes = 5}, {.channels = 32, .blocks = 4, .pooling_every = 2, .head_channels = 16}},
        Case{{.size = 8, .holes = 4, .hole_mode = HoleMode::kPlaced, .swap = true},
             {.channels = 40, .blocks = 2, .pooling_every = 0, .head_channels = 5}}));

class DeviceProgramTest : public ::testing::Test {
 protected:
  GameConfig game_ = testing::phase_game();
  Network network_ = playing_network(trained_checkpoint(game_, small_network()));
  std::vector<Position> positions_ = random_positions(game_, 200);
  Heads expected_ = eager_heads(network_, game_, positions_);

  // The expected rows of the first `count` positions.
  [[nodiscard]] Heads expected(std::size_t count) const {
    const auto first = [&](const std::vector<float>& numbers) {
      const std::size_t width = numbers.size() / positions_.size();
      return std::vector<float>(numbers.begin(),
                                numbers.begin() + static_cast<std::ptrdiff_t>(count * width));
    };
    return {first(expected_.policy), first(expected_.wdl), first(expected_.margin),
            first(expected_.ownership)};
  }
};

TEST_F(DeviceProgramTest, BatchesOfEverySizeComeBackWholeAndInOrder) {
  DeviceProgram program = host_program(network_, 5, {.max_batch = 37, .split_above = 10, .ownership = true});
  // Each leaves in the buffers what the next, smaller or larger one finds.
  for (const std::size_t count : {1u, 10u, 11u, 2u, 37u, 38u, 3u, 75u, 200u, 17u, 1u, 199u}) {
    SCOPED_TRACE(count);
    expect_same(run(program, std::span(positions_).first(count)), expected(count), kLimit);
  }
}

TEST_F(DeviceProgramTest, TwoHalvesGiveWhatOnePieceGives) {
  DeviceProgram whole = host_program(network_, 5, {.max_batch = 200, .split_above = 200, .ownership = true});
  DeviceProgram halves = host_program(network_, 5, {.max_batch = 200, .split_above = 1, .ownership = true});
  for (const std::size_t count : {2u, 3u, 64u, 101u, 200u}) {
    SCOPED_TRACE(count);
    const auto batch = std::span(positions_).first(count);
    expect_same(run(whole, batch), run(halves, batch), kRounding);
  }
}

TEST_F(DeviceProgramTest, TheSameBatchGivesTheSameBits) {
  DeviceProgram first = host_program(network_, 5, {.split_above = 32});
  DeviceProgram second = host_program(network_, 5, {.split_above = 32});
  const Heads once = run(first, positions_);
  first.repeat(90);
  static_cast<void>(run(first, std::span(positions_).first(33)));
  EXPECT_EQ(run(first, positions_).policy, once.policy);
  EXPECT_EQ(run(second, positions_).policy, once.policy);
}

TEST_F(DeviceProgramTest, WithoutOwnershipThereIsNone) {
  DeviceProgram program = host_program(network_, 5, {});
  EXPECT_TRUE(run(program, positions_).ownership.empty());
}

TEST_F(DeviceProgramTest, ALateDeviceFindsItsInputAsItWasAndIsNotReadTooEarly) {
  std::vector<std::string> journal;
  DeviceProgram program(
      *network_, 5, torch::kCPU,
      Streams{std::make_unique<LateStream>("A", journal), std::make_unique<LateStream>("B", journal)},
      {.max_batch = 64, .split_above = 8, .ownership = true});
  journal.clear();
  expect_same(run(program, std::span(positions_).first(8)), expected(8), kLimit);
  EXPECT_EQ(journal, (std::vector<std::string>{"record A", "replay A", "wait A"}));
  journal.clear();
  expect_same(run(program, std::span(positions_).first(16)), expected(16), kLimit);
  EXPECT_EQ(journal, (std::vector<std::string>{"replay A", "record B", "replay B", "wait A", "wait B"}));
  journal.clear();
  // Three pieces of 32: the third takes the stream of the first, once that is read.
  expect_same(run(program, std::span(positions_).first(96)), expected(96), kLimit);
  EXPECT_EQ(journal, (std::vector<std::string>{"record A", "replay A", "record B", "replay B", "wait A",
                                               "replay A", "wait B", "wait A"}));
  journal.clear();
  program.repeat(64);
  EXPECT_EQ(journal, (std::vector<std::string>{"replay A", "replay B", "wait A", "wait B"}));
  expect_same(run(program, positions_), expected_, kLimit);
}

TEST_F(DeviceProgramTest, AConsumerThatThrowsLeavesNothingInFlight) {
  std::vector<std::string> journal;
  DeviceProgram program(
      *network_, 5, torch::kCPU,
      Streams{std::make_unique<LateStream>("A", journal), std::make_unique<LateStream>("B", journal)},
      {.max_batch = 64, .split_above = 8, .ownership = true});
  const auto refuse = [](const ProgramOutput& /*output*/) { throw failure("test", "refused"); };
  EXPECT_EQ(error_of([&] { program.run(positions_, refuse); }), "test: refused");
  expect_same(run(program, std::span(positions_).first(21)), expected(21), kLimit);
}

TEST_F(DeviceProgramTest, WithoutRecordsTheSameComesOutAndIsSaidOnce) {
  std::vector<std::string> warnings;
  DeviceProgram program(
      *network_, 5, torch::kCPU,
      Streams{std::make_unique<ForgetfulStream>(), std::make_unique<ForgetfulStream>()},
      {.max_batch = 64, .split_above = 8, .ownership = true, .warn = [&](const std::string& text) {
         warnings.push_back(text);
       }});
  expect_same(run(program, positions_), expected_, kLimit);
  expect_same(run(program, std::span(positions_).first(7)), expected(7), kLimit);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("stream: keeps no records"), std::string::npos) << warnings[0];
}

TEST_F(DeviceProgramTest, HugeLogitsStayNumbersInNarrowPrecisions) {
  if (!convolves(torch::kCPU, Precision::kBf16)) GTEST_SKIP() << "LibTorch has no such convolutions here";
  Checkpoint checkpoint = trained_checkpoint(small_game(), small_network());
  for (StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name == "averaged/policy_out.weight" || tensor.name == "averaged/value_wdl.weight") {
      tensor = to_stored(tensor.name, to_tensor(tensor) * 1e6);
    }
  }
  Network network = playing_network(checkpoint);
  DeviceProgram program = host_program(network, 5, {.precision = Precision::kBf16});
  const Heads heads = run(program, random_positions(small_game(), 20));
  for (const float logit : heads.policy) ASSERT_TRUE(std::isfinite(logit));
  for (const float logit : heads.wdl) ASSERT_TRUE(std::isfinite(logit));
}

// Whoever reads the outputs refuses them; no operation on the way may turn them into numbers.
TEST_F(DeviceProgramTest, WhatIsNoNumberComesOutAsNone) {
  const std::array<std::pair<const char*, std::vector<float> Heads::*>, 3> biases = {
      {{"averaged/policy_out.bias", &Heads::policy},
       {"averaged/value_wdl.bias", &Heads::wdl},
       {"averaged/value_margin.bias", &Heads::margin}}};
  for (const auto& [name, head] : biases) {
    Checkpoint checkpoint = trained_checkpoint(small_game(), small_network());
    for (StoredTensor& tensor : checkpoint.tensors) {
      if (tensor.name == name) tensor = to_stored(tensor.name, to_tensor(tensor) * std::nanf(""));
    }
    Network network = playing_network(checkpoint);
    DeviceProgram program = host_program(network, 5, {.split_above = 4});
    const Heads heads = run(program, random_positions(small_game(), 10));
    EXPECT_TRUE(std::ranges::all_of(heads.*head, [](float number) { return std::isnan(number); })) << name;
  }
}

TEST(PaddedRowsTest, AreFewAndWasteLittle) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t count = 1; count <= 1024; ++count) {
    const std::int64_t rows = padded_rows(count);
    ASSERT_GE(rows, count);
    ASSERT_LE(rows, count <= 4 ? 4 : count + (count + 1) / 2) << count;
    if (count > 8) {
      ASSERT_LE(rows - count, rows / 5) << count;
    }
    ASSERT_EQ(padded_rows(rows), rows);
    if (sizes.empty() || sizes.back() != rows) sizes.push_back(rows);
  }
  EXPECT_EQ(sizes.back(), 1024);
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  EXPECT_LE(sizes.size(), 32u);
}

TEST(CudaPrecisionTest, AutoTakesWhatTheDeviceMultipliesFastest) {
  EXPECT_EQ(choose_cuda_precision("auto", 61), Precision::kFp32);
  EXPECT_EQ(choose_cuda_precision("auto", 70), Precision::kFp16);
  EXPECT_EQ(choose_cuda_precision("auto", 90), Precision::kFp16);
  EXPECT_EQ(choose_cuda_precision("fp32", 50), Precision::kFp32);
  EXPECT_EQ(choose_cuda_precision("fp16", 75), Precision::kFp16);
  EXPECT_EQ(choose_cuda_precision("bf16", 80), Precision::kBf16);
}

TEST(CudaPrecisionTest, SaysWhatWouldBeRight) {
  EXPECT_EQ(error_of([] { static_cast<void>(choose_cuda_precision("fp64", 90)); }),
            "precision: \"fp64\" is not a precision; use auto, fp32, bf16 or fp16");
  EXPECT_EQ(
      error_of([] { static_cast<void>(choose_cuda_precision("fp16", 61)); }),
      "precision: fp16 was asked for, but it needs a CUDA device of compute capability 7.0 and this one "
      "has 6.1; use auto or fp32");
  EXPECT_EQ(
      error_of([] { static_cast<void>(choose_cuda_precision("bf16", 75)); }),
      "precision: bf16 was asked for, but it needs a CUDA device of compute capability 8.0 and this one "
      "has 7.5; use auto, fp32 or fp16");
}

TEST(CudaEvaluatorTest, AnswersLikeTheModuleAndRefusesWhatIsNotFinite) {
  if (!torch::cuda::is_available() || !has_cuda_streams()) GTEST_SKIP() << "there is no CUDA device";
  Checkpoint checkpoint = trained_checkpoint(small_game(), small_network());
  const std::vector<Position> positions = random_positions(small_game(), 300);
  std::vector<Evaluation> evaluations(positions.size());
  InferenceCheck check;
  make_evaluator(checkpoint, {.device = "cuda", .check = &check}, 128)->evaluate(positions, evaluations);
  EXPECT_TRUE(check.within_limits()) << check.report();
  EXPECT_GT(NetworkEvaluator(checkpoint, "cuda").raw_rate(256, 0.01), 0.0);
  for (StoredTensor& tensor : checkpoint.tensors) {
    if (tensor.name != "averaged/value_wdl.bias") continue;
    tensor = to_stored(tensor.name, to_tensor(tensor) * std::nanf(""));
  }
  NetworkEvaluator broken(checkpoint, "cuda", 128);
  EXPECT_NE(error_of([&] { broken.evaluate(positions, evaluations); }).find("is not finite"),
            std::string::npos);
}

}  // namespace
}  // namespace pahtum
