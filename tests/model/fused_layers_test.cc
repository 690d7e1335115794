#include "model/fused_layers.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

#include "model/network.h"

namespace pahtum {
namespace {

using torch::Tensor;

// [5, channels, 7, 7], channels last, its mean far from zero beside its deviation.
Tensor activations(std::int64_t channels, torch::Dtype type) {
  const Tensor values = torch::randn({5, channels, 7, 7}) * 2.0 + 30.0;
  return values.to(type).contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_(true);
}

void expect_near(const Tensor& value, const Tensor& expected, double tolerance, const char* what) {
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  const Tensor difference = (value.to(torch::kFloat64) - expected.to(torch::kFloat64)).abs();
  EXPECT_LE(difference.max().item<double>(), tolerance) << what;
}

class FusedLayers : public ::testing::TestWithParam<torch::Dtype> {
 protected:
  void SetUp() override { torch::manual_seed(1); }
  [[nodiscard]] double tolerance() const { return GetParam() == torch::kFloat32 ? 2e-5 : 5e-2; }
};
INSTANTIATE_TEST_SUITE_P(Types, FusedLayers, ::testing::Values(torch::kFloat32, torch::kBFloat16));

// Of the layer and of LibTorch's operators in float64, the sum of the outputs times fixed numbers.
struct Normalized {
  Tensor output, mean, variance;
  std::vector<Tensor> gradients;
};

Normalized normalized(const Tensor& input, const Tensor& scale, const Tensor& shift, const Tensor& residual,
                      const Tensor& weights, bool fuse) {
  Normalized result;
  const auto type = fuse ? torch::kFloat32 : torch::kFloat64;
  result.mean = torch::full({input.size(1)}, 3.0, type);
  result.variance = torch::full({input.size(1)}, 2.0, type);
  if (fuse) {
    result.output = normalize_relu(input, scale, shift, result.mean, result.variance, residual);
  } else {
    Tensor sum =
        torch::batch_norm(input.to(type), scale.to(type), shift.to(type), result.mean, result.variance, true,
                          kNormalizationMomentum, kNormalizationEpsilon, false);
    if (residual.defined()) sum = sum + residual.to(type);
    result.output = torch::relu(sum);
  }
  std::vector<Tensor> inputs = {input, scale, shift};
  if (residual.defined()) inputs.push_back(residual);
  result.gradients =
      torch::autograd::grad({result.output}, inputs, {weights.to(result.output.scalar_type())});
  return result;
}

TEST_P(FusedLayers, NormalizeReluIsBatchNormResidualAndRelu) {
  for (const std::int64_t channels : {1, 3, 64}) {
    for (const bool with_residual : {false, true}) {
      const Tensor input = activations(channels, GetParam());
      const Tensor scale = torch::rand({channels}).requires_grad_(true);
      const Tensor shift = torch::randn({channels}).requires_grad_(true);
      const Tensor residual = with_residual ? activations(channels, GetParam()).detach() - 30.0 : Tensor();
      if (with_residual) residual.requires_grad_(true);
      const Tensor weights = torch::randn({5, channels, 7, 7}).to(GetParam());
      const Normalized value = normalized(input, scale, shift, residual, weights, true);
      const Normalized expected = normalized(input, scale, shift, residual, weights, false);
      EXPECT_EQ(value.output.scalar_type(), GetParam());
      EXPECT_TRUE(value.output.is_contiguous(torch::MemoryFormat::ChannelsLast));
      expect_near(value.output, expected.output, tolerance(), "output");
      expect_near(value.mean, expected.mean, 1e-4, "running mean");
      expect_near(value.variance, expected.variance, 1e-4, "running variance");
      expect_near(value.gradients[0], expected.gradients[0], tolerance(), "input");
      // Sums over 245 numbers, some of which rounding puts on the other side of zero.
      expect_near(value.gradients[1], expected.gradients[1], 50 * tolerance(), "scale");
      expect_near(value.gradients[2], expected.gradients[2], 50 * tolerance(), "shift");
      if (with_residual) expect_near(value.gradients[3], expected.gradients[3], 4.0, "residual");
    }
  }
}

TEST_P(FusedLayers, PoolActivationsIsMeanAndMaximumBehindRelu) {
  for (const std::int64_t channels : {1, 3, 64}) {
    const Tensor input = (activations(channels, GetParam()).detach() - 31.0).requires_grad_(true);
    const Tensor weights = torch::randn({5, 2 * channels}).to(GetParam());
    const auto gradient_of = [&](const Tensor& output) {
      return torch::autograd::grad({output}, {input}, {weights.to(output.scalar_type())})[0];
    };
    const Tensor value = pool_activations(torch::relu(input));
    const Tensor expected = pool_board(torch::relu(input.to(torch::kFloat64)));
    expect_near(value, expected, 2 * tolerance(), "output");
    if (GetParam() == torch::kBFloat16) continue;  // equal maxima above zero, of which the first is chosen
    expect_near(gradient_of(value), gradient_of(expected), tolerance(), "input");
  }
}

TEST_P(FusedLayers, AddToChannelsAddsOneNumberToEverySquare) {
  const Tensor input = activations(3, GetParam());
  const Tensor bias = torch::randn({5, 3}).to(GetParam()).requires_grad_(true);
  const Tensor weights = torch::randn({5, 3, 7, 7}).to(GetParam());
  const Tensor value = add_to_channels(input, bias);
  const Tensor expected = input + bias.unsqueeze(-1).unsqueeze(-1);
  EXPECT_TRUE(torch::equal(value, expected));
  const auto gradients = torch::autograd::grad({value}, {input, bias}, {weights});
  EXPECT_TRUE(torch::equal(gradients[0], weights));
  expect_near(gradients[1], weights.sum({2, 3}), 10 * tolerance(), "bias");
}

TEST_P(FusedLayers, DoNotDependOnTheNumberOfThreads) {
  const Tensor input = activations(16, GetParam());
  const Tensor scale = torch::rand({16}).requires_grad_(true);
  const Tensor shift = torch::randn({16}).requires_grad_(true);
  const Tensor weights = torch::randn({5, 16, 7, 7}).to(GetParam());
  const int before = torch::get_num_threads();
  torch::set_num_threads(1);
  const Normalized one = normalized(input, scale, shift, {}, weights, true);
  torch::set_num_threads(2);
  const Normalized two = normalized(input, scale, shift, {}, weights, true);
  torch::set_num_threads(before);
  EXPECT_TRUE(torch::equal(one.output, two.output));
  EXPECT_TRUE(torch::equal(one.variance, two.variance));
  for (std::size_t k = 0; k < one.gradients.size(); ++k) {
    EXPECT_TRUE(torch::equal(one.gradients[k], two.gradients[k])) << k;
  }
}

TEST_P(FusedLayers, WhatIsNotANumberStaysNone) {
  Tensor input = activations(2, GetParam()).detach();
  input.index_put_({0, 1, 2, 3}, std::numeric_limits<float>::quiet_NaN());
  const Tensor mean = torch::zeros({2});
  const Tensor variance = torch::ones({2});
  const Tensor output = normalize_relu(input, torch::ones({2}), torch::zeros({2}), mean, variance, {});
  EXPECT_TRUE(output.select(1, 1).isnan().all().item<bool>());
  EXPECT_FALSE(output.select(1, 0).isnan().any().item<bool>());
}

TEST(CanFuse, TakesWhatTheLearnerMakesOnACpu) {
  const Tensor planes = torch::zeros({2, 3, 4, 4});
  EXPECT_FALSE(can_fuse(planes)) << "not channels last";
  EXPECT_TRUE(can_fuse(planes.contiguous(torch::MemoryFormat::ChannelsLast)));
  EXPECT_FALSE(can_fuse(planes.to(torch::kFloat64).contiguous(torch::MemoryFormat::ChannelsLast)));
  EXPECT_FALSE(can_fuse(planes[0]));
}

}  // namespace
}  // namespace pahtum
