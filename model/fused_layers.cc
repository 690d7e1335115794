#include "model/fused_layers.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/network.h"

namespace pahtum {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr auto kOrder = torch::MemoryFormat::ChannelsLast;
// Rows whose sums are added up in float32 before they go into float64; also the unit of work of a thread, so
// that sums do not depend on how many there are.
constexpr std::int64_t kRows = 256;

// bf16 as it lies in memory.
struct Bf16 {
  std::uint16_t bits;
};

inline float widen(float value) {
  return value;
}
inline float widen(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

template <class Scalar>
Scalar narrow(float value);
template <>
inline float narrow<float>(float value) {
  return value;
}
// To the nearest, ties to even. A NaN must not be rounded up to an infinity or zero.
template <>
inline Bf16 narrow<Bf16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return {static_cast<std::uint16_t>(std::isnan(value) ? (bits >> 16) | 0x40u : rounded)};
}

template <class Scalar>
Scalar* data_of(const Tensor& tensor) {
  return static_cast<Scalar*>(tensor.data_ptr());
}

// Calls function(Scalar{}) with the type that holds the tensor's numbers.
template <class Function>
auto with_scalar(const Tensor& tensor, Function&& function) {
  return tensor.scalar_type() == torch::kBFloat16 ? function(Bf16{}) : function(float{});
}

Tensor like(const Tensor& tensor) {
  return torch::empty_like(tensor, tensor.options(), kOrder);
}

// The numbers of a tensor as rows of channels, in blocks.
struct Rows {
  explicit Rows(const Tensor& tensor)
      : channels(tensor.size(1)),
        count(tensor.size(0) * tensor.size(2) * tensor.size(3)),
        blocks((count + kRows - 1) / kRows) {}

  // Calls function(block, first row, row behind the last).
  template <class Function>
  void for_each_block(const Function& function) const {
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        function(block, block * kRows, std::min(count, (block + 1) * kRows));
      }
    });
  }

  std::int64_t channels, count, blocks;
};

// Two sums per channel, by block and then over all.
class ChannelSums {
 public:
  explicit ChannelSums(const Rows& rows)
      : channels_(static_cast<std::size_t>(rows.channels)),
        blocks_(static_cast<std::size_t>(rows.blocks)),
        parts_(2 * channels_ * blocks_) {}

  [[nodiscard]] float* first(std::int64_t block) {
    return &parts_[2 * channels_ * static_cast<std::size_t>(block)];
  }
  [[nodiscard]] float* second(std::int64_t block) { return first(block) + channels_; }

  // [2, channels]
  [[nodiscard]] std::vector<double> total() const {
    std::vector<double> sums(2 * channels_);
    for (std::size_t block = 0; block < blocks_; ++block) {
      for (std::size_t k = 0; k < sums.size(); ++k) {
        sums[k] += static_cast<double>(parts_[block * sums.size() + k]);
      }
    }
    return sums;
  }

 private:
  std::size_t channels_, blocks_;
  std::vector<float> parts_;
};

// Loops over the channels of one row. Without __restrict the compiler fears that the many arrays overlap, and
// does without vector instructions.

template <class Scalar>
void add_moments(std::int64_t channels, const Scalar* __restrict x, const Scalar* __restrict origin,
                 float* __restrict sum, float* __restrict squares) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const float difference = widen(x[c]) - widen(origin[c]);
    sum[c] += difference;
    squares[c] += difference * difference;
  }
}

template <class Scalar>
void pass_relu(std::int64_t channels, const Scalar* __restrict x, const Scalar* __restrict y,
               const Scalar* __restrict gradient, const float* __restrict mean, Scalar* __restrict passed,
               float* __restrict sum, float* __restrict products) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const float all = widen(gradient[c]);
    const float value = widen(y[c]) > 0.0f ? all : 0.0f;
    passed[c] = narrow<Scalar>(value);
    sum[c] += value;
    products[c] += value * (widen(x[c]) - mean[c]);
  }
}

template <class Scalar>
void pass_normalization(std::int64_t channels, const Scalar* __restrict x, const Scalar* __restrict passed,
                        const float* __restrict factor, const float* __restrict slope,
                        const float* __restrict offset, Scalar* __restrict result) {
  for (std::int64_t c = 0; c < channels; ++c) {
    result[c] = narrow<Scalar>(widen(passed[c]) * factor[c] + widen(x[c]) * slope[c] + offset[c]);
  }
}

struct Statistics {
  Tensor mean, precision;  // the latter one over the standard deviation; [channels]
};

// Mean and variance in one pass: of the differences from the first row, which keeps the variance exact when
// the mean is far from zero.
template <class Scalar>
Statistics statistics_of(const Tensor& input, const Tensor& running_mean, const Tensor& running_variance) {
  const Rows rows(input);
  const auto* const numbers = data_of<Scalar>(input);
  ChannelSums sums(rows);
  rows.for_each_block([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    float* const sum = sums.first(block);
    float* const squares = sums.second(block);
    for (std::int64_t row = begin; row < end; ++row) {
      add_moments(rows.channels, numbers + row * rows.channels, numbers, sum, squares);
    }
  });
  const std::vector<double> total = sums.total();
  Statistics result{torch::empty_like(running_mean), torch::empty_like(running_mean)};
  const auto count = static_cast<double>(rows.count);
  for (std::int64_t c = 0; c < rows.channels; ++c) {
    const double mean = total[static_cast<std::size_t>(c)] / count;
    const double squares = total[static_cast<std::size_t>(c + rows.channels)];
    const double variance = std::max(0.0, squares / count - mean * mean);
    const double whole_mean = mean + static_cast<double>(widen(numbers[c]));
    data_of<float>(result.mean)[c] = static_cast<float>(whole_mean);
    data_of<float>(result.precision)[c] =
        static_cast<float>(1.0 / std::sqrt(variance + kNormalizationEpsilon));
    const auto move = [](float& value, double newest) {
      value = static_cast<float>((1.0 - kNormalizationMomentum) * static_cast<double>(value) +
                                 kNormalizationMomentum * newest);
    };
    move(data_of<float>(running_mean)[c], whole_mean);
    move(data_of<float>(running_variance)[c], variance * count / std::max(1.0, count - 1.0));
  }
  return result;
}

class NormalizeRelu : public torch::autograd::Function<NormalizeRelu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& scale,
                        const Tensor& shift, const Tensor& running_mean, const Tensor& running_variance,
                        const Tensor& residual) {
    const bool has_residual = residual.numel() > 0;
    const Tensor other = has_residual ? residual.contiguous(kOrder) : residual;
    Tensor output = like(input);
    Statistics statistics;
    with_scalar(input, [&](auto scalar) {
      using Scalar = decltype(scalar);
      statistics = statistics_of<Scalar>(input, running_mean, running_variance);
      const Rows rows(input);
      std::vector<float> factor(static_cast<std::size_t>(rows.channels));
      std::vector<float> offset(factor.size());
      for (std::size_t c = 0; c < factor.size(); ++c) {
        factor[c] = data_of<float>(scale)[c] * data_of<float>(statistics.precision)[c];
        offset[c] = data_of<float>(shift)[c] - data_of<float>(statistics.mean)[c] * factor[c];
      }
      const auto* const x = data_of<Scalar>(input);
      const auto* const r = has_residual ? data_of<Scalar>(other) : nullptr;
      auto* const y = data_of<Scalar>(output);
      rows.for_each_block([&](std::int64_t, std::int64_t begin, std::int64_t end) {
        const std::int64_t channels = rows.channels;
        const float* const f = factor.data();
        const float* const o = offset.data();
        for (std::int64_t at = begin * channels; at < end * channels; at += channels) {
          if (r == nullptr) {
            for (std::int64_t c = 0; c < channels; ++c) {
              y[at + c] = narrow<Scalar>(relu(widen(x[at + c]) * f[c] + o[c]));
            }
          } else {
            for (std::int64_t c = 0; c < channels; ++c) {
              y[at + c] = narrow<Scalar>(relu(widen(x[at + c]) * f[c] + o[c] + widen(r[at + c])));
            }
          }
        }
      });
    });
    context->save_for_backward({input, output, scale, statistics.mean, statistics.precision});
    context->saved_data["residual"] = has_residual;
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor& input = saved[0];
    const Tensor& output = saved[1];
    const Tensor gradient = gradients[0].contiguous(kOrder);
    const bool has_residual = context->saved_data["residual"].toBool();
    // Behind ReLU: the residual's own gradient, or kept for the second pass.
    const Tensor passed = like(input);
    const Tensor result = like(input);
    const Tensor scale_gradient = torch::empty_like(saved[2]);
    const Tensor shift_gradient = torch::empty_like(saved[2]);
    with_scalar(input, [&](auto scalar) {
      using Scalar = decltype(scalar);
      const Rows rows(input);
      const auto* const x = data_of<Scalar>(input);
      const auto* const y = data_of<Scalar>(output);
      const auto* const g = data_of<Scalar>(gradient);
      auto* const p = data_of<Scalar>(passed);
      const auto* const mean = data_of<float>(saved[3]);
      const auto* const precision = data_of<float>(saved[4]);
      ChannelSums sums(rows);
      rows.for_each_block([&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        float* const sum = sums.first(block);
        float* const products = sums.second(block);
        const std::int64_t channels = rows.channels;
        for (std::int64_t at = begin * channels; at < end * channels; at += channels) {
          pass_relu(channels, x + at, y + at, g + at, mean, p + at, sum, products);
        }
      });
      const std::vector<double> total = sums.total();
      const auto count = static_cast<double>(rows.count);
      // gradient = passed · a + input · b + shift, by the derivative of BatchNorm (Ioffe and Szegedy, 2015).
      std::vector<float> a(static_cast<std::size_t>(rows.channels));
      std::vector<float> b(a.size());
      std::vector<float> shift(a.size());
      for (std::size_t c = 0; c < a.size(); ++c) {
        const auto one = static_cast<double>(precision[c]);
        const double sum = total[c];
        const double products = total[c + a.size()];
        data_of<float>(scale_gradient)[c] = static_cast<float>(products * one);
        data_of<float>(shift_gradient)[c] = static_cast<float>(sum);
        const double factor = static_cast<double>(data_of<float>(saved[2])[c]) * one;
        const double slope = factor * products * one * one / count;
        a[c] = static_cast<float>(factor);
        b[c] = static_cast<float>(-slope);
        shift[c] = static_cast<float>(slope * static_cast<double>(mean[c]) - factor * sum / count);
      }
      auto* const out = data_of<Scalar>(result);
      rows.for_each_block([&](std::int64_t, std::int64_t begin, std::int64_t end) {
        const std::int64_t channels = rows.channels;
        const float* const factor = a.data();
        const float* const slope = b.data();
        const float* const offset = shift.data();
        for (std::int64_t at = begin * channels; at < end * channels; at += channels) {
          pass_normalization(channels, x + at, p + at, factor, slope, offset, out + at);
        }
      });
    });
    return {result, scale_gradient, shift_gradient, {}, {}, has_residual ? passed : Tensor()};
  }

 private:
  // Keeps NaN, so that a loss that is not finite shows.
  static float relu(float value) { return value < 0.0f ? 0.0f : value; }
};

class PoolActivations : public torch::autograd::Function<PoolActivations> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input) {
    const std::int64_t batch = input.size(0);
    const std::int64_t channels = input.size(1);
    const std::int64_t squares = input.size(2) * input.size(3);
    Tensor output = torch::empty({batch, 2 * channels}, input.options());
    const Tensor places = torch::empty({batch, channels}, torch::kInt32);
    with_scalar(input, [&](auto scalar) {
      using Scalar = decltype(scalar);
      const auto* const numbers = data_of<Scalar>(input);
      auto* const out = data_of<Scalar>(output);
      auto* const place = data_of<std::int32_t>(places);
      at::parallel_for(0, batch, 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> sums(static_cast<std::size_t>(channels));
        std::vector<float> maxima(sums.size());
        for (std::int64_t n = begin; n < end; ++n) {
          float* const sum = sums.data();
          float* const maximum = maxima.data();
          std::int32_t* const where = place + n * channels;
          const Scalar* x = numbers + n * squares * channels;
          for (std::int64_t c = 0; c < channels; ++c) {
            sum[c] = maximum[c] = widen(x[c]);
            where[c] = 0;
          }
          for (std::int32_t square = 1; square < static_cast<std::int32_t>(squares); ++square) {
            x += channels;
            for (std::int64_t c = 0; c < channels; ++c) {
              const float value = widen(x[c]);
              sum[c] += value;
              where[c] = value > maximum[c] ? square : where[c];
              maximum[c] = value > maximum[c] ? value : maximum[c];
            }
          }
          const float share = 1.0f / static_cast<float>(squares);
          for (std::int64_t c = 0; c < channels; ++c) {
            out[n * 2 * channels + c] = narrow<Scalar>(sum[c] * share);
            out[n * 2 * channels + channels + c] = narrow<Scalar>(maximum[c]);
          }
        }
      });
    });
    context->save_for_backward({places});
    context->saved_data["shape"] = input.sizes().vec();
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor places = context->get_saved_variables()[0];
    const std::vector<std::int64_t> shape = context->saved_data["shape"].toIntVector();
    const Tensor gradient = gradients[0].contiguous();
    Tensor result = torch::empty(shape, gradient.options().memory_format(kOrder));
    with_scalar(gradient, [&](auto scalar) {
      using Scalar = decltype(scalar);
      const std::int64_t channels = shape[1];
      const auto squares = static_cast<std::int32_t>(shape[2] * shape[3]);
      const auto* const g = data_of<Scalar>(gradient);
      const auto* const place = data_of<std::int32_t>(places);
      auto* const numbers = data_of<Scalar>(result);
      at::parallel_for(0, shape[0], 1, [&](std::int64_t begin, std::int64_t end) {
        const float share = 1.0f / static_cast<float>(squares);
        for (std::int64_t n = begin; n < end; ++n) {
          const Scalar* const mean = g + n * 2 * channels;
          const Scalar* const maximum = mean + channels;
          const std::int32_t* const where = place + n * channels;
          Scalar* out = numbers + n * squares * channels;
          for (std::int32_t square = 0; square < squares; ++square, out += channels) {
            for (std::int64_t c = 0; c < channels; ++c) {
              const float most = where[c] == square ? widen(maximum[c]) : 0.0f;
              out[c] = narrow<Scalar>(widen(mean[c]) * share + most);
            }
          }
        }
      });
    });
    return {result};
  }
};

class AddToChannels : public torch::autograd::Function<AddToChannels> {
 public:
  static Tensor forward(AutogradContext* /*context*/, const Tensor& input, const Tensor& bias) {
    Tensor output = like(input);
    const Tensor rows = bias.to(input.scalar_type()).contiguous();
    with_scalar(input, [&](auto scalar) {
      using Scalar = decltype(scalar);
      const std::int64_t channels = input.size(1);
      const std::int64_t squares = input.size(2) * input.size(3);
      const auto* const numbers = data_of<Scalar>(input);
      const auto* const biases = data_of<Scalar>(rows);
      auto* const sums = data_of<Scalar>(output);
      at::parallel_for(0, input.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) {
          const Scalar* const b = biases + n * channels;
          for (std::int64_t at = n * squares * channels; at < (n + 1) * squares * channels; at += channels) {
            for (std::int64_t c = 0; c < channels; ++c) {
              sums[at + c] = narrow<Scalar>(widen(numbers[at + c]) + widen(b[c]));
            }
          }
        }
      });
    });
    return output;
  }

  static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
    const Tensor& gradient = gradients[0];
    return {gradient, gradient.sum({2, 3})};
  }
};

}  // namespace

bool can_fuse(const Tensor& input) {
  const bool known = input.scalar_type() == torch::kFloat32 || input.scalar_type() == torch::kBFloat16;
  return known && input.device().is_cpu() && input.dim() == 4 && input.is_contiguous(kOrder);
}

Tensor normalize_relu(const Tensor& input, const Tensor& scale, const Tensor& shift,
                      const Tensor& running_mean, const Tensor& running_variance, const Tensor& residual) {
  // LibTorch's functions take no undefined tensors.
  return NormalizeRelu::apply(input, scale, shift, running_mean, running_variance,
                              residual.defined() ? residual : torch::empty({0}));
}

Tensor pool_activations(const Tensor& input) {
  return PoolActivations::apply(input);
}

Tensor add_to_channels(const Tensor& input, const Tensor& bias) {
  return AddToChannels::apply(input, bias);
}

}  // namespace pahtum
