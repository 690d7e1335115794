#include "selfplay/gate.h"

#include "env/base/error.h"

namespace pahtum {

Schema describe(GateConfig& config) {
  Schema schema("gate",
                "Which network plays the games that are learned from: the newest, or the newest that has "
                "proved itself in a match against the one before.");
  schema
      .text(
          "mode", &config.mode, {"none", "always", "sprt"},
          "`none`: the newest network plays at once. `sprt`: it must pass a sequential test against the one "
          "that plays; until one passes, games go on with that. `always`: the match is played and kept in "
          "the metrics, and the newest network plays whatever its result.")
      .integer("pairs", &config.pairs, 1, 1'000'000, "pairs",
               "Pairs of games of a match; with `sprt` the most before `at_limit` decides.")
      .real("elo0", &config.elo0, -1000, 1000, "Elo",
            "A candidate that is stronger by no more than this should not pass.")
      .real("elo1", &config.elo1, -1000, 1000, "Elo", "A candidate that is stronger by this should pass.")
      .real("error", &config.error, 0.0001, 0.4999, "",
            "Chance of a wrong decision at either difference in strength.")
      .text("at_limit", &config.at_limit, {"accept", "reject"},
            "What happens to a candidate when the pairs are played and nothing is decided.");
  return schema;
}

bool has_matches(const GateConfig& gate) noexcept {
  return gate.mode != "none";
}

std::uint64_t gate_layout(const GateConfig& gate, std::int64_t iteration) noexcept {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 32;
  return kFirst + static_cast<std::uint64_t>(iteration) * static_cast<std::uint64_t>(gate.pairs);
}

std::optional<SprtConfig> gate_test(const GateConfig& gate) {
  if (gate.mode != "sprt") return std::nullopt;
  SprtConfig test;
  test.elo0 = gate.elo0;
  test.elo1 = gate.elo1;
  test.alpha = gate.error;
  test.beta = gate.error;
  test.at_limit = gate.at_limit == "accept" ? SprtVerdict::kAccept : SprtVerdict::kReject;
  return test;
}

void validate(const GateConfig& config) {
  const auto test = gate_test(config);
  if (!test || test->elo0 < test->elo1) return;
  throw request_error("gate.elo1",
                      "must be greater than gate.elo0, and a candidate cannot be told from another "
                      "otherwise; leave a difference of 10 or more");
}

bool passes(const GateConfig& gate, const MatchResult& match) noexcept {
  return gate.mode != "sprt" || (match.sprt && match.sprt->verdict == SprtVerdict::kAccept);
}

nlohmann::json gate_json(const GateConfig& gate, std::int64_t candidate, std::int64_t playing,
                         const MatchResult& match) {
  nlohmann::json row{{"candidate", candidate},         {"against", playing},
                     {"pairs", match.pairs},           {"score", match.total.score()},
                     {"score_low", match.score_low},   {"score_high", match.score_high},
                     {"accepted", passes(gate, match)}};
  if (match.sprt) {
    row["llr"] = match.sprt->llr;
    row["at_limit"] = match.sprt->at_limit;
  }
  return row;
}

}  // namespace pahtum
