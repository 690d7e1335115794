// The part of a report that shows matches.

#include <algorithm>
#include <cmath>

#include "eval/bar_chart.h"
#include "eval/html.h"
#include "eval/report_parts.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// Score and interval on a line from 0 to 1, one half marked.
std::string score_line(const Estimate& score) {
  const auto at = [](double value) { return 300 * std::clamp(value, 0.0, 1.0); };
  return format_text(
      "<svg class=\"interval\" viewBox=\"-5 0 310 14\" aria-hidden=\"true\">"
      "<line class=\"axis\" x1=\"0\" y1=\"7\" x2=\"300\" y2=\"7\"/>"
      "<line class=\"half\" x1=\"150\" y1=\"1\" x2=\"150\" y2=\"13\"/>"
      "<line class=\"span\" x1=\"%.1f\" y1=\"7\" x2=\"%.1f\" y2=\"7\"/>"
      "<circle class=\"point\" cx=\"%.1f\" cy=\"7\" r=\"4.5\"/></svg>\n",
      at(score.low), at(score.high), at(score.value));
}

std::string versus_row(const ReportMatch& match) {
  const WinDrawLoss total = match.total();
  const std::string title = match.first + " against " + match.second;
  return "<li>\n<div class=\"who\"><span>against</span> <strong>" + escape_html(short_player(match.second)) +
         "</strong><br><span>" + plural(total.wins, "win", "wins") + ", " +
         plural(total.draws, "draw", "draws") + ", " + plural(total.losses, "loss", "losses") +
         "</span></div>\n<div class=\"bars\">" +
         stacked_bar(title, {{"wins", "win", share(total.wins, total.games())},
                             {"draws", "draw", share(total.draws, total.games())},
                             {"losses", "loss", share(total.losses, total.games())}}) +
         score_line(match.score) + "</div>\n<div class=\"score\"><strong>" + percent_text(match.score.value) +
         "</strong><span>" + percent_range(match.score.low, match.score.high) + "</span></div>\n</li>\n";
}

std::string warnings(const std::vector<ReportMatch>& matches) {
  std::string html;
  for (const ReportMatch& match : matches) {
    if (!match.few_distinct_games()) continue;
    html += "<p class=\"warning\" role=\"note\"><strong>Few different games.</strong> Only " +
            count_text(match.distinct_games) + " of the " + count_text(match.total().games()) +
            " games against " + escape_html(short_player(match.second)) +
            " differ: the same games were counted again and again, and the interval is too narrow. More "
            "layouts or random opening plies would say more.</p>\n";
  }
  return html;
}

void add_colour_row(HtmlTable& table, const ReportMatch& match, const char* colour,
                    const WinDrawLoss& results) {
  table.row().text_cell(short_player(match.second)).cell(colour);
  table.cell(count_text(results.wins)).cell(count_text(results.draws)).cell(count_text(results.losses));
  table.cell(results.games() > 0 ? percent_text(results.score()) : "–")
      .cell("")
      .cell("")
      .cell("")
      .cell("")
      .cell("");
}

std::string details_table(const std::vector<ReportMatch>& matches) {
  HtmlTable table("Results by colour, from the side of the agent",
                  {"opponent", "colour", "wins", "draws", "losses", "score", "Elo difference (95 %)",
                   "different games", "mean margin", "time per move", "opponent's"},
                  2);
  for (const ReportMatch& match : matches) {
    const WinDrawLoss total = match.total();
    add_colour_row(table, match, "White", match.as_white);
    add_colour_row(table, match, "Black", match.as_black);
    table.row("total").text_cell(short_player(match.second)).cell("both");
    table.cell(count_text(total.wins)).cell(count_text(total.draws)).cell(count_text(total.losses));
    table.cell(percent_text(match.score.value));
    table.cell(elo_with_interval(match.elo.value, match.elo.low, match.elo.high));
    table.cell(count_text(match.distinct_games) + " of " + count_text(total.games()));
    table.cell(match.mean_margin ? format_text("%+.1f points", *match.mean_margin) : "–");
    const auto time = [](const std::optional<double>& seconds) {
      return seconds ? move_time_text(*seconds) : std::string("–");
    };
    table.cell(time(match.first_move_seconds)).cell(time(match.second_move_seconds));
  }
  return table.html();
}

std::string pair_charts(const std::vector<ReportMatch>& matches) {
  std::string html;
  for (const ReportMatch& match : matches) {
    if (!match.pair_scores) continue;
    std::vector<double> counts;
    for (const std::int64_t count : *match.pair_scores) counts.push_back(static_cast<double>(count));
    html += to_html(BarChart{"Pairs against " + short_player(match.second),
                             "points of the agent in the two games of a layout",
                             {"0", "½", "1", "1½", "2"},
                             {{"", "plain", counts}}});
  }
  if (html.empty()) return "";
  return "<details>\n<summary>Pair by pair</summary>\n<p class=\"note\">Every layout is played twice with "
         "colours swapped. Two points: the agent won with both colours. One point usually means that the "
         "layout decided, or White did.</p>\n<div class=\"charts\">\n" +
         html + "</div>\n</details>\n";
}

}  // namespace

std::string matches_part(const ReportData& report) {
  if (report.matches.empty()) return "";
  std::string html = warnings(report.matches) + "<ol class=\"versus\">\n";
  for (const ReportMatch& match : report.matches) html += versus_row(match);
  html += "</ol>\n";
  for (const ReportMatch& match : report.matches) {
    if (match.verdict.empty()) continue;
    html += "<p class=\"note\">Sequential test against " + escape_html(short_player(match.second)) + ": " +
            escape_html(match.verdict) + ".</p>\n";
  }
  html +=
      "<ul class=\"legend\"><li><i class=\"swatch win\"></i>wins</li><li><i class=\"swatch "
      "draw\"></i>draws</li><li><i class=\"swatch loss\"></i>losses</li></ul>\n<p class=\"note\">The line "
      "below "
      "each bar is the score, wins and half the draws, with its 95 % interval; the tick is one half. "
      "Intervals count pairs of games on one layout, since those two are not independent.</p>\n";
  return html + details_table(report.matches) + pair_charts(report.matches);
}

std::string short_player(const std::string& spec) {
  constexpr std::string_view kNetwork = "net:";
  constexpr std::size_t kLongest = 32;
  if (!spec.starts_with(kNetwork)) return spec;
  const std::size_t comma = spec.find(',');
  std::string path =
      spec.substr(kNetwork.size(), comma == std::string::npos ? comma : comma - kNetwork.size());
  const std::string options = comma == std::string::npos ? "" : spec.substr(comma);
  // The end of a path says most: run and checkpoint.
  while (path.size() > kLongest) {
    const std::size_t slash = path.find('/', 1);
    if (slash == std::string::npos || slash + 1 == path.size()) break;
    path.erase(0, slash + 1);
  }
  return "net:" + path + options;
}

std::string percent_range(double low, double high) {
  return format_text("%.1f – %.1f %%", 100 * low, 100 * high);
}

std::string elo_with_interval(double elo, double low, double high) {
  return elo_text(elo) + " (" + elo_text(low) + " … " + elo_text(high) + ")";
}

std::string move_time_text(double seconds) {
  if (seconds < 1e-3) return format_text("%.0f µs", seconds * 1e6);
  if (seconds < 1) return format_text("%.3g ms", seconds * 1e3);
  return format_text("%.3g s", seconds);
}

}  // namespace pahtum
