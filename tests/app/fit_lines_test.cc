#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "env/base/files.h"
#include "search/line_weights.h"
#include "tests/app/program.h"

namespace pahtum {
namespace {

TEST(FitLines, WritesWeightsThatTellHowTheyWereMadeAndTheSameOnesAgain) {
  const TemporaryFolder folder;
  const auto fit = [&](const std::string& output) {
    return run_program({"fit-lines", "--games", "20", "--rounds", "1", "--depth", "1", "--exact", "8",
                        "--holes", "13", "--pairs", "3", "--seed", "3", "--output", output},
                       folder.path());
  };
  const Finished made = fit("first");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out, "");
  EXPECT_NE(made.err.find("round 1: "), std::string::npos) << made.err;
  const std::string text = read_file(folder / "first");
  EXPECT_NE(text.find("pahtum fit-lines --games 20 --rounds 1 --depth 1 --holes 13"), std::string::npos);
  (void)LineWeights::parse(text, "first");
  ASSERT_EQ(fit("second").status, 0);
  EXPECT_TRUE(read_file(folder / "second") == text);
}

}  // namespace
}  // namespace pahtum
