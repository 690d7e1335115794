#include <gtest/gtest.h>

#include <map>
#include <string>

#include "env/game_rules.h"
#include "search/batch_search.h"
#include "search/search_tree.h"
#include "tests/search/naive_graph.h"
#include "tests/search/search_steps.h"

namespace pahtum {
namespace {

SearchConfig graph_config(std::int64_t simulations, bool graph = true) {
  SearchConfig config;
  config.simulations = simulations;
  config.graph = graph;
  return config;
}

class CountingEvaluator final : public Evaluator {
 public:
  explicit CountingEvaluator(Evaluator& inner) : inner_(inner) {}
  void evaluate(std::span<const Position> positions, std::span<Evaluation> evaluations) override {
    for (const Position& position : positions) ++asked[to_text(position)];
    inner_.evaluate(positions, evaluations);
  }
  std::map<std::string, int> asked;

 private:
  Evaluator& inner_;
};

// Every node's visits, edges and place in the graph are consistent with each other.
void expect_sound(const SearchTree& tree) {
  const SearchGraph& graph = tree.graph();
  std::map<std::string, int> seen;
  for (std::uint32_t number = 0; number < graph.size(); ++number) {
    const GraphNode& node = graph[number];
    const Position position = graph.position(number);
    ASSERT_EQ(++seen[to_text(position)], 1) << "two nodes of " << to_text(position);
    ASSERT_EQ(graph.find(position), number);
    if (position.over()) {
      ASSERT_EQ(node.move_count, 0);
      continue;
    }
    ASSERT_EQ(node.move_count, legal_count(position));
    int visits = 1;
    const GraphEdges edges = graph.edges(number);
    std::size_t slot = 0;
    for (int k = 0; k < legal_count(position); ++k) {
      if (((edges.visited() >> k) & 1) == 0) continue;
      visits += edges.visits[slot];
      ASSERT_GT(edges.visits[slot], 0);
      const std::uint32_t child = edges.children[slot];
      ASSERT_EQ(graph.position(child), after(position, nth_legal(position, k))) << to_text(position);
      if (graph[child].move_count > 0) {
        ASSERT_LE(edges.visits[slot], graph[child].visits);
      }
      ++slot;
    }
    ASSERT_EQ(slot, edges.children.size());
    ASSERT_EQ(node.visits, visits) << to_text(position);
  }
}

class GraphTwinTest : public testing::TestWithParam<const char*> {};

// Whole games with reuse: the same nodes, with the same visits of every edge and the same values.
TEST_P(GraphTwinTest, EveryNodeEqualsThatOfTheNaiveGraph) {
  const Position start = parse_position(GetParam());
  for (const std::int64_t simulations : {1, 30, 400}) {
    SearchConfig config = graph_config(simulations);
    config.cpuct = 1.25;
    HashEvaluator evaluator;
    SearchTree tree(config);
    naive::GraphPuct twin(config, evaluator, start);
    tree.reset(start);
    while (true) {
      tree.begin_move(std::nullopt);
      search(tree, evaluator);
      twin.search();
      expect_sound(tree);
      const SearchGraph& graph = tree.graph();
      ASSERT_EQ(graph.size(), twin.size()) << to_text(tree.root());
      for (std::uint32_t number = 0; number < graph.size(); ++number) {
        const Position position = graph.position(number);
        const naive::GraphPuct::Node& expected = twin.node(position);
        if (position.over()) continue;
        ASSERT_EQ(graph[number].visits, expected.visits) << to_text(position);
        ASSERT_NEAR(graph[number].sign() * graph[number].white_value, expected.value, 1e-12);
        const GraphEdges edges = graph.edges(number);
        for (std::size_t k = 0; k < expected.edge_visits.size(); ++k) {
          ASSERT_EQ(graph.priors(number)[k], static_cast<float>(expected.priors[k]));
          const bool visited = ((edges.visited() >> k) & 1) != 0;
          ASSERT_EQ(visited ? edges.visits[edges.slot(k)] : 0, expected.edge_visits[k])
              << to_text(position) << " edge " << k;
        }
      }
      const Move move = most_visited(tree);
      if (after(tree.root(), move).over()) break;
      tree.advance(move);
      twin.advance(move);
      expect_sound(tree);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, GraphTwinTest,
                         testing::Values("3/1x1/3 w", "1x2/4/2x1/4 b", "5/1x3/3x1/5/x4 w",
                                         "4/4/4/4 b place=4", "3/3/3 w open=2", "3/3/3 w open=0",
                                         "4/4/2w1/4 b swap", "3/3/3 b place=2 swap"));

TEST(GraphSearch, EvaluatesEveryPositionOnceWhereATreeAsksAgain) {
  HashEvaluator hashed;
  const Position root = parse_position("1x2/4/2x1/1xx1 w");
  std::map<bool, std::size_t> evaluations;
  for (const bool graph : {true, false}) {
    CountingEvaluator evaluator(hashed);
    SearchTree tree(graph_config(2000, graph));
    tree.reset(root);
    tree.begin_move(std::nullopt);
    search(tree, evaluator);
    EXPECT_EQ(tree.root_visits(), 2000);
    int most = 0;
    for (const auto& [text, count] : evaluator.asked) {
      most = std::max(most, count);
      evaluations[graph] += static_cast<std::size_t>(count);
    }
    if (graph) {
      EXPECT_EQ(most, 1);
    } else {
      EXPECT_GT(most, 1);
    }
  }
  EXPECT_LT(evaluations[true], evaluations[false]);
}

// Three empty squares: any two of White's stones can come in either order. Values worked out by hand.
//
// A uniform evaluator, cpuct 2, no first-play reduction; the root R has moves a, b, c. R alone: value 0,
// every score 0 + 2 · ⅓ · √1 = ⅔, so simulation 1 takes a (evaluated 0), 2 takes b (scores: a ⅓ · 2 · √2 / 2
// = 0.471, b 0.943), 3 takes c. Simulation 4: all scores equal 2 · ⅓ · √4 / 2 = ⅔, a again: below it Black's
// first free square b, then 5 goes to b, where Black takes a, and 6 to c, where Black takes a. These three
// are different positions, since Black's stone lies elsewhere each time: seven nodes. The positions after
// three stones are over: white a and c, black b comes from a-b-c and c-b-a and is one node.
TEST(GraphSearch, HandWorkedGraphOfThreeSquares) {
  SearchConfig config = graph_config(6);
  config.cpuct = 2.0;
  config.fpu_reduction = 0.0;
  UniformEvaluator evaluator;
  SearchTree tree(config);
  tree.reset(parse_position("3/xxx/xxx w"));
  tree.begin_move(std::nullopt);
  search(tree, evaluator);
  EXPECT_EQ(tree.graph().size(), 7u);
  for (const RootMove& move : tree.root_moves()) {
    EXPECT_EQ(move.visits, 2);
    EXPECT_EQ(move.value, Value(0.0f));
  }
  EXPECT_EQ(tree.root_value(), Value(0.0f));
}

// The child of one path is used by another: after w a1, b c1, w b1 and w b1, b c1, w a1 the position is the
// same one. Searched long enough, edges that lead to it share its value and its evaluation, and a mean is
// that of own evaluation and children, (U + Σ n · Q) / N, at every node.
TEST(GraphSearch, ValuesAreTheMeansOfTheirEdges) {
  HashEvaluator evaluator;
  SearchTree tree(graph_config(700));
  tree.reset(parse_position("3/1x1/1xx w"));
  tree.begin_move(std::nullopt);
  search(tree, evaluator);
  expect_sound(tree);
  const SearchGraph& graph = tree.graph();
  const std::uint32_t root = graph.find(tree.root());
  double sum = static_cast<double>(graph[root].own);
  const GraphEdges edges = graph.edges(root);
  for (std::size_t k = 0; k < edges.children.size(); ++k) {
    sum += edges.visits[k] * graph[edges.children[k]].white_value;
  }
  EXPECT_NEAR(graph[root].white_value, sum / graph[root].visits, 1e-12);
}

TEST(GraphSearch, AgreesWithExhaustiveSearchNearTheEnd) {
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
      SearchTree tree(graph_config(20'000));
      tree.reset(position);
      tree.begin_move(std::nullopt);
      search(tree, evaluator);
      EXPECT_NEAR(tree.root_value().get(), Value(truth).get(), 0.05f) << to_text(position);
      EXPECT_EQ(naive::outcome_after(position, most_visited(tree)), truth) << to_text(position);
    }
  }
  EXPECT_EQ(seen.size(), 3u) << "the sample has no win, no draw or no loss";
}

// From the empty board of the standard game, at every moment of a search and of the move after it.
TEST(GraphSearch, EightHundredSimulationsFitInto300Kilobytes) {
  UniformEvaluator evaluator;
  SearchTree tree(graph_config(800));
  tree.reset(start_position({.size = 7, .holes = 5}, 3, Stream::kTest, 0));
  std::size_t peak = 0;
  for (int ply = 0; ply < 2; ++ply) {
    tree.begin_move(std::nullopt);
    Position leaf;
    while (tree.next_leaf(leaf)) {
      tree.receive(naive::evaluate(evaluator, leaf));
      peak = std::max(peak, tree.memory_bytes());
    }
    tree.advance(most_visited(tree));
    peak = std::max(peak, tree.memory_bytes());
  }
  EXPECT_LE(peak, 300'000u);
}

TEST(GraphSearch, MemoryStaysWhereTheFirstGamesLeftIt) {
  HashEvaluator evaluator;
  SearchTree tree(graph_config(300));
  const auto play = [&] {
    tree.reset(parse_position("5/1x3/5/3x1/x4 w"));
    while (true) {
      tree.begin_move(std::nullopt);
      search(tree, evaluator);
      ASSERT_LE(tree.graph().size(), 301u);
      const Move move = most_visited(tree);
      if (after(tree.root(), move).over()) return;
      tree.advance(move);
    }
  };
  play();
  const std::size_t warm = tree.memory_bytes();
  for (int game = 0; game < 5; ++game) play();
  EXPECT_EQ(tree.memory_bytes(), warm);
}

TEST(GraphSearch, PositionsThatDifferInAnythingAreNeverOneNode) {
  const Position first = parse_position("4/4/4/4 w open=2");
  SearchGraph graph(true, 3000);
  graph.clear(first);
  std::vector<Position> positions;
  for (const char* text :
       {"4/4/4/4 w open=2", "4/4/4/4 w open=1", "4/4/4/4 w open=0", "4/4/4/4 b open=2", "4/4/4/4 w",
        "4/4/4/4 b", "4/4/4/4 w place=2", "4/4/4/4 w place=2 swap", "4/4/4/4 b place=2", "x3/4/4/4 w",
        "w3/4/4/4 w", "b3/4/4/4 w", "w3/4/4/4 b", "w3/4/4/4 b swap", "w3/4/4/4 w swap", "1x2/4/4/4 w"}) {
    positions.push_back(parse_position(text));
  }
  // Many more than buckets, so that chains form.
  Random random(3, Stream::kTest, 0);
  for (int game = 0; game < 2000; ++game) {
    const Position position =
        naive::random_position(parse_position("4/4/4/4 b place=3"), 1 + game % 12, random);
    if (std::find(positions.begin(), positions.end(), position) == positions.end())
      positions.push_back(position);
  }
  for (const Position& position : positions) {
    EXPECT_EQ(graph.find(position), SearchGraph::kNone) << to_text(position);
    graph.add(position, SearchGraph::key(position), 0, SearchGraph::kNone);
  }
  for (std::uint32_t k = 0; k < positions.size(); ++k) {
    EXPECT_EQ(graph.find(positions[k]), k) << to_text(positions[k]);
    EXPECT_EQ(graph.position(k), positions[k]);
  }
}

}  // namespace
}  // namespace pahtum
