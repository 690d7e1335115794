#include "eval/player.h"

#include <algorithm>
#include <utility>

#include "env/base/error.h"
#include "env/base/random.h"
#include "env/game_rules.h"
#include "env/random_move.h"
#include "eval/network_player.h"
#include "eval/player_spec.h"
#include "model/checkpoint.h"
#include "model/network_evaluator.h"
#include "model/network_file.h"
#include "search/alpha_beta.h"
#include "search/charles.h"
#include "search/greedy.h"
#include "search/solver.h"
#include "search/uct.h"

namespace pahtum {
namespace {

// A player that looks at one turn after the other: Choice is called as choice(position, random).
template <class Choice>
class SinglePlayer final : public Player {
 public:
  SinglePlayer(PlayerInfo info, std::uint64_t seed, Choice choice)
      : info_(std::move(info)), seed_(seed), choice_(std::move(choice)) {}

  void choose(std::span<const Turn> turns, std::span<Move> moves) override {
    for (std::size_t k = 0; k < turns.size(); ++k) {
      Random random(seed_, Stream::kPlayer, turns[k].game, static_cast<std::uint32_t>(turns[k].ply));
      moves[k] = choice_(turns[k].position, random);
    }
  }
  [[nodiscard]] const PlayerInfo& info() const noexcept override { return info_; }

 private:
  PlayerInfo info_;
  std::uint64_t seed_;
  Choice choice_;
};

template <class Choice>
std::unique_ptr<Player> make_single(const PlayerInfo& info, std::uint64_t seed, Choice choice) {
  return std::make_unique<SinglePlayer<Choice>>(info, seed, std::move(choice));
}

// Perfect play once few squares are empty. The best margin brings the best outcome too.
class SolverChoice {
 public:
  explicit SolverChoice(int most_empty) : most_empty_(most_empty) {}

  Move operator()(const Position& position, Random& random) {
    if (position.empty_count() > most_empty_) return greedy_move(position, random);
    return solver_
        .solve(position, {.objective = Objective::kMargin, .moves = SolvedMoves::kOneBest, .limits = {}})
        .best.front();
  }

 private:
  int most_empty_;
  Solver solver_;
};

std::unique_ptr<Player> make_network_player(const std::string& spec, const PlayerSpec& parsed,
                                            const PlayerContext& context) {
  try {
    const Checkpoint checkpoint = load_network_file(resolve_checkpoint(parsed.path));
    const Manifest& manifest = checkpoint.manifest;
    SearchConfig search = manifest.search;
    if (context.simulations > 0) search.simulations = context.simulations;
    if (parsed.simulations) search.simulations = *parsed.simulations;
    const std::int64_t exact = parsed.exact.value_or(context.exact);
    search.exact_root = exact;
    search.exact_leaf = std::min(exact, SearchConfig{}.exact_leaf);
    PlayerInfo info;
    info.spec = spec;
    info.uses_network = true;
    info.game = manifest.game;
    info.exact = static_cast<int>(exact);
    info.timed = parsed.seconds.has_value();
    return std::make_unique<NetworkPlayer>(info, make_evaluator(checkpoint, context.inference),
                                           NetworkSearch{search, parsed.policy, parsed.seconds},
                                           context.seed);
  } catch (const Error& error) {
    throw Error(error.fault(), player_subject(spec), error.what());
  }
}

}  // namespace

std::unique_ptr<Player> make_player(const std::string& spec, const PlayerContext& context) {
  const PlayerSpec parsed = parse_player_spec(spec);
  PlayerInfo info;
  info.spec = spec;
  switch (parsed.kind) {
    case PlayerKind::kRandom:
      return make_single(info, context.seed, random_move);
    case PlayerKind::kGreedy:
      return make_single(info, context.seed, greedy_move);
    case PlayerKind::kCharles:
      return make_single(info, context.seed, charles_move);
    case PlayerKind::kUct:
      return make_single(
          info, context.seed,
          [search = UctSearch(parsed.number)](const Position& position, Random& random) mutable {
            return search.choose(position, random);
          });
    case PlayerKind::kSolver:
      info.exact = static_cast<int>(parsed.number);
      return make_single(info, context.seed, SolverChoice(info.exact));
    case PlayerKind::kAlphaBeta: {
      const AlphaBetaLimits limits{.depth = static_cast<int>(parsed.depth.value_or(0)),
                                   .seconds = parsed.seconds.value_or(0.0)};
      info.timed = parsed.seconds.has_value();
      if (!info.timed) info.exact = AlphaBeta::kExactEmpty;
      return make_single(info, context.seed,
                         [search = AlphaBeta(limits)](const Position& position, Random& random) mutable {
                           return search.choose(position, random);
                         });
    }
    case PlayerKind::kNetwork:
      return make_network_player(spec, parsed, context);
  }
  throw failure(player_subject(spec), "has a kind that no player is made for");
}

void require_game(const PlayerInfo& player, const GameConfig& game) {
  if (!player.game) return;
  if (same_interface(*player.game, game) && player.game->run_points == game.run_points) return;
  throw request_error(player_subject(player.spec), "its network was trained for " + to_text(*player.game) +
                                                       "; it cannot play " + to_text(game));
}

}  // namespace pahtum
