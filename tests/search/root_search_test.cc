#include "search/root_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "env/game_rules.h"
#include "search/batch_search.h"
#include "search/search_tree.h"
#include "search/solver.h"
#include "tests/search/naive_search.h"
#include "tests/search/search_steps.h"

namespace pahtum {
namespace {

// The policy it is given, and values of positions by their texts; 0 for others.
class TableEvaluator final : public Evaluator {
 public:
  explicit TableEvaluator(std::vector<std::pair<int, float>> policy) : policy_(std::move(policy)) {}
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override {
    for (std::size_t k = 0; k < positions.size(); ++k) {
      evaluations[k] = {};
      for (const auto& [square, probability] : policy_)
        evaluations[k].policy[static_cast<std::size_t>(square)] = probability;
      const auto found = values.find(to_text(positions[k]));
      const float value = found == values.end() ? 0.0f : found->second;
      evaluations[k].wdl = {std::max(0.0f, value), 1.0f - std::abs(value), std::max(0.0f, -value)};
    }
  }
  std::map<std::string, float> values;  // for the mover

 private:
  std::vector<std::pair<int, float>> policy_;
};

std::vector<int> visits_of(const SearchTree& tree) {
  std::vector<int> visits;
  for (const RootMove& move : tree.root_moves()) visits.push_back(move.visits);
  return visits;
}

// White to move on three squares a, b, c with priors ½, ¼, ¼ everywhere. The evaluator calls the root 0, the
// position after a −0.4 for White, after b 0.2, after c 0 (for Black the opposite). cpuct 1, no first-play
// reduction. Scores of a, b, c before each simulation:
//
//   1: N 1, value 0:      0 + ½·1 = 0.5,        0.25,               0.25               → a, result −0.4
//   2: N 2, value −0.2:  −0.4 + ½·√2/2 = −0.046, −0.2 + ¼·√2 = 0.154, the same         → b, result 0.2
//   3: N 3, value −0.067: −0.4 + ½·√3/2 = 0.033,  0.2 + ¼·√3/2 = 0.417, −0.067+¼·√3 = 0.366 → b
//
// Below b Black takes the higher prior a first; that position is 0, so Q(b) = (0.2 + 0) / 2 = 0.1.
//   4: N 4, value (0 − 0.4 + 2·0.1)/4 = −0.05: −0.4 + ½·2/2 = 0.1, 0.1 + ¼·2/3 = 0.267, −0.05 + ¼·2 = 0.45 →
//   c, 0 5: N 5, value (−0.4 + 0.2 + 0)/5 = −0.04: −0.4 + ½·2.236/2 = 0.159, 0.1 + ¼·2.236/3 = 0.286,
//                                             0 + ¼·2.236/2 = 0.280                    → b
// Below b, N 2 and value (for Black) (−0.2 + 0)/2 = −0.1: a has 0 + ⅔·√2/2 = 0.471 and c −0.1 + ⅓·√2 = 0.371
// with the priors scaled to a ⅔, c ⅓: a again. There White takes c, the only square, and the game is over: 0.
// Q(b) = (0.2 + 0 + 0)/3 = 0.0667, and the root's value is (−0.4 + 3 · 0.0667 + 0)/6.
TEST(GoldenPuct, ThreeSquares) {
  const Position root = parse_position("3/xxx/xxx w");
  for (const bool graph : {true, false}) {
    TableEvaluator evaluator({{0, 0.5f}, {1, 0.25f}, {2, 0.25f}});
    evaluator.values = {{"w2/xxx/xxx b", 0.4f}, {"1w1/xxx/xxx b", -0.2f}};
    SearchConfig config;
    config.simulations = 5;
    config.cpuct = 1.0;
    config.fpu_reduction = 0.0;
    config.graph = graph;
    SearchTree tree(config);
    tree.reset(root);
    tree.begin_move(std::nullopt);
    search(tree, evaluator);
    EXPECT_EQ(visits_of(tree), (std::vector<int>{1, 3, 1}));
    EXPECT_NEAR(tree.root_moves()[0].value.get(), -0.4f, 1e-6f);
    EXPECT_NEAR(tree.root_moves()[1].value.get(), 0.2f / 3.0f, 1e-6f);
    EXPECT_NEAR(tree.root_moves()[2].value.get(), 0.0f, 1e-6f);
    EXPECT_NEAR(tree.root_value().get(), -0.2f / 5.0f, 1e-6f);
    const auto target = tree.policy_target();
    EXPECT_FLOAT_EQ(target[1], 0.6f);
  }
}

// The numbers of equations 11 and 33 for three moves: priors ½, ¼, ¼, own value 0.2, visits 3 and 1 with
// values 0.5 and −0.5, the third unvisited. Visited mean by priors (½·0.5 − ¼·0.5)/¾ = ⅙, mixed value (0.2 +
// 4·⅙)/5 = 0.173333. σ(q) = (5 + 3) · 0.5 · (q + 1)/2: 3, 1, 2.346667. Weights ½·e³ = 10.042768, ¼·e =
// 0.679570, ¼·e^2.346667 = 2.612681; their sum 13.335019.
TEST(GoldenGumbel, ImprovedPolicy) {
  SearchConfig config;
  config.gumbel_visit_scale = 5.0;
  config.gumbel_value_scale = 0.5;
  const std::vector<MoveStatistics> moves = {{0.5f, 3, 0.5}, {0.25f, 1, -0.5}, {0.25f, 0, 0.0}};
  ImprovedPolicy policy;
  improve_policy(config, moves, 0.2, policy);
  EXPECT_NEAR(policy.probability[0], 0.753113, 1e-5);
  EXPECT_NEAR(policy.probability[1], 0.050961, 1e-5);
  EXPECT_NEAR(policy.probability[2], 0.195926, 1e-5);
  // π' − n / (1 + 4): 0.153, −0.149, 0.196.
  EXPECT_EQ(gumbel_move(moves, policy, 0), 2u);
  EXPECT_EQ(gumbel_move(moves, policy, 0b100), 0u);
}

// Four moves considered of five, eight simulations: two phases. The first gives 8 / (2 · 4) = 1 visit to each
// of the four with the highest priors, the second 8 / (2 · 2) = 2 to each of the better two.
TEST(GoldenGumbel, SequentialHalving) {
  SearchConfig config;
  config.gumbel_moves = 4;
  const std::vector<float> priors = {0.1f, 0.3f, 0.05f, 0.35f, 0.2f};
  SequentialHalving halving;
  halving.start(config, priors, 8, nullptr);
  std::vector<std::size_t> taken;
  const std::vector<double> scores = {3.0, -1.0, 9.0, 1.0, 2.0};
  for (int k = 0; k < 8; ++k) {
    if (halving.phase_ends()) halving.halve(scores);
    taken.push_back(halving.next());
  }
  EXPECT_EQ(taken, (std::vector<std::size_t>{3, 1, 4, 0, 0, 4, 0, 4}));
  EXPECT_EQ(halving.best(scores, ~std::uint64_t{0}), 0u);
  EXPECT_EQ(halving.best(scores, ~std::uint64_t{1}), 4u);
  EXPECT_EQ(halving.best(scores, 0b100), static_cast<std::size_t>(kMaxSquares));
}

SearchConfig gumbel_config(std::int64_t simulations, bool graph) {
  SearchConfig config;
  config.simulations = simulations;
  config.root = "gumbel";
  config.graph = graph;
  return config;
}

TEST(GumbelSearch, PlaysWholeGamesInEveryPhaseAndItsTargetsAreDistributions) {
  HashEvaluator evaluator;
  Solver solver(std::size_t{1} << 20);
  for (const bool graph : {true, false}) {
    for (const char* text : {"4/1x2/4/4 w", "4/4/4/4 b place=3", "4/4/4/4 w open=2", "4/1w2/4/4 b swap"}) {
      for (const std::int64_t simulations : {1, 2, 17, 60}) {
        SearchConfig config = gumbel_config(simulations, graph);
        config.exact_leaf = simulations == 17 ? 4 : 0;
        config.exact_root = 0;
        SearchTree tree(config);
        tree.use_solver(&solver);
        tree.reset(parse_position(text));
        for (std::uint64_t ply = 0;; ++ply) {
          tree.begin_move(Random(1, Stream::kRootNoise, ply));
          search(tree, evaluator);
          if (!tree.root_proven()) {
            ASSERT_EQ(tree.root_visits(), simulations);
          }
          const auto target = tree.policy_target();
          ASSERT_EQ(target.size(), tree.root_moves().size());
          ASSERT_NEAR(std::accumulate(target.begin(), target.end(), 0.0f), 1.0f, 1e-5f);
          Random random(1, Stream::kMoveChoice, ply);
          const Move move = tree.choose(1.0, random);
          ASSERT_TRUE(is_legal(tree.root(), move));
          if (after(tree.root(), move).over()) break;
          tree.advance(move);
        }
      }
    }
  }
}

TEST(GumbelSearch, WithoutNoiseItFindsTheWinningMove) {
  UniformEvaluator evaluator;
  const Position white = parse_position("ww1/bxb/1xx w");
  for (const Position& position : {white, swap_colors(white)}) {
    SearchTree tree(gumbel_config(32, true));
    tree.reset(position);
    tree.begin_move(std::nullopt);
    search(tree, evaluator);
    Random random(1, Stream::kTest, 0);
    EXPECT_EQ(to_text(tree.choose(1.0, random), 3), "c3");
    EXPECT_GT(tree.policy_target().front(), 0.9f);
  }
}

TEST(GumbelSearch, ConsidersNoMoreMovesThanItIsTold) {
  HashEvaluator evaluator;
  SearchConfig config = gumbel_config(64, true);
  config.gumbel_moves = 4;
  SearchTree tree(config);
  tree.reset(parse_position("5/5/5/5/x4 w"));
  tree.begin_move(Random(1, Stream::kRootNoise, 0));
  search(tree, evaluator);
  int visited = 0;
  for (const RootMove& move : tree.root_moves()) visited += move.visits > 0 ? 1 : 0;
  EXPECT_EQ(visited, 4);
}

// k 2, priors ½ and two of ¼, 16 visits: forced are √(2·¼·16) = 2.83, so two of them may go. With cpuct 1 the
// most visited move scores 0.3 + ½·√17/13 = 0.4586. The second, −0.2: with 2 − 1 visits −0.2 + ¼·√17/2 =
// 0.3154 and with 0 0.8308, so one goes, and the single one left with it. The third, 0.4, would reach 0.6577.
TEST(PolicyTarget, PrunesWhatForcingBrought) {
  SearchConfig config;
  config.cpuct = 1.0;
  config.forced_playouts = 2.0;
  const std::vector<MoveStatistics> moves = {{0.5f, 12, 0.3}, {0.25f, 2, -0.2}, {0.25f, 2, 0.4}};
  EXPECT_EQ(pruned_visits(config, moves), (std::vector<double>{12.0, 0.0, 2.0}));
  config.forced_playouts = 0.0;
  EXPECT_EQ(pruned_visits(config, moves), (std::vector<double>{12.0, 2.0, 2.0}));
}

TEST(ForcedPlayouts, EveryTriedMoveGetsItsShareOnlyWithNoise) {
  HashEvaluator evaluator;
  SearchConfig config;
  config.simulations = 400;
  config.forced_playouts = 2.0;
  for (const bool noise : {true, false}) {
    SearchTree tree(config);
    tree.reset(parse_position("5/5/5/5/x4 w"));
    tree.begin_move(noise ? std::optional<Random>(Random(1, Stream::kRootNoise, 0)) : std::nullopt);
    search(tree, evaluator);
    int short_of = 0;
    for (const RootMove& move : tree.root_moves()) {
      if (move.visits > 0 && move.visits < std::floor(forced_visits(config, move.prior, 380))) ++short_of;
    }
    EXPECT_EQ(short_of == 0, noise) << short_of;
  }
}

TEST(Noise, ShapedNoiseFavoursLikelyMovesAndStaysADistribution) {
  SearchConfig config;
  config.noise_fraction = 1.0;
  config.noise_shape = 1.0;
  std::array<double, 4> sums{};
  for (std::uint64_t draw = 0; draw < 500; ++draw) {
    std::array<float, 4> priors = {0.9f, 0.09f, 0.0099f, 0.0001f};
    Random random(1, Stream::kRootNoise, draw);
    mix_dirichlet_noise(config, priors, random);
    float total = 0.0f;
    for (std::size_t k = 0; k < 4; ++k) {
      sums[k] += static_cast<double>(priors[k]);
      total += priors[k];
    }
    ASSERT_NEAR(total, 1.0f, 1e-5f);
  }
  // Cut at 1 % the first two are alike; the last lies below the mean logarithm and gets nothing.
  EXPECT_NEAR(sums[0] / 500, 1.0 / 3.0, 0.05);
  EXPECT_NEAR(sums[1] / 500, 1.0 / 3.0, 0.05);
  EXPECT_EQ(sums[3], 0.0);
}

TEST(PolicyTarget, ASolvedRootSharesItAmongTheBestMoves) {
  Solver solver(std::size_t{1} << 20);
  UniformEvaluator evaluator;
  SearchConfig config;
  config.exact_root = 8;
  SearchTree tree(config);
  tree.use_solver(&solver);
  tree.reset(parse_position("ww1/bxb/1xx w"));
  tree.begin_move(Random(1, Stream::kRootNoise, 0));
  search(tree, evaluator);
  const auto target = tree.policy_target();
  EXPECT_EQ(std::vector<float>(target.begin(), target.end()), (std::vector<float>{1.0f, 0.0f}));
}

}  // namespace
}  // namespace pahtum
