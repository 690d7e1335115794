#include "eval/engine_player.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "env/game_rules.h"

namespace pahtum {
namespace {

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// What a player that answers so comes to, asked for one move.
std::string fault_of(const std::string& spec, const Position& position = parse_position("3/1x1/3 w")) {
  try {
    const auto player = make_player(spec, {});
    const Turn turn{position, 0, 0};
    Move move;
    player->choose({&turn, 1}, {&move, 1});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_within(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(EnginePlayer, SpecsKeepTheirCommandWhole) {
  const PlayerSpec spec = parse_player_spec("engine:ugi,time=0.5,depth=3:./a b:c,d=1 'e f'");
  EXPECT_EQ(spec.kind, PlayerKind::kEngine);
  EXPECT_EQ(spec.protocol, EngineProtocol::kUgi);
  EXPECT_EQ(spec.command, "./a b:c,d=1 'e f'");
  EXPECT_EQ(spec.seconds, 0.5);
  EXPECT_EQ(spec.depth, 3);
  for (const char* const wrong : {"engine", "engine:gtp", "engine:gtp:", "engine:gtp:  ", "engine:uci:x",
                                  "engine:grid,time=1:x", "engine:gtp,nodes=3:x", "engine:ugi,foo=3:x"}) {
    EXPECT_THROW(static_cast<void>(parse_player_spec(wrong)), Error) << wrong;
  }
}

TEST(EnginePlayer, ItsDeathIsReportedWithCommandAndStatus) {
  for (const char* const protocol : {"gtp", "ugi", "grid"}) {
    const std::string fault = fault_of(std::string("engine:") + protocol + ":exit 7");
    expect_within(fault, std::string("player \"engine:") + protocol + ":exit 7\"");
    expect_within(fault, "has ended with exit status 7");
  }
  expect_within(fault_of("engine:gtp:kill -9 $$"), "was ended by signal 9");
  expect_within(fault_of("engine:ugi:/no/such/program 2>/dev/null"), "exit status 127");
}

TEST(EnginePlayer, WrongAnswersAreReportedWithTheLine) {
  const std::string setup =
      "engine:gtp:read a; printf '= true\\n\\n'; read a; printf '= false\\n\\n'; read a; "
      "printf '=\\n\\n'; read a; printf '";
  expect_within(fault_of(setup + "= B2\\n\\n'; read a"), "illegal, there is a hole");
  expect_within(fault_of(setup + "= q7\\n\\n'; read a"), "\"= q7\", which names no move");
  expect_within(fault_of(setup + "? too hard\\n\\n'; read a"), "\"? too hard\" to `genmove white`");
  expect_within(fault_of(setup + "hello\\n\\n'; read a"), "no answer of GTP");
  expect_within(fault_of("engine:gtp:read a; printf '= false\\n\\n'; read a"),
                "does not know `pahtum-setup`");
  const std::string ugi = "engine:ugi:printf 'ugiok\\nreadyok\\nreadyok\\nbestmove ";
  expect_within(fault_of(ugi + "b2\\n'; cat >/dev/null"), "\"bestmove b2\"");
  expect_within(fault_of("engine:grid:printf 'XX-\\n-+-\\n---\\n'"), "2 X and 0 O");
  expect_within(fault_of("engine:grid:printf -- '---\\n-+-\\n---\\n'"), "no move leads to");
}

TEST(EnginePlayer, PositionsWithoutAFormAreRefused) {
  expect_within(fault_of("engine:grid:cat", parse_position("3/3/3 b place=1")), "has no form for it");
  expect_within(fault_of("engine:grid:cat", parse_position("3/3/3 b")), "has no form for it");
}

TEST(EnginePlayer, LeavesNoProcessAndNoFileBehind) {
  static_cast<void>(fault_of("engine:grid:cat"));
  const std::ptrdiff_t before = open_files();
  for (int k = 0; k < 20; ++k) {
    static_cast<void>(fault_of("engine:grid:cat"));
    static_cast<void>(fault_of("engine:gtp:exit 1"));
    const auto waiting = make_player("engine:ugi:printf 'ugiok\\nreadyok\\n'; cat >/dev/null", {});
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process waits to be waited for";
}

TEST(EnginePlayer, AProgramThatDoesNotListenIsEndedByForce) {
  {
    const auto deaf =
        make_player("engine:ugi:trap '' TERM HUP; printf 'ugiok\\nreadyok\\n'; exec sleep 600", {});
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace pahtum
