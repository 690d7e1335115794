#pragma once

#include <cstdint>

namespace pahtum {

// A hash over the records of a fixed, seeded self-play run: several slots, random openings, graphs and exact
// endings, the hash evaluator, most visited moves. With behaviour_signature() (search/signature.h) it shows
// that a change left self-play as it was; like that one it is the same on every machine.
[[nodiscard]] std::uint64_t selfplay_signature();

}  // namespace pahtum
