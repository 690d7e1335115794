#include "eval/ugi.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "env/base/text.h"
#include "env/game_rules.h"
#include "tests/fuzz/first_move_mind.h"

namespace pahtum {
namespace {

const GameConfig kUgiBoard{.size = 3, .holes = 1};
constexpr const char* kInfo = "info time 0 nodes 3 nps 3000000 score cp 25 pv a3";

class UgiSession : public testing::Test {
 protected:
  std::vector<std::string> say(const std::string& line) {
    sent_.clear();
    ugi_.handle(line);
    if (line.find("infinite") == std::string::npos) ugi_.wait();
    return sent_;
  }
  using Lines = std::vector<std::string>;
  FirstMoveMind mind_;
  Lines sent_;
  Ugi ugi_{mind_, kUgiBoard, [this](const std::string& line) { sent_.push_back(line); }};
};

TEST_F(UgiSession, Introduction) {
  const Lines lines = say("ugi");
  ASSERT_GE(lines.size(), 4u);
  EXPECT_EQ(lines[0], "id name pahtum " PAHTUM_VERSION);
  EXPECT_EQ(lines[1], "id author the PahTum project");
  EXPECT_EQ(lines[2], "option name Margin type spin default 10 min 0 max 60000");
  EXPECT_EQ(lines[3], "option name OwnBook type check default false");
  EXPECT_EQ(lines.back(), "ugiok");
  EXPECT_EQ(say("isready"), Lines{"readyok"});
  EXPECT_EQ(say(""), Lines{});
  EXPECT_EQ(say("dance"), Lines{"info string error: dance: unknown command"});
}

TEST_F(UgiSession, PositionsAndQueries) {
  EXPECT_EQ(say("position fen 3/1x1/3 w moves a1 c3"), Lines{});
  EXPECT_EQ(say("query fen"), Lines{"response 2b/1x1/w2 w"});
  EXPECT_EQ(say("query p1turn"), Lines{"response true"});
  EXPECT_EQ(say("query gameover"), Lines{"response false"});
  EXPECT_EQ(say("query result"), Lines{"response none"});
  EXPECT_EQ(say("query moves"), Lines{"response a3 b3 a2 c2 b1 c1"});
  EXPECT_EQ(say("query weather"),
            Lines{"info string error: weather: ask for p1turn, gameover, result, fen or moves"});
  EXPECT_EQ(say("position fen 3/1x1/3 w moves a1 a1"), Lines{"info string error: a1: the square is taken"});
  EXPECT_EQ(say("query fen"), Lines{"response 2b/1x1/w2 w"}) << "what is refused changes nothing";
  EXPECT_EQ(say("position fen 3/1x1/3 w moves b2"), Lines{"info string error: b2: there is a hole"});
  EXPECT_EQ(say("position"),
            Lines{"info string error: position: say: position startpos|fen POSITION [moves MOVE…]"});
  EXPECT_EQ(say("position startpos"), Lines{});
  EXPECT_EQ(say("query p1turn"), Lines{"response true"});
}

TEST_F(UgiSession, Results) {
  say("position fen www/bxb/wb1 b moves c1");
  EXPECT_EQ(say("query gameover"), Lines{"response true"});
  EXPECT_EQ(say("query result"), Lines{"response p1win"});
  say("position fen bbb/wxw/wb1 w moves c1");
  EXPECT_EQ(say("query result"), Lines{"response p2win"});
  say("position fen wbw/bxb/wb1 w moves c1");
  EXPECT_EQ(say("query result"), Lines{"response draw"});
  EXPECT_EQ(say("query moves"), Lines{"response"});
  EXPECT_EQ(say("go"), (Lines{"info string error: the game is over", "bestmove none"}));
}

TEST_F(UgiSession, PlacementAndSwapAreMoves) {
  say("position fen 3/3/3 b place=1 moves b2 a1");
  EXPECT_EQ(say("query fen"), Lines{"response 3/1x1/w2 b"});
  say("position fen 3/1x1/2w b swap moves swap");
  EXPECT_EQ(say("query fen"), Lines{"response 3/1x1/2b w"});
}

TEST_F(UgiSession, SearchesWithinWhatWasAsked) {
  say("position fen 3/1x1/3 w");
  EXPECT_EQ(say("go"), (Lines{kInfo, "bestmove a3"}));
  EXPECT_FALSE(mind_.last_limits.given()) << "the SPEC's own limits hold";
  say("go nodes 7");
  EXPECT_EQ(mind_.last_limits.simulations, 7);
  say("go depth 3");
  EXPECT_EQ(mind_.last_limits.depth, 3);
  const auto seconds = [&] {
    return std::chrono::duration<double>(*mind_.last_limits.deadline - ThinkLimits::Clock::now()).count();
  };
  say("go movetime 5000");
  EXPECT_LE(seconds(), 4.99);
  EXPECT_GT(seconds(), 4.0);
  say("setoption name Margin value 2000");
  say("go movetime 5000");
  EXPECT_LE(seconds(), 3.0);
  say("setoption name margin value 0");
  say("go p1time 9000 p2time 1 p1inc 0 p2inc 0");
  EXPECT_LE(seconds(), 3.0);
  EXPECT_GT(seconds(), 2.0);
  say("go p1time 9000 p2time 1 movestogo 1");
  EXPECT_GT(seconds(), 8.0);
  EXPECT_EQ(say("go p2time 1"),
            Lines{"info string error: p1time: the time of the player to move is missing"});
  EXPECT_EQ(say("go movetime"), Lines{"info string error: movetime: a number is missing"});
  EXPECT_EQ(say("go fast"), Lines{"info string error: fast: `go` has no such argument"});
}

TEST_F(UgiSession, OptionsReachThePlayer) {
  for (const char* const line : {"setoption name Seed value 77", "setoption name Game value 5",
                                 "setoption name Ply value 9", "setoption name OwnBook value false"}) {
    EXPECT_EQ(say(line), Lines{}) << line;
  }
  say("position fen 3/1x1/3 w moves a1");
  say("go");
  EXPECT_EQ(mind_.seed, 77u);
  EXPECT_EQ(mind_.last_turn.game, 5u);
  EXPECT_EQ(mind_.last_turn.ply, 10);
  EXPECT_EQ(say("setoption name Size value 6"), Lines{});
  EXPECT_EQ(ugi_.game().position().size, 6);
  EXPECT_EQ(say("setoption name Hash value 6"), Lines{"info string error: Hash: unknown option"});
  EXPECT_EQ(say("setoption Size 6"),
            Lines{"info string error: setoption: say: setoption name NAME value VALUE"});
}

// A player that thinks until it is stopped.
class PatientMind final : public EngineMind {
 public:
  void require_position(const Position& /*position*/) const override {}
  [[nodiscard]] Analysis think(const Turn& turn, const ThinkLimits& limits) override {
    limits.stop->wait(false);
    return only_move(nth_legal(turn.position, 0));
  }
  void reseed(std::uint64_t /*seed*/) override {}
};

TEST(Ugi, AnswersWhileItSearchesAndStops) {
  PatientMind mind;
  std::vector<std::string> sent;
  Ugi ugi(mind, kUgiBoard, [&](const std::string& line) { sent.push_back(line); });
  ugi.handle("position fen 3/1x1/3 w");
  ugi.handle("go infinite");
  ugi.handle("isready");
  ugi.handle("query p1turn");
  ugi.handle("position startpos");
  ugi.handle("go");
  EXPECT_EQ(sent, (std::vector<std::string>{"readyok", "response true",
                                            "info string error: position: wait for bestmove, or send stop",
                                            "info string error: go: wait for bestmove, or send stop"}));
  sent.clear();
  ugi.handle("stop");
  ugi.wait();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_TRUE(sent[0].starts_with("info time "));
  EXPECT_EQ(sent[1], "bestmove a3");
  sent.clear();
  ugi.handle("go infinite");
  EXPECT_FALSE(ugi.handle("quit"));
  EXPECT_EQ(sent.back(), "bestmove a3") << "what was being searched ends as usual";
}

TEST_F(UgiSession, AnEndlessSearchAnswersWhenItIsToldTo) {
  say("position fen 3/1x1/3 w");
  EXPECT_EQ(say("go infinite"), Lines{});
  EXPECT_EQ(say("stop"), (Lines{kInfo, "bestmove a3"}));
}

TEST(Ugi, LegalMovesAreThoseOfTheRulesThroughoutRandomGames) {
  const std::vector<GameConfig> games = {{.size = 4, .holes = 2},
                                         {.size = 4, .holes = 2, .swap = true},
                                         {.size = 3, .holes = 3, .hole_mode = HoleMode::kPlaced},
                                         {.size = 5, .holes = 3, .hole_mode = HoleMode::kOpening}};
  FirstMoveMind mind;
  for (std::uint64_t index = 0; index < 1200; ++index) {
    const GameConfig& rules = games[index % games.size()];
    std::vector<std::string> sent;
    Ugi ugi(mind, rules, [&](const std::string& line) { sent.push_back(line); });
    Position position = start_position(rules, 1, Stream::kTest, index);
    std::string line = "position fen " + to_text(position) + " moves";
    Random random(1, Stream::kTest, index);
    while (!position.over()) {
      sent.clear();
      ugi.handle("position fen " + to_text(position));
      ugi.handle("query moves");
      ASSERT_EQ(sent.size(), 1u);
      const std::vector<std::string> words = split_words(sent.front());
      ASSERT_EQ(words.size(), static_cast<std::size_t>(legal_count(position)) + 1);
      const auto pick = random.below(static_cast<std::uint32_t>(words.size() - 1));
      line += " " + words[pick + 1];
      apply(position, nth_legal(position, static_cast<int>(pick)));
    }
    sent.clear();
    ugi.handle(line);
    ugi.handle("query gameover");
    ASSERT_EQ(sent, std::vector<std::string>{"response true"});
    ASSERT_EQ(ugi.game().position(), position);
  }
}

}  // namespace
}  // namespace pahtum
