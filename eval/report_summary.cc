// The parts of a report that are sentences: its summary, made from the numbers, and what is missing.

#include <algorithm>
#include <cmath>

#include "eval/html.h"
#include "eval/report_parts.h"
#include "eval/results_text.h"

namespace pahtum {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  }
  return text;
}

std::string strong(const std::string& text) {
  return "<strong>" + escape_html(text) + "</strong>";
}

// How surely a match was won: where its interval lies.
enum class Verdict { kStronger, kOpen, kWeaker };
Verdict verdict_of(const ReportMatch& match) {
  if (match.score.low > 0.5) return Verdict::kStronger;
  return match.score.high < 0.5 ? Verdict::kWeaker : Verdict::kOpen;
}

const OracleScore* oracle_with(const ReportData& report, bool search) {
  for (const OracleScore& score : report.oracle) {
    const bool policy =
        score.player.ends_with(",policy") || score.player.find(",policy,") != std::string::npos;
    if (policy != search) return &score;
  }
  return nullptr;
}

std::string training_sentence(const ReportTarget& target) {
  std::vector<std::string> parts;
  if (target.iteration) parts.push_back(plural(*target.iteration, "iteration", "iterations"));
  if (target.games) parts.push_back(plural(*target.games, "game", "games") + " against itself");
  if (target.step) parts.push_back(plural(*target.step, "learner step", "learner steps"));
  if (parts.empty()) return "";
  return "It was trained for " + joined(parts) +
         (target.training_seconds ? ", in " + training_time_text(*target.training_seconds) : "") + ".";
}

std::vector<std::string> strength_sentences(const ReportData& report) {
  std::vector<std::string> stronger, open, weaker;
  const ReportMatch* hardest = nullptr;
  for (const ReportMatch& match : report.matches) {
    auto& group = verdict_of(match) == Verdict::kStronger ? stronger
                  : verdict_of(match) == Verdict::kWeaker ? weaker
                                                          : open;
    group.push_back(strong(short_player(match.second)) + " (" + percent_text(match.score.value) + ")");
    if (hardest == nullptr || match.score.value < hardest->score.value) hardest = &match;
  }
  std::vector<std::string> sentences;
  if (!stronger.empty()) sentences.push_back("It is stronger than " + joined(stronger) + ".");
  if (!open.empty()) {
    sentences.push_back("Against " + joined(open) + " the games do not decide who is stronger.");
  }
  if (!weaker.empty()) sentences.push_back("It is weaker than " + joined(weaker) + ".");
  if (hardest != nullptr) {
    sentences.push_back("How sure: against " + strong(short_player(hardest->second)) +
                        ", the hardest, its true " + "score lies between " +
                        percent_text(hardest->score.low) + " and " + percent_text(hardest->score.high) +
                        " with 95 % confidence, after " + plural(hardest->total().games(), "game", "games") +
                        "; four times as many halve that interval.");
  }
  return sentences;
}

std::string rating_sentence(const ReportData& report) {
  if (report.rating_curve.empty()) return "";
  const RatingPoint& last = report.rating_curve.back();
  std::string text = "Its rating is " + strong(format_text("%.0f Elo", last.elo)) +
                     format_text(" above random moves (95 %%: %.0f … %.0f)", last.low, last.high);
  // Whether it was still rising: the last quarter of the curve against its end.
  const RatingPoint& before = report.rating_curve[report.rating_curve.size() * 3 / 4];
  if (report.rating_curve.size() >= 4 && last.elo - before.elo > last.high - last.elo) {
    text +=
        format_text(", and was still rising when training ended: %+.0f over the last quarter of the curve",
                    last.elo - before.elo);
  }
  return text + ".";
}

std::vector<std::string> truth_sentences(const ReportData& report) {
  std::vector<std::string> sentences;
  const OracleScore* search = oracle_with(report, true);
  const OracleScore* policy = oracle_with(report, false);
  const auto errors = [](const OracleScore& score) {
    const Estimate& share = *score.all.outcome_errors;
    return strong(percent_text(share.value)) + " (" + percent_range(share.low, share.high) + ")";
  };
  const bool has_search = search != nullptr && search->all.outcome_errors;
  const bool has_policy = policy != nullptr && policy->all.outcome_errors;
  if (has_search || has_policy) {
    sentences.push_back(
        "How far from perfect: in solved positions where the move matters it gives away the best "
        "outcome in " +
        (has_search ? errors(*search) + " with search" : "") + (has_search && has_policy ? " and " : "") +
        (has_policy ? errors(*policy) + " without" : "") + ".");
  }
  if (!report.calibration.empty()) {
    const ReportCalibration& first = report.calibration.front();
    const double worst =
        std::max({first.calibration.win.error, first.calibration.draw.error, first.calibration.loss.error});
    sentences.push_back("What it expects and what comes about differ by " + strong(percent_text(worst)) +
                        " at most, on average over its forecasts of one outcome.");
  }
  return sentences;
}

// Share of repeated games in the last rows of the metrics.
std::optional<double> repeated_share(const ReportData& report) {
  for (std::size_t row = report.metrics.size(); row-- > 0;) {
    if (const auto share = number_at(report.metrics[row], "/duplicate_games")) return share;
  }
  return std::nullopt;
}

std::vector<std::string> advice(const ReportData& report) {
  std::vector<std::string> list;
  const auto few = std::ranges::find_if(report.matches, &ReportMatch::few_distinct_games);
  if (few != report.matches.end()) {
    list.push_back("Few games against " + short_player(few->second) +
                   " differ: play more layouts, or random opening plies, before trusting that score.");
  }
  const auto won = [](const ReportMatch& match) { return match.score.value > 0.98; };
  if (!report.matches.empty() && std::ranges::all_of(report.matches, won)) {
    list.emplace_back(
        "Every opponent is beaten nearly always, so these matches no longer tell better from worse: "
        "name a stronger opponent, or look at the solved positions.");
  }
  for (const ReportMatch& match : report.matches) {
    if (verdict_of(match) != Verdict::kOpen) continue;
    list.push_back("More pairs against " + short_player(match.second) + " would decide who is stronger.");
    break;
  }
  if (repeated_share(report).value_or(0) > 0.2) {
    list.push_back("Of the last games of self-play " + percent_text(*repeated_share(report)) +
                   " were repeated: more random opening plies or more layouts give more to learn from.");
  }
  const OracleScore* search = oracle_with(report, true);
  const OracleScore* policy = oracle_with(report, false);
  if (search != nullptr && policy != nullptr && search->all.outcome_errors && policy->all.outcome_errors &&
      policy->all.outcome_errors->low > search->all.outcome_errors->high) {
    list.emplace_back(
        "Search still corrects the policy clearly: the network can learn more from what search finds.");
  }
  return list;
}

std::string tile(const std::string& figure, const std::string& what, const std::string& range) {
  return "<div class=\"tile\"><span>" + escape_html(what) + "</span><strong>" + escape_html(figure) +
         "</strong><small>" + escape_html(range) + "</small></div>\n";
}

std::string tiles(const ReportData& report) {
  std::string html;
  if (!report.rating_curve.empty()) {
    const RatingPoint& last = report.rating_curve.back();
    html += tile(format_text("%.0f", last.elo), "Elo above random",
                 format_text("%.0f … %.0f", last.low, last.high));
  }
  if (!report.matches.empty()) {
    const ReportMatch& hardest = *std::ranges::min_element(
        report.matches, {}, [](const ReportMatch& match) { return match.score.value; });
    html += tile(percent_text(hardest.score.value), "against " + short_player(hardest.second),
                 "95 %: " + percent_range(hardest.score.low, hardest.score.high));
  }
  for (const bool search : {true, false}) {
    const OracleScore* score = oracle_with(report, search);
    if (score == nullptr || !score->all.outcome_errors) continue;
    const Estimate& share = *score->all.outcome_errors;
    html += tile(percent_text(share.value), search ? "outcomes given away, with search" : "without search",
                 "95 %: " + percent_range(share.low, share.high));
  }
  if (report.target.training_seconds) {
    html += tile(training_time_text(*report.target.training_seconds), "of training",
                 report.target.games ? plural(*report.target.games, "game", "games") + " of self-play" : "");
  }
  return html.empty() ? "" : "<div class=\"tiles\">\n" + html + "</div>\n";
}

}  // namespace

std::string summary_part(const ReportData& report) {
  std::vector<std::string> sentences;
  for (const std::string& sentence : strength_sentences(report)) sentences.push_back(sentence);
  if (const std::string rating = rating_sentence(report); !rating.empty()) sentences.push_back(rating);
  for (const std::string& sentence : truth_sentences(report)) sentences.push_back(sentence);
  if (const std::string training = training_sentence(report.target); !training.empty()) {
    sentences.push_back(training);
  }
  std::string html = tiles(report);
  if (sentences.empty()) {
    html += "<p>Nothing has been measured yet.</p>\n";
  } else {
    html += "<ul class=\"sentences\">\n";
    for (const std::string& sentence : sentences) html += "<li>" + sentence + "</li>\n";
    html += "</ul>\n";
  }
  const std::vector<std::string> next = advice(report);
  if (next.empty()) return html;
  html += "<h3>What to look at next</h3>\n<ul class=\"sentences\">\n";
  for (const std::string& sentence : next) html += "<li>" + escape_html(sentence) + "</li>\n";
  return html + "</ul>\n";
}

std::string missing_part(const ReportData& report) {
  const std::string target = report.target.name.empty() ? "RUN" : report.target.name;
  const std::string evaluate = "pahtum evaluate " + target;
  struct Missing {
    bool missing;
    const char* what;
    std::string how;
  };
  const std::vector<Missing> all = {
      {report.matches.empty(), "Matches against other players", evaluate + " --report " + target},
      {report.metrics.empty(), "Learning curves: they lie in the run's metrics.jsonl",
       "pahtum report RUN, on the run directory itself"},
      {report.rating_curve.empty(), "The rating of the run's checkpoints", "pahtum rate " + target},
      {report.oracle.empty(), "Comparison with solved positions", evaluate + " --oracle --report " + target},
      {report.calibration.empty(), "Calibration of the value", evaluate + " --oracle --report " + target},
      {report.first_player.empty() && report.statistics.empty(), "Statistics of games",
       evaluate + " --report " + target + ", or pahtum report on a run that still has its games"},
      {report.first_moves.empty(), "First moves on sample layouts", evaluate + " --report " + target},
      {report.games.empty(), "Games to replay",
       evaluate + " --report " + target + ", or pahtum report on a run that still has its games"},
  };
  std::string html;
  for (const Missing& part : all) {
    if (!part.missing) continue;
    html += "<li>" + escape_html(part.what) + ": <code>" + escape_html(part.how) + "</code></li>\n";
  }
  return html.empty() ? "" : "<ul class=\"sentences\">\n" + html + "</ul>\n";
}

}  // namespace pahtum
