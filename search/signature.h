#pragma once

#include <cstdint>

namespace pahtum {

// A hash over a fixed seeded run of games in the batch environment and of searches with the uniform and the
// hash evaluator: boards, scores, visit counts, values and chosen moves. A refactoring that changes no
// behaviour leaves it as it is. The same on every machine and instruction set; takes well under a second.
[[nodiscard]] std::uint64_t behaviour_signature();

}  // namespace pahtum
