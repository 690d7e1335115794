#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/engine_game.h"

namespace pahtum {

// An engine that is spoken to in the Go Text Protocol, version 2 (G. Farnebäck's draft), with GoGui's
// extension for other games' rules and its analysis commands; docs/engines.md lists all. One command at a
// time: handle() returns when the answer is there. What fails leaves the game as it was.
//
// Colours are players for the whole game, holes and `swap` are moves. Columns are a … h: the letter I, which
// the protocol leaves out, is never reached.
class Gtp {
 public:
  // `mind` must outlive it. `margin` in milliseconds.
  Gtp(EngineMind& mind, const GameConfig& rules, std::int64_t margin = kMarginDefault,
      std::uint64_t seed = 1);

  // The answer to one line without its end: `=[id] …` or `?[id] …` and an empty line; nothing for lines that
  // are empty or comments.
  [[nodiscard]] std::string handle(std::string_view line);
  // `quit` has come.
  [[nodiscard]] bool done() const noexcept { return done_; }

  [[nodiscard]] const EngineGame& game() const noexcept { return game_; }

 private:
  using Words = std::vector<std::string>;
  // As the protocol has it: seconds for `stones` moves, or for the rest of the game when these are 0.
  struct Clock {
    double seconds = 0.0;
    int stones = 0;
  };
  struct CommandRow {
    std::string (Gtp::*run)(const Words& words);
    std::size_t least, most;  // arguments
  };
  static const std::map<std::string, CommandRow, std::less<>>& commands();

  std::string boardsize(const Words& words);
  std::string clear_board(const Words& words);
  std::string final_result(const Words& words);
  std::string final_score(const Words& words);
  std::string genmove(const Words& words);
  std::string komi(const Words& words);
  std::string known_command(const Words& words);
  std::string legal_moves(const Words& words);
  std::string list_commands(const Words& words);
  std::string margin(const Words& words);
  std::string play(const Words& words);
  std::string quit(const Words& words);
  std::string random(const Words& words);
  std::string reg_genmove(const Words& words);
  std::string rules_board(const Words& words);
  std::string set_up(const Words& words);
  std::string show_policy(const Words& words);
  std::string show_values(const Words& words);
  std::string show_variation(const Words& words);
  std::string show_visits(const Words& words);
  std::string showboard(const Words& words);
  // Names, versions and whatever else is only read off.
  std::string tell(const Words& words);
  std::string think(const Words& words);
  std::string time_left(const Words& words);
  std::string time_settings(const Words& words);
  std::string undo(const Words& words);

  // Both throw a kRequest Error where the word is none.
  [[nodiscard]] static Color color_of(const std::string& word);
  [[nodiscard]] Move move_of(const std::string& word) const;
  [[nodiscard]] std::string vertex(Move move) const;
  void require_mover(const std::string& word) const;
  [[nodiscard]] Analysis search(const ThinkLimits& limits);
  [[nodiscard]] ThinkLimits limits_now() const;
  // The analysis of the position as the SPEC has it; kept until the position changes.
  [[nodiscard]] const Analysis& analysis();
  // Rows from the top with a word for each square.
  template <class Text>
  [[nodiscard]] std::string squares(const Text& text) const;
  // As squares(), of what the analysis has on its moves; `otherwise` elsewhere.
  template <class Text>
  [[nodiscard]] std::string move_squares(const std::string& otherwise, const Text& text);
  void count_time(double seconds);
  void reset_clocks();

  EngineMind& mind_;
  EngineGame game_;
  double margin_;  // seconds
  bool done_ = false;
  // Time settings; nothing: the SPEC's own limits hold.
  struct TimeSettings {
    double main, period;
    int stones;
  };
  std::optional<TimeSettings> settings_;
  std::array<Clock, 2> clocks_{};
  std::optional<std::pair<Turn, Analysis>> analysed_;
};

}  // namespace pahtum
