#include "eval/bar_chart.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "eval/html.h"
#include "eval/line_chart.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

constexpr double kBarsWidth = 360, kBarsHeight = 200;
constexpr double kSide = 6, kBarsTop = 36, kBarsBottom = 36;
// Widths of a character of a label at its largest, and of the space between two labels.
constexpr double kCharacter = 7.5, kSpace = 8;
// From one line of labels to the next, and the highest place of one.
constexpr double kLine = 17, kHighest = 10;
// Bars whose values find room above them.
constexpr std::size_t kMostValues = 20;

// Where a label is written: in the middle above x, on the line y.
struct LabelPlace {
  double x, y, width;
};

// Above the bar, or above the label before where that is in the way; nothing where there is no room above it
// either.
std::optional<LabelPlace> free_place(LabelPlace wanted, const std::optional<LabelPlace>& before) {
  const bool overlaps = before && wanted.x - before->x < (wanted.width + before->width) / 2 &&
                        std::abs(wanted.y - before->y) < kLine;
  if (overlaps) wanted.y = before->y - kLine;
  return wanted.y < kHighest ? std::nullopt : std::optional(wanted);
}

std::string legend(const BarChart& chart) {
  if (chart.series.size() < 2) return "";
  std::string html = "<ul class=\"legend\">";
  for (const BarSeries& series : chart.series) {
    html +=
        "<li><svg class=\"key\" viewBox=\"0 0 12 12\" width=\"12\" height=\"12\" aria-hidden=\"true\"><rect "
        "class=\"" +
        series.classes + "\" x=\"1\" y=\"1\" width=\"10\" height=\"10\" rx=\"2\"/></svg>" +
        escape_html(series.name) + "</li>";
  }
  return html + "</ul>\n";
}

std::string description(const BarChart& chart) {
  std::string text;
  for (const BarSeries& series : chart.series) {
    text += (text.empty() ? "" : "; ") + (series.name.empty() ? "" : series.name + ": ");
    for (std::size_t k = 0; k < chart.labels.size(); ++k) {
      text += (k == 0 ? "" : ", ") + chart.labels[k] + " " + short_number(series.values[k]);
    }
  }
  return text;
}

}  // namespace

std::string to_html(const BarChart& chart) {
  if (chart.labels.empty()) return "";
  double most = 0;
  for (const BarSeries& series : chart.series) {
    for (const double value : series.values) most = std::max(most, value);
  }
  std::size_t longest = 0;
  for (const std::string& label : chart.labels) longest = std::max(longest, text_width(label));
  const auto count = static_cast<double>(chart.labels.size());
  const double label = kCharacter * static_cast<double>(longest);
  // The first and the last label may be wider than the place of their bar.
  const double side = std::max(kSide, 0.5 * label - 0.4 * (kBarsWidth - 2 * kSide) / count);
  const double place = (kBarsWidth - 2 * side) / count;
  const double width = 0.8 * place / static_cast<double>(chart.series.size());
  const double base = kBarsHeight - kBarsBottom;
  const auto every = static_cast<std::size_t>(std::ceil((label + kSpace) / place));
  std::string svg =
      format_text("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>", kBarsWidth, kBarsHeight) +
      escape_html(chart.title) + "</title><desc>" + escape_html(description(chart)) + "</desc>\n";
  std::optional<LabelPlace> before;  // of the value to the left
  for (std::size_t k = 0; k < chart.labels.size(); ++k) {
    const double left = side + place * static_cast<double>(k);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.series[s].values[k];
      const double height = most > 0 ? value / most * (base - kBarsTop) : 0;
      const double x = left + 0.1 * place + width * static_cast<double>(s);
      svg += "<rect class=\"" + chart.series[s].classes +
             format_text("\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"1.5\"><title>", x,
                         base - height, std::max(0.5, width - 1), height) +
             escape_html((chart.series[s].name.empty() ? "" : chart.series[s].name + ", ") + chart.labels[k] +
                         ": " + short_number(value)) +
             "</title></rect>";
      if (chart.labels.size() * chart.series.size() > kMostValues || value == 0) continue;
      const std::string text = short_number(value);
      const auto at = free_place(
          {x + width / 2, base - height - 4, kCharacter * static_cast<double>(text_width(text))}, before);
      if (!at) continue;
      before = at;
      svg += format_text("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", at->x, at->y) +
             text + "</text>";
    }
    if (k % every != 0) continue;
    svg += format_text("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", left + place / 2,
                       base + 15) +
           escape_html(chart.labels[k]) + "</text>\n";
  }
  svg += format_text("<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", side, base,
                     kBarsWidth - side, base) +
         format_text("<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", kBarsWidth / 2,
                     kBarsHeight - 5) +
         escape_html(chart.x_label) + "</text>\n</svg>\n";
  return html_figure(chart.title, legend(chart) + svg, chart.note, "chart");
}

std::string stacked_bar(const std::string& title, const std::vector<BarPart>& parts) {
  constexpr double kBarWidth = 300, kBarHeight = 22;
  std::string words, bars;
  double left = 0;
  for (const BarPart& part : parts) {
    const double width = kBarWidth * part.share;
    const std::string text = escape_html(part.name + " " + percent_text(part.share));
    words += (words.empty() ? "" : ", ") + text;
    bars += "<rect class=\"" + part.classes +
            format_text("\" x=\"%.2f\" y=\"1\" width=\"%.2f\" height=\"%.0f\"><title>", left, width,
                        kBarHeight - 2) +
            text + "</title></rect>";
    if (part.share >= 0.13) {
      bars += "<text class=\"in-bar " + part.classes +
              format_text("\" x=\"%.2f\" y=\"15.5\">%.0f %%</text>", left + width / 2, 100 * part.share);
    }
    left += width;
  }
  return format_text("<svg class=\"stacked\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">", kBarWidth,
                     kBarHeight) +
         "<title>" + escape_html(title) + "</title><desc>" + words + "</desc>" + bars + "</svg>\n";
}

}  // namespace pahtum
