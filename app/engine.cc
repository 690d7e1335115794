#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/common.h"
#include "app/default_player.h"
#include "env/base/error.h"
#include "env/game_rules.h"
#include "eval/grid.h"
#include "eval/gtp.h"
#include "eval/player.h"
#include "eval/ugi.h"

namespace pahtum {
namespace {

struct EngineOptions {
  std::string spec;
  std::string protocol = "gtp";
  std::int64_t margin = kMarginDefault;
  std::uint64_t seed = 1;
  std::uint64_t game = 0;
  std::optional<int> ply;
  RulesOptions rules;
  InferenceCliOptions inference;
};

// The player of a SPEC, which thinks for whatever protocol is spoken.
class PlayerMind final : public EngineMind {
 public:
  PlayerMind(std::string spec, const PlayerContext& context)
      : spec_(std::move(spec)), context_(context), player_(make_player(spec_, context_)) {}

  [[nodiscard]] const PlayerInfo& info() const { return player_->info(); }

  // The first thoughts take longer than all later ones: tables are made, and the network's code. Not out of
  // anybody's time.
  void warm_up(const Position& start) {
    if (start.over()) return;
    ThinkLimits least;
    least.simulations = 2;
    least.depth = 1;
    least.deadline = ThinkLimits::Clock::now();
    static_cast<void>(player_->analyse({start, 0, 0}, least));
  }

  void require_position(const Position& position) const override {
    const auto& game = info().game;
    if (!game || game->size == position.size) return;
    throw request_error(std::to_string(position.size) + "×" + std::to_string(position.size),
                        spec_ + " plays boards of " + std::to_string(game->size) + "×" +
                            std::to_string(game->size) + " alone");
  }

  [[nodiscard]] Analysis think(const Turn& turn, const ThinkLimits& limits) override {
    return player_->analyse(turn, limits);
  }

  void reseed(std::uint64_t seed) override {
    context_.seed = seed;
    player_ = make_player(spec_, context_);
  }

 private:
  std::string spec_;
  PlayerContext context_;
  std::unique_ptr<Player> player_;
};

void speak_gtp(PlayerMind& mind, const GameConfig& rules, const EngineOptions& options) {
  Gtp gtp(mind, rules, options.margin, options.seed);
  for (std::string line; !gtp.done() && std::getline(std::cin, line);) {
    std::cout << gtp.handle(line) << std::flush;
  }
}

void speak_ugi(PlayerMind& mind, const GameConfig& rules, const EngineOptions& options) {
  const auto send = [](const std::string& line) { std::cout << line + "\n" << std::flush; };
  Ugi ugi(mind, rules, send, options.margin, options.seed);
  for (std::string line; std::getline(std::cin, line);) {
    if (!ugi.handle(line)) return;
  }
  ugi.finish();
}

void speak_grid(PlayerMind& mind, const GameConfig& rules, const EngineOptions& options) {
  Grid grid(mind, options.game, options.ply, rules.run_points);
  for (std::string line; std::getline(std::cin, line);) std::cout << grid.handle(line) << std::flush;
  if (grid.within_board()) throw request_error("grid", "the input ends within a board");
}

int engine(const EngineOptions& options) {
  const std::string spec = options.spec.empty() ? default_spec() : options.spec;
  PlayerMind mind(spec,
                  {.seed = options.seed, .inference = options.inference.resolve(), .exact = kExactInPlay});
  const GameConfig rules = options.rules.resolve(mind.info().game.value_or(GameConfig{}));
  require_game(mind.info(), rules);
  mind.warm_up(start_position(rules, options.seed, Stream::kEvaluationLayout, options.game));
  std::cerr << "pahtum: " << spec << " speaks " << options.protocol << ", " << to_text(rules) << std::endl;
  if (options.protocol == "gtp") {
    speak_gtp(mind, rules, options);
  } else if (options.protocol == "ugi") {
    speak_ugi(mind, rules, options);
  } else {
    speak_grid(mind, rules, options);
  }
  options.inference.finish();
  return 0;
}

}  // namespace

void add_engine(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "engine", "A player for other programs, spoken to on standard input and output (docs/engines.md)");
  const auto options = std::make_shared<EngineOptions>();
  sub.add_option("SPEC", options->spec,
                 "Player: " + player_specs_text() + "; without it as `play`'s opponent");
  sub.add_option("--protocol", options->protocol,
                 "gtp (GoGui and others), ugi (cutegames and others) or grid (a board in, a board out)")
      ->check(CLI::IsMember({"gtp", "ugi", "grid"}))
      ->capture_default_str();
  sub.add_option("--margin", options->margin,
                 "Milliseconds of every time limit that are kept back for what cannot be planned")
      ->check(CLI::Range(std::int64_t{0}, kMarginMost))
      ->capture_default_str();
  sub.add_option("--seed", options->seed, "Seed of layouts and of the player's random numbers")
      ->envname("PAHTUM_SEED")
      ->capture_default_str();
  sub.add_option("--game", options->game,
                 "Number of the game, for the same, where the protocol has no word for it")
      ->envname("PAHTUM_GAME")
      ->capture_default_str();
  sub.add_option("--ply", options->ply, "Moves made before the board of the grid protocol")
      ->envname("PAHTUM_PLY");
  options->inference.add_to(sub);
  options->rules.add_to(sub);
  sub.footer("Example: pahtum engine net:runs/quick-1,sims=400 --protocol gtp");
  sub.callback([options, &command] { command = [options] { return engine(*options); }; });
}

}  // namespace pahtum
