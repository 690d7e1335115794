#include "model/inference.h"

#include <algorithm>
#include <ctime>

#include "env/base/error.h"

#ifdef PAHTUM_WITH_ONEDNN
#include "model/convolution.h"
#endif

namespace pahtum {

std::string_view to_text(Precision precision) noexcept {
  switch (precision) {
    case Precision::kBf16:
      return "bf16";
    case Precision::kFp16:
      return "fp16";
    case Precision::kFp32:
      break;
  }
  return "fp32";
}

namespace {

// fp32 for auto.
Precision parse_precision(const std::string& name) {
  if (name == "fp32" || name == "auto") return Precision::kFp32;
  if (name == "bf16") return Precision::kBf16;
  if (name == "fp16") return Precision::kFp16;
  throw request_error("precision", "\"" + name + "\" is not a precision; use auto, fp32, bf16 or fp16");
}

}  // namespace

Precision choose_cuda_precision(const std::string& name, int capability) {
  constexpr int kFp16 = 70;
  constexpr int kBf16 = 80;
  const Precision precision = parse_precision(name);
  if (name == "auto") return capability >= kFp16 ? Precision::kFp16 : Precision::kFp32;
  const int needed = precision == Precision::kBf16 ? kBf16 : precision == Precision::kFp16 ? kFp16 : 0;
  if (capability < needed) {
    const auto text = [](int number) {
      return std::to_string(number / 10) + "." + std::to_string(number % 10);
    };
    throw request_error("precision", name +
                                         " was asked for, but it needs a CUDA device of compute capability " +
                                         text(needed) + " and this one has " + text(capability) + "; use " +
                                         (capability >= kFp16 ? "auto, fp32 or fp16" : "auto or fp32"));
  }
  return precision;
}

#ifdef PAHTUM_WITH_ONEDNN

namespace {

using dnnl::algorithm;

bool has_convolutions(Precision precision) {
  // Pooling and heads read no fp16, which oneDNN 2.6 has on no processor anyway.
  if (!has_frozen_network() || precision == Precision::kFp16) return false;
  constexpr int kChannels = 64;
  ConvolutionShape shape{.inputs = kChannels,
                         .outputs = kChannels,
                         .input_precision = precision,
                         .output_precision = precision,
                         .add = true,
                         .relu = true};
  try {
    static_cast<void>(plan_convolution(dnnl::engine(dnnl::engine::kind::cpu, 0), shape));
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

// Without the instructions the library emulates bf16 on some processors, more slowly than fp32.
bool multiplies_bf16() {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  constexpr auto kNeeded = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (isa & kNeeded) == kNeeded && has_convolutions(Precision::kBf16);
}

double rate_of(const dnnl::convolution_forward::primitive_desc& plan, double operations, double seconds) {
  const dnnl::engine engine = plan.get_engine();
  dnnl::stream stream(engine);
  const auto filled = [&](const dnnl::memory::desc& description) {
    dnnl::memory memory(description, engine);
    std::fill_n(static_cast<char*>(memory.get_data_handle()), description.get_size(), char{});
    return memory;
  };
  const dnnl::convolution_forward convolution(plan);
  const std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, filled(plan.src_desc())},
      {DNNL_ARG_WEIGHTS, filled(plan.weights_desc())},
      {DNNL_ARG_BIAS, filled(plan.bias_desc())},
      {DNNL_ARG_DST, filled(plan.dst_desc())},
      {DNNL_ARG_SCRATCHPAD, filled(plan.scratchpad_desc())}};
  convolution.execute(stream, arguments);
  // Processor time: neighbours that share the core do not count.
  const std::clock_t start = std::clock();
  double done = 0.0;
  double elapsed = 0.0;
  do {
    convolution.execute(stream, arguments);
    stream.wait();
    done += operations;
    elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (elapsed < seconds);
  return done / elapsed * 1e-9;
}

}  // namespace

bool has_frozen_network() {
  return dnnl::version()->major == DNNL_VERSION_MAJOR;
}

Precision choose_cpu_precision(const std::string& name) {
  const Precision precision = parse_precision(name);
  if (name == "auto") return multiplies_bf16() ? Precision::kBf16 : Precision::kFp32;
  if (precision != Precision::kFp32 && !has_convolutions(precision)) {
    const std::string others = has_convolutions(Precision::kBf16) ? "auto, fp32 or bf16" : "auto or fp32";
    throw request_error("precision", name + " was asked for, but there are no " + name +
                                         " convolutions for this processor; use " + others);
  }
  return precision;
}

double best_convolution_rate(int channels, int size, int batch, Precision precision, double seconds) {
  const ConvolutionShape shape{.batch = batch,
                               .inputs = channels,
                               .outputs = channels,
                               .size = size,
                               .input_precision = precision,
                               .output_precision = precision};
  const double operations = 2.0 * batch * size * size * channels * channels * shape.kernel * shape.kernel;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  double best = 0.0;
  for (const algorithm choice : {algorithm::convolution_direct, algorithm::convolution_winograd}) {
    try {
      best = std::max(best, rate_of(plan_convolution(engine, shape, {}, {}, choice), operations, seconds));
    } catch (const dnnl::error&) {
      continue;  // not on this processor
    }
  }
  return best;
}

#else

bool has_frozen_network() {
  return false;
}

Precision choose_cpu_precision(const std::string& name) {
  const Precision precision = parse_precision(name);
  if (precision != Precision::kFp32) {
    throw request_error("precision", name +
                                         " was asked for, but this build has no oneDNN to compute it "
                                         "with; use auto or fp32");
  }
  return precision;
}

double best_convolution_rate(int /*channels*/, int /*size*/, int /*batch*/, Precision /*precision*/,
                             double /*seconds*/) {
  return 0.0;
}

#endif

}  // namespace pahtum
