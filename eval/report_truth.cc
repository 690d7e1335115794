// The part of a report that compares the agent with the truth: solved positions, and how its expectations
// agree with what happened.

#include <algorithm>

#include "eval/html.h"
#include "eval/report_parts.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

LineChart oracle_chart(const std::vector<OracleScore>& scores, std::string title, std::string unit,
                       std::string note,
                       const std::function<std::optional<Estimate>(const OracleRow&)>& value) {
  LineChart chart;
  chart.title = std::move(title);
  chart.x_label = "empty squares";
  chart.unit = std::move(unit);
  chart.note = std::move(note);
  chart.whiskers = true;
  for (const OracleScore& score : scores) {
    ChartSeries series{short_player(score.player), {}, false};
    for (const OracleRow& row : score.rows) {
      const auto estimate = value(row);
      if (!estimate) continue;
      series.points.push_back(
          {static_cast<double>(row.empty), estimate->value, estimate->low, estimate->high});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_oracle_row(HtmlTable& table, const OracleScore& score, const OracleRow& row, bool all) {
  const auto share = [](const std::optional<Estimate>& estimate) {
    if (!estimate) return std::string("–");
    return percent_text(estimate->value) + " <small>" + percent_range(estimate->low, estimate->high) +
           "</small>";
  };
  table.row(all ? "total" : "").text_cell(short_player(score.player));
  table.cell(all ? "all" : std::to_string(row.empty)).cell(count_text(row.positions));
  table.cell(count_text(row.decisive)).cell(share(row.outcome_errors)).cell(share(row.best_margin));
  table.cell(format_text("%.2f", row.mean_margin_loss.value));
  table.cell(row.value_brier ? format_text("%.3f", row.value_brier->value) : "–");
}

std::string oracle_html(const std::vector<OracleScore>& scores) {
  if (scores.empty()) return "";
  std::string html =
      "<p>Positions near the end of games were solved exactly. What the agent does there is compared with "
      "perfect play, which no opponent can offer.</p>\n<div class=\"charts\">\n";
  html +=
      to_html(oracle_chart(scores, "Outcomes given away", "%",
                           "share of decisive positions in which the chosen move gives away the best outcome",
                           [](const OracleRow& row) { return row.outcome_errors; }));
  html += to_html(oracle_chart(scores, "Best margin kept", "%",
                               "share of positions in which the move has the best margin",
                               [](const OracleRow& row) { return std::optional(row.best_margin); }));
  html += to_html(oracle_chart(scores, "Points given away by a move", "points", "mean over the positions",
                               [](const OracleRow& row) { return std::optional(row.mean_margin_loss); }));
  html += "</div>\n";
  HtmlTable table("Solved positions by number of empty squares, with 95 % intervals",
                  {"player", "empty", "positions", "decisive", "outcome given away", "best margin kept",
                   "points lost", "Brier score of the value"});
  for (const OracleScore& score : scores) {
    for (const OracleRow& row : score.rows) add_oracle_row(table, score, row, false);
    add_oracle_row(table, score, score.all, true);
  }
  return html + "<details>\n<summary>Solved positions in numbers</summary>\n" + table.html() + "</details>\n";
}

struct OutcomePart {
  const char* name;
  const char* classes;
  const Reliability* reliability;
};

std::vector<OutcomePart> outcomes_of(const Calibration& calibration) {
  return {{"win", "win", &calibration.win},
          {"draw", "draw", &calibration.draw},
          {"loss", "loss", &calibration.loss}};
}

std::string reliability_svg(const ReportCalibration& report) {
  constexpr double kLeft = 54, kTop = 10, kExtent = 240;
  const auto x = [](double share) { return kLeft + kExtent * std::clamp(share, 0.0, 1.0); };
  const auto y = [](double share) { return kTop + kExtent * (1 - std::clamp(share, 0.0, 1.0)); };
  std::string words;
  for (const OutcomePart& part : outcomes_of(report.calibration)) {
    words += (words.empty() ? "" : "; ") + std::string(part.name) + ": mean distance from the diagonal " +
             percent_text(part.reliability->error);
  }
  std::string svg =
      "<svg class=\"reliability\" viewBox=\"0 0 320 302\" role=\"img\"><title>Reliability diagram of " +
      escape_html(short_player(report.player)) + "</title><desc>" + escape_html(words) + "</desc>\n";
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    svg += format_text("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x(0),
                       y(tick), x(1), y(tick));
    svg += format_text("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.0f %%</text>",
                       x(0) - 6, y(tick) + 4, 100 * tick);
    svg += format_text("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f %%</text>\n",
                       x(tick), y(0) + 20, 100 * tick);
  }
  svg += format_text("<line class=\"diagonal\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x(0),
                     y(0), x(1), y(1));
  for (const OutcomePart& part : outcomes_of(report.calibration)) {
    for (const ReliabilityBin& bin : part.reliability->bins) {
      svg += format_text(
                 "<line class=\"whisker %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                 "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">",
                 part.classes, x(bin.mean_predicted), y(bin.observed.low), x(bin.mean_predicted),
                 y(bin.observed.high), part.classes, x(bin.mean_predicted), y(bin.observed.value)) +
             "<title>" + part.name + ": expected " + percent_text(bin.mean_predicted) + ", came about " +
             percent_text(bin.observed.value) + " of " + count_text(bin.count) + "</title></circle>\n";
    }
  }
  svg += format_text("<text class=\"label\" x=\"%.1f\" y=\"298\" text-anchor=\"middle\">expected</text>",
                     kLeft + kExtent / 2);
  return svg + "</svg>\n";
}

std::string calibration_html(const ReportCalibration& report) {
  const Calibration& calibration = report.calibration;
  std::string html =
      "<ul class=\"legend\"><li><i class=\"swatch win\"></i>win</li><li><i class=\"swatch "
      "draw\"></i>draw</li>"
      "<li><i class=\"swatch loss\"></i>loss</li></ul>\n" +
      reliability_svg(report);
  HtmlTable table(
      "Reliability of " + short_player(report.player) + " compared with " + report.truth,
      {"outcome", "expected between", "positions", "expected on average", "came about", "95 % interval"});
  for (const OutcomePart& part : outcomes_of(calibration)) {
    for (const ReliabilityBin& bin : part.reliability->bins) {
      table.row().cell(part.name).cell(format_text("%.0f and %.0f %%", 100 * bin.low, 100 * bin.high));
      table.cell(count_text(bin.count)).cell(percent_text(bin.mean_predicted));
      table.cell(percent_text(bin.observed.value)).cell(percent_range(bin.observed.low, bin.observed.high));
    }
  }
  const std::string note = "Points above the line: it came about more often than expected. Brier score " +
                           format_text("%.3f", calibration.brier.value) + " over " +
                           plural(calibration.forecasts, "position", "positions") +
                           " (0 is perfect; always "
                           "naming the average shares would score " +
                           format_text("%.3f", calibration.base_brier) + ").";
  return html_figure("Calibration of " + short_player(report.player) + " against " + report.truth, html,
                     note) +
         "<details>\n<summary>Calibration in numbers</summary>\n" + table.html() + "</details>\n";
}

}  // namespace

std::string truth_part(const ReportData& report) {
  std::string html = oracle_html(report.oracle);
  if (report.calibration.empty()) return html;
  html += "<h3>Can its expectations be trusted?</h3>\n<div class=\"charts wide\">\n";
  for (const ReportCalibration& calibration : report.calibration) {
    html += "<div>" + calibration_html(calibration) + "</div>\n";
  }
  return html + "</div>\n";
}

}  // namespace pahtum
