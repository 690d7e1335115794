#include "search/rollout.h"

namespace pahtum {

void FilledBoards::use(const Position& position) noexcept {
  const Bitboard playable = board_mask(position.size) & ~position.holes;
  if (playable == playable_ && position.run_points == run_points_) return;
  playable_ = playable;
  run_points_ = position.run_points;
  const LinePoints points = line_points(run_points_);
  const Bitboard transposed = transpose(playable);
  const auto fill = [&](Line& line, Bitboard squares) {
    const auto all = static_cast<std::size_t>(squares & 0xFF);
    for (std::size_t white = 0; white < line.size(); ++white) {
      line[white] = int{points[white & all]} - int{points[~white & all]};
    }
  };
  for (std::size_t k = 0; k < kMaxSize; ++k) {
    fill(rows_[k], playable >> (8 * k));
    fill(columns_[k], transposed >> (8 * k));
  }
}

int random_rollout(Position position, RandomWords& words) noexcept {
  while (position.phase != Phase::kPlaying && !position.over()) {
    const auto choices = static_cast<std::uint32_t>(legal_count(position));
    apply(position, nth_legal(position, static_cast<int>(words.below(choices))));
  }
  const Bitboard stones = position.white | position.black | position.empty();
  position.white = random_white(position.white, position.empty(), position.mover == Color::kWhite, words);
  position.black = stones ^ position.white;
  return position.white_margin();
}

}  // namespace pahtum
