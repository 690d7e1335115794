#include "eval/gtp.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "env/base/text.h"
#include "env/game_rules.h"
#include "tests/fuzz/first_move_mind.h"

namespace pahtum {
namespace {

const GameConfig kEmptyBoard{.size = 3, .holes = 1};

// A session: commands, and what the engine answers, without the empty lines.
struct Exchange {
  std::string command, answer;
};

class GtpSession : public testing::Test {
 protected:
  void expect(const std::vector<Exchange>& exchanges) {
    for (const Exchange& exchange : exchanges) {
      const std::string answer = gtp_.handle(exchange.command);
      EXPECT_EQ(answer, exchange.answer.empty() ? "" : exchange.answer + "\n\n") << exchange.command;
    }
  }
  FirstMoveMind mind_;
  Gtp gtp_{mind_, kEmptyBoard};
};

TEST_F(GtpSession, Administration) {
  expect({{"protocol_version", "= 2"},
          {"7 name", "=7 pahtum"},
          {"version", "= " PAHTUM_VERSION},
          {"known_command genmove", "= true"},
          {"known_command jump", "= false"},
          {"12 jump", "?12 unknown command"},
          {"3", "?3 a command is missing"},
          {"name now", "? syntax error: name has another number of arguments"},
          {"", ""},
          {"  \t ", ""},
          {"# nothing", ""},
          {"na\x01me\t# with a comment", "= pahtum"}});
  EXPECT_FALSE(gtp_.done());
  expect({{"quit", "="}});
  EXPECT_TRUE(gtp_.done());
  const std::string list = gtp_.handle("list_commands");
  for (const char* const name : {"protocol_version", "name", "version", "known_command", "list_commands",
                                 "quit", "boardsize", "clear_board", "komi", "play", "genmove"}) {
    EXPECT_NE(list.find(name), std::string::npos) << name;
  }
}

TEST_F(GtpSession, BoardAndMoves) {
  expect({{"pahtum-setup 3/1x1/3 w", "="},
          {"gogui-rules_game_id", "= PahTum"},
          {"gogui-rules_board_size", "= 3"},
          {"gogui-rules_side_to_move", "= white"},
          {"gogui-rules_legal_moves", "= A3 B3 C3 A2 C2 A1 B1 C1"},
          {"play white B2", "? illegal move: b2: there is a hole"},
          {"play black a1", "? illegal move: white is to move"},
          {"play green a1", "? syntax error: green is no colour; give white or black"},
          {"play W c1", "="},
          {"play b C1", "? illegal move: c1: the square is taken"},
          {"play b swap", "? illegal move: swap: colours cannot be swapped now"},
          {"gogui-rules_board", "= . . .\n. ? .\n. . O"},
          {"genmove b", "= A3"},
          {"pahtum-position", "= b2/1x1/2w w"},
          {"reg_genmove w", "= B3"},
          {"pahtum-position", "= b2/1x1/2w w"},
          {"showboard", "=\n   A B C\n 3 b . .\n 2 . x .\n 1 . . w\nb2/1x1/2w w\nWhite 0, Black 0"},
          {"undo", "="},
          {"undo", "="},
          {"undo", "? cannot undo"},
          {"pahtum-position", "= 3/1x1/3 w"},
          {"komi 6.5", "="},
          {"komi much", "? syntax error: much is no number"},
          {"final_score", "? cannot score: the game is not over"},
          {"gogui-rules_final_result", "? the game is not over"}});
}

TEST_F(GtpSession, EndsOfGames) {
  expect({{"pahtum-setup www/bxb/wb1 b", "="},
          {"genmove black", "= C1"},
          {"genmove white", "? the game is over"},
          {"gogui-rules_legal_moves", "="},
          {"final_score", "= W+3"},
          {"gogui-rules_final_result", "= White wins, 3 - 0"},
          {"pahtum-policy", "? the game is over"},
          {"pahtum-setup bbb/wxw/wb1 w", "="},
          {"play w c1", "="},
          {"final_score", "= B+3"},
          {"pahtum-setup wbw/bxb/wb1 w", "="},
          {"play w c1", "="},
          {"final_score", "= 0"},
          {"gogui-rules_final_result", "= Draw, 0 - 0"}});
}

TEST_F(GtpSession, PlacementOpeningAndSwapAreMoves) {
  expect({{"pahtum-setup 3/3/3 b place=1", "="},
          {"gogui-rules_side_to_move", "= black"},
          {"play b b2", "="},
          {"pahtum-position", "= 3/1x1/3 w"},
          {"pahtum-setup 3/3/3 w open=1", "="},
          {"play w a1", "="},
          {"gogui-rules_side_to_move", "= white"},
          {"play w c3", "="},
          {"gogui-rules_legal_moves", "= A3 B3 A2 B2 C2 B1 C1 swap"},
          {"play b SWAP", "="},
          {"pahtum-position", "= 2b/3/x2 w"}});
}

TEST_F(GtpSession, SizesAndTheirLimits) {
  expect({{"boardsize 2", "? unacceptable size"},
          {"boardsize 9", "? unacceptable size"},
          {"boardsize 19", "? unacceptable size"},
          {"boardsize five", "? unacceptable size"}});
  EXPECT_EQ(gtp_.game().position().size, 3);
  for (int size = 3; size <= 8; ++size) {
    expect({{"boardsize " + std::to_string(size), "="},
            {"gogui-rules_board_size", "= " + std::to_string(size)},
            {"clear_board", "="}});
    EXPECT_EQ(gtp_.game().position().empty_count() % 2, 0);
  }
}

TEST_F(GtpSession, RefusedPositionsChangeNothing) {
  expect({{"pahtum-setup 3/1x1/3 w", "="}, {"play w a1", "="}});
  for (const char* const text : {"3/3 w", "3/3/3", "3/3/3 w place=99", "9/9/9 w", "3/3/3 w swap"}) {
    EXPECT_EQ(gtp_.handle(std::string("pahtum-setup ") + text).front(), '?') << text;
  }
  expect({{"pahtum-position", "= 3/1x1/w2 b"}, {"undo", "="}});
}

TEST_F(GtpSession, Analysis) {
  expect({{"pahtum-setup 3/1x1/3 w", "="},
          {"pahtum-policy", "= 0.500 0.000 0.000\n0.000 0.000 0.000\n0.000 0.000 0.000"},
          {"pahtum-visits", "= 3 \"\" \"\"\n\"\" \"\" \"\"\n\"\" \"\" \"\""},
          {"pahtum-values", "= 0.25 \"\" \"\"\n\"\" \"\" \"\"\n\"\" \"\" \"\""},
          {"pahtum-variation", "= A3"},
          {"pahtum-analysis", "= move A3 value 0.250 simulations 3 variation A3"}});
  // Every command that GoGui is told about is one.
  std::string list = gtp_.handle("gogui-analyze_commands");
  for (std::size_t at = list.find("/pahtum-"); at != std::string::npos; at = list.find("/pahtum-", at + 1)) {
    const std::string name = list.substr(at + 1, list.find('\n', at) - at - 1);
    EXPECT_EQ(gtp_.handle("known_command " + name), "= true\n\n");
  }
}

TEST_F(GtpSession, TimeSettings) {
  const auto seconds = [&] {
    static_cast<void>(gtp_.handle("reg_genmove w"));
    if (!mind_.last_limits.deadline) return -1.0;
    return std::chrono::duration<double>(*mind_.last_limits.deadline - ThinkLimits::Clock::now()).count();
  };
  expect({{"pahtum-setup 3/1x1/3 w", "="}});
  EXPECT_EQ(seconds(), -1.0) << "the SPEC's own limits hold";
  // Four stones are left to White; no single one gets more than its part of the clock.
  expect({{"time_settings 90 0 0", "="}});
  EXPECT_LE(seconds(), 30.0);
  EXPECT_GT(seconds(), 20.0);
  expect({{"time_settings 0 10 1", "="}});
  EXPECT_LE(seconds(), 10.0);
  EXPECT_GT(seconds(), 9.5);
  expect({{"time_settings 0 10 0", "="}});
  EXPECT_EQ(seconds(), -1.0) << "no limit";
  expect({{"time_left w 6 0", "="}});
  EXPECT_LE(seconds(), 2.0);
  expect({{"time_left w 6 2", "="}});
  EXPECT_LE(seconds(), 3.0);
  expect({{"time_settings -1 0 0", "? main time: give a whole number from 0 to 1000000"},
          {"time_left w x 0", "? time: give a whole number from 0 to 1000000"},
          {"pahtum-margin", "= 10"},
          {"pahtum-margin 500", "="},
          {"pahtum-margin", "= 500"}});
  expect({{"time_settings 0 10 1", "="}});
  EXPECT_LE(seconds(), 9.5);
}

TEST_F(GtpSession, SeedGameAndPlyReachThePlayer) {
  expect({{"pahtum-random 77 5 9", "="},
          {"pahtum-setup 3/1x1/3 w", "="},
          {"pahtum-random 77 5 9", "="},
          {"genmove w", "= A3"}});
  EXPECT_EQ(mind_.seed, 77u);
  EXPECT_EQ(mind_.last_turn.game, 5u);
  EXPECT_EQ(mind_.last_turn.ply, 9);
  expect({{"genmove b", "= B3"}});
  EXPECT_EQ(mind_.last_turn.ply, 10);
}

TEST(Gtp, LegalMovesAreThoseOfTheRulesThroughoutRandomGames) {
  const std::vector<GameConfig> games = {{.size = 4, .holes = 2},
                                         {.size = 4, .holes = 2, .swap = true},
                                         {.size = 3, .holes = 3, .hole_mode = HoleMode::kPlaced},
                                         {.size = 5, .holes = 3, .hole_mode = HoleMode::kOpening}};
  FirstMoveMind mind;
  for (std::uint64_t index = 0; index < 1200; ++index) {
    const GameConfig& rules = games[index % games.size()];
    Gtp gtp(mind, rules);
    Position position = start_position(rules, 1, Stream::kTest, index);
    ASSERT_EQ(gtp.handle("pahtum-setup " + to_text(position)), "=\n\n");
    Random random(1, Stream::kTest, index);
    while (true) {
      const std::string answer = gtp.handle("gogui-rules_legal_moves");
      const std::vector<std::string> words = split_words(answer.substr(1, answer.find('\n') - 1));
      ASSERT_EQ(words.size(), static_cast<std::size_t>(legal_count(position)));
      if (position.over()) break;
      const auto pick = random.below(static_cast<std::uint32_t>(words.size()));
      const std::string color(color_name(position.mover));
      ASSERT_EQ(gtp.handle("play " + color + " " + words[pick]), "=\n\n");
      apply(position, nth_legal(position, static_cast<int>(pick)));
      ASSERT_EQ(gtp.game().position(), position);
    }
  }
}

}  // namespace
}  // namespace pahtum
