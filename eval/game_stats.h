#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "env/game_text.h"
#include "eval/statistics.h"

namespace pahtum {

// People's games on brainking.com, where odd numbers of holes are drawn at random and White starts: White
// won, drawn, Black won.
inline constexpr WinDrawLoss kBrainKingResults{41265, 11444, 22022};

// Mean with its 95 % interval, and the spread of single values around it.
struct Spread {
  Estimate mean;
  double deviation = 0;  // standard deviation of the sample; 0 for one value
  std::int64_t least = 0, most = 0;
};

// Shares of White's wins, draws and Black's wins, each with its 95 % interval. The games are taken to be
// independent; the two games of an arena pair share a layout and are less so.
struct ResultShares {
  Estimate white_wins, draws, black_wins;
};
// `results` from White's view; at least one game.
[[nodiscard]] ResultShares result_shares(const WinDrawLoss& results) noexcept;

// Number of runs of each length, by length.
using RunCounts = std::array<std::int64_t, kMaxSize + 1>;

// Where the first stone went. Every game is counted in all eight turned and mirrored forms, so that the map
// is symmetric: a square's share is that of moves equivalent to it, divided by how many squares these are.
struct FirstMoves {
  std::int64_t games = 0;                        // that count here
  std::array<std::int64_t, kMaxSquares> hits{};  // by square, eight for each game

  // Share of a square, 0 … 1; those of all squares sum to 1. At least one game.
  [[nodiscard]] double share(int square) const noexcept {
    return static_cast<double>(hits[static_cast<std::size_t>(square)]) / (8.0 * static_cast<double>(games));
  }
};

// What a collection of finished games has in common.
struct GameStats {
  std::int64_t games = 0;
  std::int64_t distinct = 0;  // by start and moves
  WinDrawLoss white;          // from White's view
  Spread margin;              // points of White minus points of Black
  Spread white_points, black_points;
  Spread plies;                          // moves of a game, placed holes and swaps included
  RunCounts white_runs{}, black_runs{};  // those that score, over all games
  std::map<int, WinDrawLoss> by_holes;   // by holes at the end, from White's view
  // By board size. A game counts where its first stone was chosen by a player: it starts without stones, and
  // the stone comes after the random opening.
  std::map<int, FirstMoves> first_moves;
};

// Counts games one by one; needs a few dozen bytes for each.
class GameCounter {
 public:
  void add(const PlayedGame& game);
  // Without games everything is 0.
  [[nodiscard]] GameStats stats() const;

 private:
  void add_first_move(const PlayedGame& game);

  GameStats counts_;
  std::vector<double> margins_, white_points_, black_points_, plies_;
  std::unordered_set<std::uint64_t> identities_;
};

// Number of maximal runs of `stones` in rows and columns, by length.
[[nodiscard]] RunCounts count_runs(Bitboard stones) noexcept;
// Adds that to `counts`.
void add_runs(Bitboard stones, RunCounts& counts) noexcept;

}  // namespace pahtum
