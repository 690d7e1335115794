#include "eval/line_chart.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/eval/markup.h"

namespace pahtum {
namespace {

LineChart chart_of(std::vector<ChartPoint> points, const std::string& unit = "") {
  return {"A <title>", "step",      unit, {{"a & b", std::move(points), false}, {"c", {}, true}},
          true,        std::nullopt};
}

TEST(LineChart, IsWellFormedForAnyNumberOfPoints) {
  for (const int count : {0, 1, 2, 5, 100, 5000}) {
    std::vector<ChartPoint> points;
    for (int k = 0; k < count; ++k) points.push_back({k * 10.0, 1.0 / (k + 1), 0.0, 1.0});
    const std::string html = to_html(chart_of(points));
    expect_balanced(html);
    EXPECT_EQ(html.find("nan"), std::string::npos);
    EXPECT_EQ(html.find("inf"), std::string::npos);
    EXPECT_EQ(html.find("No data yet") != std::string::npos, count == 0);
    EXPECT_EQ(occurrences(html, "<polyline"), count > 1 ? 1u : 0u);
    EXPECT_LT(html.size(), 40'000u);
  }
}

TEST(LineChart, LeavesOutWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string html = to_html(chart_of({{0, 1, {}, {}}, {1, nan, {}, {}}, {2, 3, {}, {}}}));
  EXPECT_EQ(occurrences(html, "<circle"), 2u);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(LineChart, TicksAreRoundNumbersAndSharesArePercentages) {
  const std::string plain = to_html(chart_of({{0, 0, {}, {}}, {30'000, 0.93, {}, {}}}));
  for (const char* tick : {">0.2<", ">0.8<", ">1<", ">10k<", ">30k<"}) {
    EXPECT_NE(plain.find(tick), std::string::npos) << tick;
  }
  EXPECT_NE(plain.find(">0<"), std::string::npos);
  EXPECT_EQ(plain.find(">-0<"), std::string::npos);
  const std::string shares = to_html(chart_of({{0, 0, {}, {}}, {9, 0.93, {}, {}}}, "%"));
  EXPECT_NE(shares.find(">80 %<"), std::string::npos);
}

TEST(LineChart, ASinglePointStandsInTheMiddleBetweenWholeNumbers) {
  const std::string html = to_html(chart_of({{5, 0.5, {}, {}}}));
  for (const char* tick : {">4<", ">5<", ">6<"}) EXPECT_NE(html.find(tick), std::string::npos) << tick;
  EXPECT_EQ(html.find(">4.5<"), std::string::npos);
}

TEST(LineChart, LevelAndNegativeSeriesHaveAnAxisToo) {
  for (const double level : {0.0, 5.0, -5.0, 1e-9, 1e12}) {
    const std::string html = to_html(chart_of({{3, level, {}, {}}, {3, level, {}, {}}}));
    expect_balanced(html);
    EXPECT_EQ(html.find("nan"), std::string::npos);
    EXPECT_GE(occurrences(html, "class=\"tick\""), 3u) << level;
  }
}

}  // namespace
}  // namespace pahtum
