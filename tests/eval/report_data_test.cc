#include "eval/report_data.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "env/base/error.h"
#include "env/base/files.h"
#include "tests/eval/report_fixture.h"

namespace pahtum {
namespace {

using nlohmann::json;

TEST(ReportData, SurvivesTheWayThroughJson) {
  ReportData report = full_report();
  report.notes = {"metrics.jsonl:3: is not a JSON object"};
  report.games[0].start.run_points = RunPoints{{0, 1, 2, 3, 4, 5, 6, 7}};
  report.games[0].plies[0].solved = true;
  report.oracle[0].all.mean_margin_loss = {1, -std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::infinity()};
  report.oracle[0].all.outcome_errors = std::nullopt;
  const std::string text = to_json_text(report);
  const ReportData again = report_from_json(json::parse(text), "report.json");
  EXPECT_EQ(to_json_text(again), text);
  EXPECT_EQ(again.games[0].moves, report.games[0].moves);
  EXPECT_EQ(again.games[0].start, report.games[0].start);
  EXPECT_EQ(again.first_moves[0].shares, report.first_moves[0].shares);
  EXPECT_EQ(again.matches[0].pair_scores, report.matches[0].pair_scores);
  EXPECT_FALSE(again.matches[1].first_move_seconds.has_value());
}

TEST(ReportData, AnEmptyReportSurvivesToo) {
  const std::string text = to_json_text(ReportData{});
  EXPECT_EQ(to_json_text(report_from_json(json::parse(text), "report.json")), text);
}

TEST(ReportData, BytesThatAreNoTextAreReplaced) {
  ReportData report;
  report.title = "a\xFF";
  EXPECT_EQ(report_from_json(json::parse(to_json_text(report)), "x").title, "a\uFFFD");
}

TEST(ReportData, RefusesWhatIsWrongAndNamesTheField) {
  struct Case {
    const char* named;
    std::function<void(json&)> spoil;
  };
  const std::vector<Case> cases = {
      {"`format`", [](json& j) { j["format"] = "else"; }},
      {"`version`", [](json& j) { j["version"] = 2; }},
      {"`title`", [](json& j) { j.erase("title"); }},
      {"`colour`", [](json& j) { j["colour"] = "red"; }},
      {"`target.step`", [](json& j) { j["target"]["step"] = -1; }},
      {"`matches[1].elo`", [](json& j) { j["matches"][1]["elo"]["low"] = 1e6; }},
      {"`matches[0].as_white.wins`", [](json& j) { j["matches"][0]["as_white"]["wins"] = "many"; }},
      {"`matches[0].pair_scores`", [](json& j) { j["matches"][0]["pair_scores"].push_back(1); }},
      {"`games[0].start`", [](json& j) { j["games"][0]["start"] = "7/7 w"; }},
      {"`games[0].moves`", [](json& j) { j["games"][0]["moves"][1] = j["games"][0]["moves"][0]; }},
      {"`games[1].moves`", [](json& j) { j["games"][1]["moves"][0] = "z9"; }},
      {"`games[0].plies`", [](json& j) { j["games"][0]["plies"].erase(0); }},
      {"`games[0].plies[2].policy`", [](json& j) { j["games"][0]["plies"][2]["policy"]["a1"] = 2; }},
      {"`first_moves[0].shares.a1`", [](json& j) { j["first_moves"][0]["shares"]["a1"] = "x"; }},
      {"`pool.superiority`", [](json& j) { j["pool"]["superiority"].erase(0); }},
      {"`pool.pairings`", [](json& j) { j["pool"]["pairings"][0]["second"] = 7; }},
      {"`calibration[0].win.bins[0].observed`",
       [](json& j) { j["calibration"][0]["win"]["bins"][0]["observed"]["high"] = -1; }},
      {"`metrics[0]`", [](json& j) { j["metrics"][0] = 7; }},
  };
  const json sound = json::parse(to_json_text(full_report()));
  for (const Case& wrong : cases) {
    json document = sound;
    wrong.spoil(document);
    try {
      static_cast<void>(report_from_json(document, "some/report.json"));
      ADD_FAILURE() << wrong.named << " was accepted";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("some/report.json"), std::string::npos) << message;
      EXPECT_NE(message.find(wrong.named), std::string::npos) << message;
    }
  }
}

// Every name in the document, at any depth; what is keyed by moves and the rows of metrics.jsonl have a
// description of their own.
void collect_names(const json& value, std::set<std::string>& names) {
  if (value.is_array()) {
    for (const json& entry : value) collect_names(entry, names);
  } else if (value.is_object()) {
    for (const auto& item : value.items()) {
      names.insert(item.key());
      if (item.key() != "metrics" && item.key() != "shares" && item.key() != "policy") {
        collect_names(item.value(), names);
      }
    }
  }
}

TEST(ReportData, TheDocumentationListsEveryField) {
  ReportData report = full_report();
  report.games[0].start.run_points = RunPoints{{0, 1, 2, 3, 4, 5, 6, 7}};
  std::set<std::string> names;
  collect_names(json::parse(to_json_text(report)), names);
  const std::string page = read_file(std::string(PAHTUM_SOURCE_DIR) + "/docs/report.md");
  for (const std::string& name : names) {
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name << " is not in docs/report.md";
  }
}

TEST(TrainingSeconds, AddsUpSessions) {
  std::vector<json> rows;
  for (const double seconds : {10.0, 25.0, 5.0, 12.0}) rows.push_back({{"seconds", seconds}});
  rows.push_back(json::object());
  EXPECT_EQ(training_seconds(rows), (std::vector<double>{10, 25, 30, 37, 37}));
}

}  // namespace
}  // namespace pahtum
