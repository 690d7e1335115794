#include "eval/player.h"

#include <algorithm>
#include <utility>

#include "env/base/error.h"
#include "env/base/random.h"
#include "env/game_rules.h"
#include "env/random_move.h"
#include "eval/network_player.h"
#include "eval/player_spec.h"
#include "eval/search_choices.h"
#include "model/checkpoint.h"
#include "model/network_evaluator.h"
#include "search/charles.h"
#include "search/greedy.h"

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
  [[nodiscard]] Analysis analyse(const Turn& turn, const ThinkLimits& limits) override {
    if constexpr (requires(Random & random) { choice_.analyse(turn.position, random, limits); }) {
      const auto started = ThinkLimits::Clock::now();
      Random random(seed_, Stream::kPlayer, turn.game, static_cast<std::uint32_t>(turn.ply));
      Analysis analysis = choice_.analyse(turn.position, random, limits);
      analysis.seconds = thinking_seconds(started);
      return analysis;
    } else {
      return Player::analyse(turn, limits);
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

std::unique_ptr<Player> make_network_player(const std::string& spec, const PlayerSpec& parsed,
                                            const PlayerContext& context) {
  try {
    const Checkpoint checkpoint = load_checkpoint(resolve_checkpoint(parsed.path));
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

Analysis Player::analyse(const Turn& turn, const ThinkLimits& /*limits*/) {
  const auto started = ThinkLimits::Clock::now();
  Move move;
  choose({&turn, 1}, {&move, 1});
  Analysis analysis = only_move(move);
  analysis.seconds = thinking_seconds(started);
  return analysis;
}

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
      return make_single(info, context.seed, UctChoice(parsed.number));
    case PlayerKind::kSolver:
      info.exact = static_cast<int>(parsed.number);
      return make_single(info, context.seed, SolverChoice(info.exact));
    case PlayerKind::kAlphaBeta: {
      const AlphaBetaLimits limits{.depth = static_cast<int>(parsed.depth.value_or(0)),
                                   .seconds = parsed.seconds.value_or(0.0)};
      info.timed = parsed.seconds.has_value();
      if (!info.timed) info.exact = AlphaBeta::kExactEmpty;
      return make_single(info, context.seed, AlphaBetaChoice(limits));
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
