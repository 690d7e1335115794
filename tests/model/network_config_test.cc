#include "model/network_config.h"

#include <gtest/gtest.h>

namespace pahtum {
namespace {

TEST(NetworkConfigTest, SchemaDescribesEveryFieldWithADefaultInRange) {
  NetworkConfig config;
  const Schema schema = describe(config);
  EXPECT_EQ(schema.name(), "network");
  ASSERT_EQ(schema.fields().size(), 4u);
  for (const Field& field : schema.fields()) {
    const auto& target = std::get<Field::Integer>(field.target);
    EXPECT_GE(*target.value, target.minimum) << field.name;
    EXPECT_LE(*target.value, target.maximum) << field.name;
    EXPECT_FALSE(field.help.empty()) << field.name;
  }
}

TEST(NetworkConfigTest, TextNamesBlocksAndChannels) {
  EXPECT_EQ(to_text(NetworkConfig{.channels = 64, .blocks = 6}), "6 blocks × 64 channels");
  EXPECT_EQ(to_text(NetworkConfig{.channels = 16, .blocks = 1}), "1 block × 16 channels");
}

}  // namespace
}  // namespace pahtum
