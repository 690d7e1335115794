#pragma once

// Internal to model/, and only for sources that oneDNN is there for: convolutions on oneDNN.

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "model/frozen_features.h"

namespace pahtum {

// A convolution with bias that keeps the size of the board. Biases are float32.
struct ConvolutionShape {
  int batch = 1;
  int inputs = 1, outputs = 1;
  int size = 7;
  int kernel = 3;
  Precision input_precision = Precision::kFp32;  // of the weights too
  Precision output_precision = Precision::kFp32;
  bool add = false;   // what the output buffer holds is added
  bool relu = false;  // after that
};

// The library's plan for it; the layouts of input and output are its own choice where none is given. Scratch
// memory is the caller's. Throws dnnl::error where the library has no such convolution.
[[nodiscard]] dnnl::convolution_forward::primitive_desc plan_convolution(
    const dnnl::engine& engine, const ConvolutionShape& shape,
    const std::optional<dnnl::memory::desc>& input = {}, const std::optional<dnnl::memory::desc>& output = {},
    dnnl::algorithm algorithm = dnnl::algorithm::convolution_direct);

// The same layout in our terms; none where it is of another kind.
[[nodiscard]] std::optional<FeatureLayout> layout_of(const dnnl::memory::desc& features);

[[nodiscard]] dnnl::memory::data_type number_type(Precision precision);

// Weights of one convolution, packed as each plan asks for it, once for each layout asked for.
class ConvolutionWeights {
 public:
  // weights: [outputs, inputs, kernel, kernel] of at most the numbers of the shape; missing outputs are zero.
  ConvolutionWeights(const ConvolutionShape& shape, const std::vector<float>& weights,
                     const std::vector<float>& bias);

  // Memory in the layout of plan.weights_desc(), which stays this object's.
  [[nodiscard]] dnnl::memory packed(const dnnl::convolution_forward::primitive_desc& plan,
                                    const dnnl::engine& engine, dnnl::stream& stream);
  [[nodiscard]] dnnl::memory bias(const dnnl::engine& engine);

 private:
  dnnl::memory::dims dimensions_;
  std::vector<float> weights_, bias_;
  std::vector<dnnl::memory> packed_;
};

}  // namespace pahtum
