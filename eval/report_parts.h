#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/line_chart.h"
#include "eval/report_data.h"

namespace pahtum {

// The parts of a report's page as HTML, each empty when the data for it are missing. Used by report.cc and
// report_compare.cc alone.

// In sentences: how strong, how sure, how far from perfect, what to look at next.
[[nodiscard]] std::string summary_part(const ReportData& report);
// What the report lacks and how to get it.
[[nodiscard]] std::string missing_part(const ReportData& report);
[[nodiscard]] std::string matches_part(const ReportData& report);
// Rating curve, pool and cross table.
[[nodiscard]] std::string ratings_part(const ReportData& report);
[[nodiscard]] std::string curves_part(const ReportData& report);
// Comparison with solved positions, and calibration.
[[nodiscard]] std::string truth_part(const ReportData& report);
// First-player results and statistics of games.
[[nodiscard]] std::string statistics_part(const ReportData& report);
[[nodiscard]] std::string first_moves_part(const ReportData& report);
// The replay viewer; with its data and, where there are games, its script.
[[nodiscard]] std::string games_part(const ReportData& report);

// Shared by the parts.

// The first move as the first player sees it: "net:…" specs are long; this is what fits a table.
[[nodiscard]] std::string short_player(const std::string& spec);
// "95.1 – 98.8 %"
[[nodiscard]] std::string percent_range(double low, double high);
// "+120 (+80 … +160)"
[[nodiscard]] std::string elo_with_interval(double elo, double low, double high);
// "12.3 ms", "1.24 s"
[[nodiscard]] std::string move_time_text(double seconds);

// The number at a pointer such as "/loss/policy"; nothing when the row lacks it.
[[nodiscard]] std::optional<double> number_at(const nlohmann::json& row, const std::string& pointer);

// Seconds of training in the unit that suits the longest of them.
struct TimeAxis {
  std::string label;  // "hours of training"
  double unit = 1;    // seconds
};
[[nodiscard]] TimeAxis time_axis(double longest_seconds);

// A curve of a run over steps, iterations and so on, taken from rows of metrics.jsonl.
[[nodiscard]] ChartSeries metrics_series(const std::vector<nlohmann::json>& metrics, const std::string& name,
                                         const std::string& x_pointer, const std::string& y_pointer,
                                         bool dashed = false);
// Its short matches by opponent.
[[nodiscard]] std::vector<ChartSeries> match_series(const std::vector<nlohmann::json>& metrics);
// The share of outcomes that the network gave away in solved positions, by the games it had learned from;
// `choice` is "policy" or "search".
[[nodiscard]] ChartSeries oracle_series(const std::vector<nlohmann::json>& metrics,
                                        const std::string& choice);

// "1640": Elo above the anchor of the ratings.
[[nodiscard]] std::string rating_text(double elo);

// Rating with its interval over training seconds (in the axis's unit), or over games.
[[nodiscard]] ChartSeries rating_series(const std::vector<RatingPoint>& curve, const std::string& name,
                                        double seconds_unit);
[[nodiscard]] ChartSeries rating_by_games(const std::vector<RatingPoint>& curve, const std::string& name);

}  // namespace pahtum
