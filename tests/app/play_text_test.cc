#include "app/play_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "app/play_session.h"

namespace pahtum {
namespace {

// A player with thoughts made up from the squares: more visits the later the square, some with priors and
// values.
class ThoughtfulPlayer final : public Player {
 public:
  explicit ThoughtfulPlayer(bool exact = false) : exact_(exact) { info_.spec = "net:thoughtful"; }
  void choose(std::span<const Turn> turns, std::span<Move> moves) override {
    for (std::size_t k = 0; k < turns.size(); ++k) moves[k] = nth_legal(turns[k].position, 0);
  }
  Analysis analyse(const Turn& turn, const ThinkLimits& /*limits*/) override {
    Analysis analysis;
    const int count = legal_count(turn.position);
    for (int k = 0; k < count; ++k) {
      MoveAnalysis& move = analysis.moves.emplace_back();
      move.move = nth_legal(turn.position, k);
      move.visits = k + 3 < count ? 1000 / (k + 1) : 0;
      move.prior = 1.0 / (k + 2);
      if (move.visits > 0)
        move.value = Value(exact_ ? (k == 0 ? 1.0f : -1.0f) : 0.5f - 0.1f * static_cast<float>(k));
      if (analysis.variation.size() < 30) analysis.variation.push_back(move.move);
    }
    analysis.move = analysis.moves.front().move;
    analysis.value = Value(exact_ ? 1.0f : 0.314f);
    analysis.margin = exact_ ? 7.0 : 4.25;
    analysis.wdl = Wdl{0.62f, 0.07f, 0.31f};
    analysis.exact = exact_;
    analysis.simulations = 800;
    return analysis;
  }
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  bool exact_;
  PlayerInfo info_;
};

std::string analysed(const std::string& position, int width, bool exact, const std::string& lines = "") {
  PlayConfig config;
  config.start = parse_position(position);
  config.side = Side::kBoth;
  config.analysis = true;
  config.width = width;
  std::istringstream in(lines);
  std::ostringstream out;
  StreamInput input(in);
  PlaySession session(config, std::make_unique<ThoughtfulPlayer>(exact), nullptr, input, out);
  EXPECT_EQ(session.run(), 0);
  return out.str();
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(PlayText, AnalysisOnTheSquaresAndBeside) {
  EXPECT_EQ(analysed("w2/1x1/2b w", 80, false),
            "\n"
            "3   w   55  27   move    visits  share  policy   value\n"
            "2   18  x   .    b3        1000   55 %    50 %   +0.50\n"
            "1   .   .   b    c3         500   27 %    33 %   +0.40\n"
            "    a   b   c    a2         333   18 %    25 %   +0.30\n"
            "                 c2           0    0 %    20 %\n"
            "                 a1           0    0 %    17 %\n"
            "                 b1           0    0 %    14 %\n"
            "net:thoughtful:\n"
            "value +0.31 for White; margin +4.3 points\n"
            "network alone: win 62 %, draw 7 %, loss 31 %\n"
            "line b3 c3 a2 c2 a1 b1\n"
            "(800 simulations)\n"
            "White 0, Black 0; white to move, 6 squares empty\n"
            "No more input; the game ends here, after 0 moves.\n");
}

TEST(PlayText, ExactlySolved) {
  const std::string out = analysed("w2/1x1/2b b", 80, true, "hint\n");
  EXPECT_NE(out.find("exactly solved: Black wins by 7"), std::string::npos) << out;
  EXPECT_NE(out.find("b3        1000   55 %    50 %     won\n"), std::string::npos) << out;
  EXPECT_NE(out.find("c3         500   27 %    33 %    lost\n"), std::string::npos) << out;
  EXPECT_NE(out.find("net:thoughtful would play b3, exactly solved: Black wins by 7\n"), std::string::npos)
      << out;
}

TEST(PlayText, AnalysisFitsTheScreen) {
  const std::string start = "8/8/3x4/8/2xx4/8/6x1/8 w";
  EXPECT_LE(widest_line(analysed(start, 80, false)), 80u);
  const std::string narrow = analysed(start, 40, false);
  EXPECT_LE(widest_line(narrow), 40u) << narrow;
  EXPECT_NE(narrow.find("    a   b   c   d   e   f   g   h\nmove    visits"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find(" ...\n"), std::string::npos) << narrow;
}

TEST(PlayText, HintNamesTheValue) {
  const std::string out = analysed("3/1x1/3 w", 100, false, "analysis off\nhint\n");
  EXPECT_NE(
      out.find(
          "net:thoughtful would play a3, value +0.31 for White (1 won, 0 drawn, -1 lost), margin +4.3\n"),
      std::string::npos)
      << out;
}

TEST(PlayText, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("  one two", 5, 1), "  one\n two\n");
  EXPECT_EQ(wrapped("unbreakable", 3), "unbreakable\n");
  EXPECT_EQ(wrapped("", 10), "\n");
}

}  // namespace
}  // namespace pahtum
