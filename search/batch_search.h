#pragma once

#include <span>

#include "search/evaluator.h"
#include "search/search_tree.h"

namespace pahtum {

// Runs every tree until its root has its visits: one leaf per tree and step, one evaluator batch per step. A
// batch goes out as soon as no tree can add to it, so nothing waits for a full one. begin_move() was called
// on each tree.
void run_searches(std::span<SearchTree* const> trees, Evaluator& evaluator);

}  // namespace pahtum
