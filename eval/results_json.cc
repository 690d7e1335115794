#include "eval/results_json.h"

#include <optional>
#include <utility>

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;

Json by_colour(const WinDrawLoss& results) {
  return {{"wins", results.wins},
          {"draws", results.draws},
          {"losses", results.losses},
          {"score", results.score()}};
}

Json sprt_json(const std::optional<SprtResult>& sprt) {
  if (!sprt) return nullptr;
  const SprtBounds bounds = sprt_bounds(sprt->config);
  return {{"verdict", to_text(sprt->verdict)},
          {"at_limit", sprt->at_limit},
          {"llr", sprt->llr},
          {"lower", bounds.lower},
          {"upper", bounds.upper},
          {"elo0", sprt->config.elo0},
          {"elo1", sprt->config.elo1},
          {"alpha", sprt->config.alpha},
          {"beta", sprt->config.beta}};
}

void add_estimate(Json& object, const std::string& name, const std::optional<Estimate>& estimate) {
  object[name] = estimate ? Json(estimate->value) : Json();
  // The library writes infinite numbers as null.
  object[name + "_low"] = estimate ? Json(estimate->low) : Json();
  object[name + "_high"] = estimate ? Json(estimate->high) : Json();
}

void add_row(Json& object, const OracleRow& row) {
  object["positions"] = row.positions;
  object["decisive"] = row.decisive;
  add_estimate(object, "outcome_errors", row.outcome_errors);
  add_estimate(object, "best_margin", row.best_margin);
  add_estimate(object, "mean_margin_loss", row.mean_margin_loss);
  add_estimate(object, "value_brier", row.value_brier);
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
          {"score_low", result.score_low},
          {"score_high", result.score_high},
          {"elo", result.elo},
          {"elo_low", result.elo_low},
          {"elo_high", result.elo_high},
          {"pair_scores", result.pair_scores},
          {"mean_margin", result.mean_margin},
          {"distinct_games", result.distinct_games},
          {"sprt", sprt_json(result.sprt)},
          {"by_colour", {{"white", by_colour(result.as_white)}, {"black", by_colour(result.as_black)}}},
          {"seconds", result.seconds},
          {"seconds_per_move",
           {{"first", result.first_time.per_move()}, {"second", result.second_time.per_move()}}}};
}

Json evaluate_json(const std::string& target, std::span<const MatchResult> matches,
                   std::span<const OracleScore> oracle) {
  Json list = Json::array();
  for (const MatchResult& match : matches) list.push_back(match_json(match));
  Json scores = Json::array();
  for (const OracleScore& score : oracle) scores.push_back(oracle_json(score));
  return {{"target", target}, {"matches", std::move(list)}, {"oracle", std::move(scores)}};
}

Json ratings_json(const PoolRatings& ratings) {
  Json players = Json::array();
  for (const PlayerRating& player : ratings.players) {
    players.push_back({{"player", player.name},
                       {"elo", player.elo},
                       {"elo_low", player.low},
                       {"elo_high", player.high},
                       {"games", player.results.games()},
                       {"wins", player.results.wins},
                       {"draws", player.results.draws},
                       {"losses", player.results.losses},
                       {"score", player.results.score()}});
  }
  Json document = {{"anchor", ratings.players[ratings.anchor].name}, {"players", std::move(players)}};
  add_estimate(document, "white_advantage", ratings.white_advantage);
  add_estimate(document, "draw_parameter", ratings.draw_parameter);
  document["white_wins"] = ratings.white.wins;
  document["draws"] = ratings.white.draws;
  document["black_wins"] = ratings.white.losses;
  document["superiority"] = ratings.superiority;
  return document;
}

Json oracle_json(const OracleScore& score) {
  Json rows = Json::array();
  for (const OracleRow& row : score.rows) {
    Json object = {{"empty", row.empty}};
    add_row(object, row);
    rows.push_back(std::move(object));
  }
  Json all = Json::object();
  add_row(all, score.all);
  return {
      {"player", score.player}, {"exact", score.exact}, {"rows", std::move(rows)}, {"all", std::move(all)}};
}

}  // namespace pahtum
