#include "search/root_moves.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace pahtum {

std::uint64_t undominated(std::span<const RootMove> moves) noexcept {
  const auto lower = [](const RootMove& move) { return move.lower.get(); };
  const auto upper = [](const RootMove& move) { return move.upper.get(); };
  const float assured = lower(*std::ranges::max_element(moves, {}, lower));
  const bool proven = assured >= upper(*std::ranges::max_element(moves, {}, upper));
  std::uint64_t choices = 0;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const bool allowed = proven ? lower(moves[k]) == assured : upper(moves[k]) >= assured;
    choices |= std::uint64_t{allowed} << k;
  }
  return choices;
}

Move choose_move(std::span<const RootMove> moves, double temperature, Random& random) {
  assert(!moves.empty() && moves.size() <= kMaxSquares);
  const std::uint64_t choices = undominated(moves);
  const auto allowed = [&](const RootMove& m) { return ((choices >> (&m - moves.data())) & 1) != 0; };
  const bool visited =
      std::any_of(moves.begin(), moves.end(), [&](const RootMove& m) { return allowed(m) && m.visits > 0; });
  const auto weight_of = [&](const RootMove& m) {
    if (!allowed(m)) return -1.0;
    return visited ? static_cast<double>(m.visits) : static_cast<double>(m.prior);
  };
  const auto best = std::max_element(moves.begin(), moves.end(), [&](const RootMove& a, const RootMove& b) {
    return weight_of(a) != weight_of(b) ? weight_of(a) < weight_of(b) : a.prior < b.prior;
  });
  if (!(temperature > 0.0)) return best->move;

  // Relative to the best move every exponent is at most 0, so the powers lie in [0, 1] at any temperature.
  const double best_logarithm = std::log(weight_of(*best));
  std::array<double, kMoveIndices> cumulative{};
  double sum = 0.0;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const double weight = weight_of(moves[k]);
    if (weight > 0.0) sum += std::exp((std::log(weight) - best_logarithm) / temperature);
    cumulative[k] = sum;
  }
  if (!(sum > 0.0)) return best->move;
  const double drawn = random.uniform() * sum;
  const auto end = cumulative.begin() + static_cast<std::ptrdiff_t>(moves.size());
  const auto found = std::upper_bound(cumulative.begin(), end, drawn);
  if (found == end) return best->move;
  return moves[static_cast<std::size_t>(found - cumulative.begin())].move;
}

}  // namespace pahtum
