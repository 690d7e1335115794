#pragma once

#include <span>
#include <string>
#include <string_view>

#include "eval/gtp.h"
#include "tests/fuzz/first_move_mind.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: lines of GTP. Whatever they are, each has an answer of the protocol's form, and the game stays
// sound; an answer that refuses changes nothing.
inline void fuzz_gtp(std::span<const std::uint8_t> bytes) {
  FirstMoveMind mind;
  Gtp gtp(mind, GameConfig{});
  std::string_view text = text_of(bytes);
  while (!text.empty() && !gtp.done()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Position before = gtp.game().position();
    const std::size_t moves = gtp.game().moves();
    const std::string answer = gtp.handle(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    require_sound(gtp.game().position());
    if (answer.empty()) continue;
    require(answer.front() == '=' || answer.front() == '?', "an answer says whether it is one");
    require(answer.ends_with("\n\n") && answer.find("\n\n") == answer.size() - 2,
            "an answer ends with its first empty line");
    if (answer.front() == '=') continue;
    require(gtp.game().position() == before && gtp.game().moves() == moves, "what fails changes nothing");
  }
}

}  // namespace pahtum::fuzz
