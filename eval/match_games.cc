#include "eval/match_games.h"

namespace pahtum {

std::vector<PlayedGame> played_games(const MatchResult& match, const MatchConfig& config) {
  std::vector<PlayedGame> games;
  games.reserve(match.games.size());
  for (std::size_t k = 0; k < match.games.size(); ++k) {
    const bool first_is_white = k % 2 == 0;
    PlayedGame& game = games.emplace_back();
    game.start = match.games[k].start;
    game.moves = match.games[k].moves;
    game.white = first_is_white ? match.first : match.second;
    game.black = first_is_white ? match.second : match.first;
    game.seed = config.seed;
    game.number = 2 * config.first_layout + k;
    game.opening = static_cast<std::uint64_t>(config.opening_plies);
  }
  return games;
}

std::string games_text(const MatchResult& match, const MatchConfig& config) {
  return games_text(played_games(match, config));
}

}  // namespace pahtum
