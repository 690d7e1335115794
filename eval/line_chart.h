#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pahtum {

struct ChartPoint {
  double x = 0, y = 0;
  std::optional<double> low, high;  // an interval around y, drawn as a band
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // ascending in x; points that are not finite are left out
  bool dashed = false;             // for a reference rather than a measurement
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string unit;                      // of y; "%" shows shares of 0 … 1 as percentages
  std::vector<ChartSeries> series;       // at most six have colours of their own
  bool from_zero = true;                 // the y axis starts at 0
  std::optional<double> y_maximum;       // fixed end of the y axis
  bool whole_x = true;                   // x is counted: its ticks are whole numbers
  bool whiskers = false;                 // intervals as a bar at each point instead of a band
  std::optional<double> reference = {};  // a level to compare with, drawn as a thin line
  std::string note = {};                 // text below the picture
};

// The chart as an HTML <figure> with a legend and an inline SVG, styled by eval/report/page.css. Points carry
// their values as tooltips. A chart without any point says so.
[[nodiscard]] std::string to_html(const LineChart& chart);

// Whether any series has a point that can be drawn.
[[nodiscard]] bool has_points(const LineChart& chart);

// "12.5k": a number with the digits that an axis needs.
[[nodiscard]] std::string short_number(double value);

}  // namespace pahtum
