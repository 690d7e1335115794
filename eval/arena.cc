#include "eval/arena.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_set>
#include <utility>

#include "env/base/clock.h"
#include "env/base/error.h"
#include "env/base/random.h"
#include "env/base/thread_team.h"
#include "env/game_rules.h"
#include "env/random_move.h"
#include "model/network_evaluator.h"

namespace pahtum {
namespace {

// A game in progress.
struct Seat {
  std::uint64_t number = 0;
  std::array<std::size_t, 2> players{};  // who has White, who has Black
  Position position;
  MatchGame* record = nullptr;

  [[nodiscard]] std::size_t to_move() const noexcept {
    return players[static_cast<std::size_t>(position.mover)];
  }
};

// What the workers of a match share. Each writes only its own games; `failure_` and `finished_` are guarded.
// A layout has a game for each player, in which that player has White: two of a pair, one of a player alone.
class Match {
 public:
  Match(const MatchConfig& config, std::vector<const PlayerFactory*> factories, const std::atomic<bool>* stop,
        const std::function<void(std::int64_t)>& progress)
      : config_(config),
        rules_(config.game),
        factories_(std::move(factories)),
        stop_(stop),
        progress_(progress),
        workers_(static_cast<std::size_t>(thread_count(config))),
        names_(factories_.size()) {}

  // Plays the next `pairs` layouts; their games join games().
  void play(std::int64_t pairs) {
    const auto from = static_cast<std::int64_t>(games_.size() / factories_.size());
    games_.resize(games_.size() + static_cast<std::size_t>(pairs) * factories_.size());
    std::vector<std::thread> threads;
    try {
      for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        threads.emplace_back([this, worker, from, pairs] { run_worker(worker, from, from + pairs); });
      }
    } catch (...) {
      report_failure();
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  // By number; those of a layout stand together.
  [[nodiscard]] std::vector<MatchGame>& games() noexcept { return games_; }
  // SPECs of the players, once they have played.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] TimeUsed time_of(std::size_t player) const {
    TimeUsed sum;
    for (const Worker& worker : workers_) {
      if (worker.times.empty()) continue;
      sum.seconds += worker.times[player].seconds;
      sum.moves += worker.times[player].moves;
    }
    return sum;
  }

 private:
  using Players = std::vector<std::unique_ptr<Player>>;
  struct Worker {
    Players players;  // made when it first has a pair to play
    std::vector<TimeUsed> times;
  };

  static int thread_count(const MatchConfig& config) {
    const std::int64_t wanted = config.threads > 0 ? config.threads : hardware_threads();
    return static_cast<int>(std::min(wanted, config.pairs));
  }

  void run_worker(std::size_t index, std::int64_t from, std::int64_t to) noexcept {
    try {
      // Which pairs a worker plays is fixed, so that a network sees the same batches in every run.
      std::vector<std::int64_t> pairs;
      const auto step = static_cast<std::int64_t>(workers_.size());
      for (auto pair = from + static_cast<std::int64_t>(index); pair < to; pair += step)
        pairs.push_back(pair);
      if (pairs.empty()) return;
      set_inference_threads(1);
      Worker& worker = workers_[index];
      if (worker.players.empty()) make_players(worker, index == 0);
      const auto at_once = static_cast<std::size_t>(config_.pairs_at_once);
      for (std::size_t next = 0; next < pairs.size(); next += at_once) {
        play_pairs(std::span(pairs).subspan(next, std::min(at_once, pairs.size() - next)), worker);
      }
    } catch (...) {
      report_failure();
    }
  }

  void make_players(Worker& worker, bool names_them) {
    worker.times.resize(factories_.size());
    for (std::size_t k = 0; k < factories_.size(); ++k) {
      worker.players.push_back((*factories_[k])());
      const PlayerInfo& info = worker.players.back()->info();
      require_game(info, config_.game);
      if (names_them) names_[k] = info.spec;
    }
  }

  void play_pairs(std::span<const std::int64_t> pairs, Worker& worker) {
    const Players& players = worker.players;
    std::vector<Seat> seats;
    for (const std::int64_t pair : pairs) {
      const auto of_layout =
          std::span(games_).subspan(static_cast<std::size_t>(pair) * players.size(), players.size());
      const std::uint64_t layout = config_.first_layout + static_cast<std::uint64_t>(pair);
      open_layout(layout, of_layout[0]);
      Position position = of_layout[0].start;
      for (const Move move : of_layout[0].moves) apply(position, move);
      for (std::size_t white = 0; white < players.size(); ++white) {
        of_layout[white] = of_layout[0];
        seats.push_back({layout * players.size() + white,
                         {white, players.size() - 1 - white},
                         position,
                         &of_layout[white]});
      }
    }
    while (!seats.empty()) {
      std::vector<std::vector<Seat*>> waiting(players.size());
      for (Seat& seat : seats) waiting[seat.to_move()].push_back(&seat);
      for (std::size_t k = 0; k < players.size(); ++k) make_moves(*players[k], waiting[k], worker.times[k]);
      const std::size_t before = seats.size();
      std::erase_if(seats, [](const Seat& seat) {
        if (seat.position.over()) seat.record->white_margin = seat.position.white_margin();
        return seat.position.over();
      });
      report_finished(static_cast<std::int64_t>(before - seats.size()));
    }
  }

  // Layout number `layout` and its random opening moves.
  void open_layout(std::uint64_t layout, MatchGame& game) const {
    game.start = rules_.start(config_.seed, Stream::kEvaluationLayout, layout);
    Position position = game.start;
    Random random(config_.seed, Stream::kEvaluationOpening, layout);
    for (int ply = 0; ply < config_.opening_plies; ++ply) {
      game.moves.push_back(random_move(position, random));
      apply(position, game.moves.back());
    }
  }

  void make_moves(Player& player, std::span<Seat* const> seats, TimeUsed& time) {
    // A network wants all turns at once; the others are asked turn by turn, so that a slow one can be stopped
    // between two moves.
    const std::size_t width = player.info().uses_network ? seats.size() : 1;
    for (std::size_t from = 0; from < seats.size(); from += width) {
      if (failed_.load()) throw failure("", "another worker failed");
      if (stop_ != nullptr && stop_->load()) throw failure("", "interrupted");
      const std::span<Seat* const> part = seats.subspan(from, width);
      std::vector<Turn> turns;
      turns.reserve(width);
      for (const Seat* seat : part) {
        turns.push_back({seat->position, seat->number, static_cast<int>(seat->record->moves.size())});
      }
      std::vector<Move> moves(turns.size());
      const auto start = std::chrono::steady_clock::now();
      player.choose(turns, moves);
      time.seconds += seconds_since(start);
      time.moves += static_cast<std::int64_t>(moves.size());
      for (std::size_t k = 0; k < part.size(); ++k) {
        if (!is_legal(part[k]->position, moves[k])) {
          throw failure(player.info().spec, "chose the illegal move " +
                                                to_text(moves[k], part[k]->position.size) + " in " +
                                                to_text(part[k]->position));
        }
        apply(part[k]->position, moves[k]);
        part[k]->record->moves.push_back(moves[k]);
      }
    }
  }

  void report_finished(std::int64_t games) {
    if (games == 0) return;
    const std::lock_guard lock(mutex_);
    finished_ += games;
    if (progress_) progress_(finished_);
  }

  // Keeps the exception being handled, unless another came first, and ends the other workers.
  void report_failure() noexcept {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    failed_ = true;
  }

  const MatchConfig& config_;
  GameRules rules_;
  std::vector<const PlayerFactory*> factories_;
  const std::atomic<bool>* stop_;
  const std::function<void(std::int64_t)>& progress_;
  std::vector<Worker> workers_;
  std::vector<MatchGame> games_;
  std::vector<std::string> names_;  // written by worker 0 alone
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::int64_t finished_ = 0;
};

void check(const MatchConfig& config) {
  validate(config.game);
  if (config.pairs < 1)
    throw request_error("pairs", std::to_string(config.pairs) + " is no match; use at least 1");
  if (config.pairs_at_once < 1) throw request_error("pairs_at_once", "must be at least 1");
  if (config.pairs_per_look < 1) throw request_error("pairs_per_look", "must be at least 1");
  const int stones = GameRules(config.game).shortest_game();
  if (config.opening_plies < 0 || config.opening_plies >= stones) {
    throw request_error("opening_plies", std::to_string(config.opening_plies) +
                                             " leaves the players no game; use 0 to " +
                                             std::to_string(stones - 1));
  }
}

// 0 lost, 1 drawn, 2 won, for the first player. The first game of a pair is the one in which it has White.
std::size_t result_of(const MatchGame& game, bool first_is_white) {
  const int margin = first_is_white ? game.white_margin : -game.white_margin;
  return margin > 0 ? 2 : margin == 0 ? 1 : 0;
}

void count(WinDrawLoss& results, std::size_t result) {
  ++(result == 2 ? results.wins : result == 1 ? results.draws : results.losses);
}

// `games` holds whole pairs.
PairResults pair_results(std::span<const MatchGame> games) {
  PairResults results{};
  for (std::size_t number = 0; number + 1 < games.size(); number += 2) {
    ++results[result_of(games[number], true)][result_of(games[number + 1], false)];
  }
  return results;
}

}  // namespace

std::string identity(const MatchGame& game) {
  std::string bytes = to_text(game.start) + ' ';
  for (const Move move : game.moves) bytes += static_cast<char>(move.index());
  return bytes;
}

MatchResult count_games(std::vector<MatchGame> games) {
  MatchResult result;
  result.pairs = static_cast<std::int64_t>(games.size() / 2);
  std::unordered_set<std::string> identities;
  double margins = 0;
  for (std::size_t number = 0; number < games.size(); ++number) {
    const MatchGame& game = games[number];
    const bool first_is_white = number % 2 == 0;
    const std::size_t outcome = result_of(game, first_is_white);
    count(result.total, outcome);
    count(first_is_white ? result.as_white : result.as_black, outcome);
    margins += first_is_white ? game.white_margin : -game.white_margin;
    identities.insert(identity(game));
  }
  result.pair_results = pair_results(games);
  result.pair_scores = pair_scores(result.pair_results);
  result.distinct_games = static_cast<std::int64_t>(identities.size());
  if (!games.empty()) result.mean_margin = margins / static_cast<double>(games.size());
  const Estimate elo = elo_difference(result.pair_scores);
  result.elo = elo.value;
  result.elo_low = elo.low;
  result.elo_high = elo.high;
  const Estimate score = score_estimate(result.pair_scores);
  result.score_low = score.low;
  result.score_high = score.high;
  result.games = std::move(games);
  return result;
}

MatchResult play_match(const PlayerFactory& first, const PlayerFactory& second, const MatchConfig& config,
                       const std::atomic<bool>* stop, const std::function<void(std::int64_t)>& progress) {
  check(config);
  const auto start = std::chrono::steady_clock::now();
  Match match(config, {&first, &second}, stop, progress);
  std::optional<SprtResult> decision;
  if (config.sprt) {
    Sprt sprt(*config.sprt, config.pairs);
    for (std::int64_t played = 0; !sprt.result();) {
      const std::int64_t round = std::min(config.pairs_per_look, config.pairs - played);
      match.play(round);
      sprt.add(pair_scores(pair_results(std::span(match.games()).last(static_cast<std::size_t>(2 * round)))));
      played += round;
    }
    decision = sprt.result();
  } else {
    match.play(config.pairs);
  }
  MatchResult result = count_games(std::move(match.games()));
  result.first = match.names()[0];
  result.second = match.names()[1];
  result.seconds = seconds_since(start);
  result.first_time = match.time_of(0);
  result.second_time = match.time_of(1);
  result.sprt = decision;
  return result;
}

std::vector<MatchGame> play_alone(const PlayerFactory& player, const MatchConfig& config,
                                  const std::atomic<bool>* stop,
                                  const std::function<void(std::int64_t)>& progress) {
  check(config);
  Match match(config, {&player}, stop, progress);
  match.play(config.pairs);
  return std::move(match.games());
}

}  // namespace pahtum
