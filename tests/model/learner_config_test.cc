#include <gtest/gtest.h>

#include "model/trainer.h"

namespace pahtum {
namespace {

TEST(LearnerConfigTest, SchemaDescribesEveryFieldWithADefaultInRange) {
  LearnerConfig config;
  const Schema schema = describe(config);
  EXPECT_EQ(schema.name(), "learner");
  EXPECT_EQ(schema.fields().size(), 18u);
  for (const Field& field : schema.fields()) {
    EXPECT_FALSE(field.help.empty()) << field.name;
    if (const auto* real = std::get_if<Field::Real>(&field.target)) {
      EXPECT_GE(*real->value, real->minimum) << field.name;
      EXPECT_LE(*real->value, real->maximum) << field.name;
    }
  }
}

TEST(LearningRateTest, WarmsUpLinearlyThenFallsToItsFinalFraction) {
  LearnerConfig config;
  config.learning_rate = 0.1;
  config.warmup_steps = 10;
  config.final_fraction = 0.2;
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 0, 110), 0.01);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 9, 110), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 10, 110), 0.1);
  for (std::int64_t step = 10; step < 109; ++step) {
    EXPECT_GT(learning_rate_at(config, step, 110), learning_rate_at(config, step + 1, 110)) << step;
  }
  EXPECT_NEAR(learning_rate_at(config, 109, 110), 0.02, 1e-12);
  EXPECT_NEAR(learning_rate_at(config, 5000, 110), 0.02, 1e-12);
}

TEST(LearningRateTest, ConstantScheduleStaysAndDegenerateLengthsAreFinite) {
  LearnerConfig config;
  config.schedule = "constant";
  config.warmup_steps = 0;
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 0, 10), config.learning_rate);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 9, 10), config.learning_rate);
  config.schedule = "cosine";
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 0, 0), config.learning_rate);
  config.warmup_steps = 100;
  EXPECT_GT(learning_rate_at(config, 50, 10), 0.0);
}

}  // namespace
}  // namespace pahtum
