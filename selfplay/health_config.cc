#include "selfplay/health_config.h"

#include <algorithm>
#include <vector>

namespace pahtum {

Schema describe(HealthConfig& config) {
  const std::vector<std::string> rules = {"warn", "stop", "rollback"};
  Schema schema(
      "health",
      "What is watched while a run trains, and what happens when a limit is passed. Every finding is logged "
      "and stands in the metrics. `warn`: go on. `stop`: end the run with an error; what the learner failed "
      "on is in `failed-batch.ckpt`. `rollback`: go back to the newest good checkpoint with a lower learning "
      "rate, and stop when that is used up.");
  schema
      .text("on_non_finite", &config.on_non_finite, {"stop", "rollback"},
            "When the loss, the gradient or an output of the network is not a finite number.")
      .text("on_gradient", &config.on_gradient, rules, "When the norm of the gradient explodes.")
      .real(
          "gradient_ratio", &config.gradient_ratio, 1.0, 1e12, "",
          "Largest norm of a step's gradient, before clipping, as a multiple of the median of the 128 steps "
          "before; the first 32 steps are not compared.")
      .real("gradient_limit", &config.gradient_limit, 1e-6, 1e12, "",
            "Largest norm of a step's gradient before clipping, whatever those before were.")
      .text("on_entropy", &config.on_entropy, rules, "When the policy collapses to single moves.")
      .real("search_entropy", &config.search_entropy, 0.0, 5.0, "nats",
            "Least mean entropy of an iteration's policy targets that come from a search, not from an exact "
            "solution; 0 allows any.")
      .real("output_entropy", &config.output_entropy, 0.0, 1.0, "",
            "Least mean entropy of the network's policy in the learner's samples, as a share of the largest "
            "that their legal moves allow; 0 allows any.")
      .text("on_one_sided", &config.on_one_sided, rules, "When one colour wins nearly every game.")
      .real("one_sided_share", &config.one_sided_share, 0.5, 1.0, "",
            "Largest share of an iteration's decisive games that one colour wins. It is passed when the low "
            "end of the share's 95 % interval is above; 1 allows any.")
      .text("on_repeated", &config.on_repeated, rules, "When self-play repeats itself.")
      .real("distinct_share", &config.distinct_share, 0.0, 1.0, "",
            "Least share of an iteration's games that no other game in the replay window equals; 0 allows "
            "any.")
      .integer("fewest_games", &config.fewest_games, 1, 10'000'000, "games",
               "An iteration with fewer games (for `one_sided_share` fewer decisive ones) is not judged by "
               "them.")
      .text("on_stall", &config.on_stall, {"warn", "stop"}, "When self-play produces nothing any more.")
      .real("stall_seconds", &config.stall_seconds, 0.02, 1e7, "seconds",
            "Longest time in which self-play finishes no evaluation, no move and no game.")
      .real("rollback_factor", &config.rollback_factor, 0.001, 1.0, "",
            "Each rollback multiplies the learning rate of all steps to come with this.")
      .integer("max_rollbacks", &config.max_rollbacks, 0, 1000, "rollbacks",
               "Rollbacks of the whole run; where one more is called for, the run stops.");
  return schema;
}

bool rolls_back(const HealthConfig& config) noexcept {
  const auto rules = {&config.on_non_finite, &config.on_gradient, &config.on_entropy, &config.on_one_sided,
                      &config.on_repeated};
  return std::ranges::any_of(rules, [](const std::string* rule) { return *rule == "rollback"; });
}

}  // namespace pahtum
