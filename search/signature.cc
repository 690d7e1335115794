#include "search/signature.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "env/base/fingerprint.h"
#include "env/base/random.h"
#include "env/batch_environment.h"
#include "env/random_move.h"
#include "search/batch_search.h"
#include "search/evaluator.h"
#include "search/search_tree.h"
#include "search/solver.h"

namespace pahtum {
namespace {

constexpr std::uint64_t kSeed = 20'000;

void add_random_games(const GameConfig& game, AutoReset auto_reset, Fingerprint& fingerprint) {
  constexpr int kEnvironments = 8;
  BatchConfig config;
  config.game = game;
  config.count = kEnvironments;
  config.seed = kSeed;
  config.auto_reset = auto_reset;
  BatchEnvironment environment(config);
  environment.reset();

  const auto add_buffers = [&] {
    fingerprint.add_all(environment.observation());
    fingerprint.add_all(environment.action_mask());
    fingerprint.add_all(environment.rewards());
    fingerprint.add_all(environment.scores());
    fingerprint.add_all(environment.terminated());
    fingerprint.add_all(environment.current_player());
    fingerprint.add_all(environment.final_observation());
    fingerprint.add_all(environment.final_scores());
  };
  add_buffers();
  // Long enough for every row to reach its second game.
  const std::int64_t stones = GameRules(game).longest_game();
  Random random(kSeed, Stream::kTest, 0);
  std::array<std::int32_t, kEnvironments> actions{};
  for (std::int64_t step = 0; step < stones + stones / 2; ++step) {
    for (int row = 0; row < kEnvironments; ++row) {
      const Position& position = environment.position(row);
      // A row that waits for its reset ignores its action.
      const Move move = position.over() ? Move::at(0) : random_move(position, random);
      actions[static_cast<std::size_t>(row)] = action_of(move, environment.size());
    }
    environment.step(actions);
    add_buffers();
  }
}

// Plays the positions to their ends at once, each by searches with tree reuse and the most visited move;
// exactly, where config says so and a solver is given.
void add_searched_games(std::span<const Position> starts, const SearchConfig& config, Solver* solver,
                        Evaluator& evaluator, Fingerprint& fingerprint) {
  std::vector<SearchTree> trees;
  trees.reserve(starts.size());
  for (const Position& start : starts) {
    trees.emplace_back(config).use_solver(solver);
    trees.back().reset(start);
  }
  std::vector<SearchTree*> running;
  running.reserve(trees.size());
  for (SearchTree& tree : trees) running.push_back(&tree);
  Random random(kSeed, Stream::kTest, 1);
  while (!running.empty()) {
    for (SearchTree* const tree : running) tree->begin_move(std::nullopt);
    run_searches(running, evaluator);
    std::size_t left = 0;
    for (SearchTree* const tree : running) {
      for (const RootMove& entry : tree->root_moves()) {
        fingerprint.add(static_cast<std::uint64_t>(entry.move.index()));
        fingerprint.add(static_cast<std::uint64_t>(entry.visits));
        fingerprint.add(entry.prior);
        fingerprint.add(entry.value.get());
      }
      if (solver != nullptr) fingerprint.add_all(tree->policy_target());
      fingerprint.add(tree->root_value().get());
      const Move move = choose_move(tree->root_moves(), 0.0, random);
      fingerprint.add(static_cast<std::uint64_t>(move.index()));
      if (after(tree->root(), move).over()) continue;
      tree->advance(move);
      running[left++] = tree;
    }
    running.resize(left);
  }
}

}  // namespace

std::uint64_t behaviour_signature() {
  Fingerprint fingerprint;
  for (const AutoReset auto_reset : {AutoReset::kNextStep, AutoReset::kSameStep}) {
    add_random_games({.size = 7, .holes = 5}, auto_reset, fingerprint);
    add_random_games({.size = 8, .holes = 0}, auto_reset, fingerprint);
    add_random_games({.size = 5, .holes = 4, .unequal_stones = true}, auto_reset, fingerprint);
  }

  constexpr std::array<std::string_view, 4> kPhases = {
      "3/1x1/3 w",
      "5/5/5/5/5 b place=3",
      "4/4/4/4 w open=2",
      "4/1w2/4/2x1 b swap",
  };
  constexpr std::uint64_t kLayouts = 4;
  std::vector<Position> starts;
  starts.reserve(kPhases.size() + kLayouts);
  for (const std::string_view text : kPhases) starts.push_back(parse_position(text));
  for (std::uint64_t game = 0; game < kLayouts; ++game) {
    starts.push_back(start_position({.size = 7, .holes = 5}, kSeed, Stream::kTest, game));
  }
  UniformEvaluator uniform;
  add_searched_games(starts, {.simulations = 100, .graph = false}, nullptr, uniform, fingerprint);
  HashEvaluator hashed;
  add_searched_games(starts, {.simulations = 200, .graph = false}, nullptr, hashed, fingerprint);

  Solver solver;
  const SearchConfig exact{.simulations = 200, .graph = true, .exact_leaf = 8, .exact_root = 10};
  add_searched_games(starts, exact, &solver, hashed, fingerprint);
  return fingerprint.value();
}

}  // namespace pahtum
