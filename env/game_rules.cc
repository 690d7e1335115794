#include "env/game_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "env/observation.h"

namespace pahtum {
namespace {

// The squares of each board in the order of actions.
constexpr std::array<std::array<Bitboard, kMaxSquares>, kMaxSize + 1> kActionSquares = [] {
  std::array<std::array<Bitboard, kMaxSquares>, kMaxSize + 1> squares{};
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int number = 0; number < size * size; ++number) {
      squares[static_cast<std::size_t>(size)][static_cast<std::size_t>(number)] =
          square_bit(square_at(number / size, number % size));
    }
  }
  return squares;
}();

// Holes drawn without replacement by Floyd's sampling (Bentley and Floyd 1987), each set equally likely.
// `below(bound)` is uniform in [0, bound).
template <class Below>
Bitboard floyd_sample(int size, std::uint32_t holes, Below&& below) noexcept {
  const auto& bits = kActionSquares[static_cast<std::size_t>(size)];
  const auto squares = static_cast<std::uint32_t>(size * size);
  Bitboard drawn = 0;
  for (std::uint32_t last = squares - holes; last < squares; ++last) {
    const Bitboard bit = bits[below(last + 1)];
    drawn |= (drawn & bit) == 0 ? bit : bits[last];
  }
  return drawn;
}

// `fresh`: nothing was drawn from `random` yet.
Bitboard draw_holes(int size, std::uint32_t holes, Random& random, bool fresh) noexcept {
  const auto one_by_one = [&](std::uint32_t bound) { return random.below(bound); };
  constexpr std::uint32_t kAtOnce = 8;
  if (!fresh || holes > kAtOnce) return floyd_sample(size, holes, one_by_one);
  // The same numbers, all made at once; where Random::below would look twice, it does.
  const std::array<std::uint32_t, kAtOnce> words = random.first_eight();
  std::size_t next = 0;
  bool doubtful = false;
  const Bitboard drawn = floyd_sample(size, holes, [&](std::uint32_t bound) {
    const std::uint64_t product = std::uint64_t{words[next++]} * bound;
    doubtful |= static_cast<std::uint32_t>(product) < bound;
    return static_cast<std::uint32_t>(product >> 32);
  });
  return doubtful ? floyd_sample(size, holes, one_by_one) : drawn;
}

}  // namespace

GameRules::GameRules(const GameConfig& config)
    : config_(config), line_points_{}, weights_{}, usual_points_(config.run_points == kRunPoints) {
  validate(config);
  line_points_ = pahtum::line_points(config.run_points);
  weights_ = window_weights(config.run_points);
  for (const std::string& layout : config.layouts) layouts_.push_back(parse_layout(layout, size()));
  const auto choices = config.holes.choices();
  if (choices.size() > 1) {
    double sum = 0.0;
    for (const HoleCounts::Choice& choice : choices) cumulative_.push_back(sum += choice.weight);
  }
}

bool GameRules::has_swap() const noexcept {
  return config_.swap || config_.hole_mode == HoleMode::kOpening;
}

bool GameRules::has_phases() const noexcept {
  return config_.swap || config_.hole_mode != HoleMode::kRandom;
}

std::span<const Bitboard> GameRules::action_squares() const noexcept {
  const auto n = static_cast<std::size_t>(size());
  return std::span(kActionSquares[n]).first(n * n);
}

int GameRules::channels() const noexcept {
  return has_phases() ? kPhaseChannels : kChannels;
}

std::pair<int, int> GameRules::given_holes() const noexcept {
  switch (config_.hole_mode) {
    case HoleMode::kRandom:
      break;
    case HoleMode::kCentre:
      return {1, 1};
    case HoleMode::kPlaced:
    case HoleMode::kOpening:
      return {0, 0};
  }
  if (layouts_.empty()) return {config_.holes.fewest(), config_.holes.most()};
  const auto count = [](Bitboard holes) { return std::popcount(holes); };
  return {count(std::ranges::min(layouts_, {}, count)), count(std::ranges::max(layouts_, {}, count))};
}

int GameRules::longest_game() const noexcept {
  return actions() - given_holes().first;
}

int GameRules::shortest_game() const noexcept {
  return size() * size() - given_holes().second;
}

int GameRules::draw_count(Random& random) const noexcept {
  const auto choices = config_.holes.choices();
  if (cumulative_.empty()) return choices.front().holes;
  const auto found = std::ranges::upper_bound(cumulative_, random.uniform() * cumulative_.back());
  const auto chosen = static_cast<std::size_t>(found - cumulative_.begin());
  return choices[std::min(chosen, cumulative_.size() - 1)].holes;
}

Bitboard GameRules::draw_layout(int holes, Random& random) const noexcept {
  if (!layouts_.empty()) return layouts_[random.below(static_cast<std::uint32_t>(layouts_.size()))];
  return draw_holes(size(), static_cast<std::uint32_t>(holes), random, cumulative_.empty());
}

Bitboard GameRules::start_holes(std::uint64_t seed, Stream stream, std::uint64_t index,
                                std::uint32_t sub) const noexcept {
  Random random(seed, stream, index, sub);
  return draw_layout(layouts_.empty() ? draw_count(random) : 0, random);
}

Position GameRules::start(std::uint64_t seed, Stream stream, std::uint64_t index,
                          std::uint32_t sub) const noexcept {
  Position position;
  position.size = static_cast<std::uint8_t>(config_.size);
  position.run_points = config_.run_points;
  int placed = 0;
  if (config_.hole_mode == HoleMode::kRandom) {
    position.holes = start_holes(seed, stream, index, sub);
  } else {
    Random random(seed, stream, index, sub);
    placed = draw_count(random);
    if (config_.hole_mode == HoleMode::kCentre) {
      position.holes = square_bit(square_at(size() / 2, size() / 2));
      --placed;
    }
  }
  position.holes_left = static_cast<std::uint8_t>(placed);
  if (config_.hole_mode == HoleMode::kOpening || (config_.swap && placed == 0)) {
    position.phase = Phase::kOpening;
  } else if (placed > 0) {
    position.phase = Phase::kPlacing;
    position.swap_follows = config_.swap ? 1 : 0;
    // The last hole is Black's, so that White's first stone follows it.
    position.mover = placed % 2 == 1 ? Color::kBlack : Color::kWhite;
  }
  return position;
}

bool same_interface(const GameConfig& first, const GameConfig& second) {
  const GameRules a(first);
  const GameRules b(second);
  return a.size() == b.size() && a.channels() == b.channels() && a.actions() == b.actions();
}

Position start_position(const GameConfig& config, std::uint64_t seed, Stream stream, std::uint64_t index,
                        std::uint32_t sub) {
  return GameRules(config).start(seed, stream, index, sub);
}

}  // namespace pahtum
