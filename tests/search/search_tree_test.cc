#include "search/search_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "env/base/error.h"
#include "env/game_rules.h"
#include "search/batch_search.h"
#include "tests/search/naive_search.h"
#include "tests/search/search_steps.h"

namespace pahtum {
namespace {

SearchConfig with_simulations(std::int64_t simulations) {
  SearchConfig config;
  config.simulations = simulations;
  return config;
}

SearchTree searched(const Position& position, std::int64_t simulations, Evaluator& evaluator,
                    std::optional<Random> noise = std::nullopt) {
  SearchTree tree(with_simulations(simulations));
  tree.reset(position);
  tree.begin_move(noise);
  search(tree, evaluator);
  return tree;
}

double prior_sum(const SearchTree& tree) {
  double sum = 0.0;
  for (const RootMove& entry : tree.root_moves()) sum += static_cast<double>(entry.prior);
  return sum;
}

// Answers every position with the same numbers, whatever is legal.
class ConstantEvaluator final : public Evaluator {
 public:
  ConstantEvaluator(float probability, float win) : probability_(probability), win_(win) {}
  void evaluate(std::span<const Position>, std::span<Evaluation> evaluations) override {
    for (Evaluation& evaluation : evaluations) {
      evaluation.policy.fill(probability_);
      evaluation.wdl = {win_, 1.0f - win_, 0.0f};
    }
  }

 private:
  float probability_, win_;
};

TEST(SearchTree, FindsTheOnlyWinningMoveForWhiteAndForBlack) {
  UniformEvaluator evaluator;
  const Position white = parse_position("ww1/bxb/1xx w");
  for (const Position& position : {white, swap_colors(white)}) {
    const SearchTree tree = searched(position, 50, evaluator);
    EXPECT_EQ(to_text(most_visited(tree), 3), "c3") << to_text(position);
    EXPECT_GT(tree.root_value().get(), 0.7f);
  }
}

TEST(SearchTree, AgreesWithExhaustiveSearchNearTheEnd) {
  UniformEvaluator evaluator;
  Random random(5, Stream::kTest, 0);
  std::map<Outcome, int> seen;
  for (const int empty : {2, 3, 4}) {
    for (std::uint64_t game = 0; game < 12; ++game) {
      const Position start =
          start_position({.size = 4, .holes = 3, .unequal_stones = true}, 5, Stream::kTest, game);
      const Position position = naive::random_position(start, empty, random);
      const Outcome truth = naive::negamax(position);
      ++seen[truth];
      const SearchTree tree = searched(position, 20'000, evaluator);
      EXPECT_NEAR(tree.root_value().get(), Value(truth).get(), 0.05f) << to_text(position);
      EXPECT_EQ(naive::outcome_after(position, most_visited(tree)), truth) << to_text(position);
    }
  }
  EXPECT_EQ(seen.size(), 3u) << "the sample has no win, no draw or no loss";
}

TEST(SearchTree, ForcedDrawIsExactlyZero) {
  UniformEvaluator uniform;
  const SearchTree tree = searched(parse_position("1x1x/x1x1/1x1x/xxxx w"), 300, uniform);
  EXPECT_EQ(tree.root_value(), Value(0.0f));
  for (const RootMove& entry : tree.root_moves()) EXPECT_EQ(entry.value, Value(0.0f));

  HashEvaluator hashed;
  const SearchTree last = searched(parse_position("1bw/wwb/bbw w"), 7, hashed);
  EXPECT_EQ(last.root_value(), Value(0.0f));
}

TEST(SearchTree, FinishedGamesNeedNoEvaluation) {
  HashEvaluator evaluator;
  SearchTree tree(with_simulations(40));
  tree.reset(parse_position("ww1/bbx/wbw w"));
  tree.begin_move(std::nullopt);
  Position leaf;
  ASSERT_TRUE(tree.next_leaf(leaf));
  EXPECT_EQ(leaf, tree.root());
  tree.receive(naive::evaluate(evaluator, leaf));
  EXPECT_FALSE(tree.next_leaf(leaf));
  ASSERT_EQ(tree.root_moves().size(), 1u);
  EXPECT_EQ(tree.root_moves()[0].visits, 40);
  EXPECT_EQ(tree.root_value(), Value(1.0f));
}

TEST(SearchTree, ShowsTheEvaluatorsAnswerBeforeTheFirstSimulation) {
  HashEvaluator evaluator;
  SearchTree tree(with_simulations(10));
  const Position root = parse_position("4/1x2/2x1/4 b");
  tree.reset(root);
  EXPECT_TRUE(tree.root_moves().empty());
  EXPECT_EQ(tree.root_value(), Value(0.0f));
  tree.begin_move(std::nullopt);
  Position leaf;
  ASSERT_TRUE(tree.next_leaf(leaf));
  const Evaluation evaluation = naive::evaluate(evaluator, leaf);
  tree.receive(evaluation);
  EXPECT_EQ(tree.root_visits(), 0);
  EXPECT_EQ(tree.root_value(), evaluation.wdl.value());
  const std::vector<Move> legal = naive::legal_moves(root);
  ASSERT_EQ(tree.root_moves().size(), legal.size());
  for (std::size_t k = 0; k < legal.size(); ++k) {
    const RootMove& entry = tree.root_moves()[k];
    EXPECT_EQ(entry.move, legal[k]);
    EXPECT_EQ(entry.visits, 0);
    EXPECT_NEAR(entry.prior, evaluation.policy[static_cast<std::size_t>(legal[k].index())], 1e-6f);
  }
}

class TwinTest : public testing::TestWithParam<const char*> {};

// Whole games with tree reuse: visits and priors equal, values to the last bit of a float.
TEST_P(TwinTest, VisitsEqualThoseOfThePointerTree) {
  const Position start = parse_position(GetParam());
  for (const std::int64_t simulations : {1, 30, 400}) {
    SearchConfig config = with_simulations(simulations);
    config.graph = false;
    config.cpuct = 1.25;
    HashEvaluator evaluator;
    SearchTree tree(config);
    naive::Puct twin(config, evaluator, start);
    tree.reset(start);
    while (true) {
      tree.begin_move(std::nullopt);
      search(tree, evaluator);
      twin.search();
      const naive::Puct::Node& root = twin.root();
      ASSERT_EQ(tree.root(), root.position);
      ASSERT_EQ(tree.root_visits(), root.visits - 1);
      const auto moves = tree.root_moves();
      ASSERT_EQ(moves.size(), root.children.size());
      for (std::size_t k = 0; k < moves.size(); ++k) {
        const naive::Puct::Node* child = root.children[k].get();
        ASSERT_EQ(moves[k].visits, child ? child->visits : 0) << to_text(root.position) << " move " << k;
        ASSERT_EQ(moves[k].prior, static_cast<float>(root.priors[k]));
        if (!child) continue;
        const double sign = child->position.mover == root.position.mover ? 1.0 : -1.0;
        ASSERT_FLOAT_EQ(moves[k].value.get(), static_cast<float>(sign * child->sum / child->visits));
      }
      const Move move = most_visited(tree);
      if (after(tree.root(), move).over()) break;
      tree.advance(move);
      twin.advance(move);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, TwinTest,
                         testing::Values("3/1x1/3 w", "1x2/4/2x1/4 b", "5/1x3/3x1/5/x4 w",
                                         "4/4/4/4 b place=4", "4/4/4/4 w open=3", "3/3/3 w open=0",
                                         "4/4/2w1/4 b swap"));

TEST(SearchTree, AMoverWhoMovesTwiceKeepsItsValues) {
  // White places a hole and then a stone; all results below are White's.
  ConstantEvaluator evaluator(1.0f, 1.0f);
  const Position root = parse_position("3/3/3 w open=2");
  const SearchTree tree = searched(root, 9, evaluator);
  for (const RootMove& entry : tree.root_moves()) {
    EXPECT_EQ(entry.visits, 1);
    EXPECT_EQ(entry.value, Value(1.0f)) << "White is still to move, so what the mover wins White wins";
  }
  // The holes lie; after White's stone Black is to move.
  const Position stone = parse_position("x2/1xx/3 w open=0");
  const SearchTree after_stone = searched(stone, 6, evaluator);
  for (const RootMove& entry : after_stone.root_moves()) {
    EXPECT_EQ(entry.visits, 1);
    EXPECT_EQ(entry.value, Value(-1.0f)) << "Black is to move, so what the mover wins White loses";
  }
}

TEST(SearchTree, AdvanceKeepsTheSubtreeAndNothingElse) {
  HashEvaluator evaluator;
  SearchTree tree = searched(parse_position("5/1x3/5/3x1/x4 w"), 500, evaluator);
  const Move move = most_visited(tree);
  RootMove before;
  for (const RootMove& entry : tree.root_moves()) {
    if (entry.move == move) before = entry;
  }
  tree.advance(move);
  // One visit of the child was its own evaluation.
  EXPECT_EQ(tree.root_visits(), before.visits - 1);
  std::int32_t visits = 0;
  for (const RootMove& entry : tree.root_moves()) visits += entry.visits;
  EXPECT_EQ(visits, tree.root_visits());
  const Evaluation own = naive::evaluate(evaluator, tree.root());
  const double sum =
      static_cast<double>(tree.root_value().get()) * visits + static_cast<double>(own.wdl.value().get());
  EXPECT_NEAR(sum / before.visits, -static_cast<double>(before.value.get()), 1e-5);

  tree.begin_move(std::nullopt);
  search(tree, evaluator);
  EXPECT_EQ(tree.root_visits(), 500);
}

TEST(SearchTree, AdvanceToAnUnvisitedMoveStartsAnew) {
  UniformEvaluator evaluator;
  SearchTree tree = searched(parse_position("4/4/4/4 w"), 1, evaluator);
  const RootMove last = tree.root_moves().back();
  ASSERT_EQ(last.visits, 0);
  tree.advance(last.move);
  EXPECT_TRUE(tree.root_moves().empty());
  tree.begin_move(std::nullopt);
  search(tree, evaluator);
  EXPECT_EQ(tree.root_visits(), 1);
}

TEST(SearchTree, AdvanceBeforeAnySearchOnlyMoves) {
  UniformEvaluator evaluator;
  SearchTree tree(with_simulations(5));
  const Position root = parse_position("3/3/3 w");
  tree.reset(root);
  tree.advance(Move::at(0));
  EXPECT_EQ(tree.root(), after(root, Move::at(0)));
  tree.begin_move(std::nullopt);
  search(tree, evaluator);
  EXPECT_EQ(tree.root_visits(), 5);
}

TEST(SearchTree, EveryMoveGetsANewSimulation) {
  // With two squares left the searches after advance() end in finished games alone.
  UniformEvaluator evaluator;
  SearchTree tree = searched(parse_position("1bw/wwb/bb1 w"), 100, evaluator);
  tree.advance(most_visited(tree));
  EXPECT_LT(tree.root_visits(), 100);
  EXPECT_FALSE(tree.root_moves().empty());
  tree.begin_move(std::nullopt);
  Position leaf;
  EXPECT_FALSE(tree.next_leaf(leaf));
  EXPECT_EQ(tree.root_visits(), 100);
  EXPECT_FALSE(tree.next_leaf(leaf)) << "the root has its visits already";
}

TEST(SearchTree, AMoveMayGetFewerSimulationsThanTheConfigurationSays) {
  HashEvaluator evaluator;
  SearchConfig config;
  config.simulations = 60;
  SearchTree tree(config);
  SearchTree* const trees[] = {&tree};
  tree.reset(start_position({.size = 5, .holes = 5}, 1, Stream::kTest, 0));
  tree.begin_move(std::nullopt, 7);
  run_searches(trees, evaluator);
  EXPECT_EQ(tree.root_visits(), 7);
  tree.begin_move(std::nullopt);
  run_searches(trees, evaluator);
  EXPECT_EQ(tree.root_visits(), 60);
  // More are kept than asked for: the move can be chosen at once.
  Random random(1, Stream::kTest, 0);
  tree.advance(tree.choose(0.0, random));
  const std::int32_t kept = tree.root_visits();
  ASSERT_GT(kept, 2);
  tree.begin_move(std::nullopt, 2);
  Position leaf;
  EXPECT_FALSE(tree.next_leaf(leaf));
  EXPECT_EQ(tree.root_visits(), kept);
}

TEST(SearchTree, KeptVisitsDoNotCountWhereTheConfigurationSaysSo) {
  for (const char* root : {"puct", "gumbel"}) {
    HashEvaluator evaluator;
    SearchConfig config;
    config.simulations = 60;
    config.count_reused = false;
    config.root = root;
    SearchTree tree(config);
    SearchTree* const trees[] = {&tree};
    tree.reset(start_position({.size = 5, .holes = 5}, 1, Stream::kTest, 0));
    Random random(1, Stream::kTest, 0);
    int moves_with_kept_visits = 0;
    while (true) {
      const std::int32_t kept = tree.root_visits();
      moves_with_kept_visits += kept > 0 ? 1 : 0;
      tree.begin_move(std::nullopt);
      run_searches(trees, evaluator);
      EXPECT_EQ(tree.root_visits(), kept + 60);
      const Move move = tree.choose(0.0, random);
      if (after(tree.root(), move).over()) break;
      tree.advance(move);
    }
    EXPECT_GT(moves_with_kept_visits, 10) << root;
  }
}

TEST(SearchTree, MemoryStaysWhereTheFirstGameLeftIt) {
  HashEvaluator evaluator;
  SearchTree tree(with_simulations(300));
  const auto play = [&] {
    tree.reset(parse_position("5/1x3/5/3x1/x4 w"));
    while (true) {
      tree.begin_move(std::nullopt);
      search(tree, evaluator);
      const Move move = most_visited(tree);
      if (after(tree.root(), move).over()) return;
      tree.advance(move);
    }
  };
  play();
  const std::size_t warm = tree.memory_bytes();
  // At most a node and its edges per visit, doubled by the growth of vectors.
  EXPECT_LE(warm, std::size_t{2} * 302 * (24 + 22 * 8));
  for (int game = 0; game < 5; ++game) play();
  EXPECT_EQ(tree.memory_bytes(), warm);
}

TEST(SearchTree, NoiseIsMixedInOnceAndSumsToOne) {
  HashEvaluator evaluator;
  const Position root = parse_position("7/2x4/7/4x2/7/x5x/7 w");
  const SearchTree plain = searched(root, 1, evaluator);
  const Random noise(9, Stream::kRootNoise, 0);
  SearchTree tree = searched(root, 1, evaluator, noise);
  const SearchConfig config;
  const auto share_of_noise = [&](float noisy, float raw) {
    return (static_cast<double>(noisy) - (1.0 - config.noise_fraction) * static_cast<double>(raw)) /
           config.noise_fraction;
  };

  EXPECT_NEAR(prior_sum(tree), 1.0, 1e-5);
  double total = 0.0;
  double largest = 0.0;
  std::vector<float> priors;
  for (std::size_t k = 0; k < tree.root_moves().size(); ++k) {
    const float prior = tree.root_moves()[k].prior;
    const double share = share_of_noise(prior, plain.root_moves()[k].prior);
    EXPECT_GE(share, -1e-6);
    total += share;
    largest = std::max(largest, share);
    priors.push_back(prior);
  }
  EXPECT_NEAR(total, 1.0, 1e-4);
  EXPECT_GT(largest, 2.0 / static_cast<double>(priors.size())) << "an even share would be no noise";

  // The same generator gives the same noise, and more simulations do not touch it.
  SearchTree longer = searched(root, 200, evaluator, noise);
  for (std::size_t k = 0; k < priors.size(); ++k) EXPECT_EQ(longer.root_moves()[k].prior, priors[k]);

  // The child's priors are the evaluator's own until its move begins, and then get noise for the first time.
  const Move move = most_visited(longer);
  longer.advance(move);
  std::vector<float> raw;
  const Evaluation evaluation = naive::evaluate(evaluator, longer.root());
  for (const RootMove& entry : longer.root_moves()) {
    EXPECT_NEAR(entry.prior, evaluation.policy[static_cast<std::size_t>(entry.move.index())], 1e-6f);
    raw.push_back(entry.prior);
  }
  longer.begin_move(Random(9, Stream::kRootNoise, 1));
  total = 0.0;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    const double share = share_of_noise(longer.root_moves()[k].prior, raw[k]);
    EXPECT_GE(share, -1e-6);
    total += share;
  }
  EXPECT_NEAR(total, 1.0, 1e-4);
}

TEST(SearchTree, NoiseOfAnyConcentrationIsADistribution) {
  UniformEvaluator evaluator;
  for (const double alpha : {1e-9, 0.001, 0.1, 10.0, 1000.0}) {
    SearchConfig config = with_simulations(20);
    config.dirichlet_alpha = alpha;
    config.noise_fraction = 1.0;
    SearchTree tree(config);
    tree.reset(parse_position("5/5/5/5/x4 w"));
    tree.begin_move(Random(2, Stream::kRootNoise, 0));
    search(tree, evaluator);
    EXPECT_NEAR(prior_sum(tree), 1.0, 1e-5) << alpha;
    EXPECT_EQ(tree.root_visits(), 20);
  }
}

TEST(SearchTree, OneLegalMoveAndOneSimulationGiveNumbers) {
  UniformEvaluator evaluator;
  for (const char* text : {"ww1/bbx/wbw w", "4/4/4/4 w"}) {
    const SearchTree tree = searched(parse_position(text), 1, evaluator, Random(1, Stream::kRootNoise, 0));
    EXPECT_EQ(tree.root_visits(), 1);
    EXPECT_NEAR(prior_sum(tree), 1.0, 1e-5);
    EXPECT_TRUE(std::isfinite(tree.root_value().get()));
    for (const RootMove& entry : tree.root_moves()) EXPECT_TRUE(std::isfinite(entry.value.get()));
    EXPECT_TRUE(is_legal(tree.root(), most_visited(tree)));
  }
}

TEST(SearchTree, UnusablePoliciesFallBackToUniform) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const float probability : {0.0f, kNaN, -1.0f, std::numeric_limits<float>::infinity()}) {
    ConstantEvaluator evaluator(probability, 0.5f);
    const SearchTree tree =
        searched(parse_position("3/1x1/3 w"), 30, evaluator, Random(1, Stream::kRootNoise, 0));
    EXPECT_NEAR(prior_sum(tree), 1.0, 1e-5) << probability;
    EXPECT_EQ(tree.root_visits(), 30);
    const SearchTree plain = searched(parse_position("3/1x1/3 w"), 1, evaluator);
    for (const RootMove& entry : plain.root_moves()) EXPECT_FLOAT_EQ(entry.prior, 1.0f / 8.0f);
  }
}

TEST(SearchTree, PolicyIsMaskedAndScaledToTheLegalMoves) {
  SearchTree tree(with_simulations(1));
  tree.reset(parse_position("1x1/xxx/xxx w"));
  tree.begin_move(std::nullopt);
  Position leaf;
  ASSERT_TRUE(tree.next_leaf(leaf));
  Evaluation evaluation;
  evaluation.policy.fill(100.0f);
  evaluation.policy[0] = 3.0f;
  evaluation.policy[2] = std::numeric_limits<float>::quiet_NaN();
  tree.receive(evaluation);
  ASSERT_EQ(tree.root_moves().size(), 2u);
  EXPECT_EQ(tree.root_moves()[0].prior, 1.0f);
  EXPECT_EQ(tree.root_moves()[1].prior, 0.0f);
}

TEST(SearchTree, RefusesAValueThatIsNoNumberAndNamesThePosition) {
  SearchTree tree(with_simulations(1));
  const std::string text = "3/1x1/3 w";
  tree.reset(parse_position(text));
  tree.begin_move(std::nullopt);
  Position leaf;
  ASSERT_TRUE(tree.next_leaf(leaf));
  Evaluation evaluation;
  evaluation.wdl.win = std::numeric_limits<float>::quiet_NaN();
  try {
    tree.receive(evaluation);
    FAIL() << "a value that is no number was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailure);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos);
  }
}

std::vector<RootMove> moves_with_visits(const std::vector<std::int32_t>& visits) {
  std::vector<RootMove> moves(visits.size());
  for (std::size_t k = 0; k < visits.size(); ++k) {
    moves[k].move = Move::at(static_cast<int>(k));
    moves[k].visits = visits[k];
    moves[k].prior = 1.0f / static_cast<float>(visits.size());
  }
  return moves;
}

TEST(ChooseMove, TinyTemperaturesTakeTheMostVisitedMove) {
  const std::vector<RootMove> moves = moves_with_visits({3, 0, 900'000, 899'999});
  Random random(4, Stream::kTest, 0);
  for (const double temperature : {0.0, 1e-9, 1e-300, std::numeric_limits<double>::denorm_min()}) {
    for (int draw = 0; draw < 100; ++draw) {
      ASSERT_EQ(choose_move(moves, temperature, random).index(), 2) << temperature;
    }
  }
}

TEST(ChooseMove, TiesAtTemperatureZeroGoToTheHigherPriorThenTheFirst) {
  std::vector<RootMove> moves = moves_with_visits({1, 5, 5, 5});
  moves[2].prior = moves[3].prior = 0.5f;
  Random random(4, Stream::kTest, 0);
  EXPECT_EQ(choose_move(moves, 0.0, random).index(), 2);
}

TEST(ChooseMove, DrawsInProportionToThePowersOfTheVisits) {
  const std::vector<RootMove> moves = moves_with_visits({1, 0, 2, 4});
  constexpr int kDraws = 40'000;
  for (const double temperature : {0.5, 1.0, 2.0, std::numeric_limits<double>::infinity()}) {
    Random random(4, Stream::kTest, 1);
    std::array<int, 4> counts{};
    for (int draw = 0; draw < kDraws; ++draw) {
      ++counts[static_cast<std::size_t>(choose_move(moves, temperature, random).index())];
    }
    double total = 0.0;
    for (const RootMove& entry : moves)
      total += entry.visits > 0 ? std::pow(entry.visits, 1.0 / temperature) : 0.0;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const double expected =
          moves[k].visits > 0 ? std::pow(moves[k].visits, 1.0 / temperature) / total : 0.0;
      EXPECT_NEAR(counts[k] / static_cast<double>(kDraws), expected, 0.015) << temperature << " move " << k;
    }
    EXPECT_EQ(counts[1], 0) << "an unvisited move was drawn";
  }
}

TEST(ChooseMove, PriorsDecideWithoutVisits) {
  std::vector<RootMove> moves = moves_with_visits({0, 0, 0});
  moves[0].prior = 0.0f;
  moves[1].prior = 0.9f;
  moves[2].prior = 0.1f;
  Random random(4, Stream::kTest, 2);
  EXPECT_EQ(choose_move(moves, 0.0, random).index(), 1);
  std::array<int, 3> counts{};
  for (int draw = 0; draw < 2000; ++draw) {
    ++counts[static_cast<std::size_t>(choose_move(moves, 1.0, random).index())];
  }
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[2], 200, 60);
}

TEST(ChooseMove, OneMoveIsAlwaysChosen) {
  Random random(4, Stream::kTest, 3);
  for (const std::int32_t visits : {0, 1}) {
    for (const double temperature : {0.0, 1e-300, 1.0}) {
      EXPECT_EQ(choose_move(moves_with_visits({visits}), temperature, random).index(), 0);
    }
  }
}

}  // namespace
}  // namespace pahtum
