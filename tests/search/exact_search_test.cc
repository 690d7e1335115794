#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "env/game_config.h"
#include "env/game_rules.h"
#include "search/batch_search.h"
#include "search/search_tree.h"
#include "search/solver.h"
#include "tests/search/naive_search.h"
#include "tests/search/search_steps.h"

namespace pahtum {
namespace {

constexpr std::size_t kTableBytes = std::size_t{1} << 20;

SearchConfig exact_config(std::int64_t simulations, std::int64_t leaf, std::int64_t root, bool graph = true) {
  SearchConfig config;
  config.simulations = simulations;
  config.exact_leaf = leaf;
  config.exact_root = root;
  config.graph = graph;
  return config;
}

// Remembers how small the positions were that it was asked about.
class WatchedEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override {
    for (const Position& position : positions) {
      fewest = std::min(fewest, position.empty_count());
      ++asked;
    }
    inner_.evaluate(positions, evaluations);
  }
  int fewest = kMaxSquares;
  int asked = 0;

 private:
  HashEvaluator inner_;
};

void begin_and_search(SearchTree& tree, Evaluator& evaluator) {
  tree.begin_move(std::nullopt);
  search(tree, evaluator);
}

Move chosen(const SearchTree& tree, double temperature = 0.0) {
  Random random(0, Stream::kTest, 0);
  return choose_move(tree.root_moves(), temperature, random);
}

// Exact utility for the mover by trying everything.
double best_utility(const Position& position, Objective objective) {
  if (position.over()) {
    return objective == Objective::kMargin ? margin_utility(static_cast<double>(position.margin()))
                                           : static_cast<double>(outcome(position));
  }
  double best = -2.0;
  for (const Move move : naive::legal_moves(position)) {
    const Position next = after(position, move);
    const double result = best_utility(next, objective);
    best = std::max(best, next.mover == position.mover ? result : -result);
  }
  return best;
}

std::vector<Position> small_positions(int count, int empty) {
  std::vector<Position> positions;
  Random random(5, Stream::kTest, 0);
  for (int game = 0; game < count; ++game) {
    positions.push_back(
        naive::random_position(start_position({.size = 4, .holes = 3, .unequal_stones = true}, 5,
                                              Stream::kTest, static_cast<std::uint64_t>(game)),
                               empty, random));
  }
  for (const char* text : {"2x/1w1/xx1 b swap", "xxx/3/xxx w open=1", "3/xxx/xx1 b place=1"})
    positions.push_back(parse_position(text));
  return positions;
}

TEST(ExactSearch, WhatIsProvenIsTheTruth) {
  Solver solver(kTableBytes);
  for (const Objective objective : {Objective::kOutcome, Objective::kMargin}) {
    for (const bool graph : {true, false}) {
      for (const std::int64_t leaf : {1, 3}) {
        int proven = 0;
        for (const Position& position : small_positions(20, 5)) {
          HashEvaluator evaluator;
          SearchTree tree(exact_config(2000, leaf, 0, graph), objective);
          tree.use_solver(&solver);
          tree.reset(position);
          begin_and_search(tree, evaluator);
          const double truth = best_utility(position, objective);
          for (const RootMove& entry : tree.root_moves()) {
            const Position next = after(position, entry.move);
            const double result = (next.mover == position.mover ? 1.0 : -1.0) * best_utility(next, objective);
            EXPECT_LE(static_cast<double>(entry.lower.get()), result + 1e-6) << to_text(position);
            EXPECT_GE(static_cast<double>(entry.upper.get()), result - 1e-6) << to_text(position);
            if (entry.exact()) {
              EXPECT_NEAR(static_cast<double>(entry.value.get()), result, 1e-6) << to_text(position);
            }
          }
          if (!tree.root_proven()) continue;
          ++proven;
          EXPECT_NEAR(static_cast<double>(tree.root_value().get()), truth, 1e-6) << to_text(position);
          const Position next = after(position, chosen(tree, 1.0));
          const double sign = next.mover == position.mover ? 1.0 : -1.0;
          EXPECT_NEAR(sign * best_utility(next, objective), truth, 1e-6) << to_text(position);
        }
        EXPECT_GE(proven, 5) << "hardly a position was proven within the simulations";
      }
    }
  }
}

TEST(ExactSearch, ASolvedRootIsNotSearchedAndKnowsTheBestMoves) {
  Solver solver(kTableBytes);
  for (const Position& position : small_positions(12, 6)) {
    WatchedEvaluator evaluator;
    SearchTree tree(exact_config(50, 0, 6));
    tree.use_solver(&solver);
    tree.reset(position);
    begin_and_search(tree, evaluator);
    EXPECT_EQ(evaluator.asked, 0);
    ASSERT_TRUE(tree.root_proven());
    EXPECT_EQ(tree.root_value(), Value(naive::negamax(position)));
    const auto moves = tree.root_moves();
    ASSERT_EQ(moves.size(), static_cast<std::size_t>(legal_count(position)));
    for (const RootMove& entry : moves) {
      const Value truth(naive::outcome_after(position, entry.move));
      if (entry.exact()) {
        EXPECT_EQ(entry.value, truth) << to_text(position);
      }
      EXPECT_GE(entry.upper, truth) << to_text(position);
      EXPECT_EQ(entry.upper == tree.root_value(), truth == tree.root_value()) << to_text(position);
    }
    EXPECT_EQ(naive::outcome_after(position, chosen(tree, 10.0)), naive::negamax(position));
  }
}

TEST(ExactSearch, WithoutConvexPointsOnlySmallerPositionsAreSolved) {
  Solver solver(kTableBytes);
  const auto solved = [&](const char* points, const std::string& text) {
    Position position = parse_position(text);
    position.run_points = parse_run_points(points);
    SearchTree tree(exact_config(2, 12, 12));
    tree.use_solver(&solver);
    tree.reset(position);
    HashEvaluator evaluator;
    begin_and_search(tree, evaluator);
    return tree.root_proven();
  };
  const std::string eleven = "4/3x/3x/1xxx w";
  const std::string ten = "4/3x/3x/xxxx w";
  EXPECT_TRUE(solved("0,0,3,10,25,56,119,246", eleven));
  EXPECT_FALSE(solved("0,5,1,1,1,1,1,1", eleven));
  EXPECT_TRUE(solved("0,5,1,1,1,1,1,1", ten));
}

TEST(ExactSearch, TheEvaluatorIsNotAskedWhereTheTruthIsCheap) {
  Solver solver(kTableBytes);
  for (const bool graph : {true, false}) {
    WatchedEvaluator evaluator;
    SearchTree tree(exact_config(200, 5, 7, graph));
    tree.use_solver(&solver);
    tree.reset(parse_position("4/1x2/4/1xx1 w"));
    while (true) {
      begin_and_search(tree, evaluator);
      const Move move = chosen(tree);
      if (after(tree.root(), move).over()) break;
      tree.advance(move);
    }
    EXPECT_GT(evaluator.asked, 0);
    EXPECT_GE(evaluator.fewest, 6);
  }
}

TEST(ExactSearch, StopsWhenTheRootIsProven) {
  Solver solver(kTableBytes);
  HashEvaluator evaluator;
  SearchTree tree(exact_config(100'000, 2, 0));
  tree.use_solver(&solver);
  tree.reset(parse_position("ww1/bxb/1xx w"));
  begin_and_search(tree, evaluator);
  EXPECT_TRUE(tree.root_proven());
  EXPECT_LT(tree.root_visits(), 10);
  EXPECT_EQ(tree.root_value(), Value(1.0f));
  EXPECT_EQ(to_text(chosen(tree), 3), "c3");
  Position leaf;
  EXPECT_FALSE(tree.next_leaf(leaf));
}

TEST(ExactSearch, WithoutASolverNothingIsSolved) {
  for (const bool graph : {true, false}) {
    const Position root = parse_position("2x/1w1/xx1 b");
    HashEvaluator evaluator;
    SearchTree with(exact_config(300, 8, 8, graph));
    SearchTree without(exact_config(300, 0, 0, graph));
    Solver solver(kTableBytes);
    without.use_solver(&solver);
    for (SearchTree* const tree : {&with, &without}) {
      tree->reset(root);
      begin_and_search(*tree, evaluator);
      EXPECT_EQ(tree->root_visits(), 300);
      EXPECT_FALSE(tree->root_proven());
    }
    for (std::size_t k = 0; k < with.root_moves().size(); ++k) {
      EXPECT_EQ(with.root_moves()[k].visits, without.root_moves()[k].visits);
      EXPECT_EQ(with.root_moves()[k].value, without.root_moves()[k].value);
      EXPECT_FALSE(with.root_moves()[k].exact());
    }
  }
}

TEST(ExactSearch, AdvanceToASolvedLeafGoesOn) {
  Solver solver(kTableBytes);
  HashEvaluator evaluator;
  SearchTree tree(exact_config(40, 6, 0));
  tree.use_solver(&solver);
  tree.reset(parse_position("3/1xx/1x1 w"));
  int moves = 0;
  while (true) {
    begin_and_search(tree, evaluator);
    ASSERT_FALSE(tree.root_moves().empty());
    const Move move = chosen(tree);
    ++moves;
    if (after(tree.root(), move).over()) break;
    tree.advance(move);
  }
  EXPECT_EQ(moves, 6);
}

RootMove root_move(int square, std::int32_t visits, float lower, float upper) {
  RootMove move;
  move.move = Move::at(square);
  move.visits = visits;
  move.prior = 0.25f;
  move.lower = Value(lower);
  move.upper = Value(upper);
  return move;
}

TEST(ExactSearch, ProvenMovesDecideWhatIsChosen) {
  Random random(1, Stream::kTest, 0);
  const std::vector<RootMove> lost = {root_move(0, 90, -1.0f, -1.0f), root_move(1, 1, 0.0f, 0.0f),
                                      root_move(2, 3, -1.0f, 1.0f)};
  const std::vector<RootMove> won = {root_move(0, 90, -1.0f, 1.0f), root_move(1, 0, 1.0f, 1.0f)};
  const std::vector<RootMove> all_lost = {root_move(0, 1, -1.0f, -1.0f), root_move(1, 5, -1.0f, -1.0f)};
  std::map<int, int> drawn;
  for (int k = 0; k < 200; ++k) ++drawn[choose_move(lost, 1.0, random).index()];
  EXPECT_FALSE(drawn.contains(0));
  EXPECT_TRUE(drawn.contains(1));
  EXPECT_TRUE(drawn.contains(2));
  for (const double temperature : {0.0, 1.0, 100.0}) {
    EXPECT_EQ(choose_move(won, temperature, random).index(), 1);
  }
  EXPECT_EQ(choose_move(all_lost, 0.0, random).index(), 1);
}

}  // namespace
}  // namespace pahtum
