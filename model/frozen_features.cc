#include "model/frozen_features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "env/observation.h"

namespace pahtum {
namespace {

struct Bfloat16 {
  std::uint16_t bits;
};

float load(float number) noexcept {
  return number;
}
float load(Bfloat16 number) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(number.bits) << 16);
}

void store(float value, float& number) noexcept {
  number = value;
}
// To the nearest, ties to even; not a number stays one.
void store(float value, Bfloat16& number) noexcept {
  constexpr std::uint32_t kQuiet = 0x40;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  number.bits = static_cast<std::uint16_t>(value == value ? rounded : ((bits >> 16) | kQuiet));
}

// Calls work.template operator()<kLanes>(numbers of the sample), kLanes = kVectorLanes where that many
// channels lie side by side, padding included, else 1.
template <class Work>
void with_numbers(const FeatureView& features, std::int64_t sample, Work&& work) {
  const auto with = [&]<class Number>(Number* numbers) {
    numbers += sample * features.layout.sample_stride;
    if (features.layout.block % kVectorLanes == 0) {
      work.template operator()<kVectorLanes>(numbers);
    } else {
      work.template operator()<1>(numbers);
    }
  };
  if (features.precision == Precision::kFp32) {
    with(static_cast<float*>(features.data));
  } else {
    with(static_cast<Bfloat16*>(features.data));
  }
}

template <class Number>
Number* channel_of(Number* sample, const FeatureLayout& layout, int channel) noexcept {
  return sample + (channel / layout.block) * layout.block_stride + channel % layout.block;
}

}  // namespace

void write_planes(const Position& position, int channels, const FeatureView& planes, std::int64_t sample) {
  const FeatureLayout& layout = planes.layout;
  const auto boards = observation_boards(position);
  const auto write = [&]<class Number>(Number* numbers) {
    numbers += sample * layout.sample_stride;
    std::memset(numbers, 0, static_cast<std::size_t>(layout.sample_stride) * sizeof(Number));
    for (int channel = 0; channel < channels; ++channel) {
      Number* plane = channel_of(numbers, layout, channel);
      for (Bitboard rest = boards[static_cast<std::size_t>(channel)]; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        store(1.0f, plane[(row_of(square) * planes.size + column_of(square)) * layout.square_stride]);
      }
    }
  };
  if (planes.precision == Precision::kFp32) {
    write(static_cast<float*>(planes.data));
  } else {
    write(static_cast<Bfloat16*>(planes.data));
  }
}

void pool_board(const FeatureView& features, std::int64_t sample, int first, int channels, bool relu,
                float* pooled) {
  const int squares = features.squares();
  const float share = 1.0f / static_cast<float>(squares);
  const float floor = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  with_numbers(features, sample, [&]<int kLanes>(const auto* numbers) {
    for (int begin = 0; begin < channels; begin += kLanes) {
      const auto* square = channel_of(numbers, features.layout, first + begin);
      std::array<float, kLanes> sum{};
      std::array<float, kLanes> most{};
      most.fill(-std::numeric_limits<float>::infinity());
      for (int s = 0; s < squares; ++s, square += features.layout.square_stride) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          // In this order a feature that is not a number stays one.
          const float value = load(square[lane]);
          const float kept = value < floor ? floor : value;
          sum[lane] += kept;
          most[lane] = kept > most[lane] ? kept : most[lane];
        }
      }
      const int count = std::min(kLanes, channels - begin);
      for (int lane = 0; lane < count; ++lane) {
        pooled[begin + lane] = sum[static_cast<std::size_t>(lane)] * share;
        pooled[channels + begin + lane] = most[static_cast<std::size_t>(lane)];
      }
    }
  });
}

void add_bias(const FeatureView& features, std::int64_t sample, int channels, const float* bias) {
  const int squares = features.squares();
  with_numbers(features, sample, [&]<int kLanes>(auto* numbers) {
    for (int begin = 0; begin < channels; begin += kLanes) {
      auto* square = channel_of(numbers, features.layout, begin);
      std::array<float, kLanes> added{};  // zero in the padding, which must stay zero
      std::copy_n(bias + begin, std::min(kLanes, channels - begin), added.begin());
      for (int s = 0; s < squares; ++s, square += features.layout.square_stride) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          store(load(square[lane]) + added[lane], square[lane]);
      }
    }
  });
}

void sum_channels(const FeatureView& features, std::int64_t sample, int first, int channels,
                  const float* bias, const float* weights, float* sums) {
  const int squares = features.squares();
  with_numbers(features, sample, [&]<int kLanes>(const auto* numbers) {
    std::array<std::array<float, kLanes>, kMaxSquares> parts{};
    for (int begin = 0; begin < channels; begin += kLanes) {
      const auto* square = channel_of(numbers, features.layout, first + begin);
      const int count = std::min(kLanes, channels - begin);
      std::array<float, kLanes> factor{};
      std::array<float, kLanes> added{};
      std::copy_n(weights + begin, count, factor.begin());
      if (bias != nullptr) std::copy_n(bias + begin, count, added.begin());
      const float floor = bias != nullptr ? 0.0f : -std::numeric_limits<float>::infinity();
      for (std::size_t s = 0; s < static_cast<std::size_t>(squares); ++s) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const float value = load(square[lane]) + added[lane];
          parts[s][lane] += factor[lane] * (value < floor ? floor : value);
        }
        square += features.layout.square_stride;
      }
    }
    for (std::size_t s = 0; s < static_cast<std::size_t>(squares); ++s) {
      float sum = 0.0f;
      for (const float part : parts[s]) sum += part;
      sums[s] = sum;
    }
  });
}

}  // namespace pahtum
