#include "app/play_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "env/base/text.h"

namespace pahtum {
namespace {

// "won", "lost" or "drawn" for the side to move.
std::string result_word(Value value) {
  return value.get() > 0.0f ? "won" : value.get() < 0.0f ? "lost" : "drawn";
}

// "+0.31"; nothing rounds to a negative zero.
std::string signed_text(double value, int digits) {
  const double unit = std::pow(10.0, digits);
  const double rounded = std::round(value * unit) / unit;
  return rounded == 0.0 ? fmt::format("{:.{}f}", 0.0, digits) : fmt::format("{:+.{}f}", rounded, digits);
}

// "White wins by 7", "a draw": a solved position for people.
std::string solved_text(const Analysis& analysis, const Position& position) {
  const float value = analysis.value ? analysis.value->get() : 0.0f;
  if (value == 0.0f) return "a draw";
  const Color winner = value > 0.0f ? position.mover : opponent(position.mover);
  std::string text = color_text(winner) + " wins";
  if (analysis.margin && *analysis.margin != 0.0) {
    text += " by " + std::to_string(std::abs(static_cast<int>(std::lround(*analysis.margin))));
  }
  return text;
}

std::string percent(double share) {
  const long rounded = std::lround(100.0 * share);
  return rounded == 0 && share > 0.0 ? "<1" : std::to_string(rounded);
}

std::int64_t all_visits(const Analysis& analysis) {
  std::int64_t sum = 0;
  for (const MoveAnalysis& move : analysis.moves) sum += move.visits;
  return sum;
}

template <class Has>
bool any_move(const Analysis& analysis, Has has) {
  return std::ranges::any_of(analysis.moves, has);
}

// "move 31 (c4)"
std::string place_text(const PlayGame& game, std::size_t ply) {
  return "move " + std::to_string(ply) + " (" + to_text(game.moves()[ply - 1], game.start().size) + ")";
}

std::string result_text(const PlayGame& game) {
  const Position& position = game.position();
  const std::string points = std::to_string(position.points_of(Color::kWhite)) + " to " +
                             std::to_string(position.points_of(Color::kBlack));
  if (const auto color = game.resigned()) {
    return color_text(*color) + " resigns; " + color_text(opponent(*color)) + " wins. The points were " +
           points_text(position) + ".";
  }
  const int margin = position.white_margin();
  if (margin == 0) return "The game is over: a draw, " + points + ".";
  return "The game is over: " + color_text(margin > 0 ? Color::kWhite : Color::kBlack) + " wins by " +
         std::to_string(std::abs(margin)) + ", " +
         (margin > 0 ? points
                     : std::to_string(position.points_of(Color::kBlack)) + " to " +
                           std::to_string(position.points_of(Color::kWhite))) +
         ".";
}

std::string runs_text(const PlayGame& game, Color color) {
  std::string text;
  for (const ScoringRun& run : scoring_runs(game.position(), color)) {
    text += (text.empty() ? "" : ", ") + to_text(run, game.start().size);
  }
  return color_text(color) + ": " + (text.empty() ? "no run of three or more" : text);
}

// "move 10: 0-0, 20: 3-0, …": White's points and Black's on the way.
std::string way_text(const PlayGame& game) {
  const std::size_t step = game.ply() <= 12 ? 3 : game.ply() <= 30 ? 5 : 10;
  std::string text;
  for (std::size_t ply = step; ply < game.ply(); ply += step) {
    const Position& position = game.position_at(ply);
    text += (text.empty() ? "after move " : ", ") + std::to_string(ply) + ": " +
            std::to_string(position.points_of(Color::kWhite)) + "-" +
            std::to_string(position.points_of(Color::kBlack));
  }
  return text;
}

// Who led from when on, and the move that gained most.
std::string lead_text(const PlayGame& game) {
  const int margin = game.position().white_margin();
  std::string text;
  if (margin != 0) {
    std::size_t since = game.ply();
    while (since > 0 && game.position_at(since - 1).white_margin() * margin > 0) --since;
    const std::string leader = color_text(margin > 0 ? Color::kWhite : Color::kBlack);
    text =
        since == 0 ? leader + " led all the time." : leader + " led from " + place_text(game, since) + " on.";
  }
  int most = 0;
  std::size_t best = 0;
  for (std::size_t ply = 1; ply <= game.ply(); ++ply) {
    const Position& before = game.position_at(ply - 1);
    const int gain = game.position_at(ply).points_of(before.mover) - before.points_of(before.mover);
    if (game.moves()[ply - 1].is_swap() || gain <= most) continue;
    most = gain;
    best = ply;
  }
  if (best > 0) {
    text += (text.empty() ? "" : " ") + std::string("Most points at once: ") + std::to_string(most) + ", " +
            color_text(game.position_at(best - 1).mover) + " at " + place_text(game, best) + ".";
  }
  return text;
}

}  // namespace

std::string color_text(Color color) {
  return color == Color::kWhite ? "White" : "Black";
}

std::string points_text(const Position& position) {
  return "White " + std::to_string(position.points_of(Color::kWhite)) + ", Black " +
         std::to_string(position.points_of(Color::kBlack));
}

std::string phase_text(const Position& position) {
  const std::string mover = color_text(position.mover);
  const std::string other = color_text(opponent(position.mover));
  const int holes = position.holes_left;
  switch (position.phase) {
    case Phase::kPlaying:
      break;
    case Phase::kPlacing: {
      std::string text = mover + " places a hole: name an empty square. ";
      text += holes == 1 ? "It is the last one; then " + other + " sets the first stone."
                         : std::to_string(holes) + " are still to come, in turn; Black places the last one.";
      if (position.swap_follows != 0) text += " After the first stone, colours may be swapped.";
      return text;
    }
    case Phase::kOpening:
      if (holes > 0) {
        return mover + " places " + counted(holes, "hole", "holes") +
               " more and then the first stone, all in a row: name an empty square for a hole. "
               "Then " +
               other + " may swap colours.";
      }
      return mover + " sets the first stone; then " + other + " may swap colours.";
    case Phase::kSwapping:
      return mover + " may answer with a stone, or type `swap`: the stone on the board becomes " +
             std::string(color_name(position.mover)) + ", and " + other + " goes on.";
  }
  return "";
}

std::string move_text(const Position& before, Move move) {
  if (move.is_swap()) return "swaps the colours";
  const Position end = after(before, move);
  const std::string square = to_text(move, before.size);
  if (end.holes != before.holes) return "places a hole on " + square;
  const int gain = end.points_of(before.mover) - before.points_of(before.mover);
  return "plays " + square + (gain > 0 ? " (+" + counted(gain, "point", "points") + ")" : "");
}

void note_analysis(const Analysis& analysis, BoardMarks& marks) {
  const std::int64_t visits = all_visits(analysis);
  for (const MoveAnalysis& move : analysis.moves) {
    if (move.move.is_swap()) continue;
    std::string& note = marks.notes[static_cast<std::size_t>(move.move.square())];
    if (visits > 0) {
      note = move.visits == 0 ? "" : percent(static_cast<double>(move.visits) / static_cast<double>(visits));
    } else if (move.prior) {
      note = percent(*move.prior);
    }
  }
  if (!analysis.move.is_swap()) marks.best |= square_bit(analysis.move.square());
}

std::vector<std::string> analysis_table(const Analysis& analysis, int size, int rows) {
  const std::int64_t visits = all_visits(analysis);
  const bool has_prior = any_move(analysis, [](const MoveAnalysis& move) { return move.prior.has_value(); });
  const bool has_value = any_move(analysis, [](const MoveAnalysis& move) { return move.value.has_value(); });
  const bool has_score =
      any_move(analysis, [](const MoveAnalysis& move) { return move.line_score.has_value(); });
  std::string heading = "move";
  if (visits > 0) heading += "    visits  share";
  if (has_prior) heading += "  policy";
  if (has_value) heading += "   value";
  if (has_score) heading += "   score";
  std::vector<std::string> lines = {heading};
  for (const MoveAnalysis& move : analysis.moves) {
    if (static_cast<int>(lines.size()) > rows) break;
    std::string line = fmt::format("{:<4}", to_text(move.move, size));
    if (visits > 0) {
      line += fmt::format("{:>10}  {:>3} %", move.visits,
                          percent(static_cast<double>(move.visits) / static_cast<double>(visits)));
    }
    if (has_prior) line += move.prior ? fmt::format("  {:>4} %", percent(*move.prior)) : "        ";
    if (has_value) {
      const std::string value = !move.value      ? ""
                                : analysis.exact ? result_word(*move.value)
                                                 : signed_text(move.value->get(), 2);
      line += fmt::format("  {:>6}", value);
    }
    if (has_score) {
      line += fmt::format("  {:>6}", move.line_score ? signed_text(*move.line_score, 1) : std::string());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  return lines;
}

std::string analysis_text(const Analysis& analysis, const Position& position, int width) {
  const std::string mover = color_text(position.mover);
  std::string text;
  const auto sentence = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (analysis.exact) {
    sentence("exactly solved: " + solved_text(analysis, position));
  } else {
    if (analysis.value) sentence("value " + signed_text(analysis.value->get(), 2) + " for " + mover);
    if (analysis.margin) sentence("margin " + signed_text(*analysis.margin, 1) + " points");
  }
  if (text.empty()) sentence("says nothing of what it expects");
  std::string effort;
  if (analysis.simulations > 0) effort = std::to_string(analysis.simulations) + " simulations";
  if (analysis.depth > 0) {
    effort += (effort.empty() ? "" : ", ") + counted(analysis.depth, "ply", "plies") + " ahead";
  }
  std::string lines = wrapped(text, width, 2);
  if (analysis.wdl) {
    lines += wrapped("network alone: win " + percent(analysis.wdl->win) + " %, draw " +
                         percent(analysis.wdl->draw) + " %, loss " + percent(analysis.wdl->loss) + " %",
                     width, 2);
  }
  if (analysis.variation.size() > 1) {
    std::string variation = "line";
    for (const Move move : analysis.variation) variation += " " + to_text(move, position.size);
    const auto room = static_cast<std::size_t>(width);
    if (variation.size() > room) {
      variation.resize(variation.rfind(' ', room - 4));
      variation += " ...";
    }
    lines += variation + "\n";
  }
  if (!effort.empty()) lines += wrapped("(" + effort + ")", width, 2);
  return lines;
}

std::string hint_text(const Analysis& analysis, const Position& position) {
  std::string text = to_text(analysis.move, position.size);
  if (analysis.exact) return text + ", exactly solved: " + solved_text(analysis, position);
  if (analysis.value) {
    text += ", value " + signed_text(analysis.value->get(), 2) + " for " + color_text(position.mover) +
            " (1 won, 0 drawn, -1 lost)";
  }
  if (analysis.margin) text += ", margin " + signed_text(*analysis.margin, 1);
  return text;
}

std::string side_by_side(const std::vector<std::string>& left, const std::vector<std::string>& right,
                         int column) {
  std::string text;
  for (std::size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
    const std::string line = k < left.size() ? left[k] : "";
    text += line;
    if (k < right.size() && !right[k].empty()) {
      text += std::string(static_cast<std::size_t>(std::max(1, column - screen_width(line))), ' ') + right[k];
    }
    text += "\n";
  }
  return text;
}

std::string game_over_text(const PlayGame& game, int width) {
  std::string text = wrapped(result_text(game), width);
  for (const Color color : {Color::kWhite, Color::kBlack}) text += wrapped(runs_text(game, color), width, 2);
  const std::string way = way_text(game);
  if (!way.empty()) text += wrapped("Points " + way, width, 2);
  const std::string lead = lead_text(game);
  if (!lead.empty()) text += wrapped(lead, width, 2);
  return text;
}

std::string wrapped(const std::string& text, int width, int indent) {
  std::istringstream words(text);
  std::string out;
  std::string line(std::min(text.find_first_not_of(' '), text.size()), ' ');
  for (std::string word; words >> word;) {
    const bool begun = line.find_first_not_of(' ') != std::string::npos;
    if (begun && screen_width(line) + 1 + screen_width(word) > width) {
      out += line + "\n";
      line = std::string(static_cast<std::size_t>(indent), ' ') + word;
    } else {
      line += (begun ? " " : "") + word;
    }
  }
  return out + line + "\n";
}

}  // namespace pahtum
