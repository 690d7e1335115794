#include "search/ucb_choice.h"

#include <gtest/gtest.h>

#include <vector>

#include "env/base/random.h"

namespace pahtum {
namespace {

// Few different numbers, so that many scores are equal.
TEST(UcbChoice, BestUcbIsTheFirstOfTheHighest) {
  Random random(1, Stream::kTest, 3);
  for (std::size_t count = 1; count <= 64; ++count) {
    for (int round = 0; round < 200; ++round) {
      const std::size_t room = (count + kUcbLanes - 1) / kUcbLanes * kUcbLanes;
      std::vector<float> means(room, -1.0f);
      std::vector<float> widths(room, 0.0f);
      std::size_t best = 0;
      for (std::size_t k = 0; k < count; ++k) {
        means[k] = static_cast<float>(random.below(round % 2 == 0 ? 3 : 1000)) / 1000.0f;
        widths[k] = static_cast<float>(random.below(3)) / 2.0f;
        if (means[k] + 0.75f * widths[k] > means[best] + 0.75f * widths[best]) best = k;
      }
      EXPECT_EQ(best_ucb(means.data(), widths.data(), count, 0.75f), best) << count;
      EXPECT_EQ(best_ucb_of_few(means.data(), widths.data(), count, 0.75f), best) << count;
    }
  }
}

}  // namespace
}  // namespace pahtum
