#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace pahtum {

// In what numbers inference works inside. Evaluations are float32 always.
enum class Precision { kFp32, kBf16, kFp16 };
[[nodiscard]] std::string_view to_text(Precision precision) noexcept;

// Which program computes the network.
enum class InferenceForm {
  kFastest,  // frozen on a CPU where oneDNN is built in, else folded
  kFolded,   // LibTorch's operators over folded weights; on CUDA with streams (model/device_program.h)
  kEager,    // the module as it is trained, fp32: what the other two are compared with
};

class InferenceCheck;

// How the networks of a command run.
struct InferenceOptions {
  std::string device = "auto";     // auto, cpu or cuda
  std::string precision = "auto";  // auto, fp32, bf16 or fp16
  InferenceForm form = InferenceForm::kFastest;
  // Where set, every evaluation is compared with the eager module's; outlives the evaluators.
  InferenceCheck* check = nullptr;
  // Told, at most once per evaluator, of what makes a device slower than it could be; on the thread that
  // evaluates. Where empty, std::clog is.
  std::function<void(const std::string&)> warn = {};
};

// Whether networks on a CPU run on oneDNN itself.
[[nodiscard]] bool has_frozen_network();

// The precision a configuration's name stands for on a CPU. "auto" is bf16 where the processor multiplies
// bf16 numbers itself, else fp32. Throws a kRequest Error that names the value and says what would be right
// for anything but auto, fp32, bf16 and fp16, and for a precision this processor has no convolutions in.
[[nodiscard]] Precision choose_cpu_precision(const std::string& name);

// The same on a CUDA device of this compute capability, 10 · major + minor: "auto" is fp16 from 7.0 on, where
// matrix units multiply it, else fp32; bf16 needs 8.0.
[[nodiscard]] Precision choose_cuda_precision(const std::string& name, int capability);

// How many multiplications and additions one position costs is 2 · rows · columns · inputs · outputs ·
// kernel² for each convolution. The best rate, in 1e9 of them a second, that oneDNN reaches on bare 3×3
// convolutions of a tower on the calling thread, with warm buffers in the library's own layout, over its
// algorithms; the limit of what a network can reach. Each is measured for `seconds` of the process's time on
// the processor. 0 without oneDNN or where the precision has no convolution.
[[nodiscard]] double best_convolution_rate(int channels, int size, int batch, Precision precision,
                                           double seconds);

}  // namespace pahtum
