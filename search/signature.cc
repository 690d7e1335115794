#include "search/signature.h"

#include <bit>
#include <optional>
#include <vector>

#include "env/batch_environment.h"
#include "search/batch_search.h"
#include "search/greedy.h"
#include "search/search_tree.h"
#include "search/uct.h"

namespace pahtum {
namespace {

constexpr std::uint64_t kSeed = 20260101;

class Mixer {
 public:
  void add(std::uint64_t value) noexcept {
    state_ = (std::rotl(state_, 23) ^ value) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ull;
};

void add_games(Mixer& mixer, int size, int holes) {
  BatchConfig config;
  config.game.size = size;
  config.game.holes = holes;
  config.count = 16;
  config.seed = kSeed;
  BatchEnvironment environment(config);
  environment.reset();
  std::vector<std::int32_t> actions(16);
  for (std::uint64_t step = 0; step < 200; ++step) {
    for (int row = 0; row < config.count; ++row) {
      const Position& position = environment.position(row);
      Random random(kSeed, Stream::kTest, step, static_cast<std::uint32_t>(row));
      const bool over = position.over();
      const auto count = static_cast<std::uint32_t>(over ? 1 : legal_count(position));
      const auto choice = static_cast<int>(random.below(count));
      actions[static_cast<std::size_t>(row)] = over ? 0 : action_of(nth_legal(position, choice), size);
    }
    environment.step(actions);
    for (int row = 0; row < config.count; ++row) mixer.add(hash(environment.position(row)));
    for (const std::int32_t score : environment.scores()) mixer.add(static_cast<std::uint64_t>(score));
    for (const float reward : environment.rewards()) mixer.add(std::bit_cast<std::uint32_t>(reward));
  }
}

void add_searched_game(Mixer& mixer, Evaluator& evaluator, std::uint64_t index) {
  SearchConfig config;
  config.simulations = 100;
  GameConfig game;
  SearchTree tree(config);
  tree.reset(start_position(game, kSeed, Stream::kTest, index));
  while (true) {
    tree.begin_move(std::nullopt);
    SearchTree* const trees[] = {&tree};
    run_searches(trees, evaluator);
    for (const RootMove& move : tree.root_moves()) {
      mixer.add(static_cast<std::uint64_t>(move.visits));
      mixer.add(std::bit_cast<std::uint32_t>(move.value.get()));
    }
    Random random(kSeed, Stream::kTest, index, static_cast<std::uint32_t>(tree.root().empty_count()));
    const Move move = choose_move(tree.root_moves(), 0.0, random);
    mixer.add(static_cast<std::uint64_t>(move.index()));
    if (after(tree.root(), move).over()) return;
    tree.advance(move);
  }
}

void add_players(Mixer& mixer) {
  UctSearch uct(50);
  Random random(kSeed, Stream::kTest, 7);
  Position position = start_position({}, kSeed, Stream::kTest, 7);
  while (!position.over()) {
    const Move move =
        position.mover == Color::kWhite ? greedy_move(position, random) : uct.choose(position, random);
    mixer.add(static_cast<std::uint64_t>(move.index()));
    apply(position, move);
  }
}

}  // namespace

std::uint64_t behaviour_signature() {
  Mixer mixer;
  for (int size = kMinSize; size <= kMaxSize; ++size) add_games(mixer, size, size % 2 == 0 ? 2 : 3);
  UniformEvaluator uniform;
  HashEvaluator hashed;
  for (std::uint64_t index = 0; index < 3; ++index) {
    add_searched_game(mixer, uniform, index);
    add_searched_game(mixer, hashed, index);
  }
  add_players(mixer);
  return mixer.value();
}

}  // namespace pahtum
