#include "selfplay/config_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "env/base/files.h"

namespace pahtum {
namespace {

// Lines 1 to 5 of every text below.
const std::string kMinimal = "game:\n  size: 7\n  holes: 5\nrun:\n  iterations: 3\n";

std::string config_fault(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    static_cast<void>(parse_run_config(text, "f.yaml", overrides));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    return error.what();
  }
  return "no error";
}

#define EXPECT_FAULT(text, start, part)                                    \
  do {                                                                     \
    const std::string fault = config_fault(text);                          \
    EXPECT_EQ(fault.substr(0, std::string(start).size()), start) << fault; \
    EXPECT_NE(fault.find(part), std::string::npos) << fault;               \
  } while (false)

TEST(ConfigFile, ReadsValuesAndKeepsDefaults) {
  const RunConfig config = parse_run_config(
      "game: {size: 5, holes: 3}\nrun:\n  iterations: 9\n  device: cpu\nlearner:\n  learning_rate: 1e-3\n"
      "selfplay:\n  stagger: false\nevaluation:\n  against: [random, \"uct:50\"]\nsearch:\n",
      "f.yaml");
  EXPECT_EQ(config.game.size, 5);
  EXPECT_EQ(config.game.holes, 3);
  EXPECT_EQ(config.run.iterations, 9);
  EXPECT_EQ(config.run.device, "cpu");
  EXPECT_EQ(config.learner.learning_rate, 1e-3);
  EXPECT_FALSE(config.selfplay.stagger);
  EXPECT_EQ(config.evaluation.against, (std::vector<std::string>{"random", "uct:50"}));
  EXPECT_EQ(config.search.simulations, SearchConfig{}.simulations);
  EXPECT_EQ(config.network, NetworkConfig{});
}

TEST(ConfigFile, UnknownNamesGetTheNearestOne) {
  EXPECT_FAULT(kMinimal + "network:\n  chanels: 8\n", "f.yaml:7:3: ", "did you mean `channels`?");
  EXPECT_FAULT(kMinimal + "netwrok:\n  channels: 8\n", "f.yaml:6:1: ", "did you mean `network`?");
  EXPECT_FAULT(kMinimal + "game2:\n  size: 8\n", "f.yaml:6:1: ", "did you mean `game`?");
  EXPECT_FAULT(kMinimal + "search:\n  channels: 8\n", "f.yaml:7:3: ", "did you mean `network.channels`?");
  EXPECT_FAULT("size: 7\n" + kMinimal, "f.yaml:1:1: ", "did you mean the key `game.size`?");
  EXPECT_FAULT(kMinimal + "search:\n  zzzzzzzzzz: 8\n", "f.yaml:7:3: ", "valid names: `simulations`");
}

TEST(ConfigFile, DuplicatesAreFoundWithBothPlaces) {
  EXPECT_FAULT(kMinimal + "  iterations: 4\n", "f.yaml:6:3: ", "duplicate key `iterations`");
  EXPECT_FAULT(kMinimal + "  iterations: 4\n", "f.yaml:6:3: ", "line 5");
  EXPECT_FAULT(kMinimal + "game:\n  size: 5\n", "f.yaml:6:1: ", "duplicate section `game`");
  EXPECT_FAULT(kMinimal + "  \"iterations\": 3\n", "f.yaml:6:3: ", "duplicate key");
}

TEST(ConfigFile, MistypedValues) {
  const auto with_seed = [](const std::string& value) { return kMinimal + "  seed: " + value + "\n"; };
  for (const std::string value : {"1.5", "[1]", "{a: 1}", "yes", "true", "\"1\"", "1e3", "0x10", "1_000", "",
                                  "~", "1 000", "++1", "+-1", ".inf", "nan", "1,5", "12abc"}) {
    EXPECT_FAULT(with_seed(value), "f.yaml:6:", "run.seed must be an integer");
  }
  EXPECT_FAULT(with_seed("99999999999999999999"), "f.yaml:6:9: ", "64 bits");
  EXPECT_FAULT(with_seed("-9223372036854775809"), "f.yaml:6:9: ", "64 bits");
  for (const std::string value : {"yes", "on", "1", "\"true\"", "[true]", "maybe"}) {
    EXPECT_FAULT(kMinimal + "selfplay:\n  stagger: " + value + "\n", "f.yaml:7:12: ", "true or false");
  }
  for (const std::string value : {"fast", "\"1.0\"", "[1.0]", "1.0.0", "1,0"}) {
    EXPECT_FAULT(kMinimal + "replay:\n  reuse: " + value + "\n", "f.yaml:7:10: ", "must be a number");
  }
  for (const std::string value : {".nan", ".inf", "-.inf", "nan", "inf", "-inf"}) {
    EXPECT_FAULT(kMinimal + "replay:\n  reuse: " + value + "\n", "f.yaml:7:10: ", "must be finite");
  }
  EXPECT_FAULT(kMinimal + "replay:\n  reuse: 1e999\n", "f.yaml:7:10: ", "too large");
  EXPECT_FAULT(kMinimal + "  device: gpu\n", "f.yaml:6:11: ", "did you mean `cpu`?");
  EXPECT_FAULT(kMinimal + "evaluation:\n  against: random\n", "f.yaml:7:12: ", "a list of texts");
  EXPECT_FAULT(kMinimal + "evaluation:\n  against: [[random]]\n", "f.yaml:7:13: ", "a list in the list");
}

TEST(ConfigFile, OutOfRangeNamesTheRangeAndUnit) {
  EXPECT_FAULT("game:\n  size: 9\n  holes: 5\nrun:\n  iterations: 3\n",
               "f.yaml:2:9: ", "game.size must be 3 to 8 squares; found `9`");
  EXPECT_FAULT("game:\n  size: 7\n  holes: -1\nrun:\n  iterations: 3\n",
               "f.yaml:3:10: ", "game.holes: -1 holes; use 0 to 62");
  EXPECT_FAULT(kMinimal + "  seed: -1\n", "f.yaml:6:9: ", "at least 0");
  EXPECT_FAULT(kMinimal + "replay:\n  reuse: -0.5\n", "f.yaml:7:10: ", "samples");
}

TEST(ConfigFile, RequiredKeys) {
  EXPECT_FAULT("game:\n  size: 7\nrun:\n  iterations: 3\n", "f.yaml:1:1: ", "game.holes");
  EXPECT_FAULT("run:\n  iterations: 3\n", "f.yaml:1:1: ", "game.size");
  EXPECT_FAULT("game:\n  size: 7\n  holes: 5\nrun:\n  seed: 3\n", "f.yaml:4:1: ", "run.iterations");
  EXPECT_EQ(parse_run_config("game:\n  size: 7\nrun:\n  iterations: 3\n", "f.yaml",
                             std::vector<std::string>{"game.holes=3"})
                .game.holes,
            3);
}

TEST(ConfigFile, RootMustBeAMap) {
  EXPECT_FAULT("", "f.yaml:1:1: ", "is empty");
  EXPECT_FAULT("# nothing\n", "f.yaml:1:1: ", "is empty");
  EXPECT_FAULT("- game\n", "f.yaml:1:1: ", "must be a map");
  EXPECT_FAULT("just text\n", "f.yaml:1:1: ", "must be a map");
  std::string noise;
  for (int byte = 1; byte < 256; ++byte) noise += static_cast<char>(byte);
  EXPECT_FAULT(noise, "f.yaml:", "");
  EXPECT_FAULT("game: 7\n", "f.yaml:1:7: ", "must be a map of keys");
  EXPECT_FAULT("? [a]\n: 1\n", "f.yaml:1:3: ", "needs a name");
  EXPECT_FAULT(kMinimal + "search:\n  <<: {simulations: 3}\n", "f.yaml:7:3: ", "merge keys");
}

TEST(ConfigFile, RulesOverSeveralKeysSayWhere) {
  EXPECT_FAULT("game:\n  size: 7\n  holes: 4\nrun:\n  iterations: 3\n",
               "f.yaml:3:3: game.holes: ", "odd number");
  EXPECT_EQ(config_fault("game:\n  size: 7\n  holes: 4\n  unequal_stones: true\nrun:\n  iterations: 3\n"),
            "no error");
  // A key that is not in the file is reported at its section, or at the start of the file.
  EXPECT_FAULT(kMinimal + "replay:\n  minimum_games: 500\n  window_games: 300\n",
               "f.yaml:7:3: ", "replay.minimum_games");
  EXPECT_FAULT(kMinimal + "selfplay:\n  games_per_iteration: 3000\n", "f.yaml:1:1: ", "replay.window_games");
  EXPECT_FAULT(kMinimal + "replay:\nselfplay:\n  games_per_iteration: 3000\n",
               "f.yaml:6:1: ", "replay.window_games");
  EXPECT_FAULT(kMinimal + "selfplay:\n  games_per_iteration: 10\n", "f.yaml:1:1: ", "never start");
  EXPECT_FAULT(kMinimal + "  workers: 8\nselfplay:\n  slots: 4\n", "f.yaml:6:3: ", "selfplay.slots");
  EXPECT_FAULT(kMinimal + "evaluation:\n  against: [random, nobody]\n", "f.yaml:7:3: ", "nobody");
  EXPECT_FAULT(kMinimal + "evaluation:\n  against: []\n  every: 2\n", "f.yaml:8:3: ", "opponent");
  EXPECT_FAULT(kMinimal + "selfplay:\n  full_search_share: 0.5\n  short_simulations: 65\n",
               "f.yaml:8:3: ", "at most 64");
  EXPECT_EQ(config_fault(kMinimal + "selfplay:\n  short_simulations: 65\n"), "no error");
  EXPECT_FAULT(
      "game: {size: 7, holes: 5, result: margin}\nrun: {iterations: 30}\n"
      "learner: {search_value_weight: 1}\n",
      "f.yaml:3:11: ", "played to win");
  EXPECT_FAULT(kMinimal + "evaluation:\n  opening_plies: 44\n", "f.yaml:7:3: ", "44 plies");
}

TEST(ConfigFile, OverridesAreCheckedLikeTheFile) {
  const auto fault = [](const std::string& change) { return config_fault(kMinimal, {change}); };
  EXPECT_EQ(fault("game.size=9"), "--set game.size: game.size must be 3 to 8 squares; found `9`");
  EXPECT_EQ(fault("game.holes=4").substr(0, 18), "--set game.holes: ");
  EXPECT_NE(fault("network.chanels=9").find("did you mean `channels`?"), std::string::npos);
  EXPECT_EQ(fault("network.chanels=9").substr(0, 23), "--set network.chanels: ");
  EXPECT_NE(fault("netwrok.channels=9").find("did you mean `network`?"), std::string::npos);
  for (const std::string broken :
       {"", "game", "game.size", "size=3", "=", "game.size=", "game.size=[", "game.size={", "game.=3",
        ".size=3", "game.size=1\n---\n2", "run.seed=1: 2"}) {
    EXPECT_EQ(fault(broken).substr(0, 5), "--set") << broken;
  }
  const RunConfig config = parse_run_config(
      kMinimal, "f.yaml",
      std::vector<std::string>{"run.seed=5", "evaluation.against=[greedy, \"uct:10\"]", "run.seed=6"});
  EXPECT_EQ(config.run.seed, 6);
  EXPECT_EQ(config.evaluation.against, (std::vector<std::string>{"greedy", "uct:10"}));
}

TEST(ConfigFile, FilesThatCannotBeRead) {
  const auto fault = [](const std::string& path) -> std::string {
    try {
      static_cast<void>(load_run_config(path));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kRequest);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(fault("/nowhere/at/all.yaml"), "/nowhere/at/all.yaml: no such file");
  EXPECT_NE(fault(::testing::TempDir()).find("folder"), std::string::npos);
  EXPECT_NE(fault("/dev/zero").find("device"), std::string::npos);
  const std::string huge = ::testing::TempDir() + "/huge.yaml";
  std::ofstream(huge) << "a: 1\n";
  std::filesystem::resize_file(huge, 5u << 20);
  EXPECT_NE(fault(huge).find("bytes"), std::string::npos);
  std::filesystem::remove(huge);
}

TEST(ConfigFile, RulesFile) {
  const std::string path = ::testing::TempDir() + "/rules.yaml";
  write_file_atomically(path, "size: 5\nholes: 3\n");
  EXPECT_EQ(load_rules(path), (GameConfig{.size = 5, .holes = 3, .unequal_stones = false}));
  write_file_atomically(path, "size: 5\nholes: 4\n");
  try {
    static_cast<void>(load_rules(path));
    ADD_FAILURE() << "an odd number of squares was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find(path + ":2:1: game.holes: "), 0u) << error.what();
  }
  std::filesystem::remove(path);
}

TEST(ConfigFile, EveryShippedConfigurationIsSound) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(PAHTUM_SOURCE_DIR) + "/configs")) {
    EXPECT_NO_THROW(static_cast<void>(load_run_config(entry.path()))) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
}

}  // namespace
}  // namespace pahtum
