#include "eval/bar_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

namespace pahtum {
namespace {

struct Label {
  double x, y;
  std::string text;
};

// The labels of an SVG, in order.
std::vector<Label> labels_of(const std::string& html) {
  static const std::regex kText("<text class=\"tick\" x=\"([0-9.]+)\" y=\"([0-9.-]+)\"[^>]*>([^<]*)</text>");
  std::vector<Label> labels;
  for (std::sregex_iterator match(html.begin(), html.end(), kText), end; match != end; ++match) {
    labels.push_back({std::stod((*match)[1]), std::stod((*match)[2]), (*match)[3]});
  }
  return labels;
}

// Characters of the page's labels are at most 7.5 units wide and less than 17 high.
bool overlap(const Label& a, const Label& b) {
  const double width = 7.5 * static_cast<double>(a.text.size() + b.text.size()) / 2;
  return std::abs(a.x - b.x) < width && std::abs(a.y - b.y) < 17 - 1e-6;
}

// Values of neighbours that are nearly equal, and as tall as the chart, are where labels met.
TEST(BarChart, LabelsNeverOverlapAndStayInThePicture) {
  for (const double second : {0.125, 0.2, 0.24, 0.25, 0.26, 0.5}) {
    const BarChart chart{"Runs",
                         "length",
                         {"3", "4", "5", "6", "7"},
                         {{"a", "by-white", {0.25, 1.5, 0.25, 0.375, 0.125}},
                          {"b", "by-black", {second, 1.5, second, 0.375, 0.125}}}};
    const std::vector<Label> labels = labels_of(to_html(chart));
    EXPECT_EQ(labels.size(), 15u) << "five places and ten values";
    for (std::size_t a = 0; a < labels.size(); ++a) {
      EXPECT_GE(labels[a].y, 10.0) << labels[a].text;
      for (std::size_t b = a + 1; b < labels.size(); ++b) {
        EXPECT_FALSE(overlap(labels[a], labels[b]))
            << second << ": " << labels[a].text << ", " << labels[b].text;
      }
    }
  }
}

}  // namespace
}  // namespace pahtum
