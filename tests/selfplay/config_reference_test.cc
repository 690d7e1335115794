#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "env/base/files.h"
#include "selfplay/config_file.h"

namespace pahtum {
namespace {

TEST(ConfigReference, PageIsUpToDate) {
  EXPECT_EQ(read_file(std::string(PAHTUM_SOURCE_DIR) + "/docs/config.md"), reference_page())
      << "docs/config.md is stale; regenerate it with: build/pahtum config reference > docs/config.md";
}

TEST(ConfigReference, PageNamesEveryKey) {
  const std::string page = reference_page();
  RunConfig config;
  for (const Schema& section : describe(config)) {
    EXPECT_NE(page.find("## `" + section.name() + "`"), std::string::npos) << section.name();
    EXPECT_FALSE(section.help().empty());
    for (const Field& field : section.fields()) {
      EXPECT_NE(page.find("| `" + field.name + "` |"), std::string::npos) << field.name;
      EXPECT_FALSE(field.help.empty()) << field.name;
    }
  }
}

TEST(ConfigReference, YamlReadsBackExactly) {
  RunConfig config;
  config.game = {.size = 6, .holes = 4, .unequal_stones = true};
  config.run.seed = std::numeric_limits<std::int64_t>::max();
  config.replay.reuse = 0.1 + 0.2;
  config.learner.learning_rate = 1.0 / 3.0;
  config.selfplay.random_opening_mean = 5e-324;
  config.selfplay.stagger = false;
  config.evaluation.against = {"random", "net:runs/a b,sims=3", "net:null", "net:\"q\"\\\t#: x\x7f", "net:ü"};
  for (const bool comments : {false, true}) {
    const std::string text = to_yaml(config, comments);
    const RunConfig again = parse_run_config(text, "again.yaml");
    EXPECT_EQ(to_yaml(again), to_yaml(config));
    EXPECT_EQ(again.game, config.game);
    EXPECT_EQ(again.run.seed, config.run.seed);
    EXPECT_EQ(again.replay.reuse, config.replay.reuse);
    EXPECT_EQ(again.learner.learning_rate, config.learner.learning_rate);
    EXPECT_EQ(again.selfplay.random_opening_mean, config.selfplay.random_opening_mean);
    EXPECT_EQ(again.evaluation.against, config.evaluation.against);
  }
}

TEST(ConfigReference, CommentsKeepLinesShort) {
  const std::string text = to_yaml(RunConfig{}, true);
  EXPECT_NE(text.find("# The rules of the game."), std::string::npos);
  EXPECT_NE(text.find("[integer, 3 to 8 squares]"), std::string::npos);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 104u) << text.substr(start, end - start);
    start = end + 1;
  }
}

}  // namespace
}  // namespace pahtum
