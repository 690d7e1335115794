#include "selfplay/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "env/base/error.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

std::vector<GameRecord> play(SelfplayWorker& worker, std::int64_t games) {
  HashEvaluator evaluator;
  SelfplayCounters counters;
  return worker.play(evaluator, games, kNeverStop, counters);
}

TEST(SelfplayWorker, GamesAreFinishedLegalAndOfTheBatchEnvironmentsLayouts) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  for (const GameRecord& game : play(worker, 30)) {
    EXPECT_TRUE(game.position().over());
    EXPECT_EQ(game.moves.size(), 14u);
    EXPECT_EQ(game.start, start_position(config.game, 1, Stream::kLayout, game.episode, game.environment));
  }
}

// What was recorded, played again through the batch environment, gives the same boards and scores.
TEST(SelfplayWorker, RecordedGamesReplayThroughTheBatchEnvironment) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  for (const GameRecord& game : play(worker, 20)) {
    EXPECT_EQ(replayed(game, config.game), std::pair(game.position(), game.position().white_margin()));
  }
}

TEST(SelfplayWorker, SlotsSplitOverWorkersPlayTheSameGames) {
  const RunConfig config = tiny_config();
  const auto longest = [](std::vector<GameRecord> games, std::uint32_t slot) {
    std::vector<GameRecord> mine;
    for (GameRecord& game : games) {
      if (game.environment == slot) mine.push_back(std::move(game));
    }
    return mine;
  };
  SelfplayWorker whole(config, 0, 6);
  SelfplayWorker half(config, 3, 3);
  const std::vector<GameRecord> all = play(whole, 60);
  const std::vector<GameRecord> some = play(half, 30);
  for (std::uint32_t slot = 3; slot < 6; ++slot) {
    const auto a = longest(all, slot);
    const auto b = longest(some, slot);
    ASSERT_GT(std::min(a.size(), b.size()), 5u);
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) EXPECT_EQ(a[k], b[k]);
  }
}

TEST(SelfplayWorker, ARestoredWorkerPlaysOnAsIfNeverStopped) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  (void)play(worker, 10);
  SelfplayWorker other(config, 0, 6);
  other.restore(parse_games(serialize(worker.games_in_progress()), "test"));
  EXPECT_EQ(play(worker, 10), play(other, 10));
}

// Which moves are searched short is drawn for each; what they get is the search's best without noise, and no
// policy to learn from. Positions that the search proves are samples all the same.
TEST(SelfplayWorker, ShortSearchesMoveTheGameOnAndAreNoSamples) {
  RunConfig config = tiny_config();
  config.selfplay.full_search_share = 0.3;
  config.selfplay.short_simulations = 2;
  config.search.simulations = 24;
  SelfplayWorker worker(config, 0, 6);
  std::map<MoveOrigin, int> seen;
  for (const GameRecord& game : play(worker, 150)) {
    Position position = game.start;
    int samples = 0;
    for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
      const MoveOrigin origin = game.origins[ply];
      ++seen[origin];
      samples += is_sample(origin) ? 1 : 0;
      if (position.empty_count() <= config.search.exact_root && origin != MoveOrigin::kRandom) {
        EXPECT_EQ(origin, MoveOrigin::kSolved);
      }
      apply(position, game.moves[ply]);
    }
    EXPECT_EQ(game.samples(), samples);
    EXPECT_EQ(parse_games(serialize({game}), "test").front(), game);
  }
  const int searched = seen[MoveOrigin::kSearched] + seen[MoveOrigin::kShort];
  ASSERT_GT(searched, 500);
  EXPECT_NEAR(seen[MoveOrigin::kSearched], 0.3 * searched, 4 * std::sqrt(0.3 * 0.7 * searched));
}

TEST(SelfplayWorker, ShortSearchesTakeTheirSimulationsAlone) {
  const auto evaluations = [](double share) {
    RunConfig config = tiny_config();
    config.selfplay = {.slots = 6, .stagger = false, .random_opening_mean = 0.0, .full_search_share = share};
    config.selfplay.short_simulations = 1;
    config.search.simulations = 400;
    config.search.exact_leaf = 0;
    config.search.exact_root = 0;
    SelfplayWorker worker(config, 0, 6);
    HashEvaluator evaluator;
    SelfplayCounters counters;
    static_cast<void>(worker.play(evaluator, 12, kNeverStop, counters));
    return static_cast<double>(counters.evaluations);
  };
  EXPECT_LT(evaluations(0.01), 0.2 * evaluations(1.0));
}

// Likes the first legal move of every position nine times as much as all others together.
class FirstMoveEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override {
    for (std::size_t k = 0; k < positions.size(); ++k) {
      const auto count = static_cast<std::size_t>(legal_count(positions[k]));
      evaluations[k] = {};
      std::size_t number = 0;
      for_each_legal(positions[k], [&](Move move) {
        const float rest = 0.1f / static_cast<float>(std::max<std::size_t>(count - 1, 1));
        evaluations[k].policy[static_cast<std::size_t>(move.index())] = number++ == 0 ? 0.9f : rest;
      });
    }
  }
};

TEST(SelfplayWorker, OpeningsByThePolicyAreDrawnFromIt) {
  const auto first_moves = [](const std::string& opening) {
    RunConfig config = tiny_config();
    config.game = {.size = 5, .holes = 3};
    config.search.simulations = 4;
    config.search.noise_fraction = 0.0;
    config.selfplay.stagger = false;
    config.selfplay.random_opening_mean = 4.0;
    config.selfplay.opening = opening;
    SelfplayWorker worker(config, 0, 6);
    FirstMoveEvaluator evaluator;
    SelfplayCounters counters;
    int drawn = 0;
    int first = 0;
    for (const GameRecord& game : worker.play(evaluator, 150, kNeverStop, counters)) {
      EXPECT_EQ(parse_games(serialize({game}), "test").front(), game);
      Position position = game.start;
      for (std::size_t ply = 0; ply < game.moves.size() && game.origins[ply] == MoveOrigin::kRandom; ++ply) {
        ++drawn;
        first += game.moves[ply] == nth_legal(position, 0) ? 1 : 0;
        apply(position, game.moves[ply]);
      }
    }
    EXPECT_GT(drawn, 300);
    return std::pair(first, drawn);
  };
  const auto [by_policy, policy_plies] = first_moves("policy");
  EXPECT_NEAR(by_policy, 0.9 * policy_plies, 5 * std::sqrt(0.9 * 0.1 * policy_plies));
  const auto [uniform, uniform_plies] = first_moves("uniform");
  EXPECT_LT(uniform, 0.15 * uniform_plies);
}

TEST(SelfplayWorker, GamesOpenedByThePolicyGoOnAfterARestore) {
  RunConfig config = tiny_config();
  config.selfplay.opening = "policy";
  config.selfplay.random_opening_mean = 4.0;
  SelfplayWorker worker(config, 0, 6);
  (void)play(worker, 10);
  SelfplayWorker other(config, 0, 6);
  other.restore(parse_games(serialize(worker.games_in_progress()), "test"));
  EXPECT_EQ(play(worker, 10), play(other, 10));
}

// One simulation cannot change what the network thinks much; where the search visits a move the network gave
// a share p all the time, the surprise is ln(1 / p).
TEST(SelfplayWorker, TheSurpriseIsTheDivergenceOfTheTargetFromThePriors) {
  RunConfig config = tiny_config();
  config.search.simulations = 1;
  config.search.noise_fraction = 0.0;
  config.search.exact_leaf = 0;
  config.search.exact_root = 0;
  config.selfplay.stagger = false;
  config.selfplay.random_opening_mean = 0.0;
  SelfplayWorker worker(config, 0, 6);
  FirstMoveEvaluator evaluator;
  SelfplayCounters counters;
  for (const GameRecord& game : worker.play(evaluator, 10, kNeverStop, counters)) {
    ASSERT_EQ(game.surprises.size(), 14u);
    for (std::size_t ply = 0; ply < 13; ++ply) EXPECT_NEAR(game.surprises[ply], std::log(1 / 0.9), 1e-4);
  }
}

TEST(SelfplayWorker, RestoringAnotherRunsGamesIsRefused) {
  RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  SelfplayWorker fewer(config, 0, 5);
  EXPECT_THROW(fewer.restore(worker.games_in_progress()), Error);
  config.run.seed = 99;
  SelfplayWorker other_seed(config, 0, 6);
  EXPECT_THROW(other_seed.restore(worker.games_in_progress()), Error);
}

// From the first solved position on, the record holds the truth and the game keeps it.
TEST(SelfplayWorker, SolvedPositionsAreRecordedExactlyAndPlayedPerfectly) {
  for (const Objective objective : {Objective::kOutcome, Objective::kMargin}) {
    RunConfig config = tiny_config();
    config.game.result = objective;
    config.search.exact_leaf = 4;
    config.search.exact_root = 5;
    SelfplayWorker worker(config, 0, 6);
    Solver solver;
    int solved = 0;
    for (const GameRecord& game : play(worker, 20)) {
      const int margin = game.position().white_margin();
      Position position = game.start;
      std::size_t weights_at = 0;
      for (std::size_t ply = 0; ply < game.moves.size(); ++ply) {
        const auto count = static_cast<std::size_t>(legal_count(position));
        if (game.origins[ply] != MoveOrigin::kRandom) {
          if (position.empty_count() <= 5) {
            ASSERT_EQ(game.origins[ply], MoveOrigin::kSolved);
          }
          if (game.origins[ply] == MoveOrigin::kSolved) {
            ++solved;
            const Solution truth = solver.solve(
                position, {.objective = objective, .moves = SolvedMoves::kAllBest, .limits = {}});
            const int own = position.mover == Color::kWhite ? margin : -margin;
            EXPECT_EQ(objective == Objective::kMargin ? own : static_cast<int>(outcome_of(Margin{own})),
                      truth.lower);
            EXPECT_NE(std::ranges::find(truth.best, game.moves[ply]), truth.best.end());
            if (objective == Objective::kOutcome) {
              EXPECT_EQ(game.root_values[ply], static_cast<float>(truth.lower));
            }
            std::size_t k = weights_at;
            for_each_legal(position, [&](Move move) {
              const bool best = std::ranges::find(truth.best, move) != truth.best.end();
              const bool solved_root = position.empty_count() <= 5;
              EXPECT_LE(game.policy[k], best ? 65535 : 0);
              EXPECT_GE(game.policy[k], best && solved_root ? 65535 : 0);
              ++k;
            });
          }
          weights_at += count;
        }
        apply(position, game.moves[ply]);
      }
    }
    EXPECT_GT(solved, 50);
  }
}

TEST(SelfplayWorker, ExactEndingsAndSharedPositionsSaveEvaluations) {
  const auto evaluations = [](bool graph, int exact) {
    RunConfig config = tiny_config();
    config.search = {.simulations = 40, .graph = graph, .exact_leaf = exact, .exact_root = exact};
    SelfplayWorker worker(config, 0, 6);
    HashEvaluator evaluator;
    SelfplayCounters counters;
    (void)worker.play(evaluator, 30, kNeverStop, counters);
    return counters.evaluations.load();
  };
  EXPECT_LT(evaluations(true, 0), evaluations(false, 0));
  EXPECT_LT(evaluations(true, 5), evaluations(true, 0));
}

TEST(SelfplayWorker, GumbelGamesAreSamplesOfTheImprovedPolicy) {
  RunConfig config = tiny_config();
  config.search.root = "gumbel";
  config.search.gumbel_moves = 4;
  SelfplayWorker worker(config, 0, 6);
  for (const GameRecord& game : play(worker, 10)) {
    EXPECT_TRUE(game.position().over());
    EXPECT_NO_THROW((void)parse_games(serialize({game}), "test"));
  }
}

TEST(SelfplayWorker, OneSlotAndOneSimulationPlayToTheEnd) {
  RunConfig config = tiny_config();
  config.search.simulations = 1;
  SelfplayWorker worker(config, 0, 1);
  EXPECT_EQ(play(worker, 3).size(), 3u);
}

TEST(SelfplayWorker, StaggeredFirstGamesAreSearchedFromDifferentPlies) {
  RunConfig config = tiny_config();
  config.selfplay.slots = 40;
  config.selfplay.random_opening_mean = 0.0;
  SelfplayWorker worker(config, 0, 40);
  std::set<int> first;
  for (const GameRecord& game : play(worker, 120)) {
    if (game.episode == 0) {
      first.insert(game.samples());
    } else {
      EXPECT_EQ(game.samples(), 14) << "only first games start late";
    }
  }
  EXPECT_GT(first.size(), 8u);
}

TEST(SelfplayWorker, StopsAtOnceAndKeepsTheGamesInProgress) {
  const RunConfig config = tiny_config();
  SelfplayWorker worker(config, 0, 6);
  (void)play(worker, 5);
  const std::atomic<bool> stop{true};
  HashEvaluator evaluator;
  SelfplayCounters counters;
  EXPECT_TRUE(worker.play(evaluator, 1000, stop, counters).empty());
  EXPECT_EQ(worker.games_in_progress().size(), 6u);
}

}  // namespace
}  // namespace pahtum
