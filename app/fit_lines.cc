#include <spdlog/fmt/fmt.h>

#include <atomic>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/common.h"
#include "app/interrupt.h"
#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/thread_team.h"
#include "env/game_rules.h"
#include "eval/arena.h"
#include "search/alpha_beta.h"
#include "search/line_fit.h"
#include "search/line_games.h"
#include "selfplay/progress.h"

namespace pahtum {
namespace {

// Every so many games one is on the largest board, so that regions of eight squares have samples too.
constexpr std::uint64_t kLargeBoardEvery = 8;
constexpr int kOpeningPlies = 2;  // of the matches between tables

// As the table in search/data/line_weights.txt was made.
struct FitLinesOptions {
  std::int64_t games = 20'000;
  int rounds = 5;
  int depth = 3;
  std::string holes = "3,5,7,9,11,13";
  double margin_scale = 15.0;
  int exact = 16;
  double ridge = 10.0;
  std::int64_t pairs = 400;
  std::uint64_t seed = 1;
  std::string output;
};

// Whoever plays with one of the tables that are compared.
class TablePlayer final : public Player {
 public:
  TablePlayer(std::string name, int depth, std::shared_ptr<const LineEvaluation> evaluation)
      : search_({.depth = depth}, std::move(evaluation)) {
    info_.spec = std::move(name);
  }
  void choose(std::span<const Turn> turns, std::span<Move> moves) override {
    for (std::size_t k = 0; k < turns.size(); ++k) moves[k] = search_.search(turns[k].position).move;
  }
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  PlayerInfo info_;
  AlphaBeta search_;
};

class Fitting {
 public:
  Fitting(const FitLinesOptions& options, const std::atomic<bool>& stop)
      : options_(options),
        stop_(stop),
        holes_(HoleCounts::parse(options.holes)),
        rules_({.size = 7, .holes = holes_}),
        large_rules_({.size = 8, .holes = {{4, 1}, {6, 1}, {8, 1}, {10, 1}, {12, 1}, {14, 1}}}) {}

  void run() {
    LineWeights best = expected_point_weights();
    save(best, 0);  // says at once when the file cannot be written
    for (int round = 1; round <= options_.rounds; ++round) {
      const std::vector<LineSample> samples = play_games(best, round);
      const LineWeights fitted = fit_line_weights(samples, options_.ridge, expected_point_weights());
      const MatchResult match = compare(fitted, best);
      progress_.line(fmt::format(
          "round {}: {} positions, mean squared error {:.4f}; new against old {:.1f} % ({:.1f} to {:.1f})",
          round, samples.size(), mean_squared_error(samples, fitted), 100.0 * match.total.score(),
          100.0 * match.score_low, 100.0 * match.score_high));
      if (match.total.score() <= 0.5) {
        progress_.line("the new table gains nothing; the old one stays");
        return;
      }
      best = fitted;
      save(best, round);
    }
  }

 private:
  [[nodiscard]] std::vector<LineSample> play_games(const LineWeights& weights, int round) {
    const auto evaluation = std::make_shared<const LineEvaluation>(weights, 7);
    const auto large = std::make_shared<const LineEvaluation>(weights, 8);
    const auto count = static_cast<std::size_t>(options_.games);
    std::vector<std::vector<LineSample>> games(count);
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::size_t done = 0;
    std::exception_ptr fault;
    const auto work = [&] {
      try {
        const LineGamesConfig config{.seed = options_.seed,
                                     .depth = options_.depth,
                                     .exact = options_.exact,
                                     .margin_scale = options_.margin_scale};
        LineGames usual(rules_, config, evaluation);
        LineGames on_large(large_rules_, config, large);
        for (std::size_t k = next++; k < count && !stop_; k = next++) {
          const auto index = static_cast<std::uint64_t>(round - 1) * count + k;
          games[k] = (k % kLargeBoardEvery == 0 ? on_large : usual).samples(index);
          const std::lock_guard lock(mutex);
          progress_.update(fmt::format("round {}: {} of {} games", round, ++done, count));
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        fault = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int k = 0; k < hardware_threads(); ++k) threads.emplace_back(work);
    }
    if (fault) std::rethrow_exception(fault);
    if (stop_) throw failure("fit-lines", "interrupted");
    std::vector<LineSample> samples;
    for (std::vector<LineSample>& game : games) samples.insert(samples.end(), game.begin(), game.end());
    return samples;
  }

  [[nodiscard]] MatchResult compare(const LineWeights& fitted, const LineWeights& old) {
    const auto factory = [&](const char* name, const LineWeights& weights) -> PlayerFactory {
      const auto evaluation = std::make_shared<const LineEvaluation>(weights, 7);
      return [this, name, evaluation] {
        return std::make_unique<TablePlayer>(name, options_.depth, evaluation);
      };
    };
    MatchConfig config;
    config.game.holes = holes_;
    config.pairs = options_.pairs;
    config.seed = options_.seed;
    config.opening_plies = kOpeningPlies;
    return play_match(factory("new", fitted), factory("old", old), config, &stop_);
  }

  void save(const LineWeights& weights, int round) const {
    const std::string comment = fmt::format(
        "Weights of the line evaluation, described in docs/players.md and docs/formats.md. Made by\n"
        "  pahtum fit-lines --games {} --rounds {} --depth {} --holes {} --margin-scale {:g} --exact {} \\\n"
        "    --ridge {:g} --pairs {} --seed {} --output FILE\n"
        "and taken over in round {}.",
        options_.games, options_.rounds, options_.depth, options_.holes, options_.margin_scale,
        options_.exact, options_.ridge, options_.pairs, options_.seed, round);
    write_file_atomically(options_.output, weights.text(comment));
  }

  FitLinesOptions options_;
  const std::atomic<bool>& stop_;
  HoleCounts holes_;
  GameRules rules_, large_rules_;
  Progress progress_;
};

int fit_lines(const FitLinesOptions& options) {
  Fitting(options, stop_on_interrupt()).run();
  return 0;
}

}  // namespace

void add_fit_lines(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "fit-lines",
      "Fits the evaluation of `alphabeta` to games that it plays with itself, and refits it until "
      "a match against the table before gains nothing");
  const auto options = std::make_shared<FitLinesOptions>();
  sub.add_option("--games", options->games, "Games of a round")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}))
      ->capture_default_str();
  sub.add_option("--rounds", options->rounds, "Most rounds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub.add_option("--depth", options->depth, "Plies that games and matches look ahead")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  sub.add_option("--holes", options->holes, "Holes of a game: a number, several, or several with weights")
      ->capture_default_str();
  sub.add_option("--margin-scale", options->margin_scale,
                 "Results are tanh(margin / this); 0: won, drawn or lost")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  sub.add_option("--exact", options->exact, "Empty squares from which on positions are solved")
      ->check(CLI::Range(1, 22))
      ->capture_default_str();
  sub.add_option("--ridge", options->ridge, "Weight of the expected points that the fit begins with")
      ->check(CLI::Range(1e-6, 1e9))
      ->capture_default_str();
  sub.add_option("--pairs", options->pairs, "Pairs of games between a table and the one before")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of games and matches")->capture_default_str();
  sub.add_option("--output", options->output, "File that gets the weights after every round")->required();
  sub.footer("Example: pahtum fit-lines --games 2000 --rounds 2 --output weights.txt");
  sub.callback([options, &command] { command = [options] { return fit_lines(*options); }; });
}

}  // namespace pahtum
