#include "search/legal_priors.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "env/base/random.h"
#include "env/game_rules.h"
#include "tests/search/naive_search.h"

namespace pahtum {
namespace {

using Policy = std::array<float, kMoveIndices>;

std::vector<float> priors_of(const Position& position, const Policy& policy) {
  std::vector<float> priors(static_cast<std::size_t>(legal_count(position)));
  legal_priors(position, policy, priors);
  return priors;
}

TEST(LegalPriors, AreTheUsableEntriesOfLegalMovesScaledToOne) {
  Random random(3, Stream::kTest, 0);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::array<float, 5> unusable = {-1.0f, std::nanf(""), kInfinity, -kInfinity, -0.0f};
  for (std::uint64_t game = 0; game < 200; ++game) {
    const GameConfig rules = {.size = 3 + static_cast<int>(game % 6), .holes = 2, .unequal_stones = true};
    const Position start = start_position(rules, 3, Stream::kTest, game);
    const int empty = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(start.empty_count())));
    const Position position = naive::random_position(start, empty, random);
    Policy policy;
    for (float& entry : policy) {
      entry = random.below(4) == 0 ? unusable[random.below(5)] : static_cast<float>(random.uniform());
    }
    std::vector<double> expected;
    double sum = 0.0;
    for_each_legal(position, [&](Move move) {
      const float entry = policy[static_cast<std::size_t>(move.index())];
      expected.push_back(entry > 0.0f && std::isfinite(entry) ? static_cast<double>(entry) : 0.0);
      sum += expected.back();
    });
    const std::vector<float> priors = priors_of(position, policy);
    ASSERT_EQ(priors.size(), expected.size());
    for (std::size_t k = 0; k < priors.size(); ++k) {
      const double share = sum > 0.0 ? expected[k] / sum : 1.0 / static_cast<double>(expected.size());
      EXPECT_NEAR(static_cast<double>(priors[k]), share, 1e-7) << to_text(position) << " move " << k;
    }
  }
}

TEST(LegalPriors, TheSwapComesLast) {
  const Position position = parse_position("3/1w1/2x b swap");
  Policy policy{};
  policy[static_cast<std::size_t>(Move::swap().index())] = 3.0f;
  policy[0] = 1.0f;
  const std::vector<float> priors = priors_of(position, policy);
  ASSERT_EQ(priors.size(), 8u);
  EXPECT_EQ(priors.front(), 0.25f);
  EXPECT_EQ(priors.back(), 0.75f);
}

TEST(LegalPriors, AreEqualWhereNothingIsUsable) {
  Policy policy{};
  policy.fill(-2.0f);
  for (const float prior : priors_of(parse_position("3/1x1/xxx w"), policy)) EXPECT_EQ(prior, 0.2f);
}

TEST(FillLegal, GivesEveryLegalMoveTheShareAndOthersNothing) {
  for (const char* text : {"3/1x1/xxx w", "8/8/8/8/8/8/8/8 w", "3/1w1/2x b swap", "4/4/4/4 b place=4"}) {
    const Position position = parse_position(text);
    Policy policy;
    policy.fill(9.0f);
    fill_legal(position, 0.5f, policy);
    for (int index = 0; index < kMoveIndices; ++index) {
      const bool swap = index == Move::swap().index();
      const bool legal = swap ? may_swap(position) : is_legal(position, Move::at(index));
      EXPECT_EQ(policy[static_cast<std::size_t>(index)], legal ? 0.5f : 0.0f) << text << ' ' << index;
    }
  }
}

}  // namespace
}  // namespace pahtum
