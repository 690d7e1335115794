#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "selfplay/event_file.h"
#include "selfplay/game_record.h"

namespace pahtum {

// Distributions over the games of one iteration, as TensorBoard shows them.
class GameHistograms {
 public:
  void add(const GameRecord& game);
  // Tags results/margin (final, in points for White), selfplay/root_value (what the search expected, for the
  // mover) and selfplay/policy_entropy (of policy targets, in nats); those that hold nothing are left out.
  [[nodiscard]] std::vector<EventValue> values() const;
  // Mean entropy of the policy targets that a search made, without an exact solution, in nats; nothing when
  // there are none.
  [[nodiscard]] std::optional<double> search_entropy() const noexcept;

 private:
  Histogram margins_{-100, 100, 50};
  Histogram root_values_{-1, 1, 40};
  Histogram entropies_{0, 4.2, 42};  // 65 equally likely moves have ln 65 = 4.17
  std::int64_t searched_ = 0;
  double searched_entropy_ = 0;  // sum
};

// The numbers of a metrics row (docs/formats.md) under the tags that docs/formats.md lists beside its fields;
// what a row does not have is left out.
[[nodiscard]] std::vector<EventValue> scalar_events(const nlohmann::json& row);

}  // namespace pahtum
