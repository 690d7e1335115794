#include "search/edge_choice.h"

#include <gtest/gtest.h>

#include <vector>

#include "env/base/random.h"

namespace pahtum {
namespace {

// Few different numbers, so that many are equal.
struct Edges {
  explicit Edges(std::size_t count, Random& random) {
    for (std::size_t k = 0; k < count; ++k) {
      priors.push_back(static_cast<float>(random.below(4)) / 4.0f);
      values.push_back(static_cast<double>(random.below(5)) / 2.0 - 1.0);
      visits.push_back(1 + static_cast<std::int32_t>(random.below(3)));
    }
    // Padded as the arrays of a graph are, and with what may stand behind any priors.
    all_priors = priors;
    all_priors.resize(count + kLanes, 9.0f);
    const std::size_t padded = (count + kPadding - 1) / kPadding * kPadding;
    priors.resize(padded, kPadPrior);
    values.resize(padded, kPadValue);
    visits.resize(padded, kPadVisits);
    skipped = random.below(2) == 0 ? 0 : random.next64() & ((std::uint64_t{1} << (count - 1)) - 1);
  }
  std::vector<float> priors, all_priors;
  std::vector<double> values;
  std::vector<std::int32_t> visits;
  std::uint64_t skipped = 0;

  [[nodiscard]] BestEdge best(std::size_t count) const {
    return best_puct(std::span(priors).first(count), std::span(values).first(count),
                     std::span(visits).first(count), 1.25, skipped);
  }
};

TEST(EdgeChoice, BestPuctIsTheFirstOfTheHighestWithTheSumOfAll) {
  Random random(1, Stream::kTest, 0);
  for (std::size_t count = 1; count <= 64; ++count) {
    for (int round = 0; round < 50; ++round) {
      const Edges edges(count, random);
      std::size_t best = count;
      double highest = 0.0;
      for (std::size_t k = 0; k < count; ++k) {
        if (((edges.skipped >> k) & 1) != 0) continue;
        const double score =
            edges.values[k] + 1.25 * static_cast<double>(edges.priors[k]) / (1 + edges.visits[k]);
        if (best < count && score <= highest) continue;
        best = k;
        highest = score;
      }
      const BestEdge found = edges.best(count);
      ASSERT_EQ(found.slot, best) << count;
      ASSERT_EQ(found.score, highest) << count;
      std::array<double, kLanes> sums{};
      for (std::size_t k = 0; k < count; ++k) sums[k % kLanes] += edges.visits[k] * edges.values[k];
      ASSERT_EQ(found.sum, add_lanes(sums)) << count;
    }
  }
}

TEST(EdgeChoice, WeightedSumIsThatOfEightPartialSums) {
  Random random(1, Stream::kTest, 1);
  for (std::size_t count = 1; count <= 64; ++count) {
    const Edges edges(count, random);
    std::array<double, kLanes> sums{};
    for (std::size_t k = 0; k < count; ++k) sums[k % kLanes] += edges.visits[k] * edges.values[k];
    ASSERT_EQ(weighted_sum(std::span(edges.values).first(count), std::span(edges.visits).first(count)),
              add_lanes(sums))
        << count;
    ASSERT_EQ(lane_sum(count, [&](std::size_t k) { return edges.visits[k] * edges.values[k]; }),
              add_lanes(sums));
  }
}

TEST(EdgeChoice, FirstHighestLeavesOutWhatIsInTheSet) {
  Random random(1, Stream::kTest, 2);
  for (std::size_t count = 1; count <= 64; ++count) {
    const std::uint64_t all = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    for (int round = 0; round < 50; ++round) {
      const Edges edges(count, random);
      const std::uint64_t without = round == 0 ? all : random.next64() & random.next64();
      std::size_t best = count;
      for (std::size_t k = 0; k < count; ++k) {
        if (((without >> k) & 1) != 0) continue;
        if (best == count || edges.priors[k] > edges.priors[best]) best = k;
      }
      ASSERT_EQ(first_highest(std::span(edges.all_priors).first(count), without), best) << count;
    }
  }
}

}  // namespace
}  // namespace pahtum
