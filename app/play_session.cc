#include "app/play_session.h"

#include <algorithm>
#include <chrono>
#include <ostream>
#include <system_error>
#include <thread>
#include <utility>

#include "app/board_drawing.h"
#include "app/game_file.h"
#include "app/interrupt.h"
#include "app/play_text.h"
#include "app/thinking_note.h"
#include "env/base/error.h"
#include "env/game_rules.h"
#include "eval/player_spec.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;
using Clock = ThinkLimits::Clock;

constexpr std::array<std::string_view, 4> kSideNames = {"white", "black", "both", "none"};
constexpr const char* kPerson = "person";  // in records
constexpr std::size_t kKeptGames = 50;

bool needs_phases(const Position& position) {
  return position.phase != Phase::kPlaying;
}

}  // namespace

std::optional<Side> side_named(std::string_view name) noexcept {
  const auto found = std::ranges::find(kSideNames, name);
  if (found == kSideNames.end()) return std::nullopt;
  return static_cast<Side>(found - kSideNames.begin());
}

std::string_view side_name(Side side) noexcept {
  return kSideNames[static_cast<std::size_t>(side)];
}

void require_search(const PlayerInfo& player, const std::string& subject) {
  const PlayerSpec spec = parse_player_spec(player.spec);
  const bool searches = spec.kind == PlayerKind::kUct || spec.kind == PlayerKind::kAlphaBeta ||
                        (spec.kind == PlayerKind::kNetwork && !spec.policy);
  if (searches) return;
  throw request_error(subject, player.spec +
                                   " does not search, so it has no strength to set; `uct`, `alphabeta` "
                                   "and `net` (without `policy`) have");
}

void require_start(const PlayerInfo& player, const Position& start) {
  if (!player.game) return;
  const std::string size = std::to_string(int{start.size});
  const std::string subject = player_subject(player.spec);
  if (player.game->size != start.size) {
    throw request_error(
        subject, "its network plays " + to_text(*player.game) + ", not boards of " + size + "x" + size);
  }
  if (player.game->run_points != start.run_points) {
    throw request_error(subject, "its network was trained for runs worth " +
                                     to_text(player.game->run_points) + ", not " + to_text(start.run_points));
  }
  const GameRules rules(*player.game);
  if (needs_phases(start) && !rules.has_phases()) {
    throw request_error(subject, "its network plays " + to_text(*player.game) +
                                     " and knows nothing of placing holes or swapping colours");
  }
}

PlaySession::PlaySession(PlayConfig config, std::unique_ptr<Player> white, std::unique_ptr<Player> black,
                         PlayInput& input, std::ostream& out)
    : config_(std::move(config)), engines_{std::move(white), std::move(black)}, input_(input), out_(out) {}

int PlaySession::run() {
  if (config_.first) {
    go_on_with(*config_.first, config_.first_kept);
  } else {
    begin(PlayGame(config_.start ? *config_.start : drawn_start(0)), 0);
  }
  while (!status_) {
    if (interrupted()) {
      handle_interrupt();
    } else if (engine_to_move()) {
      engine_moves();
    } else if (game_.over() && config_.side == Side::kNone && !config_.interactive) {
      leave(0);
    } else {
      ask();
    }
  }
  return *status_;
}

Position PlaySession::drawn_start(std::uint64_t number) const {
  return start_position(config_.rules, config_.seed, Stream::kEvaluationLayout, number);
}

void PlaySession::begin(PlayGame game, std::uint64_t number, const std::string& kept_record, bool paused) {
  game_ = std::move(game);
  number_ = number;
  thought_.reset();
  kept_record_ = kept_record;
  saved_.clear();
  paused_ = paused;
  draw();
  if (game_.over()) out_ << game_over_text(game_, config_.width);
}

bool PlaySession::is_person(Color color) const noexcept {
  return config_.side == Side::kBoth || (config_.side == Side::kWhite && color == Color::kWhite) ||
         (config_.side == Side::kBlack && color == Color::kBlack);
}

bool PlaySession::engine_to_move() const noexcept {
  return !game_.over() && !is_person(game_.position().mover) && !(config_.side == Side::kNone && paused_);
}

std::string PlaySession::name_of(Color color) const {
  return is_person(color) ? kPerson : engine(color).info().spec;
}

void PlaySession::draw() {
  out_ << "\n";
  if (config_.analysis && !game_.over() && !engine_to_move()) {
    draw_analysis();
  } else {
    out_ << board_text(game_.position(),
                       {.last = game_.last_move(), .scoring = scoring_stones(game_.position())},
                       config_.color);
  }
  draw_status();
  out_.flush();
}

void PlaySession::draw_analysis() {
  const Position& position = game_.position();
  const Analysis& analysis = think();
  BoardMarks marks{.last = game_.last_move(), .scoring = scoring_stones(position)};
  note_analysis(analysis, marks);
  const std::vector<std::string> board = board_lines(position, marks, config_.color);
  constexpr int kLeastRows = 6;
  const std::vector<std::string> table =
      analysis_table(analysis, position.size, std::max<int>(position.size, kLeastRows));
  int table_width = 0;
  for (const std::string& line : table) table_width = std::max(table_width, screen_width(line));
  // Wherever the stones are: squares of four characters behind the rank, and a gap.
  const int column = 2 + 4 * position.size + 3;
  if (column + table_width <= config_.width) {
    out_ << side_by_side(board, table, column);
  } else {
    for (const std::string& line : board) out_ << line << "\n";
    for (const std::string& line : table) out_ << line << "\n";
  }
  out_ << wrapped(engine(position.mover).info().spec + ":", config_.width)
       << analysis_text(analysis, position, config_.width);
}

void PlaySession::draw_status() {
  const Position& position = game_.position();
  std::string status = points_text(position);
  if (!game_.over()) {
    status += "; " + std::string(color_name(position.mover)) + " to move";
    if (is_person(position.mover) && config_.side != Side::kBoth) status += " (you)";
    const int empty = position.empty_count();
    status += ", " + std::to_string(empty) + (empty == 1 ? " square empty" : " squares empty");
  }
  out_ << wrapped(status, config_.width);
  if (game_.over() || engine_to_move()) return;
  const std::string phase = phase_text(position);
  if (!phase.empty()) out_ << wrapped(phase, config_.width);
}

const Analysis& PlaySession::think() {
  if (thought_) return *thought_;
  const Turn turn{game_.position(), number_, static_cast<int>(game_.ply())};
  ThinkLimits limits;
  limits.simulations = config_.strength.simulations;
  if (config_.strength.seconds) limits.deadline = Clock::now() + thinking_time(*config_.strength.seconds);
  limits.stop = &stop_on_interrupt();
  out_.flush();
  const ThinkingNote note(config_.interactive);
  thought_ = engine(turn.position.mover).analyse(turn, limits);
  return *thought_;
}

void PlaySession::engine_moves() {
  const Position before = game_.position();
  const Analysis& analysis = think();
  const Move move = analysis.move;
  std::string answer = wrapped(engine(before.mover).info().spec + " (" +
                                   std::string(color_name(before.mover)) + ") " + move_text(before, move),
                               config_.width);
  if (config_.analysis) answer += analysis_text(analysis, before, config_.width);
  out_ << answer;
  game_.play(move);
  made_move();
  if (interrupted()) {
    handle_interrupt();
  } else if (config_.side == Side::kNone && !game_.over()) {
    pause();
  }
}

void PlaySession::made_move() {
  thought_.reset();
  keep();
  draw();
  if (!game_.over()) return;
  out_ << game_over_text(game_, config_.width);
  if (config_.save) save_to(*config_.save);
  if (config_.interactive) {
    out_ << wrapped("`new` starts another game, `undo` takes back, `save FILE` saves, `quit` leaves.",
                    config_.width);
  }
}

void PlaySession::pause() {
  constexpr auto kStep = std::chrono::milliseconds(50);
  const auto end = Clock::now() + thinking_time(config_.pause);
  while (!interrupted() && Clock::now() < end) {
    std::this_thread::sleep_for(std::min<Clock::duration>(kStep, end - Clock::now()));
  }
}

// A signal while an engine thinks makes it move; between the moves of watched engines it stops them.
// Otherwise, and where nobody is at a terminal, it ends the session.
void PlaySession::handle_interrupt() {
  const bool watches = config_.side == Side::kNone && !paused_;
  if (!config_.interactive || asked_to_end()) {
    leave(kExitInterrupted);
    return;
  }
  clear_interrupt();
  if (!watches || game_.over()) return;
  paused_ = true;
  out_ << "\n"
       << wrapped("Stopped. `go` goes on, `side white` takes over a side, `quit` leaves.", config_.width);
}

void PlaySession::ask() {
  if (config_.interactive) {
    out_ << (game_.over() ? "" : color_text(game_.position().mover)) << "> ";
  }
  out_.flush();
  const PlayLine line = input_.next();
  switch (line.kind) {
    case PlayLine::Kind::kInterrupted:
      out_ << "\n";
      leave(kExitInterrupted);
      return;
    case PlayLine::Kind::kEnd:
      if (config_.interactive) out_ << "\n";
      if (!game_.over()) {
        out_ << wrapped("No more input; the game ends here, after " + std::to_string(game_.ply()) + " moves.",
                        config_.width);
      }
      leave(0);
      return;
    case PlayLine::Kind::kLine:
      break;
  }
  if (line.text.find_first_not_of(" \t\r") == std::string::npos) return;
  try {
    execute(parse_play_command(line.text));
  } catch (const Error& error) {
    if (error.fault() == Fault::kFailure && interrupted()) throw;
    out_ << wrapped(error.what(), config_.width, 2);
  }
}

void PlaySession::leave(int status) {
  file_unfinished();
  status_ = status;
}

PlayedGame PlaySession::record() const {
  PlayedGame record = game_.record();
  record.white = name_of(Color::kWhite);
  record.black = name_of(Color::kBlack);
  record.seed = config_.seed;
  record.number = number_;
  record.source = "pahtum play";
  return record;
}

void PlaySession::keep() {
  if (!config_.kept || config_.side == Side::kNone || game_.ply() == 0) return;
  const fs::path path = *config_.kept;
  try {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    const PlayedGame game = record();
    save_game(path, game, kept_record_, kKeptGames);
    kept_record_ = to_text(game);
  } catch (const Error& error) {
    out_ << wrapped("Games are not kept: " + std::string(error.what()), config_.width, 2);
    config_.kept.reset();
  }
}

void PlaySession::file_unfinished() {
  if (game_.over() || game_.ply() == 0) return;
  if (config_.save) {
    save_to(*config_.save);
  } else if (std::ranges::any_of(saved_,
                                 [&](const auto& file) { return file.second == to_text(record()); })) {
    return;
  } else if (!kept_record_.empty()) {
    out_ << wrapped("The game is kept: `resume` here, or `pahtum play --resume` later, goes on with it.",
                    config_.width);
  } else if (config_.side != Side::kNone) {
    out_ << wrapped("The game was not saved (`save FILE` does it, or --save FILE for all games).",
                    config_.width);
  }
}

void PlaySession::save_to(const fs::path& path) {
  const auto known = std::ranges::find(saved_, path, &std::pair<fs::path, std::string>::first);
  const PlayedGame game = record();
  const GameSaved saved = save_game(path, game, known == saved_.end() ? "" : known->second);
  const std::string text = to_text(game);
  if (known == saved_.end()) {
    saved_.emplace_back(path, text);
  } else {
    known->second = text;
  }
  const std::string number = std::to_string(saved.number);
  out_ << wrapped(saved.replaced ? "Saved again, as game " + number + " of " + path.string() + "."
                  : saved.added  ? "Added to " + path.string() + " as game " + number + "."
                                 : "Saved in " + path.string() + ".",
                  config_.width);
}

}  // namespace pahtum
