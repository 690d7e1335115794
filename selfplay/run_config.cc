#include "selfplay/run_config.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "env/base/error.h"
#include "env/game_rules.h"
#include "eval/player_spec.h"

namespace pahtum {
namespace {

constexpr std::int64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

void validate_self_play(const RunConfig& config) {
  if (config.run.workers > config.selfplay.slots) {
    throw request_error("run.workers", std::to_string(config.run.workers) + " workers share only " +
                                           std::to_string(config.selfplay.slots) +
                                           " selfplay.slots; use at most one worker per slot");
  }
  if (config.selfplay.full_search_share < 1.0 &&
      config.selfplay.short_simulations > config.search.simulations) {
    throw request_error("selfplay.short_simulations",
                        std::to_string(config.selfplay.short_simulations) +
                            " are more than the search.simulations of a full search; use at most " +
                            std::to_string(config.search.simulations));
  }
  const std::int64_t stones = GameRules(config.game).shortest_game();
  if (config.selfplay.random_opening_mean > static_cast<double>(stones) / 2) {
    throw request_error("selfplay.random_opening_mean", "more than half of the " + std::to_string(stones) +
                                                            " plies of a game would be random; use at most " +
                                                            std::to_string(stones / 2));
  }
}

void validate_replay(const RunConfig& config) {
  const std::int64_t window = config.replay.window_games;
  const std::int64_t per_iteration = config.selfplay.games_per_iteration;
  if (window < per_iteration) {
    throw request_error("replay.window_games",
                        "a window of " + std::to_string(window) + " games forgets part of the " +
                            std::to_string(per_iteration) +
                            " selfplay.games_per_iteration before it was learned from; use at least " +
                            std::to_string(per_iteration));
  }
  if (config.replay.minimum_games > window) {
    throw request_error("replay.minimum_games", std::to_string(config.replay.minimum_games) +
                                                    " games never fit a window of " + std::to_string(window) +
                                                    "; use at most replay.window_games");
  }
  // Divided rather than multiplied: the product may not fit 64 bits.
  const std::int64_t iterations_needed = (config.replay.minimum_games + per_iteration - 1) / per_iteration;
  if (iterations_needed > config.run.iterations) {
    throw request_error("replay.minimum_games",
                        "the whole run plays " + std::to_string(config.run.iterations * per_iteration) +
                            " games, so the learner would never start; use at most that");
  }
}

void validate_health(const RunConfig& config) {
  if (!rolls_back(config.health) || config.run.keep_checkpoints >= 2) return;
  throw request_error("run.keep_checkpoints",
                      "a `rollback` of health may need the checkpoint before the newest; keep at least 2");
}

void validate_evaluation(const RunConfig& config) {
  const EvaluationConfig& evaluation = config.evaluation;
  if (evaluation.every > 0 && evaluation.against.empty() && evaluation.oracle.empty()) {
    throw request_error("evaluation.every",
                        "what is measured during the run needs an opponent in evaluation.against, or solved "
                        "positions in evaluation.oracle");
  }
  const std::int64_t stones = GameRules(config.game).shortest_game();
  if (evaluation.opening_plies >= stones) {
    throw request_error("evaluation.opening_plies",
                        "a game has only " + std::to_string(stones) + " plies; use fewer");
  }
  for (const std::string& spec : evaluation.against) {
    try {
      static_cast<void>(parse_player_spec(spec));
    } catch (const Error& error) {
      throw request_error("evaluation.against", error.what());
    }
  }
}

}  // namespace

Schema describe(ScheduleConfig& config) {
  Schema schema("run", "The run as a whole.");
  schema
      .integer("seed", &config.seed, 0, kLargestSeed, "",
               "Seed of everything random in training: layouts, openings, noise, weights, samples.")
      .integer("iterations", &config.iterations, 1, 1'000'000, "iterations",
               "Length of the run. An iteration plays games, learns from them and saves a checkpoint.")
      .required()
      .text("device", &config.device, {"auto", "cpu", "cuda"},
            "Where the network lives; `auto` takes a CUDA device when there is one, else the CPU.")
      .text("precision", &config.precision, {"auto", "fp32", "bf16", "fp16"},
            "In what numbers the network judges positions; `auto` takes bf16 on a CPU that multiplies it, "
            "fp16 on "
            "a CUDA device from compute capability 7.0 on, else fp32. Learning has learner.precision.")
      .integer("workers", &config.workers, 0, 1024, "threads", "Self-play threads; 0 means one per core.")
      .integer("keep_checkpoints", &config.keep_checkpoints, 1, 1'000'000, "checkpoints",
               "How many of the newest checkpoints stay on disk.")
      .integer("save_every_games", &config.save_every_games, 0, 10'000'000, "games",
               "Save also within an iteration, each time so many more of its games are finished; 0: only "
               "between iterations. A crash costs what was played since the last save. Searches begin afresh "
               "after each.")
      .boolean(
          "tensorboard", &config.tensorboard,
          "Also write each iteration's numbers and histograms into an event file that TensorBoard shows.");
  return schema;
}

InferenceOptions inference_of(const ScheduleConfig& config, InferenceCheck* check) {
  return {.device = config.device, .precision = config.precision, .check = check};
}

Schema describe(SelfplayConfig& config) {
  Schema schema("selfplay", "How games are played for training.");
  schema
      .integer("slots", &config.slots, 1, 65536, "games",
               "Games in progress at once, over all workers. More slots make wider batches for the network.")
      .integer("games_per_iteration", &config.games_per_iteration, 1, 10'000'000, "games",
               "Finished games of one iteration, over all workers.")
      .boolean("stagger", &config.stagger,
               "Start the first games at random plies, so that slots do not reach the endgame together.")
      .real("random_opening_mean", &config.random_opening_mean, 0.0, 32.0, "plies",
            "Mean number of random plies at the start of a game; 0 means none.")
      .text("opening", &config.opening, {"uniform", "policy"},
            "How these plies are drawn: `uniform` takes all legal moves alike, `policy` as the network's "
            "policy "
            "likes them, and one of the best where the position is solved. The random plies of `stagger` are "
            "uniform always.")
      .real("full_search_share", &config.full_search_share, 0.01, 1.0, "",
            "Share of moves that are searched in full and learned from. The others, drawn at random, get a "
            "short search without noise that only moves the game on (playout cap randomization); solved "
            "positions are learned from all the same.")
      .integer("short_simulations", &config.short_simulations, 1, 1'000'000, "visits",
               "Visits of such a short search, at most search.simulations.");
  return schema;
}

Schema describe(ReplayConfig& config) {
  Schema schema("replay", "What the learner remembers, and how much it takes from it.");
  schema
      .integer("window_games", &config.window_games, 1, 100'000'000, "games",
               "The newest finished games from which samples are drawn.")
      .real("window_growth", &config.window_growth, 0.0, 1.0, "",
            "Once more games were played than the window holds, it grows with their number to the power of "
            "this: 0 keeps it, 1 keeps all games.")
      .real("solved_weight", &config.solved_weight, 0.01, 1.0, "",
            "How often a solved position is drawn, compared to a searched one.")
      .real("surprise_weight", &config.surprise_weight, 0.0, 1.0, "",
            "How much of the weight with which a searched position is drawn goes by how far the search's "
            "policy "
            "is from the network's: 0 draws all alike, 1 by this alone (policy surprise weighting).")
      .real("reuse", &config.reuse, 0.01, 1000.0, "samples",
            "Samples drawn per position played: learner steps = reuse · new positions / batch size. A solved "
            "position counts solved_weight, one that is no sample nothing.")
      .integer("minimum_games", &config.minimum_games, 1, 100'000'000, "games",
               "Games in the window before the first learner step.");
  return schema;
}

std::int64_t window_after(const ReplayConfig& config, std::int64_t games) noexcept {
  if (games <= config.window_games) return config.window_games;
  const auto window = static_cast<double>(config.window_games);
  return std::llround(window * std::pow(static_cast<double>(games) / window, config.window_growth));
}

Schema describe(EvaluationConfig& config) {
  Schema schema("evaluation", "What is measured after training, and on the way.");
  schema
      .text_list("against", &config.against,
                 "Opponents after training: `random`, `greedy`, `charles`, `uct:N`, `solver:N`, "
                 "`alphabeta:depth=D`, `net:PATH`. An empty list skips the matches.")
      .integer("pairs", &config.pairs, 1, 1'000'000, "pairs",
               "Pairs of games against each opponent; both games of a pair share the layout, with colours "
               "swapped.")
      .text("oracle", &config.oracle, {},
            "File of solved positions (`pahtum oracle make`) on which the network is compared with perfect "
            "play, without and with search; empty: none.")
      .integer(
          "every", &config.every, 0, 1'000'000, "iterations",
          "Also measure every so many iterations: by a short match against the first opponent, and by the "
          "positions of `oracle`; 0 means never.")
      .integer("every_pairs", &config.every_pairs, 1, 1'000'000, "pairs", "Pairs of such a short match.")
      .integer("seed", &config.seed, 0, kLargestSeed, "",
               "Seed of the evaluation's layouts and openings; training never sees these streams.")
      .integer("opening_plies", &config.opening_plies, 0, kMaxSquares, "plies",
               "Random stones before the players take over, the same in both games of a pair.");
  return schema;
}

std::vector<Schema> describe(RunConfig& config) {
  return {describe(config.game),      describe(config.network), describe(config.search),
          describe(config.selfplay),  describe(config.replay),  describe(config.learner),
          describe(config.run),       describe(config.gate),    describe(config.health),
          describe(config.evaluation)};
}

void validate(const RunConfig& config) {
  // What a search expects there is a utility of points, not a chance to win.
  if (config.learner.search_value_weight > 0.0 && config.game.result != Objective::kOutcome) {
    throw request_error("learner.search_value_weight",
                        "needs games played to win, game.result: outcome; use 0");
  }
  validate(config.game);
  validate_self_play(config);
  validate_replay(config);
  validate(config.gate);
  validate_health(config);
  validate_evaluation(config);
}

}  // namespace pahtum
