#include "selfplay/config_values.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pahtum {
namespace {

TEST(ConfigValues, SuggestsTheNearestName) {
  const std::vector<std::string> names = {"channels", "blocks", "pooling_every"};
  EXPECT_EQ(suggestion("chanels", names), "; did you mean `channels`?");
  EXPECT_EQ(suggestion("cahnnels", names), "; did you mean `channels`?");
  EXPECT_EQ(suggestion("block", names), "; did you mean `blocks`?");
  EXPECT_EQ(suggestion("x", names), "; valid names: `channels`, `blocks`, `pooling_every`");
  EXPECT_EQ(suggestion(std::string(100000, 'c'), names),
            "; valid names: `channels`, `blocks`, `pooling_every`");
}

TEST(ConfigValues, RangesAreWordedWithUnits) {
  Schema schema("s", "");
  std::int64_t integer = 3;
  double real = 0.25;
  schema.integer("a", &integer, 3, 8, "squares", "")
      .integer("b", &integer, 0, std::numeric_limits<std::int64_t>::max(), "", "")
      .real("c", &real, -kInfinity, 1.0, "points", "")
      .real("d", &real, -kInfinity, kInfinity, "points", "");
  EXPECT_EQ(config_range_text(schema.fields()[0]), "3 to 8 squares");
  EXPECT_EQ(config_range_text(schema.fields()[1]), "at least 0");
  EXPECT_EQ(config_range_text(schema.fields()[2]), "at most 1 points");
  EXPECT_EQ(config_range_text(schema.fields()[3]), "");
  EXPECT_EQ(config_value_text(schema.fields()[2]), "0.25");
}

}  // namespace
}  // namespace pahtum
