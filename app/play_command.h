#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pahtum {

// What can be typed during a game beside moves.
enum class PlayVerb {
  kMove,  // a square or swap: the first word of `words`
  kUndo,
  kRedo,
  kHint,
  kAnalysis,
  kMoves,
  kBoard,
  kGo,
  kSide,
  kSwitch,
  kSims,
  kTime,
  kDefault,
  kNew,
  kAgain,
  kHoles,
  kSave,
  kLoad,
  kResume,
  kResign,
  kHelp,
  kQuit,
};

// One row of the table that parsing and help share.
struct PlayCommandHelp {
  std::string_view name;   // "save"
  std::string_view usage;  // "save FILE"
  std::string_view help;
};
[[nodiscard]] std::span<const PlayCommandHelp> play_command_help() noexcept;

// A line that a person typed, taken apart.
struct PlayCommand {
  PlayVerb verb = PlayVerb::kMove;
  std::vector<std::string> words;  // a move's word, or what stands behind the command's name; case as typed
};

// Reads a line that holds more than spaces. Commands are known in either case, by their whole name, by a
// beginning that only one of them has, and by a few other names ("exit", "?"). Throws a kRequest Error for
// anything else: an unknown word (with the nearest command), a beginning of several commands, too many or
// missing words behind a command, several moves in one line.
[[nodiscard]] PlayCommand parse_play_command(std::string_view line);

// The list of commands, and what one command does, in lines of at most 78 characters, or of `width` where
// that is less. Throws a kRequest Error for an unknown name.
[[nodiscard]] std::string play_help(int width = 80);
[[nodiscard]] std::string play_help(const std::string& command, int width = 80);

}  // namespace pahtum
