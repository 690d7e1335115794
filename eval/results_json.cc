#include "eval/results_json.h"

#include <utility>

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;

Json by_colour(const WinDrawLoss& results) {
  return {{"wins", results.wins}, {"draws", results.draws}, {"losses", results.losses}};
}

}  // namespace

Json match_json(const MatchResult& result) {
  return {{"first", result.first},
          {"second", result.second},
          {"pairs", result.pairs},
          {"wins", result.total.wins},
          {"draws", result.total.draws},
          {"losses", result.total.losses},
          {"score", result.total.score()},
          {"elo", result.elo},
          {"elo_low", result.elo_low},
          {"elo_high", result.elo_high},
          {"distinct_games", result.distinct_games},
          {"sprt", nullptr},
          {"by_colour", {{"white", by_colour(result.as_white)}, {"black", by_colour(result.as_black)}}}};
}

Json evaluate_json(const std::string& target, std::span<const MatchResult> matches) {
  Json list = Json::array();
  for (const MatchResult& match : matches) list.push_back(match_json(match));
  return {{"target", target}, {"matches", std::move(list)}, {"oracle", Json::array()}};
}

}  // namespace pahtum
