#include "eval/report_evaluation.h"

#include <algorithm>
#include <limits>

#include "env/base/error.h"
#include "env/base/files.h"
#include "model/object_reader.h"

namespace pahtum {
namespace {

double number_of(const ObjectReader& object, const std::string& name) {
  const nlohmann::json& value = object.field(name);
  if (!value.is_number()) throw object.refuse(name, "is not a number");
  return value.get<double>();
}

WinDrawLoss results_of(const ObjectReader& object) {
  return {object.integer("wins", 0), object.integer("draws", 0), object.integer("losses", 0)};
}

// NAME, NAME_low and NAME_high; nothing when NAME is null, and open where an end is.
std::optional<Estimate> estimate_of(const ObjectReader& object, const std::string& name) {
  if (object.field(name).is_null()) return std::nullopt;
  const auto end = [&](const std::string& part, double open) {
    return object.field(part).is_null() ? open : number_of(object, part);
  };
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  const Estimate estimate{number_of(object, name), end(name + "_low", -kOpen), end(name + "_high", kOpen)};
  if (!(estimate.low <= estimate.value && estimate.value <= estimate.high)) {
    throw object.refuse(name, "lies outside its interval");
  }
  return estimate;
}

ReportMatch match_of(const ObjectReader& object) {
  ReportMatch match;
  match.first = object.text("first");
  match.second = object.text("second");
  const ObjectReader colours = object.object("by_colour");
  match.as_white = results_of(colours.object("white"));
  match.as_black = results_of(colours.object("black"));
  match.elo = *estimate_of(object, "elo");
  // The file has the interval on the scale of Elo, which is that of the score carried over.
  const double score = match.total().score();
  match.score = {score, std::min(score, score_of_elo(match.elo.low)),
                 std::max(score, score_of_elo(match.elo.high))};
  match.distinct_games = object.integer("distinct_games", 0);
  return match;
}

OracleRow oracle_row_of(const ObjectReader& object, int empty) {
  OracleRow row;
  row.empty = empty;
  row.positions = object.integer("positions", 1);
  row.decisive = object.integer("decisive", 0);
  row.outcome_errors = estimate_of(object, "outcome_errors");
  row.best_margin = estimate_of(object, "best_margin").value_or(Estimate{});
  row.mean_margin_loss = estimate_of(object, "mean_margin_loss").value_or(Estimate{});
  row.value_brier = estimate_of(object, "value_brier");
  return row;
}

OracleScore oracle_of(const ObjectReader& object) {
  OracleScore score;
  score.player = object.text("player");
  score.exact = static_cast<int>(object.integer("exact", 0, kMaxSquares));
  const std::size_t rows = object.list("rows").size();
  for (std::size_t k = 0; k < rows; ++k) {
    const ObjectReader row = object.entry("rows", k);
    score.rows.push_back(oracle_row_of(row, static_cast<int>(row.integer("empty", 1, kMaxSquares))));
  }
  score.all = oracle_row_of(object.object("all"), 0);
  return score;
}

bool same_results(const ReportMatch& one, const ReportMatch& other) {
  return one.first == other.first && one.second == other.second && one.as_white == other.as_white &&
         one.as_black == other.as_black;
}

}  // namespace

void merge_evaluation(ReportData& report, const std::filesystem::path& path) {
  const nlohmann::json document = parse_json(read_file(path), path.string());
  const ObjectReader object(path, "evaluation", "", document);
  std::vector<ReportMatch> matches;
  const std::size_t count = object.list("matches").size();
  for (std::size_t k = 0; k < count; ++k) {
    ReportMatch match = match_of(object.entry("matches", k));
    const auto known = std::ranges::find_if(
        report.matches, [&](const ReportMatch& other) { return same_results(match, other); });
    matches.push_back(known == report.matches.end() ? std::move(match) : *known);
  }
  std::vector<OracleScore> oracle;
  const std::size_t scores = object.list("oracle").size();
  for (std::size_t k = 0; k < scores; ++k) oracle.push_back(oracle_of(object.entry("oracle", k)));
  if (!matches.empty()) report.matches = std::move(matches);
  if (!oracle.empty()) report.oracle = std::move(oracle);
  if (report.target.name.empty() && document.contains("target")) report.target.name = object.text("target");
}

}  // namespace pahtum
