#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "env/base/schema.h"
#include "eval/arena.h"
#include "eval/sprt.h"

namespace pahtum {

// Which network plays the games that are learned from: the `gate` section. After every iteration with
// learner steps the new network, the candidate, may have to prove itself in a match against the one that
// plays.
struct GateConfig {
  // none: the newest network plays, without a match. always: it plays whatever the match says. sprt: it plays
  // when a sequential test accepts it; otherwise the games go on with the one before.
  std::string mode = "none";
  std::int64_t pairs = 100;  // of the match; with sprt at most
  // The test accepts a candidate as stronger by elo1 rather than elo0, with `error` the chance of either
  // mistake.
  double elo0 = 0;
  double elo1 = 30;
  double error = 0.05;
  std::string at_limit = "accept";  // what counts when the pairs have decided nothing: accept or reject
};
[[nodiscard]] Schema describe(GateConfig& config);

// Throws a kRequest Error that names the key at fault (gate.elo1).
void validate(const GateConfig& config);

[[nodiscard]] bool has_matches(const GateConfig& gate) noexcept;

// Number of the first layout of the match after `iteration`: each match has layouts of its own, and none that
// an evaluation of fewer than four thousand million pairs uses.
[[nodiscard]] std::uint64_t gate_layout(const GateConfig& gate, std::int64_t iteration) noexcept;

// The test that `match` is stopped by; nothing without one.
[[nodiscard]] std::optional<SprtConfig> gate_test(const GateConfig& gate);

// Whether the candidate, the first player of `match`, plays from now on.
[[nodiscard]] bool passes(const GateConfig& gate, const MatchResult& match) noexcept;

// The `gate` field of a metrics row, see docs/formats.md: of the match between the networks after iterations
// `candidate` and `playing`.
[[nodiscard]] nlohmann::json gate_json(const GateConfig& gate, std::int64_t candidate, std::int64_t playing,
                                       const MatchResult& match);

}  // namespace pahtum
