#pragma once

// Internal to model/: features of a board in memory, as the frozen network's parts hand them on.

#include <cstddef>
#include <cstdint>

#include "env/position.h"
#include "model/inference.h"

namespace pahtum {

// Where channel c of square s (row · n + column) of sample k lies, counted in numbers:
//
//   k · sample_stride + (c / block) · block_stride + s · square_stride + c % block
//
// `block` channels lie side by side: 8 or 16 in oneDNN's blocked layouts, all of them in [N, n, n, C], one in
// [N, C, n, n].
struct FeatureLayout {
  std::int64_t sample_stride = 0;
  std::int64_t block_stride = 0;
  std::int64_t square_stride = 0;
  int block = 1;
};

// A batch of features that someone else owns: float32 or bfloat16 (the upper half of a float32).
struct FeatureView {
  void* data = nullptr;
  Precision precision = Precision::kFp32;
  FeatureLayout layout;
  int size = 7;

  [[nodiscard]] int squares() const noexcept { return size * size; }
};

inline constexpr int kVectorLanes = 8;  // channels that are worked on at a time where they lie side by side

// Writes the planes of one position, `channels` of them; `planes` has their layout. The rest of the sample,
// which a layout may pad, becomes zero.
void write_planes(const Position& position, int channels, const FeatureView& planes, std::int64_t sample);

// Mean and maximum over the board of `channels` channels from `first` on, a multiple of kVectorLanes, of one
// sample: `pooled` receives the means, then the maxima. With `relu`, of the features' positive parts.
void pool_board(const FeatureView& features, std::int64_t sample, int first, int channels, bool relu,
                float* pooled);

// Adds bias[c] to channel c of every square of one sample.
void add_bias(const FeatureView& features, std::int64_t sample, int channels, const float* bias);

// sums[s] = Σ_c weights[c] · f(feature of channel first + c at square s), f(x) = max(0, x + bias[c]), or
// f(x) = x without a bias.
void sum_channels(const FeatureView& features, std::int64_t sample, int first, int channels,
                  const float* bias, const float* weights, float* sums);

}  // namespace pahtum
