#include "eval/line_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/html.h"

namespace pahtum {
namespace {

// Pixels of the view box.
constexpr double kWidth = 360, kHeight = 220;
constexpr double kLeft = 54, kRight = 10, kTop = 10, kBottom = 38;
constexpr int kColours = 6;
// More points than pixels make a file large and show nothing more.
constexpr std::size_t kMostShownPoints = 400;
// Marks stay apart from each other up to this many.
constexpr std::size_t kMostMarks = 60;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The step of 1, 2 or 5 times a power of ten that makes at most `most` intervals of `length`.
double nice_step(double length, int most) {
  const double rough = length / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Iterations and steps are counted; what is measured over them gets an axis that ends at round numbers.
enum class AxisKind { kCounted, kMeasured };

class Axis {
 public:
  // From values to pixels `from` … `to`.
  Axis(Range values, int most_ticks, double from, double to, AxisKind kind) : from_(from), to_(to) {
    // One point, or several at the same value, still need an axis of some length.
    if (values.high - values.low <= 1e-12 * std::max(1.0, std::abs(values.high))) {
      const double room = kind == AxisKind::kCounted || values.high == 0 ? 1 : std::abs(values.high) / 2;
      // What is measured as nothing throughout is not on its way below it.
      if (kind == AxisKind::kCounted || values.high != 0) values.low -= room;
      values.high += room;
    }
    step_ = nice_step(values.high - values.low, most_ticks);
    if (kind == AxisKind::kCounted) step_ = std::max(step_, 1.0);
    const bool rounded = kind == AxisKind::kMeasured;
    low_ = rounded ? std::floor(values.low / step_ + 1e-9) * step_ : values.low;
    high_ = rounded ? std::ceil(values.high / step_ - 1e-9) * step_ : values.high;
  }

  [[nodiscard]] double pixel(double value) const {
    return from_ + (std::clamp(value, low_, high_) - low_) / (high_ - low_) * (to_ - from_);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> ticks;
    const double first = std::ceil(low_ / step_ - 1e-9);
    for (double k = first; k * step_ <= high_ + 1e-9 * step_; ++k) ticks.push_back(k * step_ + 0.0);  // no −0
    return ticks;
  }

 private:
  double from_, to_;
  double low_ = 0, high_ = 1, step_ = 1;
};

std::vector<ChartPoint> drawn_points(const ChartSeries& series) {
  std::vector<ChartPoint> points;
  for (const ChartPoint& point : series.points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    points.push_back(point);
    // An open end of an interval cannot be drawn.
    if (!std::isfinite(point.low.value_or(0)) || !std::isfinite(point.high.value_or(0))) {
      points.back().low = points.back().high = std::nullopt;
    }
  }
  if (points.size() <= kMostShownPoints) return points;
  std::vector<ChartPoint> thinned;
  for (std::size_t k = 0; k < kMostShownPoints; ++k) {
    thinned.push_back(points[k * (points.size() - 1) / (kMostShownPoints - 1)]);
  }
  return thinned;
}

class ChartWriter {
 public:
  explicit ChartWriter(const LineChart& chart) : chart_(chart) {
    for (const ChartSeries& series : chart.series) points_.push_back(drawn_points(series));
  }

  [[nodiscard]] std::string write() const {
    std::string html =
        "<figure class=\"panel chart\">\n<figcaption>" + escape_html(chart_.title) +
        (chart_.unit.empty() ? "" : " <span class=\"unit\">" + escape_html(chart_.unit) + "</span>") +
        "</figcaption>\n";
    if (std::all_of(points_.begin(), points_.end(), [](const auto& points) { return points.empty(); })) {
      return html + "<p class=\"empty\">No data yet</p>\n</figure>\n";
    }
    return html + legend() + svg() +
           (chart_.note.empty() ? "" : "<p class=\"note\">" + escape_html(chart_.note) + "</p>\n") +
           "</figure>\n";
  }

 private:
  [[nodiscard]] bool percent() const { return chart_.unit == "%"; }
  [[nodiscard]] std::string value_text(double value) const {
    return percent() ? format_text("%.3g %%", 100 * value) : short_number(value);
  }
  [[nodiscard]] std::string classes(std::size_t index) const {
    return format_text("s%d%s", static_cast<int>(index % kColours),
                       chart_.series[index].dashed ? " dashed" : "");
  }

  [[nodiscard]] std::string legend() const {
    if (chart_.series.size() < 2) return "";
    std::string html = "<ul class=\"legend\">";
    for (std::size_t k = 0; k < chart_.series.size(); ++k) {
      if (points_[k].empty()) continue;
      html +=
          "<li><svg class=\"key " + classes(k) +
          "\" viewBox=\"0 0 22 8\" width=\"22\" height=\"8\" aria-hidden=\"true\"><line x1=\"1\" y1=\"4\" "
          "x2=\"21\" y2=\"4\"/></svg>" +
          escape_html(chart_.series[k].name) + "</li>";
    }
    return html + "</ul>\n";
  }

  [[nodiscard]] std::string svg() const {
    Range xs, ys;
    for (const auto& points : points_) {
      for (const ChartPoint& point : points) {
        xs.include(point.x);
        ys.include(point.low.value_or(point.y));
        ys.include(point.high.value_or(point.y));
      }
    }
    if (chart_.from_zero) ys.include(0);
    if (chart_.y_maximum) ys.high = *chart_.y_maximum;
    if (chart_.reference) ys.include(*chart_.reference);
    const Axis x(xs, 5, kLeft, kWidth - kRight, chart_.whole_x ? AxisKind::kCounted : AxisKind::kMeasured);
    const Axis y(ys, 5, kHeight - kBottom, kTop, AxisKind::kMeasured);

    std::string html = format_text("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">", kWidth, kHeight) +
                       "<title>" + escape_html(chart_.title) + "</title><desc>" + escape_html(description()) +
                       "</desc>\n";
    html += grid(x, y);
    if (chart_.reference) {
      const double at = y.pixel(*chart_.reference);
      html += format_text("<line class=\"reference\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                          kLeft, at, kWidth - kRight, at);
    }
    for (std::size_t k = 0; k < points_.size(); ++k) html += band(k, x, y);
    for (std::size_t k = 0; k < points_.size(); ++k) html += line(k, x, y);
    return html + "</svg>\n";
  }

  // The picture in words: where each series begins and ends.
  [[nodiscard]] std::string description() const {
    std::string text;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (points_[k].empty()) continue;
      const ChartPoint& first = points_[k].front();
      const ChartPoint& last = points_[k].back();
      text += (text.empty() ? "" : "; ") + chart_.series[k].name + ": " + value_text(first.y) + " at " +
              chart_.x_label + " " + short_number(first.x);
      if (points_[k].size() > 1) text += ", " + value_text(last.y) + " at " + short_number(last.x);
    }
    return text;
  }

  [[nodiscard]] std::string grid(const Axis& x, const Axis& y) const {
    std::string html;
    for (const double tick : y.ticks()) {
      const double at = y.pixel(tick);
      html += format_text("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", kLeft, at,
                          kWidth - kRight, at);
      html +=
          format_text("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", kLeft - 7, at + 4) +
          value_text(tick) + "</text>\n";
    }
    const double base = kHeight - kBottom;
    for (const double tick : x.ticks()) {
      const double at = x.pixel(tick);
      html += format_text("<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", at, base,
                          at, base + 4);
      html +=
          format_text("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", at, base + 17) +
          short_number(tick) + "</text>\n";
    }
    html += format_text("<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", kLeft, base,
                        kWidth - kRight, base);
    html += format_text("<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                        (kLeft + kWidth - kRight) / 2, kHeight - 6) +
            escape_html(chart_.x_label) + "</text>\n";
    return html;
  }

  // The intervals: along their upper ends and back along the lower ones. A single one is a bar.
  [[nodiscard]] std::string band(std::size_t index, const Axis& x, const Axis& y) const {
    if (chart_.whiskers) return whiskers(index, x, y);
    const auto& points = points_[index];
    std::string forth, back;
    for (const ChartPoint& point : points) {
      if (!point.low || !point.high) continue;
      const double at = x.pixel(point.x);
      forth += format_text("%.1f,%.1f ", at - (points.size() == 1 ? 4 : 0), y.pixel(*point.high));
      back = format_text("%.1f,%.1f ", at + (points.size() == 1 ? 4 : 0), y.pixel(*point.low)) + back;
      if (points.size() == 1) {
        forth += format_text("%.1f,%.1f ", at + 4, y.pixel(*point.high));
        back += format_text("%.1f,%.1f ", at - 4, y.pixel(*point.low));
      }
    }
    if (forth.empty()) return "";
    return "<polygon class=\"band " + classes(index) + "\" points=\"" + forth + back + "\"/>\n";
  }

  [[nodiscard]] std::string whiskers(std::size_t index, const Axis& x, const Axis& y) const {
    std::string html;
    for (const ChartPoint& point : points_[index]) {
      if (!point.low || !point.high) continue;
      // Intervals of several series at the same x stand beside each other.
      const double shift = 3.0 * (static_cast<double>(index) - 0.5 * static_cast<double>(points_.size() - 1));
      const double at = x.pixel(point.x) + shift;
      html +=
          format_text("<line class=\"whisker s%d\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                      static_cast<int>(index % kColours), at, y.pixel(*point.low), at, y.pixel(*point.high));
    }
    return html;
  }

  [[nodiscard]] std::string line(std::size_t index, const Axis& x, const Axis& y) const {
    const auto& points = points_[index];
    if (points.empty()) return "";
    std::string html;
    if (points.size() > 1) {
      html += "<polyline class=\"line " + classes(index) + "\" points=\"";
      for (const ChartPoint& point : points)
        html += format_text("%.1f,%.1f ", x.pixel(point.x), y.pixel(point.y));
      html += "\"/>\n";
    }
    if (points.size() > kMostMarks) return html;
    for (const ChartPoint& point : points) {
      html += format_text("<circle class=\"mark s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>",
                          static_cast<int>(index % kColours), x.pixel(point.x), y.pixel(point.y),
                          points.size() > 25 ? "1.6" : "2.6") +
              escape_html(chart_.series[index].name + ": " + value_text(point.y) + " at " + chart_.x_label +
                          " " + short_number(point.x)) +
              "</title></circle>\n";
    }
    return html;
  }

  const LineChart& chart_;
  std::vector<std::vector<ChartPoint>> points_;  // of each series, as drawn
};

}  // namespace

std::string to_html(const LineChart& chart) {
  return ChartWriter(chart).write();
}

bool has_points(const LineChart& chart) {
  return std::ranges::any_of(chart.series, [](const auto& series) { return !drawn_points(series).empty(); });
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return format_text("%.4gM", value / 1e6);
  if (size >= 1e4) return format_text("%.4gk", value / 1e3);
  return format_text("%.4g", value);
}

}  // namespace pahtum
