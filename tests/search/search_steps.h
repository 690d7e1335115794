#pragma once

#include "env/base/random.h"
#include "env/position.h"
#include "search/batch_search.h"
#include "search/search_tree.h"

namespace pahtum {

inline void search(SearchTree& tree, Evaluator& evaluator) {
  SearchTree* const trees[] = {&tree};
  run_searches(trees, evaluator);
}

inline Move most_visited(const SearchTree& tree) {
  Random random(0, Stream::kTest, 0);
  return choose_move(tree.root_moves(), 0.0, random);
}

}  // namespace pahtum
