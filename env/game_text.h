#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace pahtum {

// How a recorded game came to its end.
enum class GameEnd : std::uint8_t {
  kFull,           // no empty square was left
  kStopped,        // it was left before that and may go on
  kWhiteResigned,  // Black won
  kBlackResigned,  // White won
};

// "full", "stopped", "white-resigned", "black-resigned".
[[nodiscard]] std::string_view end_name(GameEnd end) noexcept;

// A game with what makes it reproducible, whoever played it.
struct PlayedGame {
  Position start;
  std::vector<Move> moves;   // legal one after the other; where `end` is kFull the last one fills the board
  std::string white, black;  // who had which colour for the whole game: a SPEC, a name; empty: not known
  std::optional<std::uint64_t> seed;    // of the match or the training run
  std::optional<std::uint64_t> slot;    // of self-play: the environment's number
  std::optional<std::uint64_t> number;  // of the game: within its match, or within its slot
  std::uint64_t opening = 0;            // the first moves so many were drawn at random, chosen by no player
  std::string source;                   // where the game comes from, for people; empty: not said
  GameEnd end = GameEnd::kFull;

  // The position after the last move; its points are the result of a game that was played to its end.
  [[nodiscard]] Position final_position() const noexcept;

  friend bool operator==(const PlayedGame&, const PlayedGame&) = default;
};

// Game records as text, one game a line (docs/formats.md): `pahtum-game 1`, then fields KEY=VALUE, all
// separated by tabs. In names and sources a backslash is written `\\`, and control characters as `\xHH`.
//
//   pahtum-game 1 ⇥ white=greedy ⇥ black=random ⇥ points=3-0 ⇥ seed=1 ⇥ game=0 ⇥ start=3/1x1/3 w ⇥ moves=a1 …
//
// The run points are named only where they are not the game's own, `end=stopped`, `end=white-resigned` or
// `end=black-resigned` only where the game was not played to its end.
inline constexpr std::string_view kGameTextTag = "pahtum-game";
inline constexpr int kGameTextVersion = 1;

// The games a reader takes: those who count results or learn want games played to their end.
enum class GamesTaken : std::uint8_t { kFinished, kAll };

// The record of a game, without a newline.
[[nodiscard]] std::string to_text(const PlayedGame& game);
// One line for each game, each with its newline.
[[nodiscard]] std::string games_text(const std::vector<PlayedGame>& games);

// Reads a record and replays its game. `place` names the line in messages ("games.txt:3"); the column is put
// behind it. Throws a kRequest Error at that place and column for anything that is no record: another
// version, unknown, repeated or missing fields, numbers out of range, an illegal move, moves after the end, a
// game that is not over without `end=` saying why, points that its moves do not give; with kFinished for any
// game that was not played to its end.
[[nodiscard]] PlayedGame parse_game(std::string_view line, const std::string& place,
                                    GamesTaken taken = GamesTaken::kFinished);

// All records of a text, in order. Empty lines and those that start with `#` are passed over, and a carriage
// return at the end of a line. `source` is the file's name in messages.
[[nodiscard]] std::vector<PlayedGame> parse_games_text(std::string_view text, const std::string& source,
                                                       GamesTaken taken = GamesTaken::kFinished);
[[nodiscard]] std::vector<PlayedGame> read_games_text(const std::filesystem::path& path,
                                                      GamesTaken taken = GamesTaken::kFinished);

}  // namespace pahtum
