#pragma once

// Internal to model/: what lies between the convolutions of a learner step on a CPU, in few passes over
// memory. LibTorch's own operators read and write every activation once for each of BatchNorm's parts, ReLU,
// the residual addition and pooling, forwards and backwards. Results differ from theirs by rounding only, and
// do not depend on the number of threads.

#include <torch/types.h>

namespace pahtum {

// Whether the functions below take this input: four dimensions, channels last, float32 or bf16, on the CPU.
[[nodiscard]] bool can_fuse(const torch::Tensor& input);

// BatchNorm in training mode with the running statistics brought up to date, plus `residual` unless that is
// undefined, then ReLU. The residual has the shape, type and order of the input.
[[nodiscard]] torch::Tensor normalize_relu(const torch::Tensor& input, const torch::Tensor& scale,
                                           const torch::Tensor& shift, const torch::Tensor& running_mean,
                                           const torch::Tensor& running_variance,
                                           const torch::Tensor& residual);

// pool_board() of what ReLU returned: of equal maxima the first gets the gradient, where LibTorch shares it
// out. That makes a difference only where all are zero, and there ReLU's own gradient is zero.
[[nodiscard]] torch::Tensor pool_activations(const torch::Tensor& input);

// input + bias[:, :, None, None]
[[nodiscard]] torch::Tensor add_to_channels(const torch::Tensor& input, const torch::Tensor& bias);

}  // namespace pahtum
