#include "eval/results_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace pahtum {
namespace {

constexpr std::array<const char*, 10> kColumns = {
    "player", "opponent",      "games",          "score",          "95 % interval",
    "Elo",    "95 % interval", "as White W/D/L", "as Black W/D/L", "distinct games"};
// Names are read from the left, figures from the right.
constexpr std::size_t kNameColumns = 2;
using Row = std::array<std::string, kColumns.size()>;

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

}  // namespace

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
  std::vector<Row> rows(1);
  std::copy(kColumns.begin(), kColumns.end(), rows[0].begin());
  for (const MatchResult& match : matches) rows.push_back(row_of(match));

  std::array<std::size_t, kColumns.size()> widths{};
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width(row[column]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width(row[column]), ' ');
      if (column > 0) line += "  ";
      line += column < kNameColumns ? row[column] + padding : padding + row[column];
    }
    text += line + '\n';
  }
  for (const MatchResult& match : matches) {
    if (!few_distinct_games(match)) continue;
    text += "warning: only " + std::to_string(match.distinct_games) + " of the " +
            std::to_string(match.total.games()) + " games between " + match.first + " and " + match.second +
            " differ; more layouts or random opening plies would say more\n";
  }
  return text;
}

}  // namespace pahtum
