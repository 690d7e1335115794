// The parts of a report that show games: how they end, what they look like, first moves, and the replay
// viewer.

#include <algorithm>
#include <cmath>

#include "eval/bar_chart.h"
#include "eval/board_picture.h"
#include "eval/game_stats.h"
#include "eval/html.h"
#include "eval/report_assets.h"
#include "eval/report_parts.h"

namespace pahtum {
namespace {

using Json = nlohmann::ordered_json;

std::string result_row(const FirstPlayerResults& results, const std::string& note) {
  const auto share = [&](std::int64_t part) {
    return static_cast<double>(part) / static_cast<double>(results.games());
  };
  return "<li>\n<div class=\"who\"><strong>" + escape_html(results.name) + "</strong><br><span>" +
         plural(results.games(), "game", "games") + note + "</span></div>\n<div class=\"bars\">" +
         stacked_bar(results.name, {{"White won", "by-white", share(results.white)},
                                    {"draws", "by-draw", share(results.draws)},
                                    {"Black won", "by-black", share(results.black)}}) +
         "</div>\n<div class=\"numbers\">" +
         format_text("%.2f / %.2f / %.2f %%", 100 * share(results.white), 100 * share(results.draws),
                     100 * share(results.black)) +
         "</div>\n</li>\n";
}

std::string first_player_html(const std::vector<FirstPlayerResults>& list) {
  std::string rows;
  for (const FirstPlayerResults& results : list) {
    if (results.games() > 0) rows += result_row(results, "");
  }
  if (rows.empty()) return "";
  const FirstPlayerResults people{"People on BrainKing", kBrainKingResults.wins, kBrainKingResults.draws,
                                  kBrainKingResults.losses};
  return "<h3>What moving first is worth</h3>\n<ol class=\"versus results\">\n" + rows +
         result_row(people, ", 7×7") +
         "</ol>\n<ul class=\"legend\"><li><i class=\"swatch by-white\"></i>White won</li><li><i "
         "class=\"swatch "
         "by-draw\"></i>draws</li><li><i class=\"swatch by-black\"></i>Black won</li></ul>\n";
}

std::string statistics_html(const GameStatistics& statistics) {
  if (statistics.games == 0) return "";
  std::string html = "<h3>" + escape_html(statistics.name) + "</h3>\n<p>" +
                     plural(statistics.games, "game", "games") + ", " + count_text(statistics.distinct) +
                     " of them different; ";
  html += statistics.fewest_plies == statistics.most_plies
              ? plural(statistics.most_plies, "move", "moves") + " each"
              : count_text(statistics.fewest_plies) + " to " +
                    plural(statistics.most_plies, "move", "moves") +
                    format_text(", %.1f on average", statistics.mean_plies);
  html += format_text("; White ended %+.1f points ahead on average.</p>\n", statistics.mean_margin);
  if (2 * statistics.distinct < statistics.games) {
    html += "<p class=\"warning\" role=\"note\">Fewer than half of these games differ.</p>\n";
  }
  BarChart margins{"Final margin", "points of White minus points of Black", {}, {{"games", "plain", {}}}};
  for (const HistogramBin& bin : statistics.margins) {
    margins.labels.push_back(bin.low == bin.high ? std::to_string(bin.low)
                                                 : std::to_string(bin.low) + "…" + std::to_string(bin.high));
    margins.series[0].values.push_back(static_cast<double>(bin.count));
  }
  BarChart runs{"Runs that scored, by length",
                "stones in a row, a game",
                {},
                {{"White", "by-white", {}}, {"Black", "by-black", {}}}};
  for (const RunCount& run : statistics.runs) {
    const auto per_game = [&](std::int64_t count) {
      return static_cast<double>(count) / static_cast<double>(statistics.games);
    };
    runs.labels.push_back(std::to_string(run.length));
    runs.series[0].values.push_back(per_game(run.white));
    runs.series[1].values.push_back(per_game(run.black));
  }
  const std::string charts = to_html(margins) + to_html(runs);
  return html + (charts.empty() ? "" : "<div class=\"charts wide\">\n" + charts + "</div>\n");
}

std::string value_words(double white_value) {
  return "expected result for White " + format_text("%+.2f", white_value) + " (−1 lost … +1 won)";
}

std::string move_list(const ReportGame& game) {
  std::string text;
  for (const Move move : game.moves) text += (text.empty() ? "" : " ") + to_text(move, game.start.size);
  return text;
}

Position end_of(const ReportGame& game) {
  Position position = game.start;
  for (const Move move : game.moves) apply(position, move);
  return position;
}

std::string points_text(const Position& position) {
  return std::to_string(position.points_of(Color::kWhite)) + "–" +
         std::to_string(position.points_of(Color::kBlack));
}

// One character a square, row by row from the top.
std::string flat_board(const Position& position) {
  std::string board;
  const auto rows = board_rows(position);
  for (std::size_t row = 0; row < position.size; ++row) board += rows[row];
  return board;
}

// Number of a move's square in flat_board(); −1 for the swap.
int flat_square(Move move, int size) {
  return move.is_swap() ? -1 : row_of(move.square()) * size + column_of(move.square());
}

// All that the viewer draws, so that it need not know the rules. boards and points have one entry more than
// moves: the end.
Json viewer_data(const ReportGame& game, std::size_t number) {
  Position position = game.start;
  const int size = position.size;
  Json boards = Json::array(), points = Json::array(), moves = Json::array(), plies = Json::array();
  const auto show = [&] {
    boards.push_back(flat_board(position));
    points.push_back({position.points_of(Color::kWhite), position.points_of(Color::kBlack)});
  };
  show();
  for (std::size_t k = 0; k < game.moves.size(); ++k) {
    const Move move = game.moves[k];
    moves.push_back(
        {to_text(move, size), flat_square(move, size), position.mover == Color::kWhite ? "w" : "b"});
    if (!game.plies.empty()) {
      const ReportPly& ply = game.plies[k];
      Json policy = Json::array();
      for (const auto& [likely, share] : ply.policy) {
        policy.push_back({flat_square(likely, size), std::round(1000 * share) / 1000});
      }
      plies.push_back({{"value", ply.white_value ? Json(std::round(1000 * *ply.white_value) / 1000) : Json()},
                       {"policy", std::move(policy)},
                       {"solved", ply.solved}});
    }
    apply(position, move);
    show();
  }
  return {{"name", std::to_string(number) + ". " + short_player(game.white) + " – " +
                       short_player(game.black) + ", " + points_text(position)},
          {"white", short_player(game.white)},
          {"black", short_player(game.black)},
          {"size", size},
          {"over", position.over()},
          {"runs", game.start.run_points.by_length},
          {"boards", std::move(boards)},
          {"points", std::move(points)},
          {"moves", std::move(moves)},
          {"plies", std::move(plies)}};
}

// JSON inside a <script>: nothing in it may end the element or open a comment.
std::string script_json(const Json& value) {
  std::string text;
  for (const char c : value.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

std::string still_games(const std::vector<ReportGame>& games) {
  std::string html =
      "<noscript>\n<p class=\"note\">Stepping through the games needs JavaScript; here are their "
      "ends.</p>\n<div class=\"boards\">\n";
  for (const ReportGame& game : games) {
    const Position end = end_of(game);
    const std::string title =
        short_player(game.white) + " – " + short_player(game.black) + ", " + points_text(end);
    html += html_figure(title, board_svg({end, title, std::nullopt, {}, true}), move_list(game));
  }
  return html + "</div>\n</noscript>\n";
}

}  // namespace

std::string statistics_part(const ReportData& report) {
  std::string html = first_player_html(report.first_player);
  for (const GameStatistics& statistics : report.statistics) html += statistics_html(statistics);
  return html;
}

std::string first_moves_part(const ReportData& report) {
  if (report.first_moves.empty()) return "";
  std::string html =
      "<p>How likely the agent plays each square first, in percent, on layouts it is shown here for the "
      "first "
      "time.</p>\n<div class=\"boards\">\n";
  for (const FirstMoveMap& map : report.first_moves) {
    std::string words = map.source + " on " + to_text(map.position) + ":";
    for (const auto& [move, share] : map.shares) {
      if (share >= 0.05)
        words += " " + to_text(move, map.position.size) + format_text(" %.0f %%", 100 * share);
    }
    html += html_figure(map.source, board_svg({map.position, words, std::nullopt, map.shares, false}),
                        map.white_value ? value_words(*map.white_value) : "");
  }
  return html + "</div>\n";
}

std::string games_part(const ReportData& report) {
  if (report.games.empty()) return "";
  Json games = Json::array();
  for (const ReportGame& game : report.games) games.push_back(viewer_data(game, games.size() + 1));
  return "<div class=\"viewer\" id=\"viewer\" tabindex=\"0\" aria-label=\"Replay of games\" hidden>\n"
         "<div class=\"viewer-board\">\n<svg class=\"board\" "
         "role=\"img\"><title>Board</title></svg>\n</div>\n"
         "<div class=\"viewer-side\">\n"
         "<label>Game <select></select></label>\n"
         "<p class=\"players\"><span class=\"player\"><i class=\"disc white\"></i><span "
         "class=\"white-name\"></span>"
         "<b class=\"white-points\"></b></span><span class=\"player\"><i class=\"disc black\"></i><span "
         "class=\"black-name\"></span><b class=\"black-points\"></b></span></p>\n"
         "<div class=\"value\"><div class=\"value-bar\"><div class=\"value-white\"></div><div "
         "class=\"value-half\"></div></div><p class=\"value-text\"></p></div>\n"
         "<svg class=\"value-graph\" viewBox=\"0 0 300 64\" role=\"img\"><title>Expected result for White, "
         "move by "
         "move</title></svg>\n"
         "<div class=\"buttons\"><button type=\"button\" data-step=\"first\" aria-label=\"to the "
         "start\">«</button>"
         "<button type=\"button\" data-step=\"back\" aria-label=\"one move back\">‹</button>"
         "<button type=\"button\" data-step=\"play\" aria-label=\"play\">▶</button>"
         "<button type=\"button\" data-step=\"next\" aria-label=\"one move on\">›</button>"
         "<button type=\"button\" data-step=\"last\" aria-label=\"to the end\">»</button>"
         "<label class=\"check\"><input type=\"checkbox\" checked> likely moves</label></div>\n"
         "<p class=\"status\" aria-live=\"polite\"></p>\n<ol class=\"moves\"></ol>\n</div>\n</div>\n" +
         still_games(report.games) + "<script type=\"application/json\" id=\"viewer-games\">" +
         script_json(games) + "</script>\n<script>\n" + std::string(report_viewer_script()) + "</script>\n";
}

}  // namespace pahtum
