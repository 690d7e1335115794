#ifdef PAHTUM_WITH_ONEDNN

#include "model/convolution.h"

#include <algorithm>
#include <chrono>

#include "env/base/error.h"

namespace pahtum {

using dnnl::algorithm;
using dnnl::convolution_forward;
using dnnl::memory;

memory::data_type number_type(Precision precision) {
  switch (precision) {
    case Precision::kBf16:
      return memory::data_type::bf16;
    case Precision::kFp16:
      return memory::data_type::f16;
    case Precision::kFp32:
      break;
  }
  return memory::data_type::f32;
}

convolution_forward::primitive_desc plan_convolution(const dnnl::engine& engine,
                                                     const ConvolutionShape& shape,
                                                     const std::optional<memory::desc>& input,
                                                     const std::optional<memory::desc>& output,
                                                     algorithm algorithm) {
  const memory::data_type type = number_type(shape.input_precision);
  const auto board = [&](int channels, memory::data_type numbers) {
    return memory::desc({shape.batch, channels, shape.size, shape.size}, numbers, memory::format_tag::any);
  };
  const memory::desc weights({shape.outputs, shape.inputs, shape.kernel, shape.kernel}, type,
                             memory::format_tag::any);
  const memory::desc bias({shape.outputs}, memory::data_type::f32, memory::format_tag::a);
  dnnl::post_ops operations;
  if (shape.add) operations.append_sum();
  if (shape.relu) operations.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(operations);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const memory::dim padding = shape.kernel / 2;
  const convolution_forward::desc description(
      dnnl::prop_kind::forward_inference, algorithm, input.value_or(board(shape.inputs, type)), weights, bias,
      output.value_or(board(shape.outputs, number_type(shape.output_precision))), {1, 1}, {padding, padding},
      {padding, padding});
  return {description, attributes, engine};
}

std::optional<FeatureLayout> layout_of(const memory::desc& features) {
  const dnnl_memory_desc_t& raw = features.data;
  constexpr int kDimensions = 4;
  if (raw.format_kind != dnnl_blocked || raw.ndims != kDimensions || raw.offset0 != 0) return std::nullopt;
  const dnnl_blocking_desc_t& blocking = raw.format_desc.blocking;
  if (blocking.strides[2] != raw.dims[3] * blocking.strides[3]) return std::nullopt;
  FeatureLayout layout{.sample_stride = blocking.strides[0],
                       .block_stride = blocking.strides[1],
                       .square_stride = blocking.strides[3],
                       .block = 1};
  if (blocking.inner_nblks == 1 && blocking.inner_idxs[0] == 1) {
    layout.block = static_cast<int>(blocking.inner_blks[0]);
  } else if (blocking.inner_nblks != 0) {
    return std::nullopt;
  } else if (blocking.strides[1] == 1) {
    layout.block = static_cast<int>(raw.padded_dims[1]);
    layout.block_stride = layout.block;
  }
  // With one sample a library may say any stride.
  const std::int64_t blocks = (raw.padded_dims[1] + layout.block - 1) / layout.block;
  const std::int64_t squares = raw.dims[2] * raw.dims[3];
  layout.sample_stride = std::max(layout.sample_stride, blocks * layout.block * squares);
  return layout;
}

ConvolutionWeights::ConvolutionWeights(const ConvolutionShape& shape, const std::vector<float>& weights,
                                       const std::vector<float>& bias)
    : dimensions_({shape.outputs, shape.inputs, shape.kernel, shape.kernel}), weights_(weights), bias_(bias) {
  const auto outputs = static_cast<std::size_t>(shape.outputs);
  weights_.resize(outputs * static_cast<std::size_t>(shape.inputs * shape.kernel * shape.kernel));
  bias_.resize(outputs);
}

memory ConvolutionWeights::packed(const convolution_forward::primitive_desc& plan, const dnnl::engine& engine,
                                  dnnl::stream& stream) {
  const memory::desc wanted = plan.weights_desc();
  const auto found =
      std::ranges::find_if(packed_, [&](const memory& weights) { return weights.get_desc() == wanted; });
  if (found != packed_.end()) return *found;
  memory plain({dimensions_, memory::data_type::f32, memory::format_tag::oihw}, engine, weights_.data());
  memory& weights = packed_.emplace_back(wanted, engine);
  dnnl::reorder(plain, weights).execute(stream, plain, weights);
  stream.wait();
  return weights;
}

memory ConvolutionWeights::bias(const dnnl::engine& engine) {
  return memory({{dimensions_[0]}, memory::data_type::f32, memory::format_tag::a}, engine, bias_.data());
}

}  // namespace pahtum

#endif
