#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "env/game_text.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Input: game records as text.
inline void fuzz_game_text(std::span<const std::uint8_t> bytes) {
  std::vector<PlayedGame> games;
  std::string subject;
  if (is_refused([&] { games = parse_games_text(text_of(bytes), "input", GamesTaken::kAll); }, &subject)) {
    require(subject.starts_with("input:"), "a fault has its line and column");
    return;
  }
  for (const PlayedGame& game : games) {
    require_sound(game.start);
    const Position end = game.final_position();
    require_sound(end);
    require(end.over() == (game.end == GameEnd::kFull),
            "a record says whether its game was played to the end");
    require(game.opening <= game.moves.size(), "its opening lies within it");
  }
  require(parse_games_text(games_text(games), "output", GamesTaken::kAll) == games,
          "records are read as they were written");
}

}  // namespace pahtum::fuzz
