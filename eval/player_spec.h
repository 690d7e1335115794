#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pahtum {

enum class PlayerKind { kRandom, kGreedy, kCharles, kUct, kSolver, kAlphaBeta, kNetwork, kEngine };

// How another program is spoken to.
enum class EngineProtocol { kGtp, kUgi, kGrid };

// A SPEC taken apart. Only what its kind has is filled in.
struct PlayerSpec {
  PlayerKind kind = PlayerKind::kRandom;
  std::int64_t number = 0;                         // N of `uct:N` and `solver:N`
  std::optional<std::int64_t> depth;               // of `alphabeta:depth=D`
  std::string path;                                // of `net:PATH`
  std::optional<std::int64_t> simulations;         // `,sims=N`
  std::optional<double> seconds;                   // S of `alphabeta:time=S` and `,time=S`: for each move
  std::optional<std::int64_t> exact;               // `,exact=N`: solve with at most so many empty squares
  bool policy = false;                             // `,policy`: the network's first choice without search
  EngineProtocol protocol = EngineProtocol::kGtp;  // of `engine:PROTOCOL:COMMAND`; limits as above
  std::string command;                             // for the shell
};

// One row of the table that parsing, error messages and help texts share.
struct PlayerSpecHelp {
  std::string_view usage;  // "uct:N"
  std::string_view help;
};
[[nodiscard]] std::span<const PlayerSpecHelp> player_spec_help() noexcept;

// Takes a SPEC apart without opening any file, so that a configuration is checked before anything runs. A
// path ends at the first comma; the command of an engine is everything behind the second colon. Throws a
// kRequest Error that names the SPEC: unknown players (with the list of known ones), unknown, repeated or
// contradicting options, missing numbers and numbers out of range.
[[nodiscard]] PlayerSpec parse_player_spec(std::string_view spec);

// The subject of every Error about a SPEC: `player "uct:x"`.
[[nodiscard]] std::string player_subject(std::string_view spec);

}  // namespace pahtum
