#include "eval/player_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "env/base/error.h"

namespace pahtum {
namespace {

std::string spec_refusal(const std::string& spec) {
  try {
    static_cast<void>(parse_player_spec(spec));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    EXPECT_EQ(error.subject(), player_subject(spec));
    return error.what();
  }
  ADD_FAILURE() << spec << " was accepted";
  return "";
}

TEST(PlayerSpec, TakesEveryKindApart) {
  EXPECT_EQ(parse_player_spec("random").kind, PlayerKind::kRandom);
  EXPECT_EQ(parse_player_spec("greedy").kind, PlayerKind::kGreedy);
  EXPECT_EQ(parse_player_spec("charles").kind, PlayerKind::kCharles);
  EXPECT_EQ(parse_player_spec("uct:10000").kind, PlayerKind::kUct);
  EXPECT_EQ(parse_player_spec("uct:10000").number, 10000);

  EXPECT_EQ(parse_player_spec("alphabeta:depth=6").kind, PlayerKind::kAlphaBeta);
  EXPECT_EQ(parse_player_spec("alphabeta:depth=6").depth, 6);
  EXPECT_FALSE(parse_player_spec("alphabeta:depth=6").seconds.has_value());
  EXPECT_EQ(parse_player_spec("alphabeta:time=0.25").seconds, 0.25);
  EXPECT_FALSE(parse_player_spec("alphabeta:time=1").depth.has_value());

  const PlayerSpec network = parse_player_spec("net:runs/quick-1,sims=200");
  EXPECT_EQ(network.kind, PlayerKind::kNetwork);
  EXPECT_EQ(network.path, "runs/quick-1");
  EXPECT_EQ(network.simulations, 200);
  EXPECT_FALSE(network.policy);
  EXPECT_TRUE(parse_player_spec("net:a:b.ckpt,policy").policy);
  EXPECT_EQ(parse_player_spec("net:a:b.ckpt,policy").path, "a:b.ckpt");
  EXPECT_FALSE(parse_player_spec("net:x").simulations.has_value());
  EXPECT_FALSE(parse_player_spec("net:x").exact.has_value());
  EXPECT_EQ(parse_player_spec("net:x,exact=0,policy").exact, 0);
  EXPECT_EQ(parse_player_spec("net:x,time=0.25,exact=8").seconds, 0.25);
  EXPECT_FALSE(parse_player_spec("net:x,sims=3").seconds.has_value());
}

TEST(PlayerSpec, AnUnknownPlayerIsAnsweredWithTheWholeList) {
  for (const std::string spec : {"", "randm", "UCT:5", " random", "engines"}) {
    const std::string message = spec_refusal(spec);
    for (const PlayerSpecHelp& row : player_spec_help()) {
      EXPECT_NE(message.find(row.usage), std::string::npos) << message;
    }
  }
}

TEST(PlayerSpec, RefusesWhatItCannotRead) {
  struct Case {
    std::string spec, says;
  };
  const std::vector<Case> cases = {
      {"random:3", "takes nothing after it"},
      {"greedy,fast", "takes no options"},
      {"charles:2", "takes nothing after it"},
      {"alphabeta", "say how far it looks ahead: alphabeta:depth=D|time=S"},
      {"alphabeta:", "say how far it looks ahead"},
      {"alphabeta:6", "say how far it looks ahead"},
      {"alphabeta:depth", "the D of `depth=D` is missing"},
      {"alphabeta:depth=0", "from 1 to 60"},
      {"alphabeta:depth=61", "from 1 to 60"},
      {"alphabeta:time=", "is missing; give seconds from 0.001"},
      {"alphabeta:time=0", "seconds from 0.001"},
      {"alphabeta:time=-1", "seconds from 0.001"},
      {"alphabeta:time=nan", "seconds from 0.001"},
      {"alphabeta:time=1s", "seconds from 0.001"},
      {"alphabeta:depth=4,time=1", "either a depth or a time"},
      {"uct", "is missing"},
      {"uct:", "is missing"},
      {"uct:ten", "whole number from 1 to"},
      {"uct:1e4", "whole number from 1 to"},
      {"uct:10 ", "whole number from 1 to"},
      {"uct:0", "out of range"},
      {"uct:-5", "out of range"},
      {"uct:99999999999999999999999", "out of range"},
      {"uct:10,sims=4", "takes no options"},
      {"net", "path is missing"},
      {"net:", "path is missing"},
      {"net:,sims=4", "path is missing"},
      {"net:x,", "unknown option \"\""},
      {"net:x,simms=4", "sims=N, time=S, exact=N, policy"},
      {"net:x,sims", "is missing"},
      {"net:x,sims=", "is missing"},
      {"net:x,sims=0", "out of range"},
      {"net:x,sims=4,sims=5", "given twice"},
      {"net:x,exact=25", "from 0 to 24"},
      {"net:x,policy=yes", "takes no value"},
      {"net:x,sims=4,policy", "drop it"},
      {"net:x,policy,time=1", "drop it"},
      {"net:x,sims=4,time=1", "drop one"},
      {"net:x,time", "is missing"},
      {"net:x,time=", "is missing"},
      {"net:x,time=0", "seconds from 0.001"},
      {"net:x,time=-1", "seconds from 0.001"},
      {"net:x,time=1s", "seconds from 0.001"},
      {"net:x,time=nan", "seconds from 0.001"},
      {"net:x,time=inf", "seconds from 0.001"},
      {"net:x,time=1e99", "seconds from 0.001"},
  };
  for (const Case& wrong : cases) {
    const std::string message = spec_refusal(wrong.spec);
    EXPECT_NE(message.find(wrong.says), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace pahtum
