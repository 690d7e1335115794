#include "eval/game_stats_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "env/base/text.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::string interval_text(const Estimate& estimate, std::string (*text)(double)) {
  const bool bounded = std::isfinite(estimate.low) && std::isfinite(estimate.high);
  return bounded ? text(estimate.low) + " .. " + text(estimate.high) : "-";
}

Row result_row(const std::string& name, const WinDrawLoss& results) {
  const ResultShares shares = result_shares(results);
  Row row = {name, std::to_string(results.games())};
  for (const Estimate& share : {shares.white_wins, shares.draws, shares.black_wins}) {
    row.push_back(percent_text(share.value));
    row.push_back(interval_text(share, percent_text));
  }
  return row;
}

Row spread_row(const std::string& name, const Spread& spread) {
  return {name,
          mean_points_text(spread.mean.value),
          interval_text(spread.mean, mean_points_text),
          mean_points_text(spread.deviation),
          std::to_string(spread.least),
          std::to_string(spread.most)};
}

std::string runs_table(const GameStats& stats) {
  std::vector<Row> rows = {{"scoring runs a game", "White", "Black"}};
  const auto games = static_cast<double>(stats.games);
  for (std::size_t length = 1; length <= kMaxSize; ++length) {
    if (stats.white_runs[length] == 0 && stats.black_runs[length] == 0) continue;
    rows.push_back({"of " + std::to_string(length),
                    decimal(static_cast<double>(stats.white_runs[length]) / games, 3),
                    decimal(static_cast<double>(stats.black_runs[length]) / games, 3)});
  }
  return table_text(rows);
}

std::string holes_table(const GameStats& stats) {
  std::vector<Row> rows = {{"holes", "games", "share", "White wins", "draws", "Black wins"}};
  for (const auto& [holes, results] : stats.by_holes) {
    const ResultShares shares = result_shares(results);
    rows.push_back({std::to_string(holes), std::to_string(results.games()),
                    percent_text(static_cast<double>(results.games()) / static_cast<double>(stats.games)),
                    percent_text(shares.white_wins.value), percent_text(shares.draws.value),
                    percent_text(shares.black_wins.value)});
  }
  return table_text(rows);
}

// A board with each square's share in percent and a block that is the darker the nearer it is to the largest.
std::string first_moves_map(int size, const FirstMoves& first) {
  static constexpr std::array<const char*, 5> kShades = {" ", "░", "▒", "▓", "█"};
  double largest = 0;
  for (int square = 0; square < kMaxSquares; ++square) largest = std::max(largest, first.share(square));
  std::string text = "first stones on " + std::to_string(size) + "×" + std::to_string(size) + ", " +
                     std::to_string(first.games) +
                     " games: % of them, every game counted in its eight symmetric forms\n";
  for (int row = 0; row < size; ++row) {
    text += std::to_string(size - row) + " ";
    for (int column = 0; column < size; ++column) {
      const double share = first.share(square_at(row, column));
      const auto shade = static_cast<std::size_t>(std::ceil(4 * share / largest - 1e-9));
      const std::string percent = decimal(100 * share, 1);
      text += std::string(std::max<std::size_t>(6, percent.size() + 1) - percent.size(), ' ') + percent +
              kShades[shade];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  text += "  ";
  for (int column = 0; column < size; ++column)
    text += std::string("     ") + static_cast<char>('a' + column) + " ";
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

Json estimate_json(const Estimate& estimate) {
  // The library writes infinite numbers as null.
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Json results_json(const WinDrawLoss& results) {
  Json object = {{"white_wins", results.wins}, {"draws", results.draws}, {"black_wins", results.losses}};
  if (results.games() == 0) return object;
  const ResultShares shares = result_shares(results);
  object["white_share"] = estimate_json(shares.white_wins);
  object["draw_share"] = estimate_json(shares.draws);
  object["black_share"] = estimate_json(shares.black_wins);
  return object;
}

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean.value},     {"low", spread.mean.low}, {"high", spread.mean.high},
          {"deviation", spread.deviation}, {"least", spread.least},  {"most", spread.most}};
}

Json runs_json(const RunCounts& runs) {
  Json object = Json::object();
  for (std::size_t length = 1; length <= kMaxSize; ++length) {
    if (runs[length] > 0) object[std::to_string(length)] = runs[length];
  }
  return object;
}

Json first_moves_json(int size, const FirstMoves& first) {
  Json rows = Json::array();
  for (int row = 0; row < size; ++row) {
    Json shares = Json::array();
    for (int column = 0; column < size; ++column) shares.push_back(first.share(square_at(row, column)));
    rows.push_back(std::move(shares));
  }
  return {{"size", size}, {"games", first.games}, {"shares", std::move(rows)}};
}

}  // namespace

std::string game_stats_text(const GameStats& stats) {
  std::string text =
      std::to_string(stats.games) + " games, " + std::to_string(stats.distinct) + " distinct\n\n";
  text += table_text(std::vector<Row>{{"first player", "games", "White wins", "95 % interval", "draws",
                                       "95 % interval", "Black wins", "95 % interval"},
                                      result_row("these games", stats.white),
                                      result_row("people, BrainKing", kBrainKingResults)});
  text +=
      '\n' + table_text(std::vector<Row>{{"a game's", "mean", "95 % interval", "deviation", "least", "most"},
                                         spread_row("margin for White", stats.margin),
                                         spread_row("points of White", stats.white_points),
                                         spread_row("points of Black", stats.black_points),
                                         spread_row("plies", stats.plies)});
  text += '\n' + runs_table(stats) + '\n' + holes_table(stats);
  for (const auto& [size, first] : stats.first_moves) text += '\n' + first_moves_map(size, first);
  return text;
}

Json game_stats_json(const GameStats& stats) {
  Json by_holes = Json::array();
  for (const auto& [holes, results] : stats.by_holes) {
    Json object = {{"holes", holes}, {"games", results.games()}};
    object.update(results_json(results));
    by_holes.push_back(std::move(object));
  }
  Json first_moves = Json::array();
  for (const auto& [size, first] : stats.first_moves) first_moves.push_back(first_moves_json(size, first));
  return {{"games", stats.games},
          {"distinct_games", stats.distinct},
          {"results", results_json(stats.white)},
          {"people", results_json(kBrainKingResults)},
          {"margin", spread_json(stats.margin)},
          {"white_points", spread_json(stats.white_points)},
          {"black_points", spread_json(stats.black_points)},
          {"plies", spread_json(stats.plies)},
          {"runs", {{"white", runs_json(stats.white_runs)}, {"black", runs_json(stats.black_runs)}}},
          {"by_holes", std::move(by_holes)},
          {"first_moves", std::move(first_moves)}};
}

}  // namespace pahtum
