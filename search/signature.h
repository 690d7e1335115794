#pragma once

#include <cstdint>

namespace pahtum {

// A hash over a fixed, seeded run of the program's behaviour: random games of several rules and reset modes
// in the batch environment (every buffer after every step), and searches of whole games with the uniform and
// the hash evaluator, in trees and in graphs with exact endings (visits, priors, values, chosen moves, policy
// targets). A change that should change no behaviour
// proves itself by leaving it as it was. Without networks, noise and the mathematical library beyond √ it is
// the same on every machine and for every instruction set. Takes well under a second; thread-safe.
[[nodiscard]] std::uint64_t behaviour_signature();

}  // namespace pahtum
