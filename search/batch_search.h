#pragma once

#include <span>

#include "search/search_tree.h"

namespace pahtum {

// Runs every tree until its root has its visits, one leaf per tree and step, one evaluator batch per step; a
// batch goes out as soon as no tree can add to it, so nothing ever waits for a full one. begin_move() was
// called on each tree; no tree appears twice. When the evaluator or a tree throws, the trees that wait for an
// evaluation must be reset() before they are used again. After `end` each tree ends as soon as next_leaf()
// lets it.
void run_searches(std::span<SearchTree* const> trees, Evaluator& evaluator,
                  const SearchTree::End& end = SearchTree::End());

}  // namespace pahtum
