#include "env/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace pahtum::test {
namespace {

using Block = Random::Block;

TEST(Random, PhiloxGivesThePublishedAnswers) {
  // Known-answer vectors of Random123 for philox4x32 with ten rounds.
  EXPECT_EQ(Random::philox(Block{0, 0, 0, 0}, {0, 0}),
            (Block{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  EXPECT_EQ(Random::philox(Block{kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(Random::philox(Block{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
            (Block{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(Random, GeneratorRunsThroughTheBlocksOfItsPurpose) {
  const std::uint64_t seed = 0x0123456789ABCDEFull;
  const std::uint64_t index = 0xFEDCBA9876543210ull;
  Random random(seed, Stream::kPlayer, index, 0xABCDEF);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Block expected =
        Random::philox(Block{block, 0x07ABCDEF, 0x76543210, 0xFEDCBA98}, {0x89ABCDEF, 0x01234567});
    for (const std::uint32_t word : expected) EXPECT_EQ(random.next32(), word);
  }
  Random halves(seed, Stream::kPlayer, index, 0xABCDEF);
  Random wholes(seed, Stream::kPlayer, index, 0xABCDEF);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t low = halves.next32();
    const std::uint64_t high = halves.next32();
    EXPECT_EQ(wholes.next64(), low | (high << 32));
  }
}

TEST(Random, EveryPartOfTheKeyGivesAnotherStream) {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  const auto add = [&](std::uint64_t seed, Stream stream, std::uint64_t index, std::uint32_t sub) {
    Random random(seed, stream, index, sub);
    for (int i = 0; i < 4; ++i) seen.insert(random.next64());
    made += 4;
  };
  for (std::uint64_t i = 0; i < 64; ++i) {
    add(i, Stream::kTest, 0, 0);
    add(i << 32 | 1u << 31, Stream::kTest, 0, 0);
    add(1, Stream::kTest, 1000 + i, 0);
    add(1, Stream::kTest, i << 32 | 1u << 31, 0);
    add(1, Stream::kTest, 0, 1000 + static_cast<std::uint32_t>(i));
  }
  for (int stream = 1; stream <= 9; ++stream) add(1, static_cast<Stream>(stream), 0, 0);
  EXPECT_EQ(seen.size(), made);
}

TEST(Random, StreamNumbersAreFixed) {
  EXPECT_EQ(static_cast<int>(Stream::kLayout), 1);
  EXPECT_EQ(static_cast<int>(Stream::kEvaluationLayout), 2);
  EXPECT_EQ(static_cast<int>(Stream::kOpening), 3);
  EXPECT_EQ(static_cast<int>(Stream::kEvaluationOpening), 4);
  EXPECT_EQ(static_cast<int>(Stream::kRootNoise), 5);
  EXPECT_EQ(static_cast<int>(Stream::kMoveChoice), 6);
  EXPECT_EQ(static_cast<int>(Stream::kPlayer), 7);
  EXPECT_EQ(static_cast<int>(Stream::kWeights), 8);
  EXPECT_EQ(static_cast<int>(Stream::kSamples), 9);
  EXPECT_EQ(static_cast<int>(Stream::kTest), 10);
}

TEST(Random, BoundedNumbersAreUniform) {
  Random random(1, Stream::kTest, 0);
  for (const std::uint32_t bound : {1u, 2u, 3u, 7u, 49u, 64u}) {
    constexpr int kDraws = 200'000;
    std::vector<int> counts(bound, 0);
    for (int i = 0; i < kDraws; ++i) {
      const std::uint32_t value = random.below(bound);
      ASSERT_LT(value, bound);
      ++counts[value];
    }
    const double expected = static_cast<double>(kDraws) / bound;
    double chi_square = 0.0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    // Mean bound − 1, variance 2 (bound − 1): five standard deviations above.
    const double freedom = bound - 1.0;
    EXPECT_LE(chi_square, freedom + 5.0 * std::sqrt(2.0 * freedom)) << bound;
  }
}

TEST(Random, BoundedNumbersAreUnbiasedWhereAMultiplicationAloneIsNot) {
  // With 3 · 2³⁰ outcomes a plain multiplication gives every third one twice as often as the others.
  constexpr std::uint32_t kBound = 3u << 30;
  Random random(2, Stream::kTest, 0);
  constexpr int kDraws = 300'000;
  std::array<int, 3> residues{};
  for (int i = 0; i < kDraws; ++i) {
    const std::uint32_t value = random.below(kBound);
    ASSERT_LT(value, kBound);
    ++residues[value % 3];
  }
  for (const int count : residues) EXPECT_NEAR(count, kDraws / 3, 5 * std::sqrt(kDraws * 2.0 / 9.0));
}

TEST(Random, EveryOrderIsEquallyLikelyAfterAShuffle) {
  Random random(3, Stream::kTest, 0);
  constexpr int kDraws = 120'000;
  std::map<std::vector<int>, int> counts;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<int> values = {0, 1, 2, 3};
    random.shuffle(std::span(values));
    ++counts[values];
  }
  ASSERT_EQ(counts.size(), 24u);
  double chi_square = 0.0;
  for (const auto& [order, count] : counts) {
    const double expected = kDraws / 24.0;
    chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LE(chi_square, 23 + 5 * std::sqrt(46.0));
}

TEST(Random, ShuffleTakesEmptyAndSingleSpans) {
  Random random(4, Stream::kTest, 0);
  std::vector<int> values;
  random.shuffle(std::span(values));
  values = {7};
  random.shuffle(std::span(values));
  EXPECT_EQ(values, std::vector<int>{7});
}

struct Moments {
  double mean = 0.0, variance = 0.0, lowest = 1e300, highest = -1e300;
};

template <class Draw>
Moments moments(int draws, Draw&& draw) {
  Moments result;
  double squares = 0.0;
  for (int i = 0; i < draws; ++i) {
    const double value = draw();
    result.mean += value / draws;
    squares += value * value / draws;
    result.lowest = std::min(result.lowest, value);
    result.highest = std::max(result.highest, value);
  }
  result.variance = squares - result.mean * result.mean;
  return result;
}

constexpr int kMomentDraws = 200'000;

TEST(Random, UniformNumbersFillTheUnitInterval) {
  Random random(5, Stream::kTest, 0);
  const Moments found = moments(kMomentDraws, [&] { return random.uniform(); });
  EXPECT_GE(found.lowest, 0.0);
  EXPECT_LT(found.lowest, 1e-4);
  EXPECT_LT(found.highest, 1.0);
  EXPECT_GT(found.highest, 1.0 - 1e-4);
  EXPECT_NEAR(found.mean, 0.5, 5 * std::sqrt(1.0 / 12 / kMomentDraws));
  EXPECT_NEAR(found.variance, 1.0 / 12, 0.001);
}

TEST(Random, NormalNumbersHaveMeanZeroAndVarianceOne) {
  Random random(6, Stream::kTest, 0);
  int beyond_two = 0;
  const Moments found = moments(kMomentDraws, [&] {
    const double value = random.normal();
    beyond_two += std::abs(value) > 2.0 ? 1 : 0;
    return value;
  });
  EXPECT_NEAR(found.mean, 0.0, 5 * std::sqrt(1.0 / kMomentDraws));
  EXPECT_NEAR(found.variance, 1.0, 5 * std::sqrt(2.0 / kMomentDraws));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kMomentDraws, 0.0455, 0.0025);
}

TEST(Random, GammaNumbersHaveTheMomentsOfTheirShape) {
  for (const double shape : {0.03, 0.3, 0.99, 1.0, 2.5, 30.0}) {
    Random random(7, Stream::kTest, 0);
    const Moments found = moments(kMomentDraws, [&] { return random.gamma(shape); });
    EXPECT_GE(found.lowest, 0.0) << shape;
    EXPECT_NEAR(found.mean, shape, 5 * std::sqrt(shape / kMomentDraws)) << shape;
    // The fourth central moment of a gamma is 3a² + 6a.
    EXPECT_NEAR(found.variance, shape, 5 * std::sqrt((2 * shape * shape + 6 * shape) / kMomentDraws))
        << shape;
  }
}

// Wherever it stands in a block, and whatever was drawn.
TEST(Random, GoesOnFromItsState) {
  constexpr std::uint64_t kSeed = 0x0123456789ABCDEFull;
  Random random(kSeed, Stream::kRootNoise, 0xFEDCBA9876543210ull, 0xABCDEF);
  EXPECT_EQ(random.state().seed, kSeed);
  EXPECT_EQ(random.state().index, 0xFEDCBA9876543210ull);
  for (std::uint64_t drawn = 0; drawn < 20; ++drawn) {
    ASSERT_EQ(random.state().drawn, drawn);
    Random other(random.state());
    ASSERT_EQ(other.state(), random.state());
    Random ahead = random;
    for (int k = 0; k < 9; ++k) ASSERT_EQ(other.next32(), ahead.next32()) << drawn;
    (void)random.next32();
  }
  Random::State last = random.state();
  last.drawn = Random::kMostDrawn - 1;
  Random end(last);
  EXPECT_EQ(end.state(), last);
}

}  // namespace
}  // namespace pahtum::test
