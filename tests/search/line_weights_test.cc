#include "search/line_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "env/base/error.h"
#include "env/base/files.h"
#include "search/line_regions.h"

namespace pahtum {
namespace {

const char* const kFile = PAHTUM_SOURCE_DIR "/search/data/line_weights.txt";

std::string refusal(const std::string& text) {
  try {
    (void)LineWeights::parse(text, "some.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LineWeights, TheShippedFileIsWhatIsCompiledInAndSaysHowItWasMade) {
  const std::string text = read_file(kFile);
  EXPECT_NE(text.find("pahtum fit-lines --games"), std::string::npos);
  EXPECT_NE(text.find("--seed"), std::string::npos);
  const std::size_t begin = text.find("pahtum-line-weights");
  EXPECT_TRUE(LineWeights::parse(text, kFile).text("") == text.substr(begin));
  EXPECT_TRUE(LineWeights::shipped().text("") == text.substr(begin));
}

TEST(LineWeights, TheShippedOnesKnowWhatRunsAreWorth) {
  const RegionKinds& kinds = RegionKinds::all();
  const auto for_white = [&](const LineWeights::Phase& phase, const char* text) {
    const RegionKinds::Found found = kinds.find(text);
    return found.sign * phase.kinds[static_cast<std::size_t>(found.kind)].balance;
  };
  for (const LineWeights::Phase& phase : LineWeights::shipped().phases) {
    EXPECT_GT(phase.to_move, -0.05);
    EXPECT_GT(for_white(phase, "www"), 0.0);
    EXPECT_GT(for_white(phase, ".ww."), for_white(phase, "..w."));
    EXPECT_GT(for_white(phase, "www."), for_white(phase, "www"));
    EXPECT_EQ(for_white(phase, "bbb."), -for_white(phase, ".www"));
    for (std::size_t kind = 0; kind < kinds.count(); ++kind) {
      EXPECT_TRUE(!kinds.is_balanced(kind) || phase.kinds[kind].balance == 0.0) << kinds.text(kind);
    }
  }
}

TEST(LineWeights, TextAndBack) {
  LineWeights weights;
  weights.phases[2].to_move = 0.25;
  const auto kind = static_cast<std::size_t>(RegionKinds::all().find("bbb.").kind);
  weights.phases[5].kinds[kind] = {-1.5, 0.125};
  const std::string text = weights.text("first\nsecond");
  EXPECT_TRUE(text.starts_with("# first\n# second\npahtum-line-weights 1\n"));
  const LineWeights again = LineWeights::parse(text, "some.txt");
  EXPECT_EQ(again.phases[2].to_move, 0.25);
  EXPECT_EQ(again.phases[5].kinds[kind].balance, -1.5);
  EXPECT_EQ(again.phases[5].kinds[kind].tempo, 0.125);
  EXPECT_EQ(again.text("first\nsecond"), text);
}

TEST(LineWeights, PhasesFollowTheEmptySquares) {
  EXPECT_EQ(LineWeights::phase_of(0), 0u);
  EXPECT_EQ(LineWeights::phase_of(12), 0u);
  EXPECT_EQ(LineWeights::phase_of(13), 1u);
  EXPECT_EQ(LineWeights::phase_of(64), LineWeights::kPhases - 1);
}

TEST(LineWeights, RefusesWhatItCannotRead) {
  const std::string sound = LineWeights().text("");
  EXPECT_NE(refusal("").find("it is empty"), std::string::npos);
  EXPECT_NE(refusal("hello\n").find("some.txt:1: the first line"), std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "phases 12", "phases 13")).find("some.txt:2"), std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "to-move 0.0000", "to-move")).find("5 numbers; give 6"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "\n... 0.0000", "\n... x")).find("\"x\" is no number"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "\n... 0.0000", "\n... nan")).find("is no number"), std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "\n... 0.0000", "\n... 1.0000")).find("balance must be 0"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "\nbbb ", "\nwww ")).find("is written \"bbb\""), std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "\nbbb ", "\nbwb ")).find("is no region"), std::string::npos);
  EXPECT_NE(refusal(replaced(sound, "\nbbb ", "\n... ")).find("comes twice"), std::string::npos);
  EXPECT_NE(refusal(sound.substr(0, sound.rfind("\n", sound.size() - 2) + 1)).find("is missing"),
            std::string::npos);
}

}  // namespace
}  // namespace pahtum
