#include "env/base/schema.h"

#include <gtest/gtest.h>

#include "env/game_config.h"

namespace pahtum::test {
namespace {

TEST(Schema, KeepsFieldsInOrderWithTheirTargetsAndTexts) {
  std::int64_t count = 4;
  double rate = 0.5;
  bool fast = false;
  std::string device = "auto";
  std::vector<std::string> against;
  Schema schema("run", "A run.");
  schema.integer("count", &count, 1, 9, "games", "How many.")
      .real("rate", &rate, 0.0, kInfinity, "1/s", "How fast.")
      .required()
      .boolean("fast", &fast, "Whether fast.")
      .text("device", &device, {"auto", "cpu"}, "Where.")
      .text_list("against", &against, "Whom.");
  EXPECT_EQ(schema.name(), "run");
  EXPECT_EQ(schema.help(), "A run.");
  const auto fields = schema.fields();
  ASSERT_EQ(fields.size(), 5u);
  EXPECT_EQ(fields[0].name, "count");
  EXPECT_EQ(fields[0].unit, "games");
  EXPECT_EQ(fields[0].help, "How many.");
  EXPECT_FALSE(fields[0].required);
  EXPECT_TRUE(fields[1].required);
  EXPECT_FALSE(fields[2].required);
  const auto& integer = std::get<Field::Integer>(fields[0].target);
  EXPECT_EQ(integer.minimum, 1);
  EXPECT_EQ(integer.maximum, 9);
  *integer.value = 7;
  EXPECT_EQ(count, 7);
  *std::get<Field::Real>(fields[1].target).value = 0.25;
  EXPECT_EQ(rate, 0.25);
  *std::get<Field::Boolean>(fields[2].target).value = true;
  EXPECT_TRUE(fast);
  EXPECT_EQ(std::get<Field::Text>(fields[3].target).choices, (std::vector<std::string>{"auto", "cpu"}));
  *std::get<Field::Text>(fields[3].target).value = "cpu";
  EXPECT_EQ(device, "cpu");
  std::get<Field::TextList>(fields[4].target).value->push_back("greedy");
  EXPECT_EQ(against, std::vector<std::string>{"greedy"});
}

TEST(Schema, GameRulesAreDescribedWithTheirRangesAndDefaults) {
  GameConfig config;
  const Schema schema = describe(config);
  EXPECT_EQ(schema.name(), "game");
  bool size_seen = false;
  for (const Field& field : schema.fields()) {
    EXPECT_FALSE(field.help.empty()) << field.name;
    if (field.name != "size") continue;
    size_seen = true;
    const auto& size = std::get<Field::Integer>(field.target);
    EXPECT_EQ(size.minimum, 3);
    EXPECT_EQ(size.maximum, 8);
    EXPECT_EQ(*size.value, 7);
    *size.value = 5;
  }
  EXPECT_TRUE(size_seen);
  EXPECT_EQ(config.size, 5);
}

}  // namespace
}  // namespace pahtum::test
