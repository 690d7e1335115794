#include <unistd.h>

#include <iostream>
#include <memory>
#include <random>

#include "app/common.h"
#include "env/base/error.h"
#include "env/game_rules.h"
#include "eval/player.h"

namespace pahtum {
namespace {

struct Options {
  std::string spec;
  std::string position;
  std::string side = "white";
  std::optional<std::uint64_t> seed;
  RulesOptions rules;
};

constexpr std::int64_t kExact = 12;  // a network player ends its games perfectly unless told otherwise

constexpr const char* kHelp =
    "  a square such as c4    play there\n"
    "  swap                   swap the colours, where the rules allow it\n"
    "  moves                  list the legal moves\n"
    "  undo                   take back your last move and the answer to it\n"
    "  help                   this list\n"
    "  quit                   end the game\n";

std::string points_text(const Position& position) {
  return "White " + std::to_string(position.points_of(position.white)) + ", Black " +
         std::to_string(position.points_of(position.black));
}

// A game on the terminal. Reads lines from standard input, so scripts can play too.
class Session {
 public:
  Session(const Position& start, std::unique_ptr<Player> opponent, std::string name, std::string side,
          std::uint64_t seed)
      : position_(start),
        opponent_(std::move(opponent)),
        name_(std::move(name)),
        side_(std::move(side)),
        seed_(seed),
        prompts_(::isatty(STDIN_FILENO) != 0) {}

  void run() {
    draw();
    while (!position_.over()) {
      if (person_moves()) {
        if (!ask()) return;
      } else {
        answer();
      }
    }
    const int margin = position_.white_margin();
    std::cout << "The game is over: "
              << (margin == 0  ? "a draw"
                  : margin > 0 ? "White wins by " + std::to_string(margin)
                               : "Black wins by " + std::to_string(-margin))
              << ".\n";
  }

 private:
  [[nodiscard]] bool person_moves() const { return side_ == "both" || side_ == color_name(position_.mover); }

  void draw() const {
    const std::optional<Move> last = moves_.empty() ? std::nullopt : std::optional(moves_.back());
    std::cout << "\n" << board_text(position_, last) << points_text(position_);
    if (!position_.over()) std::cout << "; " << color_name(position_.mover) << " to move";
    if (position_.phase != Phase::kPlaying) std::cout << " (" << phase_name(position_.phase) << ")";
    std::cout << "\n";
  }

  void play(Move move) {
    past_.push_back(position_);
    moves_.push_back(move);
    apply(position_, move);
  }

  void answer() {
    const Turn turn{position_, seed_, static_cast<int>(moves_.size())};
    Move move;
    opponent_->choose({&turn, 1}, {&move, 1});
    std::cout << name_ << " (" << color_name(position_.mover) << ") plays " << to_text(move, position_.size)
              << "\n";
    play(move);
    draw();
  }

  // One line of input; false when the person leaves.
  bool ask() {
    if (prompts_) std::cout << color_name(position_.mover) << "> " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line)) {
      std::cout << "\nNo more input; the game ends here.\n";
      return false;
    }
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) return true;
    const std::string word = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    if (word == "quit") return false;
    if (word == "help") {
      std::cout << kHelp;
    } else if (word == "moves") {
      list_moves();
    } else if (word == "undo") {
      undo();
    } else {
      try_move(word);
    }
    return true;
  }

  void list_moves() const {
    std::string text;
    for_each_legal(position_,
                   [&](Move move) { text += (text.empty() ? "" : " ") + to_text(move, position_.size); });
    std::cout << text << "\n";
  }

  // Goes back to the last position in which the person was to move.
  void undo() {
    std::size_t keep = past_.size();
    while (keep > 0) {
      --keep;
      if (side_ == "both" || side_ == color_name(past_[keep].mover)) {
        position_ = past_[keep];
        past_.resize(keep);
        moves_.resize(keep);
        draw();
        return;
      }
    }
    std::cout << "There is no move of yours to take back.\n";
  }

  void try_move(const std::string& word) {
    try {
      const Move move = parse_move(word, position_.size);
      if (!is_legal(position_, move)) throw request_error(word, illegal_reason(move));
      play(move);
      draw();
    } catch (const Error& error) {
      std::cout << error.what() << " (`moves` lists what is legal, `help` explains)\n";
    }
  }

  [[nodiscard]] std::string illegal_reason(Move move) const {
    if (move.is_swap()) return "the colours cannot be swapped now";
    if ((position_.holes & square_bit(move.square())) != 0) return "is a hole";
    return "is taken";
  }

  Position position_;
  std::vector<Position> past_;
  std::vector<Move> moves_;
  std::unique_ptr<Player> opponent_;
  std::string name_;
  std::string side_;
  std::uint64_t seed_;
  bool prompts_;
};

std::uint64_t fresh_seed() {
  std::random_device device;
  return device();
}

int play(const Options& options) {
  const std::string spec = options.spec.empty() ? default_spec() : options.spec;
  const std::uint64_t seed = options.seed ? *options.seed : fresh_seed();
  std::unique_ptr<Player> opponent = make_player(spec, {.seed = seed, .exact = kExact});
  Position start;
  if (options.position.empty()) {
    const GameConfig rules = options.rules.resolve(opponent->info().game.value_or(GameConfig{}));
    require_game(opponent->info(), rules);
    start = start_position(rules, seed, Stream::kEvaluationLayout, 0);
    std::cout << to_text(rules) << ", seed " << seed << "\n";
  } else {
    start = parse_position(options.position);
    const auto& game = opponent->info().game;
    if (game && game->size != start.size) {
      throw request_error("--position", "is a board of size " + std::to_string(start.size) + "; " + spec +
                                            " plays size " + std::to_string(game->size));
    }
  }
  if (options.side != "both")
    std::cout << (options.side == "none" ? "Playing itself: " : "You play against ") << spec;
  if (options.side != "both" && options.spec.empty()) {
    std::cout << (spec == "greedy" ? " (there is no trained agent in runs/)" : " (the newest run)");
  }
  std::cout << "\n";
  Session(start, std::move(opponent), spec, options.side, seed).run();
  return 0;
}

}  // namespace

void add_play(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("play", "A game on the terminal");
  const auto options = std::make_shared<Options>();
  sub.add_option("SPEC", options->spec,
                 "Opponent: " + player_specs_text() + "; without it the newest run's agent, else greedy");
  sub.add_option("--position", options->position, "Position to start from, in quotes");
  sub.add_option("--side", options->side, "What you play: white, black, both, none")
      ->check(CLI::IsMember({"white", "black", "both", "none"}))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of the layout and the opponent; without it a new one");
  options->rules.add_to(sub);
  sub.footer("Example: pahtum play net:runs/quick-1 --side black");
  sub.callback([options, &command] { command = [options] { return play(*options); }; });
}

}  // namespace pahtum
