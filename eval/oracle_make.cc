#include "eval/oracle_make.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <unordered_set>
#include <utility>

#include "env/base/error.h"
#include "env/base/random.h"
#include "env/base/thread_team.h"
#include "env/game_rules.h"
#include "env/symmetry.h"
#include "eval/arena.h"
#include "search/solver.h"

namespace pahtum {
namespace {

constexpr std::size_t kTableBytes = std::size_t{16} << 20;
// A player has this many games for each position wanted of it, and some more, before it is given up.
constexpr std::int64_t kGamesPerPosition = 10;
constexpr std::int64_t kFewestGames = 64;

struct PositionHash {
  std::size_t operator()(const Position& position) const noexcept {
    return static_cast<std::size_t>(hash(position));
  }
};

// The positions with `empty` empty squares, in ascending order of these.
using Drawn = std::map<int, std::vector<Position>>;

class PositionDraw {
 public:
  PositionDraw(const OracleRequest& request, const std::atomic<bool>* stop, const OracleProgress& progress)
      : request_(request), stop_(stop), progress_(progress) {
    for (const int empty : request.empty) drawn_[empty];
  }

  std::vector<Position> positions() {
    const auto players = static_cast<std::int64_t>(request_.players.size());
    for (std::int64_t player = 0; player < players; ++player) {
      wanted_ = request_.positions / players + (player < request_.positions % players ? 1 : 0);
      play(request_.players[static_cast<std::size_t>(player)]);
    }
    std::vector<Position> all;
    for (const auto& [empty, positions] : drawn_) all.insert(all.end(), positions.begin(), positions.end());
    return all;
  }

 private:
  // Lets a player play until it has brought `wanted_` positions for each number of empty squares.
  void play(const std::string& spec) {
    for (const auto& [empty, positions] : drawn_) missing_[empty] = wanted_;
    std::int64_t games = 0;
    while (true) {
      const auto [empty, missing] =
          *std::ranges::max_element(missing_, {}, &std::map<int, std::int64_t>::value_type::second);
      if (missing == 0) return;
      if (games >= kGamesPerPosition * wanted_ + kFewestGames) {
        if (request_.accept_fewer) return;
        give_up(spec, games, empty, missing);
      }
      const std::int64_t round = std::max(missing, std::min(games, kFewestGames));
      for (const MatchGame& game : play_round(spec, round)) take_from(game);
      games += round;
    }
  }

  std::vector<MatchGame> play_round(const std::string& spec, std::int64_t games) {
    MatchConfig config;
    config.game = request_.game;
    config.pairs = games;
    config.seed = request_.seed;
    config.opening_plies = request_.opening_plies;
    config.threads = request_.threads;
    config.first_layout = next_layout_;
    next_layout_ += static_cast<std::uint64_t>(games);
    const auto player = [&] {
      return make_player(spec, {.seed = request_.seed, .inference = request_.inference});
    };
    const auto show = [&](std::int64_t done) {
      if (progress_) progress_(done, games);
    };
    return play_alone(player, config, stop_, show);
  }

  void take_from(const MatchGame& game) {
    Position position = game.start;
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      const auto missing = missing_.find(position.empty_count());
      if (ply >= static_cast<std::size_t>(request_.opening_plies) && position.phase == Phase::kPlaying &&
          missing != missing_.end() && missing->second > 0 && seen_.insert(smallest_form(position)).second) {
        drawn_[missing->first].push_back(position);
        --missing->second;
      }
      apply(position, game.moves[ply]);
    }
  }

  [[noreturn]] void give_up(const std::string& spec, std::int64_t games, int empty,
                            std::int64_t missing) const {
    throw request_error("positions", std::to_string(games) + " games of " + spec + " hold only " +
                                         std::to_string(wanted_ - missing) + " different positions with " +
                                         std::to_string(empty) + (empty == 1 ? " square" : " squares") +
                                         " empty, and " + std::to_string(wanted_) +
                                         " are wanted; ask for fewer, or for more opening plies");
  }

  const OracleRequest& request_;
  const std::atomic<bool>* stop_;
  const OracleProgress& progress_;
  std::int64_t wanted_ = 0;              // of each number of empty squares from the player at play
  std::map<int, std::int64_t> missing_;  // of these
  Drawn drawn_;
  std::unordered_set<Position, PositionHash> seen_;  // in their smallest form
  std::uint64_t next_layout_ = 0;
};

void check(const OracleRequest& request) {
  const GameRules rules(request.game);
  if (request.players.empty()) throw request_error("players", "are missing; name at least one");
  const auto players = static_cast<std::int64_t>(request.players.size());
  if (request.positions < players) {
    throw request_error("positions", std::to_string(request.positions) +
                                         " for each number of empty squares "
                                         "leave a player without any; use at least " +
                                         std::to_string(players));
  }
  if (request.opening_plies < 0 || request.opening_plies >= rules.shortest_game()) {
    throw request_error("opening_plies", std::to_string(request.opening_plies) +
                                             " leaves the players no game; use 0 to " +
                                             std::to_string(rules.shortest_game() - 1));
  }
  if (request.empty.empty()) throw request_error("empty", "is missing; give at least one number of squares");
  // Of games of different lengths the longer ones could have more, but not every game would have them.
  const int most = rules.shortest_game() - request.opening_plies;
  for (const int empty : request.empty) {
    if (empty >= 1 && empty <= most) continue;
    throw request_error("empty",
                        std::to_string(empty) + " squares are empty at no turn of a player in games of " +
                            to_text(request.game) + " with " + std::to_string(request.opening_plies) +
                            " random opening plies; use 1 to " + std::to_string(most));
  }
}

// Positions shared out one by one over threads.
class PositionSolvers {
 public:
  PositionSolvers(std::span<const Position> positions, const std::atomic<bool>* stop,
                  const OracleProgress& progress)
      : positions_(positions),
        stop_(stop),
        progress_(progress),
        order_(positions.size()),
        results_(positions.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // In mixed order: what is done says how long the rest will take.
    Random(0, Stream::kSamples, 0).shuffle(std::span(order_));
  }

  std::vector<OraclePosition> solve(int threads) {
    {
      std::vector<std::jthread> workers;
      for (int worker = 0; worker < threads; ++worker) workers.emplace_back([this] { work(); });
    }
    if (fault_) std::rethrow_exception(fault_);
    return std::move(results_);
  }

 private:
  void work() {
    try {
      Solver solver(kTableBytes);
      for (std::size_t next = next_++; next < order_.size() && !failed_; next = next_++) {
        if (stop_ != nullptr && stop_->load()) throw failure("", "interrupted");
        const std::size_t index = order_[next];
        Solution solution = solver.solve(
            positions_[index],
            {.objective = Objective::kMargin, .moves = SolvedMoves::kEveryValue, .limits = {.stop = stop_}});
        if (!solution.exact) throw failure("", "interrupted");
        results_[index] = {positions_[index], std::move(solution.moves)};
        const std::lock_guard lock(mutex_);
        ++solved_;
        if (progress_) progress_(solved_, static_cast<std::int64_t>(order_.size()));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = std::current_exception();
      failed_ = true;
    }
  }

  std::span<const Position> positions_;
  const std::atomic<bool>* stop_;
  const OracleProgress& progress_;
  std::vector<std::size_t> order_;
  std::vector<OraclePosition> results_;  // each thread writes only those it solved
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // of what follows
  std::int64_t solved_ = 0;
  std::exception_ptr fault_;
};

}  // namespace

std::vector<Position> draw_oracle_positions(const OracleRequest& request, const std::atomic<bool>* stop,
                                            const OracleProgress& progress) {
  check(request);
  return PositionDraw(request, stop, progress).positions();
}

std::vector<OraclePosition> solve_oracle_positions(std::span<const Position> positions, int threads,
                                                   const std::atomic<bool>* stop,
                                                   const OracleProgress& progress) {
  const std::size_t wanted = static_cast<std::size_t>(threads > 0 ? threads : hardware_threads());
  return PositionSolvers(positions, stop, progress)
      .solve(static_cast<int>(std::min(wanted, std::max(positions.size(), std::size_t{1}))));
}

}  // namespace pahtum
