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
  kRandomPlay = 11,  // moves of BatchEnvironment::play_random
  kSearchLength = 12,
};

// One word well mixed: the finalizer of MurmurHash3 in the variant "Mix13" (Stafford 2011), a bijection.
// mix64(key + k · kGoldenRatio64) for k = 0, 1, … is the generator SplitMix64 (Steele, Lea, Flood 2014).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}
inline constexpr std::uint64_t kGoldenRatio64 = 0x9E3779B97F4A7C15ull;

// Counter-based generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1,
// 2, 3", SC 2011). Its whole output is a pure function of (seed, stream, index, sub): any worker can make any
// game's numbers, and nothing needs saving but how many were drawn. Different seeds are different keys and
// share no stream.
//
// `sub` has kSubBits bits (a ply, a slot); higher ones are dropped. 2^34 numbers can be drawn from one
// generator. Not thread-safe; cheap to make.
class Random {
 public:
  static constexpr int kSubBits = 24;
  using Block = std::array<std::uint32_t, 4>;

  Random(std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t sub = 0) noexcept
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, (static_cast<std::uint32_t>(stream) << kSubBits) | (sub & ((1u << kSubBits) - 1)),
                 static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)} {}

  // What a generator is and how far it has come: one made from it continues there. Every state with
  // drawn < kMostDrawn is that of some generator.
  struct State {
    std::uint64_t seed;
    std::uint64_t index;
    std::uint32_t purpose;  // stream and sub
    std::uint64_t drawn;    // numbers of 32 bits
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr std::uint64_t kMostDrawn = std::uint64_t{1} << 34;

  explicit Random(const State& state) noexcept
      : key_{static_cast<std::uint32_t>(state.seed), static_cast<std::uint32_t>(state.seed >> 32)},
        counter_{static_cast<std::uint32_t>(state.drawn / 4), state.purpose,
                 static_cast<std::uint32_t>(state.index), static_cast<std::uint32_t>(state.index >> 32)} {
    const auto used = static_cast<unsigned>(state.drawn % 4);
    if (used == 0) return;
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = used;
  }
  [[nodiscard]] State state() const noexcept {
    const auto joined = [](std::uint32_t low, std::uint32_t high) {
      return low | (std::uint64_t{high} << 32);
    };
    return {.seed = joined(key_[0], key_[1]),
            .index = joined(counter_[2], counter_[3]),
            .purpose = counter_[1],
            .drawn = (std::uint64_t{counter_[0]} * 4 - (4 - used_)) % kMostDrawn};
  }

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

  // The numbers that the next eight calls of next32() will return, of a generator nothing was drawn from yet.
  // The two blocks are made side by side, which takes little longer than one.
  [[nodiscard]] std::array<std::uint32_t, 8> first_eight() const noexcept {
    Block first = counter_;
    Block second = counter_;
    ++second[0];
    std::array<std::uint32_t, 2> key = key_;
    for (int round = 0; round < kRounds; ++round) {
      first = mixed(first, key);
      second = mixed(second, key);
      key = next_key(key);
    }
    return {first[0], first[1], first[2], first[3], second[0], second[1], second[2], second[3]};
  }

  [[nodiscard]] static constexpr Block philox(Block counter, std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < kRounds; ++round) {
      counter = mixed(counter, key);
      key = next_key(key);
    }
    return counter;
  }

 private:
  static constexpr int kRounds = 10;
  [[nodiscard]] static constexpr Block mixed(const Block& block,
                                             const std::array<std::uint32_t, 2>& key) noexcept {
    const std::uint64_t first = 0xD2511F53ull * block[0];
    const std::uint64_t second = 0xCD9E8D57ull * block[2];
    return {static_cast<std::uint32_t>(second >> 32) ^ block[1] ^ key[0], static_cast<std::uint32_t>(second),
            static_cast<std::uint32_t>(first >> 32) ^ block[3] ^ key[1], static_cast<std::uint32_t>(first)};
  }
  [[nodiscard]] static constexpr std::array<std::uint32_t, 2> next_key(
      const std::array<std::uint32_t, 2>& key) noexcept {
    return {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }

  std::array<std::uint32_t, 2> key_;
  Block counter_;
  Block block_{};
  unsigned used_ = 4;
};

}  // namespace pahtum
