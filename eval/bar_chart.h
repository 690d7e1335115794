#pragma once

#include <string>
#include <vector>

namespace pahtum {

struct BarSeries {
  std::string name;
  std::string classes;         // CSS, of its colour
  std::vector<double> values;  // one for each label, finite and not negative
};

// Bars beside each other over labelled places, such as a histogram.
struct BarChart {
  std::string title;
  std::string x_label;
  std::vector<std::string> labels;
  std::vector<BarSeries> series;
  std::string note = {};  // text below the picture
};

// The chart as an HTML <figure> with an inline SVG, styled by eval/report/page.css. Bars carry their values
// as tooltips. No labels: no figure.
[[nodiscard]] std::string to_html(const BarChart& chart);

// A part of a whole, for stacked_bar().
struct BarPart {
  std::string name;
  std::string classes;  // CSS
  double share = 0;     // 0 … 1
};

// One bar of parts that sum to 1, as an inline SVG with its parts as tooltips and in its description.
[[nodiscard]] std::string stacked_bar(const std::string& title, const std::vector<BarPart>& parts);

}  // namespace pahtum
