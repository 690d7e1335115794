#include "eval/report.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "eval/html.h"
#include "eval/line_chart.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

using Json = nlohmann::json;

// The number at a pointer such as "/loss/policy"; nothing when the row lacks it.
std::optional<double> number_at(const Json& row, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  if (!row.contains(at) || !row.at(at).is_number()) return std::nullopt;
  return row.at(at).get<double>();
}

struct Curve {
  std::string name;
  std::string field;  // JSON pointer
  bool dashed = false;
};

ChartSeries make_series(const std::vector<Json>& metrics, const std::string& x_field, const Curve& curve) {
  ChartSeries series{curve.name, {}, curve.dashed};
  for (const Json& row : metrics) {
    const auto x = number_at(row, x_field);
    const auto y = number_at(row, curve.field);
    if (x && y) series.points.push_back({*x, *y, std::nullopt, std::nullopt});
  }
  return series;
}

LineChart make_chart(const std::vector<Json>& metrics, std::string title, const std::string& x_name,
                     std::string unit, const std::vector<Curve>& curves) {
  LineChart chart{std::move(title), x_name, std::move(unit), {}, true, std::nullopt};
  for (const Curve& curve : curves) chart.series.push_back(make_series(metrics, "/" + x_name, curve));
  return chart;
}

// Shares of the games of each iteration that ended in a way.
LineChart results_chart(const std::vector<Json>& metrics) {
  LineChart chart{"Results of self-play games", "iteration", "%", {}, true, 1.0};
  const std::vector<Curve> curves = {
      {"White wins", "/white_wins"}, {"draws", "/draws"}, {"Black wins", "/black_wins"}};
  for (const Curve& curve : curves) chart.series.push_back({curve.name, {}, false});
  for (const Json& row : metrics) {
    const auto x = number_at(row, "/iteration");
    double games = 0;
    for (const Curve& curve : curves) games += number_at(row, curve.field).value_or(0);
    if (!x || games <= 0) continue;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const double share = number_at(row, curves[k].field).value_or(0) / games;
      chart.series[k].points.push_back({*x, share, std::nullopt, std::nullopt});
    }
  }
  return chart;
}

// One series per opponent, in the order they appear.
LineChart match_chart(const std::vector<Json>& metrics) {
  LineChart chart{"Match score during training", "iteration", "%", {}, true, 1.0};
  for (const Json& row : metrics) {
    const auto x = number_at(row, "/iteration");
    const auto score = number_at(row, "/match/score");
    if (!x || !score) continue;
    const Json& against = row.at("match").value("against", Json());
    const std::string name = against.is_string() ? "against " + against.get<std::string>() : "score";
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const ChartSeries& known) { return known.name == name; });
    if (series == chart.series.end()) series = chart.series.insert(series, {name, {}, false});
    series->points.push_back(
        {*x, *score, number_at(row, "/match/score_low"), number_at(row, "/match/score_high")});
  }
  if (chart.series.size() == 1) chart.title += " " + chart.series[0].name;
  return chart;
}

std::string charts(const std::vector<Json>& metrics) {
  std::vector<LineChart> list;
  if (LineChart matches = match_chart(metrics); !matches.series.empty()) list.push_back(std::move(matches));
  list.push_back(make_chart(metrics, "Total and policy loss", "step", "nats",
                            {{"total", "/loss/total"},
                             {"policy", "/loss/policy"},
                             {"entropy of the policy targets", "/loss/policy_entropy", true}}));
  list.push_back(
      make_chart(metrics, "Value, margin and ownership loss", "step", "",
                 {{"value", "/loss/value"}, {"margin", "/loss/margin"}, {"ownership", "/loss/ownership"}}));
  list.push_back(
      make_chart(metrics, "Accuracy", "step", "%",
                 {{"policy: most visited move", "/policy_accuracy"}, {"value: result", "/value_accuracy"}}));
  list.push_back(results_chart(metrics));
  list.push_back(
      make_chart(metrics, "Self-play speed", "iteration", "games/s", {{"games/s", "/games_per_second"}}));
  list.push_back(make_chart(metrics, "Network evaluations", "iteration", "evaluations/s",
                            {{"evaluations/s", "/evaluations_per_second"}}));
  std::string html = "<h2>Learning curves</h2>\n<div class=\"charts\">\n";
  for (const LineChart& chart : list) html += to_html(chart);
  return html + "</div>\n";
}

std::string interval_text(const MatchResult& match) {
  return percent_text(match.score_low) + " – " + percent_text(match.score_high);
}

// The score on a line from 0 to 1 with its interval, one half marked.
std::string score_bar(const MatchResult& match) {
  const auto pixel = [](double share) { return std::to_string(200 * share); };
  return "<svg class=\"score\" viewBox=\"0 0 200 14\" aria-hidden=\"true\">"
         "<rect class=\"track\" x=\"0\" y=\"5\" width=\"200\" height=\"4\" rx=\"2\"/>"
         "<rect class=\"interval\" x=\"" +
         pixel(match.score_low) + "\" y=\"3\" width=\"" + pixel(match.score_high - match.score_low) +
         "\" height=\"8\" rx=\"2\"/><line class=\"half\" x1=\"100\" y1=\"1\" x2=\"100\" y2=\"13\"/>"
         "<circle class=\"value\" cx=\"" +
         pixel(4.0 / 200 + match.total.score() * (1 - 8.0 / 200)) + "\" cy=\"7\" r=\"4\"/></svg>\n";
}

std::string card(const MatchResult& match) {
  return "<article class=\"card\">\n<h3>against <strong>" + escape_html(match.second) +
         "</strong></h3>\n<p class=\"figure\">" + percent_text(match.total.score()) +
         "</p>\n<p class=\"range\">95 % interval " + interval_text(match) + "</p>\n" + score_bar(match) +
         "<dl><div><dt>wins</dt><dd>" + std::to_string(match.total.wins) +
         "</dd></div><div><dt>draws</dt><dd>" + std::to_string(match.total.draws) +
         "</dd></div><div><dt>losses</dt><dd>" + std::to_string(match.total.losses) +
         "</dd></div></dl>\n</article>\n";
}

std::string cell(const std::string& text, const char* classes = "number") {
  return "<td class=\"" + std::string(classes) + "\">" + escape_html(text) + "</td>";
}

std::string colour_rows(const MatchResult& match) {
  std::string html;
  const std::pair<const char*, const WinDrawLoss*> rows[] = {
      {"White", &match.as_white}, {"Black", &match.as_black}, {"both", &match.total}};
  for (const auto& [colour, results] : rows) {
    const bool both = results == &match.total;
    html += both ? "<tr class=\"total\">" : "<tr>";
    html += cell(match.second, "name") + cell(colour, "name") + cell(std::to_string(results->wins)) +
            cell(std::to_string(results->draws)) + cell(std::to_string(results->losses)) +
            cell(percent_text(results->score())) +
            cell(both ? elo_text(match.elo) + " (" + elo_text(match.elo_low) + " … " +
                            elo_text(match.elo_high) + ")"
                      : "") +
            cell(both ? std::to_string(match.distinct_games) + " of " + std::to_string(match.total.games())
                      : "") +
            "</tr>\n";
  }
  return html;
}

std::string results(const std::vector<MatchResult>& matches) {
  std::string html = "<h2>Results</h2>\n";
  if (matches.empty()) return html + "<p class=\"note\">No matches were played.</p>\n";
  html += "<div class=\"cards\">\n";
  for (const MatchResult& match : matches) html += card(match);
  html +=
      "</div>\n<p class=\"note\">Score: wins and half the draws. Every layout was played twice with colours "
      "swapped; intervals count such pairs.</p>\n<div class=\"scroll\"><table>\n"
      "<thead><tr><th class=\"name\">opponent</th><th class=\"name\">colour played</th><th>wins</th>"
      "<th>draws</th><th>losses</th><th>score</th><th>Elo difference (95 %)</th><th>distinct games</th>"
      "</tr></thead>\n<tbody>\n";
  for (const MatchResult& match : matches) html += colour_rows(match);
  html += "</tbody></table></div>\n";
  for (const MatchResult& match : matches) {
    if (!few_distinct_games(match)) continue;
    html += "<p class=\"warning\">Only " + std::to_string(match.distinct_games) + " of the " +
            std::to_string(match.total.games()) + " games against " + escape_html(match.second) +
            " differ; more layouts or random opening plies would say more.</p>\n";
  }
  return html;
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& list) {
  if (list.empty()) return "";
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [what, value] : list) {
    html += "<div><dt>" + escape_html(what) + "</dt><dd>" + escape_html(value) + "</dd></div>\n";
  }
  return html + "</dl>\n";
}

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #f4f5f7; --surface: #ffffff; --text: #161b22; --muted: #596270;
  --border: #d9dde3; --grid: #e6e9ed; --accent: #2366c9; --warning: #8a4b00; --warning-surface: #fff3dc; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f1319; --surface: #181e26; --text: #e8ecf1; --muted: #a2adbb; --border: #2d3641;
    --grid: #28303a; --accent: #6ea8ff; --warning: #ffc46b; --warning-surface: #33280f; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 18px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 36px 0 14px; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 14px 24px; margin: 0;
  padding: 18px 20px; background: var(--surface); border: 1px solid var(--border); border-radius: 10px; }
dt { color: var(--muted); font-size: 13px; }
dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 16px; }
.card { background: var(--surface); border: 1px solid var(--border); border-radius: 10px; padding: 16px 20px; }
.card h3 { margin: 0; font-size: 14px; font-weight: 400; color: var(--muted); overflow-wrap: anywhere; }
.card h3 strong { color: var(--text); }
.card .figure { margin: 4px 0 0; font-size: 36px; line-height: 1.2; font-weight: 650;
  font-variant-numeric: tabular-nums; }
.card .range { margin: 0 0 6px; color: var(--muted); font-size: 13px; }
.card dl { display: flex; gap: 24px; margin: 10px 0 0; font-variant-numeric: tabular-nums; }
.card dd { font-weight: 600; }
.score { display: block; width: 100%; height: auto; }
.score .track { fill: var(--grid); } .score .interval { fill: var(--accent); opacity: 0.35; }
.score .value { fill: var(--accent); } .score .half { stroke: var(--muted); stroke-width: 1; }
.note { color: var(--muted); font-size: 13px; margin: 12px 0; }
.warning { color: var(--warning); background: var(--warning-surface); border-radius: 8px; padding: 10px 14px;
  margin: 12px 0; }
.scroll { overflow-x: auto; background: var(--surface); border: 1px solid var(--border); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 16px; text-align: right; white-space: nowrap; }
th { color: var(--muted); font-size: 13px; font-weight: 500; border-bottom: 1px solid var(--border); }
.name { text-align: left; }
tr.total td { font-weight: 600; border-bottom: 1px solid var(--border); }
tbody tr:last-child td { border-bottom: 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(440px, 100%), 1fr)); gap: 16px; }
details { margin-top: 36px; background: var(--surface); border: 1px solid var(--border); border-radius: 10px; }
summary { cursor: pointer; padding: 12px 20px; font-weight: 600; }
pre { margin: 0; padding: 4px 20px 18px; overflow-x: auto;
  font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
)";

}  // namespace

std::string html_report(const ReportInput& input) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>" +
      escape_html(input.title) + "</title>\n<style>" + std::string(kStyle) + line_chart_style() +
      "</style>\n</head>\n<body>\n<main>\n<h1>" + escape_html(input.title) + "</h1>\n";
  html += facts(input.facts);
  html += results(input.matches);
  html += charts(input.metrics);
  if (!input.config.empty()) {
    html += "<details>\n<summary>Configuration</summary>\n<pre>" + escape_html(input.config) +
            "</pre>\n</details>\n";
  }
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace pahtum
