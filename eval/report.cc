#include "eval/report.h"

#include "eval/html.h"
#include "eval/report_assets.h"
#include "eval/report_page.h"
#include "eval/report_parts.h"

namespace pahtum {
namespace {

std::string notes_part(const std::vector<std::string>& notes) {
  std::string html;
  for (const std::string& note : notes) {
    html += "<p class=\"warning\" role=\"note\">" + escape_html(note) + "</p>\n";
  }
  return html;
}

std::string facts_part(const ReportTarget& target) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) facts.emplace_back(what, value);
  };
  const auto count = [](const std::optional<std::int64_t>& value) {
    return value ? count_text(*value) : std::string();
  };
  add("Rules", target.rules);
  add("Network", target.network);
  add("Search", target.search);
  add("Iterations", count(target.iteration));
  add("Games of self-play", count(target.games));
  add("Learner steps", count(target.step));
  add("Training", target.training_seconds ? training_time_text(*target.training_seconds) : "");
  for (const auto& fact : target.facts) facts.push_back(fact);
  add("Checkpoint", target.checkpoint);
  add("Version", target.project_version);
  return facts_list(facts);
}

}  // namespace

std::string facts_list(const std::vector<std::pair<std::string, std::string>>& facts) {
  if (facts.empty()) return "";
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [what, value] : facts) {
    // Two columns of the list are room enough for a path.
    html += std::string(value.size() > 20 ? "<div class=\"long\">" : "<div>") + "<dt>" + escape_html(what) +
            "</dt><dd>" + escape_html(value) + "</dd></div>\n";
  }
  return html + "</dl>\n";
}

std::string html_page(const std::string& title, const std::string& kicker, const std::string& head,
                      const std::vector<PageSection>& sections) {
  std::string links, body;
  for (const PageSection& section : sections) {
    if (section.html.empty()) continue;
    links += "<a href=\"#" + section.id + "\">" + escape_html(section.heading) + "</a>\n";
    body += html_section(section.id, section.heading, section.html);
  }
  // The policy says in the page itself what it may do: nothing from elsewhere.
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; "
         "script-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape_html(title) + "</title>\n<style>\n" + std::string(report_style()) +
         "</style>\n</head>\n<body>\n<main>\n<header>\n<p class=\"kicker\">" + escape_html(kicker) +
         "</p>\n<h1>" + escape_html(title) + "</h1>\n" + head +
         "</header>\n<nav aria-label=\"Parts of this page\">\n" + links + "</nav>\n" + body +
         "</main>\n</body>\n</html>\n";
}

std::string html_report(const ReportData& report) {
  const std::string config =
      report.target.config.empty()
          ? ""
          : "<details>\n<summary>The whole configuration</summary>\n<pre tabindex=\"0\">" +
                escape_html(report.target.config) + "</pre>\n</details>\n";
  return html_page(report.title, "PahTum report", facts_part(report.target) + notes_part(report.notes),
                   {{"summary", "Summary", summary_part(report)},
                    {"matches", "Matches", matches_part(report)},
                    {"ratings", "Ratings", ratings_part(report)},
                    {"truth", "Against the truth", truth_part(report)},
                    {"first-moves", "First moves", first_moves_part(report)},
                    {"games", "Games", games_part(report)},
                    {"statistics", "How games go", statistics_part(report)},
                    {"curves", "Learning curves", curves_part(report)},
                    {"configuration", "Configuration", config},
                    {"missing", "Not in this report", missing_part(report)}});
}

}  // namespace pahtum
