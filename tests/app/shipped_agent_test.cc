#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "env/base/files.h"
#include "model/network_file.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kModels = fs::path(PAHTUM_SOURCE_DIR) / "models";
const fs::path kAgent = kModels / "pahtum-7x7";

TEST(ShippedAgent, IsWhomANewcomerMeets) {
  const TemporaryFolder folder;
  ::setenv("PAHTUM_MODELS", kModels.c_str(), 1);
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const Finished game = run_program({"play"}, folder.path(), "d4\nquit\n");
  ::unsetenv("PAHTUM_MODELS");
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(game.status, 0) << game.err;
  EXPECT_NE(game.out.find("net:" + (kAgent / "network.safetensors").string()), std::string::npos) << game.out;
}

TEST(ShippedAgent, IsWhatItsManifestSays) {
  const json manifest = json::parse(read_file(kAgent / "manifest.json"));
  const fs::path file = kAgent / manifest.at("file").get<std::string>();
  EXPECT_EQ(fs::file_size(file), manifest.at("bytes").get<std::uintmax_t>());
  const Checkpoint agent = load_network_file(file);
  EXPECT_EQ(agent.manifest.step, manifest.at("training").at("learner_steps").get<std::int64_t>());
  EXPECT_EQ(agent.manifest.iteration, manifest.at("training").at("iterations").get<std::int64_t>());
  for (const char* name : {"report.html", "config.yaml", "evaluation.json"}) {
    EXPECT_TRUE(fs::is_regular_file(kAgent / name)) << name;
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kAgent)) bytes += entry.file_size();
  EXPECT_LE(bytes, std::uintmax_t{8} << 20);
}

TEST(ShippedAgent, BeatsGreedy) {
  const TemporaryFolder folder;
  const Finished result =
      run_program({"match", "net:" + (kAgent / "network.safetensors").string() + ",sims=32", "greedy",
                   "--pairs", "10", "--json"},
                  folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_GE(json::parse(result.out).at("score").get<double>(), 0.85) << result.out;
}

}  // namespace
}  // namespace pahtum
