// The page that compares several runs.

#include <algorithm>
#include <map>
#include <set>

#include "eval/html.h"
#include "eval/report.h"
#include "eval/report_page.h"
#include "eval/report_parts.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

using Reports = std::vector<ReportData>;

std::vector<std::string> headings_of(const Reports& reports, const std::string& first) {
  std::vector<std::string> headings = {first};
  for (const ReportData& report : reports) headings.push_back(report.title);
  return headings;
}

std::string facts_table(const Reports& reports) {
  HtmlTable table("The runs", headings_of(reports, ""));
  const auto add = [&](const char* what, const auto& value_of) {
    std::vector<std::string> values;
    for (const ReportData& report : reports) values.push_back(value_of(report.target));
    if (std::ranges::all_of(values, &std::string::empty)) return;
    table.row().text_cell(what);
    for (const std::string& value : values) table.text_cell(value.empty() ? "–" : value);
  };
  const auto count = [](const std::optional<std::int64_t>& value) {
    return value ? count_text(*value) : std::string();
  };
  add("Rules", [](const ReportTarget& target) { return target.rules; });
  add("Network", [](const ReportTarget& target) { return target.network; });
  add("Search", [](const ReportTarget& target) { return target.search; });
  add("Iterations", [&](const ReportTarget& target) { return count(target.iteration); });
  add("Games of self-play", [&](const ReportTarget& target) { return count(target.games); });
  add("Learner steps", [&](const ReportTarget& target) { return count(target.step); });
  add("Training", [](const ReportTarget& target) {
    return target.training_seconds ? training_time_text(*target.training_seconds) : std::string();
  });
  add("Version", [](const ReportTarget& target) { return target.project_version; });
  return table.html();
}

// Opponents in the order in which they first appear.
std::vector<std::string> opponents_of(const Reports& reports) {
  std::vector<std::string> names;
  for (const ReportData& report : reports) {
    for (const ReportMatch& match : report.matches) {
      if (std::ranges::find(names, match.second) == names.end()) names.push_back(match.second);
    }
  }
  return names;
}

std::string matches_table(const Reports& reports) {
  const std::vector<std::string> opponents = opponents_of(reports);
  if (opponents.empty()) return "";
  HtmlTable table("Final matches: score with its 95 % interval, and wins, draws and losses",
                  headings_of(reports, "opponent"));
  for (const std::string& opponent : opponents) {
    table.row().text_cell(short_player(opponent));
    for (const ReportData& report : reports) {
      const auto match = std::ranges::find(report.matches, opponent, &ReportMatch::second);
      if (match == report.matches.end()) {
        table.cell("–", "muted");
        continue;
      }
      const WinDrawLoss total = match->total();
      table.cell("<b>" + percent_text(match->score.value) + "</b><small>" +
                 percent_range(match->score.low, match->score.high) + "</small><small>" +
                 count_text(total.wins) + "–" + count_text(total.draws) + "–" + count_text(total.losses) +
                 (match->few_distinct_games() ? " · few different games" : "") + "</small>");
    }
  }
  return table.html();
}

std::string ratings_table(const Reports& reports) {
  const auto rated = [](const ReportData& report) { return !report.rating_curve.empty(); };
  if (std::ranges::none_of(reports, rated)) return "";
  HtmlTable table("Ratings of the newest checkpoints, Elo, random = 0",
                  {"run", "Elo", "95 % interval", "training", "games"});
  for (const ReportData& report : reports) {
    table.row().text_cell(report.title);
    if (!rated(report)) {
      for (int k = 0; k < 4; ++k) table.cell("–", "muted");
      continue;
    }
    const RatingPoint& last = report.rating_curve.back();
    table.cell(rating_text(last.elo)).cell(rating_text(last.low) + " … " + rating_text(last.high));
    table.cell(training_time_text(last.seconds)).cell(count_text(last.games));
  }
  return table.html();
}

std::string oracle_table_of(const Reports& reports) {
  const auto compared = [](const ReportData& report) { return !report.oracle.empty(); };
  if (std::ranges::none_of(reports, compared)) return "";
  HtmlTable table("Solved positions: all numbers of empty squares together",
                  {"run", "player", "positions", "outcome given away", "best margin kept", "points lost"}, 2);
  for (const ReportData& report : reports) {
    for (const OracleScore& score : report.oracle) {
      table.row().text_cell(report.title).text_cell(short_player(score.player));
      table.cell(count_text(score.all.positions));
      const auto& errors = score.all.outcome_errors;
      table.cell(errors ? "<b>" + percent_text(errors->value) + "</b><small>" +
                              percent_range(errors->low, errors->high) + "</small>"
                        : "–");
      table.cell(percent_text(score.all.best_margin.value));
      table.cell(format_text("%.2f", score.all.mean_margin_loss.value));
    }
  }
  return table.html();
}

// The keys of a resolved configuration with their values, "section.key". The program writes it with one key a
// line, sections without indentation, and comments behind a #.
std::map<std::string, std::string> settings_of(const std::string& yaml) {
  std::map<std::string, std::string> settings;
  std::string section;
  for (std::size_t start = 0; start < yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', start), yaml.size());
    const std::string line = yaml.substr(start, end - start);
    start = end + 1;
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t colon = line.find(':');
    if (first == std::string::npos || line[first] == '#' || colon == std::string::npos) continue;
    if (first == 0) section = line.substr(0, colon);
    std::string value = line.substr(colon + 1);
    value.erase(0, value.find_first_not_of(' '));
    if (value.empty()) continue;
    settings[first == 0 ? section : section + "." + line.substr(first, colon - first)] = value;
  }
  return settings;
}

std::string differences_table(const Reports& reports) {
  std::vector<std::map<std::string, std::string>> all;
  std::set<std::string> keys;
  for (const ReportData& report : reports) {
    all.push_back(settings_of(report.target.config));
    for (const auto& [key, value] : all.back()) keys.insert(key);
  }
  HtmlTable table("Settings that differ", headings_of(reports, "key"));
  bool any = false;
  for (const std::string& key : keys) {
    std::vector<std::string> values;
    for (const auto& settings : all) {
      const auto found = settings.find(key);
      values.push_back(found == settings.end() ? "–" : found->second);
    }
    if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end()) continue;
    any = true;
    table.row().text_cell(key);
    for (const std::string& value : values) table.text_cell(value);
  }
  if (any) return table.html();
  return keys.empty() ? "" : "<p>The runs have the same configuration.</p>\n";
}

// One chart of one curve of every run.
LineChart overlay(const Reports& reports, std::string title, std::string x_label, std::string unit,
                  const std::function<ChartSeries(const ReportData&)>& series) {
  LineChart chart;
  chart.title = std::move(title);
  chart.x_label = std::move(x_label);
  chart.unit = std::move(unit);
  for (const ReportData& report : reports) {
    chart.series.push_back(series(report));
    chart.series.back().name = report.title;
  }
  return chart;
}

std::string overlays(const Reports& reports) {
  struct Curve {
    const char* title;
    const char* x;
    const char* unit;
    const char* field;
  };
  std::string html;
  const auto add = [&](LineChart chart) { html += has_points(chart) ? to_html(chart) : ""; };

  double longest = 0;
  for (const ReportData& report : reports) {
    for (const RatingPoint& point : report.rating_curve) longest = std::max(longest, point.seconds);
  }
  const TimeAxis axis = time_axis(longest);
  LineChart by_time =
      overlay(reports, "Rating by time of training", axis.label, "Elo, random = 0",
              [&](const ReportData& report) { return rating_series(report.rating_curve, "", axis.unit); });
  by_time.whole_x = false;
  add(std::move(by_time));
  add(overlay(reports, "Rating by games of self-play", "games", "Elo, random = 0",
              [](const ReportData& report) { return rating_by_games(report.rating_curve, ""); }));

  // Short matches count together only where they were against the same opponent.
  std::set<std::string> opponents;
  for (const ReportData& report : reports) {
    for (const ChartSeries& series : match_series(report.metrics)) opponents.insert(series.name);
  }
  for (const std::string& opponent : opponents) {
    LineChart chart =
        overlay(reports, "Short matches " + opponent, "iteration", "%", [&](const ReportData& report) {
          for (ChartSeries& series : match_series(report.metrics)) {
            if (series.name == opponent) return series;
          }
          return ChartSeries{};
        });
    chart.y_maximum = 1.0;
    chart.reference = 0.5;
    add(std::move(chart));
  }
  add(overlay(reports, "Outcomes given away in solved positions, without search", "games", "%",
              [](const ReportData& report) { return oracle_series(report.metrics, "policy"); }));
  add(overlay(reports, "Outcomes given away in solved positions, with search", "games", "%",
              [](const ReportData& report) { return oracle_series(report.metrics, "search"); }));
  for (const Curve& curve :
       {Curve{"Total loss", "step", "", "/loss/total"}, Curve{"Policy loss", "step", "nats", "/loss/policy"},
        Curve{"Value loss", "step", "", "/loss/value"}, Curve{"Margin loss", "step", "", "/loss/margin"},
        Curve{"Ownership loss", "step", "", "/loss/ownership"},
        Curve{"Policy accuracy", "step", "%", "/policy_accuracy"},
        Curve{"Value accuracy", "step", "%", "/value_accuracy"},
        Curve{"Repeated games", "iteration", "%", "/duplicate_games"},
        Curve{"Speed of self-play", "iteration", "games/s", "/games_per_second"}}) {
    add(overlay(reports, curve.title, curve.x, curve.unit, [&](const ReportData& report) {
      return metrics_series(report.metrics, "", std::string("/") + curve.x, curve.field);
    }));
  }
  return html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string missing_parts(const Reports& reports) {
  std::string html;
  for (const ReportData& report : reports) {
    const std::string missing = missing_part(report);
    if (!missing.empty()) html += "<h3>" + escape_html(report.title) + "</h3>\n" + missing;
  }
  return html;
}

}  // namespace

std::string html_comparison(const std::vector<ReportData>& reports) {
  std::string title;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    title += (k == 0 ? "" : k + 1 == reports.size() ? " and " : ", ") + reports[k].title;
  }
  return html_page(title, "PahTum comparison", "",
                   {{"runs", "Runs", facts_table(reports) + differences_table(reports)},
                    {"results", "Results", matches_table(reports) + ratings_table(reports)},
                    {"truth", "Against the truth", oracle_table_of(reports)},
                    {"curves", "Curves", overlays(reports)},
                    {"missing", "Not in these reports", missing_parts(reports)}});
}

}  // namespace pahtum
