#include "search/batch_search.h"

#include <vector>

namespace pahtum {

void run_searches(std::span<SearchTree* const> trees, Evaluator& evaluator, const SearchTree::End& end) {
  std::vector<SearchTree*> active(trees.begin(), trees.end());
  std::vector<Position> leaves(active.size());
  std::vector<Evaluation> evaluations(active.size());
  while (true) {
    std::size_t waiting = 0;
    for (SearchTree* const tree : active) {
      if (tree->next_leaf(leaves[waiting], end)) active[waiting++] = tree;
    }
    active.resize(waiting);
    if (waiting == 0) return;
    evaluator.evaluate(std::span(leaves).first(waiting), std::span(evaluations).first(waiting));
    for (std::size_t k = 0; k < waiting; ++k) active[k]->receive(evaluations[k]);
  }
}

}  // namespace pahtum
