#include "eval/report.h"

#include <gtest/gtest.h>

#include <cctype>

#include "tests/eval/markup.h"
#include "tests/eval/report_fixture.h"

namespace pahtum {
namespace {

// The page without what is between the tags of its style sheet and scripts, whose < are none of HTML's.
std::string markup_of(std::string html) {
  for (const std::string name : {"style", "script"}) {
    for (std::size_t at = html.find("<" + name); at != std::string::npos;
         at = html.find("<" + name, at + 1)) {
      const std::size_t from = html.find('>', at) + 1;
      html.erase(from, html.find("</" + name + ">", from) - from);
    }
  }
  return html;
}

void expect_sound(const std::string& html) {
  const std::string markup = markup_of(html);
  expect_balanced(markup);
  for (const char* external : {"http:", "https:", "src=", "href=\"h", "url(", "@import"}) {
    EXPECT_EQ(html.find(external), std::string::npos) << external;
  }
  for (const char* unsound :
       {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf", ",nan", " nan", "inf\"", ">inf", ">nan", ">-inf"}) {
    EXPECT_EQ(markup.find(unsound), std::string::npos) << unsound;
  }
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_EQ(occurrences(markup, "role=\"img\""), occurrences(markup, "role=\"img\"><title>"))
      << "a picture without a title";
  EXPECT_EQ(occurrences(markup, "<table>"), occurrences(markup, "<table>\n<caption>"));
  // A sentence "in 3.14 %" must never come from printf cut short, nor a link lead nowhere.
  for (std::size_t at = markup.find("href=\"#"); at != std::string::npos;
       at = markup.find("href=\"#", at + 1)) {
    const std::string anchor = markup.substr(at + 7, markup.find('"', at + 7) - at - 7);
    EXPECT_NE(markup.find("id=\"" + anchor + "\""), std::string::npos) << anchor;
  }
}

void expect_has(const std::string& html, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_NE(html.find(text), std::string::npos) << text;
}

TEST(Report, ShowsEveryPart) {
  const std::string html = html_report(full_report());
  expect_sound(html);
  expect_has(html, {"runs/quick-1/checkpoints/000040.ckpt",
                    "4 blocks × 32 channels",
                    "two cores",
                    "33 min",
                    "It is stronger than",
                    "with search and",
                    "of decisive positions",
                    "Short matches during training",
                    "Outcomes given away in solved positions",
                    "its floor: entropy of the targets",
                    "Value, margin and ownership",
                    "Accuracy",
                    "Results of self-play by colour",
                    "Repeated games",
                    "Speed of self-play",
                    "Rating by time of training",
                    "Rating by games of self-play",
                    "Cross table",
                    "How likely the row is stronger",
                    "worth +35 Elo",
                    "Results by colour",
                    "Pairs against random",
                    "<td>12.3 ms</td><td>3 µs</td>",
                    "Outcomes given away",
                    "Best margin kept",
                    "Reliability diagram",
                    "Brier score",
                    "People on BrainKing",
                    "55.22 / 15.31 / 29.47 %",
                    "First moves",
                    "id=\"viewer-games\"",
                    "<noscript>",
                    "Final margin",
                    "Runs that scored, by length",
                    "holes: 5"});
  EXPECT_EQ(html.find("Not in this report"), std::string::npos);
  EXPECT_EQ(html.find("class=\"warning\""), std::string::npos);
}

TEST(Report, SaysWhatIsMissingAndHowToGetIt) {
  ReportData report;
  report.title = "bare";
  report.target.name = "runs/bare-1";
  const std::string html = html_report(report);
  expect_sound(html);
  expect_has(html, {"Nothing has been measured yet", "Not in this report",
                    "pahtum evaluate runs/bare-1 --report runs/bare-1", "pahtum rate runs/bare-1", "--oracle",
                    "Games to replay", "Calibration", "Learning curves"});
  EXPECT_EQ(markup_of(html).find("<script"), std::string::npos);
}

TEST(Report, IsSoundWithAnyPartAlone) {
  const ReportData full = full_report();
  const auto expect_alone = [](const auto& copy, const char* id) {
    ReportData report;
    copy(report);
    const std::string html = html_report(report);
    expect_sound(html);
    EXPECT_NE(html.find("<section id=\"" + std::string(id) + "\""), std::string::npos) << id;
  };
  expect_alone([&](ReportData& report) { report.metrics = full.metrics; }, "curves");
  expect_alone([&](ReportData& report) { report.metrics = {full.metrics[0]}; }, "curves");
  expect_alone([&](ReportData& report) { report.rating_curve = full.rating_curve; }, "ratings");
  expect_alone([&](ReportData& report) { report.rating_curve = {full.rating_curve[0]}; }, "ratings");
  expect_alone([&](ReportData& report) { report.pool.emplace(*full.pool); }, "ratings");
  expect_alone([&](ReportData& report) { report.matches = full.matches; }, "matches");
  expect_alone([&](ReportData& report) { report.oracle = {full.oracle[0]}; }, "truth");
  expect_alone([&](ReportData& report) { report.calibration = full.calibration; }, "truth");
  expect_alone([&](ReportData& report) { report.first_player = full.first_player; }, "statistics");
  expect_alone([&](ReportData& report) { report.statistics = full.statistics; }, "statistics");
  expect_alone([&](ReportData& report) { report.first_moves = full.first_moves; }, "first-moves");
  expect_alone([&](ReportData& report) { report.games = full.games; }, "games");
}

TEST(Report, OpenIntervalsLeaveNoInfinitePictures) {
  ReportData report;
  report.oracle = full_report().oracle;
  for (OracleRow& row : report.oracle[0].rows) {
    row.mean_margin_loss.low = -std::numeric_limits<double>::infinity();
    row.mean_margin_loss.high = std::numeric_limits<double>::infinity();
    row.outcome_errors = std::nullopt;
  }
  report.oracle[0].all.outcome_errors = std::nullopt;
  expect_sound(html_report(report));
}

TEST(Report, RowsMayLackAnyFieldOrHoldAnotherType) {
  ReportData report;
  nlohmann::json without_loss = full_row(1);
  without_loss.erase("loss");
  without_loss.erase("match");
  nlohmann::json odd = full_row(3);
  odd["loss"] = nullptr;
  odd["step"] = "many";
  odd["match"] = "none";
  report.metrics = {without_loss, full_row(2), nlohmann::json::object(), odd, nlohmann::json(7)};
  expect_sound(html_report(report));
}

constexpr const char* kHostile = "</script></style><img onerror=alert(1)>\"'&<!--";

TEST(Report, TextFromDataIsNeverMarkup) {
  ReportData report = full_report();
  const std::string plain = html_report(report);
  const std::string bad = kHostile;
  report.title = bad;
  report.notes = {bad};
  ReportTarget& target = report.target;
  for (std::string* text : {&target.name, &target.checkpoint, &target.network, &target.search, &target.rules,
                            &target.project_version, &target.config}) {
    *text = bad;
  }
  target.facts = {{bad, bad}};
  for (nlohmann::json& row : report.metrics) row["match"]["against"] = bad;
  for (RatingPoint& point : report.rating_curve) point.checkpoint = bad;
  for (ReportMatch& match : report.matches) match.first = match.second = match.verdict = bad;
  report.matches[0].distinct_games = 1;
  for (PoolPlayer& player : report.pool->players) player.name = bad;
  for (OracleScore& score : report.oracle) score.player = bad;
  for (ReportCalibration& calibration : report.calibration) calibration.player = calibration.truth = bad;
  for (FirstPlayerResults& results : report.first_player) results.name = bad;
  for (FirstMoveMap& map : report.first_moves) map.source = bad;
  for (ReportGame& game : report.games) game.white = game.black = bad;
  for (GameStatistics& statistics : report.statistics) statistics.name = bad;
  for (const std::string& html : {html_report(report), html_comparison({report, report})}) {
    expect_sound(html);
    EXPECT_EQ(html.find("<img"), std::string::npos);
    EXPECT_EQ(html.find("<!--"), std::string::npos);
    EXPECT_EQ(html.find("onerror=alert(1)>"), std::string::npos);
  }
  EXPECT_EQ(occurrences(html_report(report), "</script"), occurrences(plain, "</script"));
  EXPECT_EQ(occurrences(html_report(report), "</style"), 1u);
}

TEST(Report, TheViewersDataAreJsonWithEveryBoard) {
  const ReportData report = full_report();
  const std::string html = html_report(report);
  const std::string open = "id=\"viewer-games\">";
  const std::size_t from = html.find(open) + open.size();
  const auto games = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
  ASSERT_EQ(games.size(), report.games.size());
  for (std::size_t k = 0; k < games.size(); ++k) {
    EXPECT_EQ(games[k]["moves"].size(), report.games[k].moves.size());
    EXPECT_EQ(games[k]["boards"].size(), report.games[k].moves.size() + 1);
    EXPECT_EQ(games[k]["plies"].size(), report.games[k].moves.size());
    const std::string last = games[k]["boards"].back();
    EXPECT_EQ(last.find('.'), std::string::npos) << "random games are played to the end";
  }
}

TEST(Report, WarnsOfFewDistinctGames) {
  ReportData report = full_report();
  report.matches[0].distinct_games = 3;
  expect_has(html_report(report), {"Few different games", "Few games against random differ"});
}

TEST(Report, WhatEvaluateKnowsMakesAPage) {
  ReportData input;
  input.title = "quick & <dirty>";
  input.target.facts = {{"rules", "7×7, 5 random holes"}, {"checkpoint", "a<b>.ckpt"}};
  for (int iteration = 1; iteration <= 10; ++iteration) input.metrics.push_back(full_row(iteration));
  const std::vector<MatchResult> matches = {random_match("net:runs/quick-1", "random"),
                                            random_match("net:runs/quick-1", "uct:1000")};
  for (const MatchResult& match : matches) input.matches.push_back(report_match(match));
  add_match_games(input, matches);
  input.target.config = "game:\n  size: 7  # <script>alert('&')</script>\n";
  const std::string html = html_report(input);
  expect_sound(html);
  expect_has(html, {"quick &amp; &lt;dirty&gt;", "a&lt;b&gt;.ckpt", "&lt;script&gt;alert(&#39;&amp;&#39;)",
                    "id=\"viewer-games\"", "Games of these matches"});
}

TEST(Report, NoRatingIsMinusZero) {
  ReportData report = full_report();
  report.pool->players[0].elo = report.rating_curve[0].elo = -1e-9;
  const std::string html = html_report(report);
  expect_has(html, {"<td>0</td>"});
  EXPECT_EQ(html.find("<td>-0</td>"), std::string::npos);
}

TEST(Comparison, LaysRunsOverEachOtherAndNamesTheirDifferences) {
  ReportData first = full_report();
  ReportData second = full_report();
  second.title = "quick-2";
  second.target.config = "game:\n  size: 7\n  holes: 7\n";
  second.rating_curve.clear();
  second.matches.pop_back();
  const std::string html = html_comparison({first, second});
  expect_sound(html);
  expect_has(html, {"quick-1 and quick-2", "game.holes", "Total loss", "Rating by time of training",
                    "Short matches against greedy", "Outcomes given away in solved positions, without search",
                    "Final matches", "Settings that differ", "Not in these reports"});
  EXPECT_EQ(html.find("game.size"), std::string::npos) << "does not differ";
  second.target.config = first.target.config;
  expect_has(html_comparison({first, second}), {"The runs have the same configuration"});
  expect_sound(html_comparison({ReportData{}, ReportData{}}));
  expect_sound(html_comparison({ReportData{}}));
}

}  // namespace
}  // namespace pahtum
