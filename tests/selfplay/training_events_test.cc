#include "selfplay/training_events.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "env/base/files.h"
#include "selfplay/run_directory.h"
#include "selfplay/training.h"
#include "tests/selfplay/event_reader.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
RunConfig tiny_config_of(std::int64_t iterations) {
  RunConfig config = tiny_config();
  config.run.iterations = iterations;
  return config;
}

// Every row of metrics.jsonl once and in order, with its numbers, and nothing else.
void expect_events_are_the_metrics(const fs::path& run, std::size_t iterations) {
  const auto rows = read_metrics(run / "metrics.jsonl");
  const std::vector<TestEvent> events = read_run_events(run);
  ASSERT_EQ(rows.size(), iterations);
  ASSERT_EQ(events.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(events[k].step, rows[k]["games"].get<std::int64_t>());
    EXPECT_EQ(events[k].scalars.at("run/iteration"), rows[k]["iteration"].get<float>());
    EXPECT_EQ(events[k].scalars.at("learner/step"), rows[k]["step"].get<float>());
    EXPECT_EQ(events[k].scalars.at("loss/policy"), rows[k]["loss"]["policy"].get<float>());
    EXPECT_EQ(events[k].scalars.at("results/white_wins"), rows[k]["white_wins"].get<float>());
    EXPECT_EQ(events[k].histograms.at("results/margin").count, 8) << "games of an iteration";
    EXPECT_EQ(events[k].histograms.at("selfplay/root_value").count, rows[k]["positions"].get<double>());
  }
}

TEST(TrainingEvents, HistogramsOfAGame) {
  GameRecord game;
  game.start = parse_position("1xx/xxx/x2 w");
  game.add_random(Move::at(square_at(0, 0)));
  game.add_searched(Move::at(square_at(2, 1)), Value(0.5f), std::array{1.0f, 1.0f}, MoveOrigin::kSearched);
  game.add_searched(Move::at(square_at(2, 2)), Value(-0.25f), std::array{1.0f}, MoveOrigin::kSolved);
  GameHistograms histograms;
  EXPECT_TRUE(histograms.values().empty());
  histograms.add(game);
  const std::vector<EventValue> values = histograms.values();
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].tag, "results/margin");
  EXPECT_EQ(std::get<Histogram>(values[0].value).count(), 1);
  EXPECT_EQ(std::get<Histogram>(values[0].value).sum(), 0);
  EXPECT_EQ(std::get<Histogram>(values[1].value).minimum(), -0.25);
  EXPECT_EQ(std::get<Histogram>(values[1].value).maximum(), 0.5);
  EXPECT_NEAR(std::get<Histogram>(values[2].value).maximum(), std::log(2.0), 1e-12);
  EXPECT_NEAR(std::get<Histogram>(values[2].value).minimum(), 0.0, 1e-12);
}

TEST(TrainingEvents, AbsentNumbersHaveNoTag) {
  const nlohmann::json none_decisive = {{"outcome_errors", nullptr}};
  const std::vector<EventValue> values = scalar_events(
      {{"iteration", 3}, {"match", {{"score", 0.75}}}, {"oracle", {{"policy", {{"all", none_decisive}}}}}});
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].tag, "run/iteration");
  EXPECT_EQ(std::get<float>(values[1].value), 0.75f);
}

TEST(TrainingEvents, StepsGoOnAfterAResumeAndNoneComesTwice) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  (void)start_training(tiny_config_of(3), run, kNeverStop);
  expect_events_are_the_metrics(run, 3);
  // As after a crash that left the third iteration's row and event behind, but not its checkpoint.
  fs::remove(run / "checkpoints/000003.ckpt");
  const std::string longer[] = {"run.iterations=4"};
  (void)resume_training(run, longer, kNeverStop);
  expect_events_are_the_metrics(run, 4);
}

TEST(TrainingEvents, AreOffWhereTheConfigurationSaysSo) {
  const TemporaryFolder folder;
  RunConfig config = tiny_config_of(1);
  config.run.tensorboard = false;
  (void)start_training(config, folder.path() / "run", kNeverStop);
  EXPECT_TRUE(read_run_events(folder.path() / "run").empty());
  EXPECT_EQ(read_metrics(folder.path() / "run/metrics.jsonl").size(), 1u);
}

}  // namespace
}  // namespace pahtum
