#ifdef PAHTUM_WITH_ONEDNN

#include "model/frozen_tower.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "env/base/error.h"
#include "model/convolution.h"
#include "model/frozen_heads.h"

// Of OpenMP, on which oneDNN and LibTorch start their threads. Declared here because <omp.h> belongs to a
// compiler, and not every one has it.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_max_threads();
}

namespace pahtum {
namespace {

// While it lives, oneDNN computes on the calling thread alone; other threads are not affected.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

using dnnl::convolution_forward;
using dnnl::memory;
using Plan = convolution_forward::primitive_desc;
using Arguments = std::unordered_map<int, memory>;

// Channels that no layout of the library pads beyond.
constexpr int kWidestBlock = 64;

std::size_t bytes_for(int channels, int squares) {
  const int padded = (channels + kWidestBlock - 1) / kWidestBlock * kWidestBlock;
  return sizeof(float) * static_cast<std::size_t>(FrozenTower::kLargestPass) *
         static_cast<std::size_t>(padded) * static_cast<std::size_t>(squares);
}

}  // namespace

class FrozenTower::Implementation {
 public:
  Implementation(const FrozenWeights& weights, Precision precision)
      : size_(weights.size),
        channels_(weights.channels),
        width_(static_cast<int>(weights.config.channels)),
        stem_shape_{.inputs = channels_,
                    .outputs = width_,
                    .size = size_,
                    .kernel = 3,
                    .input_precision = precision,
                    .output_precision = precision,
                    .relu = true},
        tower_shape_(stem_shape_),
        heads_shape_{.inputs = width_,
                     .outputs = FrozenHeads::head_outputs(weights),
                     .size = size_,
                     .kernel = 1,
                     .input_precision = precision},
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        input_(buffer(channels_)),
        x_(buffer(width_)),
        y_(buffer(width_)),
        head_features_(buffer(heads_shape_.outputs)) {
    tower_shape_.inputs = width_;
    const auto take = [&](const ConvolutionShape& shape, const std::string& name) {
      convolutions_.emplace_back(shape, weights.tensors.at(name + ".weight"),
                                 weights.tensors.at(name + ".bias"));
    };
    take(stem_shape_, "stem");
    for (std::int64_t number = 0; number < weights.config.blocks; ++number) {
      const std::string name = "block" + std::to_string(number);
      take(tower_shape_, name + "_first");
      take(tower_shape_, name + "_second");
      const bool pooled = weights.tensors.contains(name + "_pool.weight");
      pools_.push_back(pooled ? DenseLayer(weights, name + "_pool") : DenseLayer());
    }
    take_heads(weights);
    pooled_.resize(static_cast<std::size_t>(2 * width_));
    bias_.resize(static_cast<std::size_t>(width_));
    static_cast<void>(programs(1));
  }

  void encode(std::span<const Position> positions) {
    const FeatureView& planes = programs(static_cast<int>(positions.size())).input;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      write_planes(positions[k], channels_, planes, static_cast<std::int64_t>(k));
    }
  }

  Output run(int count) {
    Programs& now = programs(count);
    std::size_t step = 0;
    now.stem.execute(stream_, now.arguments[step++]);
    for (const DenseLayer& pool : pools_) {
      now.first.execute(stream_, now.arguments[step++]);
      if (pool.outputs() > 0) {
        stream_.wait();
        for (int sample = 0; sample < count; ++sample) {
          pool_board(now.inner, sample, 0, width_, false, pooled_.data());
          pool.apply(pooled_.data(), bias_.data());
          add_bias(now.inner, sample, width_, bias_.data());
        }
      }
      now.second.execute(stream_, now.arguments[step++]);
    }
    now.heads.execute(stream_, now.arguments[step]);
    stream_.wait();
    return {now.tower, now.head_features};
  }

 private:
  // What one number of positions needs.
  struct Programs {
    convolution_forward stem, first, second, heads;
    std::vector<Arguments> arguments;  // of every convolution in order
    FeatureView input, tower, inner, head_features;
    memory scratch;
  };

  memory buffer(int channels) {
    const auto bytes = static_cast<memory::dim>(bytes_for(channels, size_ * size_));
    memory made({{bytes}, memory::data_type::u8, memory::format_tag::a}, engine_);
    std::fill_n(static_cast<char*>(made.get_data_handle()), bytes, char{});
    return made;
  }

  // The 1×1 convolutions of both heads as one.
  void take_heads(const FrozenWeights& weights) {
    const auto width = static_cast<std::size_t>(width_);
    const auto value_begin = static_cast<std::size_t>(FrozenHeads::value_begin(weights));
    std::vector<float> joined(static_cast<std::size_t>(heads_shape_.outputs) * width);
    std::vector<float> bias(static_cast<std::size_t>(heads_shape_.outputs));
    std::ranges::copy(weights.tensors.at("policy.weight"), joined.begin());
    std::ranges::copy(weights.tensors.at("policy.bias"), bias.begin());
    std::ranges::copy(weights.tensors.at("value.weight"),
                      joined.begin() + static_cast<std::ptrdiff_t>(value_begin * width));
    std::ranges::copy(weights.tensors.at("value.bias"),
                      bias.begin() + static_cast<std::ptrdiff_t>(value_begin));
    convolutions_.emplace_back(heads_shape_, joined, bias);
  }

  FeatureView view(const memory::desc& features, memory& owner, Precision precision) const {
    const auto layout = layout_of(features);
    if (!layout) {
      throw failure("oneDNN",
                    "chose a layout for activations that this program does not know; run.precision "
                    "or another version of the library may help");
    }
    return {owner.get_data_handle(), precision, *layout, size_};
  }

  Programs& programs(int count) {
    auto& slot = programs_[static_cast<std::size_t>(count - 1)];
    if (!slot) slot = make_programs(count);
    return *slot;
  }

  std::unique_ptr<Programs> make_programs(int count) {
    const auto shaped = [count](ConvolutionShape shape, bool add) {
      shape.batch = count;
      shape.add = add;
      return shape;
    };
    // The tower's own convolution says which layout all activations have.
    const Precision precision = tower_shape_.input_precision;
    const memory::desc features = plan_convolution(engine_, shaped(tower_shape_, false)).src_desc();
    const Plan stem = plan_convolution(engine_, shaped(stem_shape_, false), {}, features);
    const Plan first = plan_convolution(engine_, shaped(tower_shape_, false), features, features);
    const Plan second = plan_convolution(engine_, shaped(tower_shape_, true), features, features);
    const Plan heads = plan_convolution(engine_, shaped(heads_shape_, false), features);

    memory::dim scratch_bytes = 1;
    for (const Plan& plan : {stem, first, second, heads}) {
      scratch_bytes = std::max(scratch_bytes, static_cast<memory::dim>(plan.scratchpad_desc().get_size()));
    }
    auto made = std::make_unique<Programs>(Programs{
        .stem = convolution_forward(stem),
        .first = convolution_forward(first),
        .second = convolution_forward(second),
        .heads = convolution_forward(heads),
        .arguments = {},
        .input = view(stem.src_desc(), input_, precision),
        .tower = view(features, x_, precision),
        .inner = view(features, y_, precision),
        .head_features = view(heads.dst_desc(), head_features_, Precision::kFp32),
        .scratch = memory({{scratch_bytes}, memory::data_type::u8, memory::format_tag::a}, engine_),
    });
    std::size_t convolution = 0;
    const auto add = [&](const Plan& plan, const memory& from, const memory& to) {
      ConvolutionWeights& weights = convolutions_[convolution++];
      made->arguments.push_back(
          {{DNNL_ARG_SRC, memory(plan.src_desc(), engine_, from.get_data_handle())},
           {DNNL_ARG_WEIGHTS, weights.packed(plan, engine_, stream_)},
           {DNNL_ARG_BIAS, weights.bias(engine_)},
           {DNNL_ARG_DST, memory(plan.dst_desc(), engine_, to.get_data_handle())},
           {DNNL_ARG_SCRATCHPAD, memory(plan.scratchpad_desc(), engine_, made->scratch.get_data_handle())}});
    };
    add(stem, input_, x_);
    for (std::size_t block = 0; block < pools_.size(); ++block) {
      add(first, x_, y_);
      add(second, y_, x_);
    }
    add(heads, x_, head_features_);
    return made;
  }

  int size_, channels_, width_;
  ConvolutionShape stem_shape_, tower_shape_, heads_shape_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  memory input_, x_, y_, head_features_;
  std::vector<ConvolutionWeights> convolutions_;  // stem, two for each block, heads
  std::vector<DenseLayer> pools_;                 // one for each block, empty without pooling
  std::vector<float> pooled_, bias_;
  std::array<std::unique_ptr<Programs>, kLargestPass> programs_;
};

FrozenTower::FrozenTower(const FrozenWeights& weights, Precision precision) {
  const OneThread alone;
  try {
    implementation_ = std::make_unique<Implementation>(weights, precision);
  } catch (const dnnl::error& error) {
    throw request_error("precision", "oneDNN makes no " + std::string(to_text(precision)) +
                                         " network on this processor (" + error.what() +
                                         "); use auto or fp32");
  }
}

FrozenTower::~FrozenTower() = default;

int FrozenTower::pass_of(int left) noexcept {
  // Multiples of 16, then the rest as it is: two passes at most for any number up to the largest, no
  // padding, and few programs.
  constexpr int kStep = 16;
  if (left >= kLargestPass) return kLargestPass;
  return left >= kStep ? left / kStep * kStep : left;
}

void FrozenTower::encode(std::span<const Position> positions) {
  const OneThread alone;
  implementation_->encode(positions);
}

FrozenTower::Output FrozenTower::run(int count) {
  const OneThread alone;
  return implementation_->run(count);
}

}  // namespace pahtum

#endif
