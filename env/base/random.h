#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace pahtum {

// What a random number is for. Each purpose has streams of its own, so that evaluation never sees a number
// that training used, whatever the seeds. The values are part of the reproducibility contract: append, never
// renumber.
enum class Stream : std::uint8_t {
  kLayout = 1,            // holes of a game in training
  kEvaluationLayout = 2,  // holes of a game in the arena
  kOpening = 3,           // random opening plies in training
  kEvaluationOpening = 4,
  kRootNoise = 5,
  kMoveChoice = 6,
  kPlayer = 7,  // ties and rollouts of an arena player
  kWeights = 8,
  kSamples = 9,
  kTest = 10,
};

// Counter-based generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1,
// 2, 3", SC 2011). Its whole output is a pure function of (seed, stream, index, sub): any worker can make any
// game's numbers, and nothing needs saving. Different seeds are different keys and share no stream.
//
// `sub` has kSubBits bits (a ply, a slot); higher ones are dropped. 2^34 numbers can be drawn from one
// generator. Not thread-safe; cheap to make.
class Random {
 public:
  static constexpr int kSubBits = 24;

  Random(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t sub = 0) noexcept
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, (static_cast<std::uint32_t>(stream) << kSubBits) | (sub & ((1u << kSubBits) - 1)),
                 static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)} {}

  [[nodiscard]] std::uint32_t next32() noexcept {
    if (used_ == 4) {
      block_ = philox(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }

  [[nodiscard]] std::uint64_t next64() noexcept {
    const std::uint64_t low = next32();
    return low | (static_cast<std::uint64_t>(next32()) << 32);
  }

  // Uniform in [0, bound), bound ≥ 1, without bias (Lemire, "Fast Random Integer Generation in an Interval",
  // 2019).
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    std::uint64_t product = static_cast<std::uint64_t>(next32()) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = static_cast<std::uint64_t>(next32()) * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform in [0, 1) with 53 bits.
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

  // Standard normal (Box–Muller) and Gamma(shape, 1), shape > 0 (Marsaglia and Tsang 2000).
  [[nodiscard]] double normal() noexcept;
  [[nodiscard]] double gamma(double shape) noexcept;

  // Fisher–Yates; every order equally likely.
  template <class T>
  void shuffle(std::span<T> values) noexcept {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(static_cast<std::uint32_t>(left))]);
    }
  }

  using Block = std::array<std::uint32_t, 4>;
  [[nodiscard]] static constexpr Block philox(Block counter, std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t first = 0xD2511F53ull * counter[0];
      const std::uint64_t second = 0xCD9E8D57ull * counter[2];
      counter = {
          static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
          static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
      key[0] += 0x9E3779B9u;
      key[1] += 0xBB67AE85u;
    }
    return counter;
  }

 private:
  std::array<std::uint32_t, 2> key_;
  Block counter_;
  Block block_{};
  unsigned used_ = 4;
};

}  // namespace pahtum
