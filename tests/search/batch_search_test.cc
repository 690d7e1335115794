#include "search/batch_search.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "env/game_rules.h"

namespace pahtum {
namespace {

// Passes on to the hash evaluator and remembers how large the batches were.
class BatchRecorder final : public Evaluator {
 public:
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override {
    batches.push_back(positions.size());
    inner_.evaluate(positions, evaluations);
  }
  std::vector<std::size_t> batches;

 private:
  HashEvaluator inner_;
};

std::vector<SearchTree> trees_on_random_boards(int count) {
  std::vector<SearchTree> trees;
  for (int k = 0; k < count; ++k) {
    SearchConfig config;
    config.simulations = 1 + k % 30;
    trees.emplace_back(config).reset(
        start_position({.size = 5, .holes = 3}, 8, Stream::kTest, static_cast<std::uint64_t>(k)));
    trees.back().begin_move(std::nullopt);
  }
  return trees;
}

std::vector<SearchTree*> pointers(std::vector<SearchTree>& trees) {
  std::vector<SearchTree*> result;
  result.reserve(trees.size());
  for (SearchTree& tree : trees) result.push_back(&tree);
  return result;
}

TEST(RunSearches, ManyTreesAtOnceSearchAsEachAlone) {
  for (const int count : {1, 2, 256}) {
    std::vector<SearchTree> together = trees_on_random_boards(count);
    BatchRecorder evaluator;
    run_searches(pointers(together), evaluator);
    ASSERT_FALSE(evaluator.batches.empty());
    EXPECT_EQ(evaluator.batches.front(), static_cast<std::size_t>(count)) << "every tree has a leaf at first";
    for (const std::size_t batch : evaluator.batches) EXPECT_GT(batch, 0u);

    std::vector<SearchTree> alone = trees_on_random_boards(count);
    for (std::size_t k = 0; k < alone.size(); ++k) {
      SearchTree* const tree[] = {&alone[k]};
      run_searches(tree, evaluator);
      ASSERT_EQ(alone[k].root_visits(), 1 + static_cast<int>(k) % 30);
      ASSERT_EQ(together[k].root_visits(), alone[k].root_visits());
      const std::vector<RootMove> expected(alone[k].root_moves().begin(), alone[k].root_moves().end());
      const auto moves = together[k].root_moves();
      for (std::size_t m = 0; m < expected.size(); ++m) {
        ASSERT_EQ(moves[m].visits, expected[m].visits);
        ASSERT_EQ(moves[m].value, expected[m].value);
      }
    }
  }
}

TEST(RunSearches, NoTreesAreNoWork) {
  BatchRecorder evaluator;
  run_searches({}, evaluator);
  EXPECT_TRUE(evaluator.batches.empty());
}

TEST(RunSearches, TreesThatAreDoneAreLeftAlone) {
  BatchRecorder evaluator;
  std::vector<SearchTree> trees = trees_on_random_boards(3);
  run_searches(pointers(trees), evaluator);
  evaluator.batches.clear();
  run_searches(pointers(trees), evaluator);
  EXPECT_TRUE(evaluator.batches.empty());
}

TEST(RunSearches, AfterTheDeadlineEveryTreeEndsWithItsFirstVisit) {
  std::vector<SearchTree> trees = trees_on_random_boards(30);
  HashEvaluator evaluator;
  run_searches(pointers(trees), evaluator, SearchTree::Clock::time_point::min());
  for (const SearchTree& tree : trees) {
    EXPECT_EQ(tree.root_visits(), 1);
    Random random(1, Stream::kTest, 0);
    EXPECT_TRUE(is_legal(tree.root(), tree.choose(0.0, random)));
  }
}

TEST(RunSearches, TheDeadlineEndsSearchesThatNeedNoMoreEvaluations) {
  // With two squares left everything is visited after some simulations; so many more would take minutes.
  Position position = start_position({.size = 3, .holes = 1}, 8, Stream::kTest, 0);
  while (position.empty_count() > 2) apply(position, nth_legal(position, 0));
  SearchConfig config;
  config.simulations = 2'000'000'000;
  SearchTree tree(config);
  tree.reset(position);
  tree.begin_move(std::nullopt);
  HashEvaluator evaluator;
  SearchTree* const pointer = &tree;
  run_searches({&pointer, 1}, evaluator, SearchTree::Clock::now() + std::chrono::milliseconds(10));
  EXPECT_GT(tree.root_visits(), 0);
  EXPECT_LT(tree.root_visits(), config.simulations);
}

}  // namespace
}  // namespace pahtum
