#include "eval/results_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
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

// Characters, not bytes: the continuation bytes of UTF-8 take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

Row row_of(const MatchResult& match) {
  return {match.first,
          match.second,
          std::to_string(match.total.games()),
          percent_text(match.total.score()),
          percent_text(match.score_low) + " .. " + percent_text(match.score_high),
          elo_text(match.elo),
          elo_text(match.elo_low) + " .. " + elo_text(match.elo_high),
          results_text(match.as_white),
          results_text(match.as_black),
          std::to_string(match.distinct_games)};
}

std::string points_text(double points) {
  return format("%.2f", points);
}

// A value and its interval as two cells; `text` writes one figure.
void add_cells(Row& row, const std::optional<Estimate>& estimate, std::string (*text)(double)) {
  row.push_back(estimate ? text(estimate->value) : "-");
  const bool bounded = estimate && std::isfinite(estimate->low) && std::isfinite(estimate->high);
  row.push_back(bounded ? text(estimate->low) + " .. " + text(estimate->high) : "-");
}

Row row_of(const OracleRow& part, const std::string& name, bool with_values) {
  Row row = {name, std::to_string(part.positions), std::to_string(part.decisive)};
  add_cells(row, part.outcome_errors, percent_text);
  add_cells(row, part.best_margin, percent_text);
  add_cells(row, part.mean_margin_loss, points_text);
  if (with_values) add_cells(row, part.value_brier, points_text);
  return row;
}

}  // namespace

std::string table_text(std::span<const std::vector<std::string>> rows, std::size_t names) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width(row[column]), ' ');
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

std::string results_table(std::span<const MatchResult> matches) {
  if (matches.empty()) return "";
  std::vector<Row> rows = {{"player", "opponent", "games", "score", "95 % interval", "Elo", "95 % interval",
                            "as White W/D/L", "as Black W/D/L", "distinct games"}};
  for (const MatchResult& match : matches) rows.push_back(row_of(match));
  std::string text = table_text(rows, 2);
  for (const MatchResult& match : matches) {
    if (!few_distinct_games(match)) continue;
    text += "warning: only " + std::to_string(match.distinct_games) + " of the " +
            std::to_string(match.total.games()) + " games between " + match.first + " and " + match.second +
            " differ; more layouts or random opening plies would say more\n";
  }
  return text;
}

std::string oracle_table(const OracleScore& score) {
  std::vector<Row> rows = {{"empty", "positions", "decisive", "outcome errors", "95 % interval",
                            "best margin", "95 % interval", "points lost", "95 % interval"}};
  const bool with_values = score.all.value_brier.has_value();
  if (with_values) rows.front().insert(rows.front().end(), {"value Brier", "95 % interval"});
  for (const OracleRow& row : score.rows) {
    rows.push_back(row_of(row, std::to_string(row.empty), with_values));
  }
  rows.push_back(row_of(score.all, "all", with_values));
  return table_text(rows);
}

}  // namespace pahtum
