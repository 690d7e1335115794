#include "eval/results_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

namespace pahtum {
namespace {

using Row = std::vector<std::string>;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string interval_text(const std::string& low, const std::string& high) {
  return low + " .. " + high;
}

Row match_row(const MatchResult& match) {
  return {match.first,
          match.second,
          std::to_string(match.total.games()),
          percent_text(match.total.score()),
          interval_text(percent_text(match.score_low), percent_text(match.score_high)),
          elo_text(match.elo),
          interval_text(elo_text(match.elo_low), elo_text(match.elo_high)),
          results_text(match.as_white),
          results_text(match.as_black),
          std::to_string(match.distinct_games)};
}

Row colour_row(const std::string& name, const WinDrawLoss& results) {
  return {name, std::to_string(results.wins), std::to_string(results.draws), std::to_string(results.losses),
          percent_text(results.score())};
}

// A value and its interval as two cells; `text` writes one figure.
void add_cells(Row& row, const std::optional<Estimate>& estimate, std::string (*text)(double)) {
  row.push_back(estimate ? text(estimate->value) : "-");
  const bool bounded = estimate && std::isfinite(estimate->low) && std::isfinite(estimate->high);
  row.push_back(bounded ? interval_text(text(estimate->low), text(estimate->high)) : "-");
}

Row match_row(const OracleRow& part, const std::string& name, bool with_values) {
  Row row = {name, std::to_string(part.positions), std::to_string(part.decisive)};
  add_cells(row, part.outcome_errors, percent_text);
  add_cells(row, part.best_margin, percent_text);
  add_cells(row, part.mean_margin_loss, mean_points_text);
  if (with_values) add_cells(row, part.value_brier, mean_points_text);
  return row;
}

}  // namespace

// Characters, not bytes: the continuation bytes of UTF-8 take no room.
std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string table_text(std::span<const std::vector<std::string>> rows, std::size_t names) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], text_width(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - text_width(row[column]), ' ');
      if (column > 0) line += "  ";
      line += column < names ? row[column] + padding : padding + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

bool few_distinct_games(const MatchResult& result) noexcept {
  return 2 * result.distinct_games < result.total.games();
}

std::string percent_text(double share) {
  return format("%.1f %%", 100.0 * share);
}

std::string elo_text(double elo) {
  const double rounded = std::round(elo);
  return rounded == 0.0 ? "0" : format("%+.0f", rounded);
}

std::string results_text(const WinDrawLoss& results) {
  return std::to_string(results.wins) + " / " + std::to_string(results.draws) + " / " +
         std::to_string(results.losses);
}

std::string mean_points_text(double points) {
  return format("%.2f", points);
}

std::string time_text(double seconds) {
  const auto three_digits = [](double value) {
    return format(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
  };
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(1e3 * seconds) + " ms";
  return three_digits(1e6 * seconds) + " µs";
}

std::string sprt_text(const SprtResult& sprt) {
  const SprtBounds bounds = sprt_bounds(sprt.config);
  const std::string verdict = sprt.verdict == SprtVerdict::kAccept   ? "accepted"
                              : sprt.verdict == SprtVerdict::kReject ? "rejected"
                                                                     : "undecided";
  return "SPRT Elo " + format("%g", sprt.config.elo0) + " or " + format("%g", sprt.config.elo1) + ": " +
         verdict + (sprt.at_limit ? " at the limit of pairs" : "") + ", log-likelihood ratio " +
         format("%.2f", sprt.llr) + " (" + format("%.2f", bounds.lower) + " .. " +
         format("%.2f", bounds.upper) + ")";
}

std::string match_text(const MatchResult& match) {
  std::string text = match.first + " against " + match.second + ": " + std::to_string(match.total.games()) +
                     " games in " + std::to_string(match.pairs) + " pairs, " +
                     std::to_string(match.distinct_games) + " distinct\n\n";
  const std::array<Row, 4> results = {{{match.first, "won", "drawn", "lost", "score"},
                                       colour_row("as White", match.as_white),
                                       colour_row("as Black", match.as_black),
                                       colour_row("both", match.total)}};
  text += table_text(results) + "\n";

  Row pairs = {"pairs by points"};
  Row counts = {""};
  constexpr std::array<const char*, 5> kPoints = {"0", "½", "1", "1½", "2"};
  for (std::size_t k = 0; k < kPoints.size(); ++k) {
    pairs.emplace_back(kPoints[k]);
    counts.push_back(std::to_string(match.pair_scores[k]));
  }
  text += table_text(std::array<Row, 2>{pairs, counts}) + "\n";

  const std::array<Row, 3> figures = {
      {{"score", percent_text(match.total.score()),
        "95 %: " + interval_text(percent_text(match.score_low), percent_text(match.score_high))},
       {"Elo difference", elo_text(match.elo),
        "95 %: " + interval_text(elo_text(match.elo_low), elo_text(match.elo_high))},
       {"points a game", format("%+.1f", match.mean_margin), ""}}};
  text += table_text(figures);
  text += "time per move   " + time_text(match.first_time.per_move()) + " against " +
          time_text(match.second_time.per_move()) + "\n";
  if (match.sprt) text += sprt_text(*match.sprt) + "\n";
  return text + distinct_games_warning(match);
}

std::string distinct_games_warning(const MatchResult& match) {
  if (!few_distinct_games(match)) return "";
  return "warning: only " + std::to_string(match.distinct_games) + " of the " +
         std::to_string(match.total.games()) + " games between " + match.first + " and " + match.second +
         " differ; more layouts or random opening plies would say more\n";
}

std::string ratings_text(const PoolRatings& ratings) {
  std::vector<std::size_t> order(ratings.players.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return ratings.players[k].elo; });
  std::vector<Row> rows = {
      {"player", "Elo", "95 % interval", "games", "score", "W / D / L", "above the next"}};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const PlayerRating& player = ratings.players[order[place]];
    const bool last = place + 1 == order.size();
    rows.push_back({player.name, elo_text(player.elo),
                    order[place] == ratings.anchor
                        ? "anchor"
                        : interval_text(elo_text(player.low), elo_text(player.high)),
                    std::to_string(player.results.games()), percent_text(player.results.score()),
                    results_text(player.results),
                    last ? "" : percent_text(ratings.superiority[order[place]][order[place + 1]])});
  }
  const Estimate& white = ratings.white_advantage;
  const auto share = [&](std::int64_t games) {
    return percent_text(static_cast<double>(games) /
                        static_cast<double>(std::max<std::int64_t>(1, ratings.white.games())));
  };
  return table_text(rows) + "White's first move is worth " + elo_text(white.value) +
         " Elo, 95 %: " + interval_text(elo_text(white.low), elo_text(white.high)) +
         "; of all games White won " + share(ratings.white.wins) + ", " + share(ratings.white.draws) +
         " were drawn\n";
}

std::string results_table(std::span<const MatchResult> matches) {
  if (matches.empty()) return "";
  std::vector<Row> rows = {{"player", "opponent", "games", "score", "95 % interval", "Elo", "95 % interval",
                            "as White W/D/L", "as Black W/D/L", "distinct games"}};
  for (const MatchResult& match : matches) rows.push_back(match_row(match));
  std::string text = table_text(rows, 2);
  for (const MatchResult& match : matches) text += distinct_games_warning(match);
  return text;
}

std::string oracle_table(const OracleScore& score) {
  std::vector<Row> rows = {{"empty", "positions", "decisive", "outcome errors", "95 % interval",
                            "best margin", "95 % interval", "points lost", "95 % interval"}};
  const bool with_values = score.all.value_brier.has_value();
  if (with_values) rows.front().insert(rows.front().end(), {"value Brier", "95 % interval"});
  for (const OracleRow& row : score.rows) {
    rows.push_back(match_row(row, std::to_string(row.empty), with_values));
  }
  rows.push_back(match_row(score.all, "all", with_values));
  return table_text(rows);
}

}  // namespace pahtum
