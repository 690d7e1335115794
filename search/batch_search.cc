#include "search/batch_search.h"

#include <vector>

namespace pahtum {

void run_searches(std::span<SearchTree* const> trees, Evaluator& evaluator) {
  std::vector<SearchTree*> active(trees.begin(), trees.end());
  std::vector<SearchTree*> waiting;
  std::vector<Position> leaves;
  std::vector<Evaluation> evaluations;
  while (!active.empty()) {
    waiting.clear();
    leaves.clear();
    for (SearchTree* tree : active) {
      Position leaf;
      if (!tree->next_leaf(leaf)) continue;
      waiting.push_back(tree);
      leaves.push_back(leaf);
    }
    evaluations.resize(leaves.size());
    evaluator.evaluate(leaves, evaluations);
    for (std::size_t k = 0; k < waiting.size(); ++k) waiting[k]->receive(evaluations[k]);
    active.swap(waiting);
  }
}

}  // namespace pahtum
