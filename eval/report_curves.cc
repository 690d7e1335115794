// The parts of a report that show how a run went: curves over steps, iterations and time.

#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/html.h"
#include "eval/report_parts.h"

namespace pahtum {
namespace {

using nlohmann::json;

struct Curve {
  std::string name;
  std::string field;  // JSON pointer
  bool dashed = false;
};

LineChart chart_of(const std::vector<json>& metrics, std::string title, const std::string& x_name,
                   std::string unit, const std::vector<Curve>& curves, std::string note = "") {
  LineChart chart;
  chart.title = std::move(title);
  chart.x_label = x_name;
  chart.unit = std::move(unit);
  chart.note = std::move(note);
  for (const Curve& curve : curves) {
    ChartSeries series = metrics_series(metrics, curve.name, "/" + x_name, curve.field, curve.dashed);
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

// Shares of the games of each iteration that ended in a way.
LineChart results_chart(const std::vector<json>& metrics) {
  LineChart chart;
  chart.title = "Results of self-play by colour";
  chart.x_label = "iteration";
  chart.unit = "%";
  chart.y_maximum = 1.0;
  const std::vector<Curve> curves = {
      {"White wins", "/white_wins"}, {"draws", "/draws"}, {"Black wins", "/black_wins"}};
  for (const Curve& curve : curves) chart.series.push_back({curve.name, {}, false});
  for (const json& row : metrics) {
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

LineChart match_chart(const std::vector<json>& metrics) {
  LineChart chart;
  chart.title = "Short matches during training";
  chart.x_label = "iteration";
  chart.unit = "%";
  chart.y_maximum = 1.0;
  chart.reference = 0.5;
  chart.series = match_series(metrics);
  if (chart.series.size() == 1) chart.note = chart.series[0].name + "; ";
  chart.note += "score with its 95 % interval";
  return chart;
}

LineChart oracle_chart(const std::vector<json>& metrics) {
  LineChart chart;
  chart.title = "Outcomes given away in solved positions";
  chart.x_label = "games";
  chart.unit = "%";
  chart.note = "share of the decisive positions, with its 95 % interval";
  chart.whiskers = true;
  for (const auto& [name, choice] : {std::pair{"without search", "policy"}, {"with search", "search"}}) {
    ChartSeries series = oracle_series(metrics, choice);
    series.name = name;
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

LineChart rating_chart(std::string title, std::string x_label, ChartSeries series, bool whole_x) {
  LineChart chart;
  chart.title = std::move(title);
  chart.x_label = std::move(x_label);
  chart.unit = "Elo, random = 0";
  chart.series = {std::move(series)};
  chart.whole_x = whole_x;
  return chart;
}

}  // namespace

std::optional<double> number_at(const json& row, const std::string& pointer) {
  const json::json_pointer at(pointer);
  if (!row.contains(at) || !row.at(at).is_number()) return std::nullopt;
  return row.at(at).get<double>();
}

TimeAxis time_axis(double longest_seconds) {
  if (longest_seconds >= 2 * 86'400) return {"days of training", 86'400};
  if (longest_seconds >= 2 * 3'600) return {"hours of training", 3'600};
  if (longest_seconds >= 120) return {"minutes of training", 60};
  return {"seconds of training", 1};
}

ChartSeries metrics_series(const std::vector<json>& metrics, const std::string& name,
                           const std::string& x_pointer, const std::string& y_pointer, bool dashed) {
  ChartSeries series{name, {}, dashed};
  for (const json& row : metrics) {
    const auto x = number_at(row, x_pointer);
    const auto y = number_at(row, y_pointer);
    if (x && y) series.points.push_back({*x, *y, std::nullopt, std::nullopt});
  }
  return series;
}

std::vector<ChartSeries> match_series(const std::vector<json>& metrics) {
  std::vector<ChartSeries> list;
  for (const json& row : metrics) {
    const auto x = number_at(row, "/iteration");
    const auto score = number_at(row, "/match/score");
    if (!x || !score) continue;
    const json& against = row.at("match").value("against", json());
    const std::string name = against.is_string() ? "against " + against.get<std::string>() : "score";
    auto series = std::ranges::find(list, name, &ChartSeries::name);
    if (series == list.end()) series = list.insert(series, {name, {}, false});
    series->points.push_back(
        {*x, *score, number_at(row, "/match/score_low"), number_at(row, "/match/score_high")});
  }
  return list;
}

ChartSeries oracle_series(const std::vector<json>& metrics, const std::string& choice) {
  ChartSeries series;
  const std::string errors = "/oracle/" + choice + "/all/outcome_errors";
  for (const json& row : metrics) {
    const auto x = number_at(row, "/games");
    const auto share = number_at(row, errors);
    if (!x || !share) continue;
    series.points.push_back({*x, *share, number_at(row, errors + "_low"), number_at(row, errors + "_high")});
  }
  return series;
}

std::string rating_text(double elo) {
  return format_text("%.0f", std::round(elo) + 0.0);  // no "-0"
}

ChartSeries rating_series(const std::vector<RatingPoint>& curve, const std::string& name,
                          double seconds_unit) {
  ChartSeries series{name, {}, false};
  for (const RatingPoint& point : curve) {
    series.points.push_back({point.seconds / seconds_unit, point.elo, point.low, point.high});
  }
  return series;
}

ChartSeries rating_by_games(const std::vector<RatingPoint>& curve, const std::string& name) {
  ChartSeries series{name, {}, false};
  for (const RatingPoint& point : curve) {
    series.points.push_back({static_cast<double>(point.games), point.elo, point.low, point.high});
  }
  return series;
}

std::string curves_part(const ReportData& report) {
  const std::vector<json>& metrics = report.metrics;
  std::vector<LineChart> charts;
  charts.push_back(match_chart(metrics));
  charts.push_back(oracle_chart(metrics));
  charts.push_back(chart_of(
      metrics, "Policy loss", "step", "nats",
      {{"policy", "/loss/policy"}, {"its floor: entropy of the targets", "/loss/policy_entropy", true}}));
  charts.push_back(
      chart_of(metrics, "Value, margin and ownership loss", "step", "",
               {{"value", "/loss/value"}, {"margin", "/loss/margin"}, {"ownership", "/loss/ownership"}}));
  charts.push_back(chart_of(metrics, "Total loss", "step", "", {{"total", "/loss/total"}}));
  charts.push_back(chart_of(metrics, "Accuracy", "step", "%",
                            {{"policy", "/policy_accuracy"}, {"value", "/value_accuracy"}},
                            "share of samples whose most visited move, or whose result, is the network's "
                            "first choice"));
  charts.push_back(results_chart(metrics));
  charts.push_back(chart_of(metrics, "Repeated games", "iteration", "%", {{"repeated", "/duplicate_games"}},
                            "share of an iteration's games that were in the replay window already"));
  charts.push_back(
      chart_of(metrics, "Speed of self-play", "iteration", "games/s", {{"games/s", "/games_per_second"}}));
  charts.push_back(chart_of(metrics, "Network evaluations", "iteration", "per second",
                            {{"evaluations/s", "/evaluations_per_second"}}));
  std::string html;
  for (const LineChart& chart : charts) html += has_points(chart) ? to_html(chart) : "";
  return html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string ratings_part(const ReportData& report) {
  std::string html;
  if (!report.rating_curve.empty()) {
    double longest = 0;
    for (const RatingPoint& point : report.rating_curve) longest = std::max(longest, point.seconds);
    const TimeAxis axis = time_axis(longest);
    html += "<div class=\"charts wide\">\n" +
            to_html(rating_chart("Rating by time of training", axis.label,
                                 rating_series(report.rating_curve, "rating", axis.unit), false)) +
            to_html(rating_chart("Rating by games of self-play", "games",
                                 rating_by_games(report.rating_curve, "rating"), true)) +
            "</div>\n";
    HtmlTable table("Rating of the run's checkpoints, Elo with 95 % intervals, random = 0",
                    {"checkpoint", "iteration", "step", "games", "training", "Elo", "from", "to"});
    for (const RatingPoint& point : report.rating_curve) {
      table.row().text_cell(point.checkpoint).cell(count_text(point.iteration)).cell(count_text(point.step));
      table.cell(count_text(point.games)).cell(training_time_text(point.seconds));
      for (const double elo : {point.elo, point.low, point.high}) table.cell(rating_text(elo));
    }
    html += "<details>\n<summary>The rating curve in numbers</summary>\n" + table.html() + "</details>\n";
  }
  if (!report.pool || report.pool->players.empty()) return html;
  const ReportPool& pool = *report.pool;
  std::vector<std::size_t> order(pool.players.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t k) { return pool.players[k].elo; });

  double low = 0, high = 0;
  for (const PoolPlayer& player : pool.players) {
    low = std::min(low, player.low);
    high = std::max(high, player.high);
  }
  const double width = std::max(1.0, high - low);
  HtmlTable ratings("Ratings of the pool, Elo with 95 % intervals",
                    {"player", "Elo", "95 % interval", "games", ""});
  for (const std::size_t k : order) {
    const PoolPlayer& player = pool.players[k];
    const auto at = [&](double elo) { return 4 + 192 * (elo - low) / width; };
    ratings.row().text_cell(short_player(player.name)).cell(rating_text(player.elo));
    ratings.cell(rating_text(player.low) + " … " + rating_text(player.high)).cell(count_text(player.games));
    ratings.cell("<svg class=\"interval\" viewBox=\"0 0 200 14\" aria-hidden=\"true\">" +
                 format_text("<line class=\"axis\" x1=\"0\" y1=\"7\" x2=\"200\" y2=\"7\"/>"
                             "<line class=\"span\" x1=\"%.1f\" y1=\"7\" x2=\"%.1f\" y2=\"7\"/>"
                             "<circle class=\"point\" cx=\"%.1f\" cy=\"7\" r=\"4\"/></svg>",
                             at(player.low), at(player.high), at(player.elo)));
  }
  html += ratings.html();
  if (pool.first_move_advantage) {
    html += "<p class=\"note\">In this pool having White is worth " +
            format_text("%+.0f", *pool.first_move_advantage) + " Elo.</p>\n";
  }

  // Names would make columns too wide; numbers stand for them.
  std::vector<std::string> headings = {"player"};
  std::vector<std::string> names(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    headings.push_back(std::to_string(place + 1));
    names[order[place]] = headings.back() + ". " + short_player(pool.players[order[place]].name);
  }

  if (!pool.pairings.empty()) {
    HtmlTable cross("Cross table: score of the row against the column", headings);
    for (const std::size_t row : order) {
      cross.row().text_cell(names[row]);
      for (const std::size_t column : order) {
        WinDrawLoss results;
        for (const PoolPairing& pairing : pool.pairings) {
          const auto is = [&](std::int64_t number, std::size_t player) {
            return number == static_cast<std::int64_t>(player);
          };
          const bool forth = is(pairing.first, row) && is(pairing.second, column);
          const bool back = is(pairing.first, column) && is(pairing.second, row);
          if (!forth && !back) continue;
          results.wins += forth ? pairing.results.wins : pairing.results.losses;
          results.losses += forth ? pairing.results.losses : pairing.results.wins;
          results.draws += pairing.results.draws;
        }
        if (results.games() == 0) {
          cross.cell(row == column ? "·" : "", "muted");
          continue;
        }
        cross.cell(format_text("<span class=\"share-cell\">%.0f %%</span>", 100 * results.score()) +
                   "<small>" + count_text(results.wins) + "–" + count_text(results.draws) + "–" +
                   count_text(results.losses) + "</small>");
      }
    }
    html += cross.html();
  }
  if (!pool.superiority.empty()) {
    HtmlTable table("How likely the row is stronger than the column", headings);
    for (const std::size_t row : order) {
      table.row().text_cell(names[row]);
      for (const std::size_t column : order) {
        table.cell(row == column ? "·" : format_text("%.1f %%", 100 * pool.superiority[row][column]),
                   row == column ? "muted" : "");
      }
    }
    html += table.html();
  }
  return html;
}

}  // namespace pahtum
