#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/play_command.h"
#include "app/play_game.h"
#include "app/play_input.h"
#include "env/game_config.h"
#include "eval/analysis.h"
#include "eval/player.h"

namespace pahtum {

// What the person at the terminal plays; kNone watches.
enum class Side { kWhite, kBlack, kBoth, kNone };
[[nodiscard]] std::optional<Side> side_named(
    std::string_view name) noexcept;  // "white", "black", "both", "none"
[[nodiscard]] std::string_view side_name(Side side) noexcept;

// How long the engines think about a move, in place of what their SPECs say. Neither: as these say.
struct Strength {
  std::optional<std::int64_t> simulations;  // or rollouts, or nodes of alpha-beta
  std::optional<double> seconds;
};
inline constexpr std::int64_t kMostSimulations = 10'000'000;
inline constexpr double kLeastSeconds = 0.001, kMostSeconds = 86'400.0;

// Throws a kRequest Error with `subject` when the player does not search, so that it has no strength to set.
void require_search(const PlayerInfo& player, const std::string& subject);
// Throws a kRequest Error that names the SPEC when the player's network cannot play on from `start`: another
// size, other points, or holes to place and swaps that it knows nothing of.
void require_start(const PlayerInfo& player, const Position& start);

struct PlayConfig {
  GameConfig usual_rules;           // what `new --size …` starts from: the agent's own
  GameConfig rules;                 // of new games
  std::optional<Position> start;    // of the first game and of new ones under the same rules; else drawn
  std::optional<PlayedGame> first;  // the session goes on with this game,
  std::string first_kept;           // which stands in `kept` with this record, or empty
  std::uint64_t seed = 0;           // of layouts (with the number of the game) and of the engines' turns
  Side side = Side::kWhite;
  Strength strength;
  bool analysis = false;
  bool color = false;
  int width = 80;                             // characters in a line
  bool interactive = false;                   // a person types: prompts, pauses, and questions make sense
  double pause = 0.0;                         // seconds between moves of watched engines
  std::optional<std::filesystem::path> save;  // every game is saved here when it ends or is left
  std::optional<std::filesystem::path> kept;  // where games are kept from the first move on
};

// Games of a person against engines, of two persons, or of two engines, line by line: reads commands and
// moves from `input`, writes boards and answers to `out`. What is wrong with a line is explained and changes
// nothing.
class PlaySession {
 public:
  // `white` and `black` choose moves and hints; without `black` one engine has both colours. They can play
  // the configured games (require_game, require_start). `input` and `out` must outlive the session.
  PlaySession(PlayConfig config, std::unique_ptr<Player> white, std::unique_ptr<Player> black,
              PlayInput& input, std::ostream& out);

  // Plays until the person leaves or the input ends; returns the exit status: 0, or 130 after a signal.
  // Throws what the engines throw, and a kFailure Error when the game that is left cannot be saved where
  // config.save says.
  [[nodiscard]] int run();

  [[nodiscard]] const PlayGame& game() const noexcept { return game_; }

 private:
  // The flow of the game (play_session.cc).
  // `kept_record`: the game's record in config_.kept; `paused`: watched engines wait.
  void begin(PlayGame game, std::uint64_t number, const std::string& kept_record = "", bool paused = false);
  [[nodiscard]] Position drawn_start(std::uint64_t number) const;
  void draw();
  void draw_analysis();
  void draw_status();
  [[nodiscard]] Player& engine(Color color) const {
    return *engines_[color == Color::kBlack && engines_[1] ? 1 : 0];
  }
  [[nodiscard]] bool is_person(Color color) const noexcept;
  [[nodiscard]] bool engine_to_move() const noexcept;
  [[nodiscard]] std::string name_of(Color color) const;
  // What the engine of the colour to move thinks of the present position; remembered for it.
  const Analysis& think();
  void engine_moves();
  void made_move();  // after every move: draws, keeps, ends
  void pause();
  void handle_interrupt();
  void ask();  // reads one line of input and does what it says
  void leave(int status);

  // Games in files (play_session.cc).
  [[nodiscard]] PlayedGame record() const;
  void keep();
  void
  file_unfinished();  // before another game starts or the session ends: saved, kept, or said to be neither
  void save_to(const std::filesystem::path& path);

  // Commands (play_session_commands.cc).
  void execute(const PlayCommand& command);
  void play_move(const std::string& word);
  void undo();
  void redo();
  void hint();
  void set_analysis(const std::vector<std::string>& words);
  void list_moves();
  void go();
  void set_side(const std::string& name);
  void switch_sides();
  void set_strength(const std::string& command, const std::string& number);
  void default_strength();
  void new_game(std::vector<std::string> words);
  void again();
  void set_holes(const std::string& word);
  void load(const std::vector<std::string>& words);
  void resume();
  void resign();
  // Throws as the function does for any of the engines.
  void require_start_for_engines(const Position& start) const;
  void go_on_with(const PlayedGame& game, const std::string& kept_record);

  PlayConfig config_;
  std::array<std::unique_ptr<Player>, 2> engines_;
  PlayInput& input_;
  std::ostream& out_;
  PlayGame game_;
  std::uint64_t number_ = 0;         // of the game within the session: keys layout and engines
  bool paused_ = false;              // watched engines wait for `go`
  std::optional<int> status_;        // the session has ended
  std::optional<Analysis> thought_;  // of the present position
  std::string kept_record_;          // as it stands in config_.kept
  std::vector<std::pair<std::filesystem::path, std::string>>
      saved_;  // files that hold this game, with its record
};

}  // namespace pahtum
