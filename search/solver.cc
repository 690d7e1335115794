#include "search/solver.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>

#include "env/symmetry.h"

namespace pahtum {
namespace {

// Far above any board's points.
constexpr int kMostMargin = 1 << 24;
// Games with fewer empty squares are done before a second thread is there.
constexpr int kFewestForThreads = 14;
constexpr std::size_t kMostOpenings = std::size_t{1} << 20;

StoneGame stones_of(const Position& position) noexcept {
  return {position.own(), position.theirs(), position.empty()};
}

int margin_of(const Position& position) noexcept {
  return static_cast<int>(position.margin());
}

bool is_symmetric(const Position& position) noexcept {
  for (int symmetry = 1; symmetry < kSymmetries; ++symmetry) {
    if (apply_symmetry(position, symmetry) == position) return true;
  }
  return false;
}

int as_objective(int margin, Objective objective) noexcept {
  return objective == Objective::kMargin ? margin : std::clamp(margin, -1, 1);
}

}  // namespace

Solver::Solver(std::size_t table_bytes, int threads)
    : table_(std::make_unique<StoneTable>(table_bytes, threads > 1)),
      team_(std::make_unique<ThreadTeam>(threads)),
      under_way_(threads > 1 ? std::make_unique<MovesUnderWay>() : nullptr) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

void Solver::clear() {
  table_->clear();
  openings_.clear();
}

void Solver::prepare(const Position& position, const SearchLimits& limits) {
  if (lines_ == nullptr || run_points_ != position.run_points) {
    if (lines_ != nullptr) clear();
    run_points_ = position.run_points;
    lines_ = LineTables::of(run_points_);
  }
  const int threads = team_->members();
  SearchLimits share = limits;
  if (limits.nodes != 0) {
    share.nodes = std::max<std::uint64_t>(1, limits.nodes / static_cast<std::uint64_t>(threads));
  }
  const bool symmetric = is_symmetric(position);
  searches_.clear();
  for (int member = 0; member < threads; ++member) {
    searches_.emplace_back(*lines_, *table_, under_way_.get()).start(share, symmetric);
  }
}

std::optional<int> Solver::test_stones(const StoneGame& game, int beta) {
  if (team_->members() == 1 || std::popcount(game.empty) < kFewestForThreads) {
    return searches_.front().test(game, beta);
  }
  std::atomic<bool> done = false;
  std::optional<int> found;
  team_->run([&](int member) {
    const auto value = searches_[static_cast<std::size_t>(member)].test(game, beta, &done);
    if (value && !done.exchange(true)) found = value;
  });
  return found;
}

std::uint64_t Solver::nodes() const noexcept {
  std::uint64_t sum = 0;
  for (const StoneSearch& search : searches_) sum += search.nodes();
  return sum;
}

Solver::Bounds Solver::static_bounds(const Position& position, Objective objective) const {
  Bounds bounds{-kMostMargin, kMostMargin};
  if (position.over()) {
    bounds = {margin_of(position), margin_of(position)};
  } else if (position.phase == Phase::kPlaying) {
    const StoneSearch::Bounds gain = searches_.front().static_bounds(stones_of(position));
    bounds = {margin_of(position) + gain.lower, margin_of(position) + gain.upper};
  }
  return {as_objective(bounds.lower, objective), as_objective(bounds.upper, objective)};
}

int Solver::guess(const Position& position) const {
  if (position.phase != Phase::kPlaying) return 0;
  return margin_of(position) + searches_.front().expected(stones_of(position));
}

std::vector<Move> Solver::ordered_moves(const Position& position) const {
  std::vector<Move> moves;
  moves.reserve(kMaxSquares + 1);
  if (may_swap(position)) moves.push_back(Move::swap());
  for (const int square : searches_.front().ordered_squares(stones_of(position)))
    moves.push_back(Move::at(square));
  return moves;
}

std::optional<int> Solver::test_move(const Position& position, Move move, int beta) {
  const Position next = after(position, move);
  if (next.mover == position.mover) return test(next, beta);
  const auto value = test(next, 1 - beta);
  if (!value) return {};
  return -*value;
}

std::optional<int> Solver::test_moves(const Position& position, int beta) {
  int best = std::numeric_limits<int>::min();
  for (const Move move : ordered_moves(position)) {
    const auto value = test_move(position, move, beta);
    if (!value) return {};
    best = std::max(best, *value);
    if (best >= beta) break;
  }
  return best;
}

std::optional<int> Solver::test(const Position& position, int beta) {
  if (position.over()) return margin_of(position);
  if (position.phase == Phase::kPlaying) {
    const int now = margin_of(position);
    const auto gain = test_stones(stones_of(position), beta - now);
    if (!gain) return {};
    return now + *gain;
  }
  if (!searches_.front().count_node()) return {};
  const Position key = smallest_form(position);
  if (const auto known = openings_.find(key); known != openings_.end()) {
    if (known->second.lower >= beta) return known->second.lower;
    if (known->second.upper < beta) return known->second.upper;
  }
  const auto value = test_moves(position, beta);
  if (!value) return {};
  if (openings_.size() >= kMostOpenings) openings_.clear();
  Bounds& bounds = openings_.try_emplace(key, Bounds{-kMostMargin, kMostMargin}).first->second;
  if (*value >= beta) {
    bounds.lower = std::max(bounds.lower, *value);
  } else {
    bounds.upper = std::min(bounds.upper, *value);
  }
  return value;
}

std::optional<std::vector<Move>> Solver::possible_refutations(const Position& position, int margin) {
  Position passed = position;
  passed.mover = opponent(position.mover);
  std::vector<Move> replies = ordered_moves(passed);
  for (auto reply = replies.begin(); reply != replies.end(); ++reply) {
    const auto value = test(after(passed, *reply), margin);
    if (!value) return {};
    if (*value < margin) {
      replies.erase(replies.begin(), reply);
      return replies;
    }
  }
  return std::vector<Move>{};
}

std::optional<bool> Solver::withstands(const Position& position, int margin, std::vector<Move>& refutations,
                                       Move move) {
  const Position next = after(position, move);
  if (next.over()) return -margin_of(next) >= margin;
  for (auto reply = refutations.begin(); reply != refutations.end(); ++reply) {
    if (*reply == move) continue;
    const auto value = test(after(next, *reply), margin);
    if (!value) return {};
    if (*value < margin) {
      std::rotate(refutations.begin(), reply, reply + 1);
      return false;
    }
  }
  return true;
}

template <class Test>
bool Solver::narrow(Bounds& bounds, int guess, Objective objective, const Test& test) {
  // For the outcome the margins −1 and 1 stand for all below and above.
  while (bounds.lower < bounds.upper) {
    guess = std::clamp(guess, bounds.lower, bounds.upper);
    const int beta = guess == bounds.lower ? guess + 1 : guess;
    const auto value = test(beta);
    if (!value) return false;
    const int seen = as_objective(*value, objective);
    if (*value >= beta) {
      bounds.lower = std::max(bounds.lower, seen);
    } else {
      bounds.upper = std::min(bounds.upper, seen);
    }
    guess = seen;
  }
  return true;
}

bool Solver::find_best_moves(const Position& position, const SolveRequest& request, Solution& solution) {
  const int value = solution.lower;
  const bool outcome = request.objective == Objective::kOutcome;
  const bool any_is_best = outcome && value < 0;
  // Moves of equal outcome are many, and a proof for each of them is long.
  const bool by_replies = outcome && !any_is_best && request.moves == SolvedMoves::kAllBest &&
                          lines_->convex && position.phase == Phase::kPlaying && !may_swap(position);
  std::vector<Move> refutations;
  if (by_replies) {
    auto found = possible_refutations(position, value);
    if (!found) return false;
    refutations = std::move(*found);
  }
  for (const Move move : ordered_moves(position)) {
    std::optional<bool> best = true;
    if (by_replies) {
      best = withstands(position, value, refutations, move);
    } else if (!any_is_best) {
      const auto reached = test_move(position, move, value);
      best = reached ? std::optional(*reached >= value) : std::nullopt;
    }
    if (!best) return false;
    if (!*best) continue;
    solution.best.push_back(move);
    if (request.moves == SolvedMoves::kOneBest) break;
  }
  std::ranges::sort(solution.best, {}, [](Move move) { return move.index(); });
  return true;
}

bool Solver::find_every_value(const Position& position, Objective objective, Solution& solution) {
  const int value = solution.lower;
  for (const Move move : ordered_moves(position)) {
    const Position next = after(position, move);
    Bounds bounds = static_bounds(next, objective);
    if (next.mover != position.mover) bounds = {-bounds.upper, -bounds.lower};
    bounds.upper = std::min(bounds.upper, value);
    const auto test = [&](int beta) { return test_move(position, move, beta); };
    if (!narrow(bounds, value, objective, test)) return false;
    solution.moves.emplace_back(move, bounds.lower);
    if (bounds.lower == value) solution.best.push_back(move);
  }
  std::ranges::sort(solution.best, {}, [](Move move) { return move.index(); });
  std::ranges::sort(solution.moves, {}, [](const auto& move) { return move.first.index(); });
  return true;
}

Solution Solver::solve(const Position& position, const SolveRequest& request) {
  const auto started = std::chrono::steady_clock::now();
  prepare(position, request.limits);
  Solution solution;
  Bounds bounds = static_bounds(position, request.objective);
  solution.exact =
      narrow(bounds, guess(position), request.objective, [&](int beta) { return test(position, beta); });
  solution.lower = bounds.lower;
  solution.upper = bounds.upper;
  if (solution.exact && !position.over()) {
    solution.exact = request.moves == SolvedMoves::kEveryValue
                         ? find_every_value(position, request.objective, solution)
                         : find_best_moves(position, request, solution);
    if (!solution.exact) {
      solution.moves.clear();
      if (solution.best.size() > 1) solution.best.resize(1);
    }
  }
  solution.nodes = nodes();
  solution.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return solution;
}

std::vector<Move> Solver::principal_variation(const Position& position, Objective objective, int plies,
                                              const SearchLimits& limits) {
  const auto started = std::chrono::steady_clock::now();
  std::vector<Move> moves;
  Position now = position;
  SearchLimits left = limits;
  while (!now.over() && static_cast<int>(moves.size()) < plies) {
    const Solution solution =
        solve(now, {.objective = objective, .moves = SolvedMoves::kOneBest, .limits = left});
    if (!solution.exact) break;
    if (limits.seconds > 0.0) {
      const std::chrono::duration<double> used = std::chrono::steady_clock::now() - started;
      left.seconds = limits.seconds - used.count();
      if (left.seconds <= 0.0) plies = 0;
    }
    moves.push_back(solution.best.front());
    apply(now, moves.back());
  }
  return moves;
}

}  // namespace pahtum
