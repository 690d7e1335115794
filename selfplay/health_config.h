#pragma once

#include <cstdint>
#include <string>

#include "env/base/schema.h"

namespace pahtum {

// What is watched while a run trains and what happens when a limit is passed: the `health` section.
// Actions: "warn" goes on, "stop" ends the run with an error, "rollback" goes back to a checkpoint.
struct HealthConfig {
  std::string on_non_finite = "stop";
  std::string on_gradient = "warn";
  double gradient_ratio = 100.0;  // largest norm by the median of the steps before
  double gradient_limit = 1e6;    // largest norm at all
  std::string on_entropy = "warn";
  double search_entropy = 0.02;   // least mean entropy of searched policy targets, in nats
  double output_entropy = 0.005;  // least entropy of the network's policy, as a share of the largest possible
  std::string on_one_sided = "warn";
  double one_sided_share = 0.98;  // largest share of decisive games for one colour, surely passed
  std::string on_repeated = "warn";
  double distinct_share = 0.2;      // least share of games that were not played before
  std::int64_t fewest_games = 100;  // of an iteration that its games are judged by
  std::string on_stall = "stop";
  double stall_seconds = 900.0;
  double rollback_factor = 0.5;  // of the learning rate, once more for each rollback
  std::int64_t max_rollbacks = 3;
};
[[nodiscard]] Schema describe(HealthConfig& config);
// Whether any rule is to go back to a checkpoint.
[[nodiscard]] bool rolls_back(const HealthConfig& config) noexcept;

}  // namespace pahtum
