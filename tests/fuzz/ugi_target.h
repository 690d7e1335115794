#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eval/ugi.h"
#include "tests/fuzz/first_move_mind.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: lines of UGI. Whatever they are, what comes back are lines of the protocol, and the game stays
// sound; a line that is refused changes nothing.
inline void fuzz_ugi(std::span<const std::uint8_t> bytes) {
  FirstMoveMind mind;
  std::vector<std::string> sent;
  Ugi ugi(mind, GameConfig{}, [&](const std::string& line) { sent.push_back(line); });
  std::string_view text = text_of(bytes);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Position before = ugi.game().position();
    sent.clear();
    const bool goes_on = ugi.handle(text.substr(0, end));
    // A search without an end is given one.
    if (text.substr(0, end).find("infinite") != std::string_view::npos) ugi.handle("stop");
    ugi.wait();
    text.remove_prefix(std::min(end + 1, text.size()));
    require_sound(ugi.game().position());
    for (const std::string& line : sent) {
      const auto starts = [&](std::string_view word) { return line.starts_with(word); };
      require(starts("id ") || starts("option ") || starts("info ") || starts("bestmove ") ||
                  starts("response ") || line == "response" || line == "ugiok" || line == "readyok",
              "a line is one of the protocol");
      require(std::ranges::none_of(line, [](unsigned char c) { return c < 32; }), "a line is one line");
      if (starts("info string error")) require(ugi.game().position() == before, "what fails changes nothing");
    }
    if (!goes_on) return;
  }
}

}  // namespace pahtum::fuzz
