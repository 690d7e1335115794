#include "search/search_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace pahtum {
namespace {

TEST(SearchConfig, DescribesEveryFieldWithItsDefaultInRange) {
  SearchConfig config;
  const Schema schema = describe(config);
  EXPECT_EQ(schema.name(), "search");
  EXPECT_EQ(schema.fields().size(), 18u);
  for (const Field& field : schema.fields()) {
    EXPECT_FALSE(field.help.empty()) << field.name;
    if (const auto* integer = std::get_if<Field::Integer>(&field.target)) {
      EXPECT_LE(integer->minimum, *integer->value) << field.name;
      EXPECT_GE(integer->maximum, *integer->value) << field.name;
    } else if (const auto* real = std::get_if<Field::Real>(&field.target)) {
      EXPECT_LE(real->minimum, *real->value) << field.name;
      EXPECT_GE(real->maximum, *real->value) << field.name;
    } else if (const auto* text = std::get_if<Field::Text>(&field.target)) {
      EXPECT_EQ(std::ranges::count(text->choices, *text->value), 1) << field.name;
    } else {
      EXPECT_TRUE(std::holds_alternative<Field::Boolean>(field.target)) << field.name;
    }
  }
}

TEST(SearchConfig, TemperatureHalvesItsDistanceToTheFinalOne) {
  SearchConfig config;
  config.temperature = 1.0;
  config.temperature_final = 0.2;
  config.temperature_halflife = 10;
  EXPECT_DOUBLE_EQ(temperature_at(config, 0), 1.0);
  EXPECT_DOUBLE_EQ(temperature_at(config, 10), 0.6);
  EXPECT_DOUBLE_EQ(temperature_at(config, 20), 0.4);
  EXPECT_NEAR(temperature_at(config, 1000), 0.2, 1e-12);
}

}  // namespace
}  // namespace pahtum
