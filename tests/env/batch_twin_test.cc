#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "env/base/cache_size.h"
#include "env/batch_environment.h"
#include "tests/env/expect_error.h"
#include "tests/env/naive.h"
#include "tests/env/naive_batch.h"
#include "tests/env/naive_rules.h"

namespace pahtum::test {
namespace {

// Moves compared by all of BatchTwin together, enough for every variant once in every mode and policy;
// PAHTUM_TWIN_PLIES multiplies it.
constexpr std::int64_t kPlies = 2'400'000;

std::int64_t plies() {
  const char* text = std::getenv("PAHTUM_TWIN_PLIES");
  return text == nullptr ? kPlies : static_cast<std::int64_t>(std::atof(text) * static_cast<double>(kPlies));
}

int below(Random& random, int bound) {
  return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
}
std::uint64_t draw_seed(Random& random) {
  return below(random, 2) == 0 ? random.next64() : random.next64() % 3;
}

// Every size × hole mode × swap × unequal stones × result × table, and layouts; the numbers of holes are
// drawn.
std::vector<GameConfig> draw_variants(Random& random) {
  std::vector<GameConfig> variants;
  const auto draw_holes = [&](const GameConfig& config) {
    const int squares = static_cast<int>(config.size * config.size);
    const int least = config.hole_mode == HoleMode::kCentre ? 1 : 0;
    const int range = below(random, 3) == 0 ? squares - 1 : std::min(12, squares - 1);
    for (;;) {
      const int holes = below(random, range);
      if (holes >= least && (config.unequal_stones || (squares - holes) % 2 == 0)) return holes;
    }
  };
  const auto draw_layout = [&](const GameConfig& config) {
    const int n = static_cast<int>(config.size);
    std::vector<int> squares(static_cast<std::size_t>(n * n));
    std::iota(squares.begin(), squares.end(), 0);
    random.shuffle(std::span(squares));
    std::string board(squares.size(), '.');
    std::string list;
    const int holes = std::max(draw_holes(config), 1 + (n % 2 == 0 ? 1 : 0));
    for (int i = 0; i < holes; ++i) {
      const int square = squares[static_cast<std::size_t>(i)];
      board[static_cast<std::size_t>(square)] = 'x';
      list += (list.empty() ? "" : ",") + naive_square(square, n);
    }
    if (below(random, 2) == 0) return list;
    std::string text;
    for (int square = 0; square < n * n; ++square) {
      if (square > 0 && square % n == 0) text += '/';
      text += board[static_cast<std::size_t>(square)] == 'x' ? 'x' : '1';
    }
    return text;
  };
  for (int bits = 0; bits < 16; ++bits) {
    for (int size = kMinSize; size <= kMaxSize; ++size) {
      for (int mode = 0; mode < 5; ++mode) {
        GameConfig config;
        config.size = size;
        config.swap = (bits & 1) != 0;
        config.unequal_stones = (bits & 2) != 0;
        config.result = (bits & 4) != 0 ? Objective::kMargin : Objective::kOutcome;
        if ((bits & 8) != 0) {
          for (std::uint16_t& points : config.run_points.by_length) {
            points =
                static_cast<std::uint16_t>(below(random, 2) == 0 ? below(random, 10'001) : below(random, 9));
          }
        }
        if (mode < 4) config.hole_mode = std::data(kHoleModes)[mode];
        if (config.hole_mode == HoleMode::kCentre && size % 2 == 0) continue;
        std::array<HoleCounts::Choice, 3> choices;
        for (HoleCounts::Choice& choice : choices) {
          choice = {draw_holes(config), 0.25 + random.uniform()};
        }
        config.holes = choices[0].holes;
        if (below(random, 2) == 0 && choices[0].holes != choices[1].holes) {
          config.holes = {choices[0], choices[1]};
          if (choices[2].holes != choices[0].holes && choices[2].holes != choices[1].holes) {
            config.holes = {choices[0], choices[1], choices[2]};
          }
        }
        if (mode == 4) {
          for (int i = 0; i <= below(random, 4); ++i) config.layouts.push_back(draw_layout(config));
        }
        variants.push_back(config);
      }
    }
  }
  return variants;
}

template <class Action>
void step_with(BatchEnvironment& environment, const std::vector<std::int32_t>* rows,
               const std::vector<std::int64_t>& actions) {
  // A heap block of exact length: a read past it is found by a sanitizer.
  std::vector<Action> narrow;
  narrow.reserve(actions.size());
  for (const std::int64_t action : actions) narrow.push_back(static_cast<Action>(action));
  if (rows == nullptr) {
    environment.step(std::span<const Action>(narrow));
  } else {
    environment.step(std::span<const std::int32_t>(*rows), std::span<const Action>(narrow));
  }
}

// One environment and its twin, played side by side.
class Match {
 public:
  Match(const BatchConfig& config, bool wide, unsigned given_arrays, std::uint64_t number)
      : config_(config), wide_(wide), random_(31, Stream::kTest, number), twin_(config, config.observation) {
    if (given_arrays == 0) {
      environment_ = std::make_unique<BatchEnvironment>(config);
    } else {
      given_ = std::make_unique<GuardedArrays>(twin_.rules(), config.count, config.observation, given_arrays);
      environment_ = std::make_unique<BatchEnvironment>(config, given_->buffers());
    }
  }

  // Until `plies` moves were played, and a few whole games in every row.
  void play(std::int64_t plies) {
    environment_->reset();
    twin_.reset();
    ASSERT_NO_FATAL_FAILURE(expect_same());
    ASSERT_EQ(environment_->actions(), twin_.rules().actions());
    ASSERT_EQ(environment_->rules().channels(), twin_.rules().channels());
    while (twin_.moves() < plies) {
      if (below(random_, 64) == 0) {
        ASSERT_NO_FATAL_FAILURE(reset_or_restore());
      }
      const bool all = below(random_, 3) != 0;
      rows_.resize(static_cast<std::size_t>(config_.count));
      std::iota(rows_.begin(), rows_.end(), 0);
      if (!all) {
        random_.shuffle(std::span(rows_));
        rows_.resize(static_cast<std::size_t>(below(random_, config_.count + 1)));
      }
      ASSERT_NO_FATAL_FAILURE(wake_rows());
      actions_.clear();
      for (const std::int32_t row : rows_) actions_.push_back(draw_action(row));
      if (config_.illegal_action == IllegalAction::kError && below(random_, 8) == 0) {
        ASSERT_NO_FATAL_FAILURE(attempt_illegal(all));
      }
      step(all);
      for (std::size_t k = 0; k < rows_.size(); ++k) twin_.step(rows_[k], actions_[k]);
      ASSERT_NO_FATAL_FAILURE(expect_same());
    }
  }

  [[nodiscard]] std::int64_t moves() const { return twin_.moves(); }

 private:
  void step(bool all) {
    const std::vector<std::int32_t>* rows = all ? nullptr : &rows_;
    if (wide_) {
      step_with<std::int64_t>(*environment_, rows, actions_);
    } else {
      step_with<std::int32_t>(*environment_, rows, actions_);
    }
  }

  void expect_same() const {
    ASSERT_NO_FATAL_FAILURE(expect_same_arrays(environment_->buffers(), twin_.buffers(), config_.count));
    ASSERT_NO_FATAL_FAILURE(twin_.expect_same_games(*environment_));
    if (given_ != nullptr) {
      ASSERT_EQ(given_->overrun(), "");
    }
  }

  // With kDisabled, finished games among rows_ are reset, after an attempt to step one.
  void wake_rows() {
    if (config_.auto_reset != AutoReset::kDisabled) return;
    std::vector<std::int32_t> over;
    for (const std::int32_t row : rows_) {
      if (twin_.ended(row)) over.push_back(row);
    }
    if (over.empty()) return;
    if (below(random_, 4) == 0) {
      actions_.clear();
      for (const std::int32_t row : rows_) actions_.push_back(twin_.ended(row) ? 0 : draw_legal(row));
      expect_error(Fault::kRequest, {"environment ", "game is over"}, [&] { step(false); });
      ASSERT_NO_FATAL_FAILURE(expect_same());
    }
    environment_->reset(over);
    for (const std::int32_t row : over) twin_.reset(row);
    ASSERT_NO_FATAL_FAILURE(expect_same());
  }

  void reset_or_restore() {
    const int kind = below(random_, 8);
    if (kind == 0) {
      environment_->reset();
      twin_.reset();
    } else if (kind < 3) {
      const std::int32_t row = below(random_, config_.count);
      const std::uint64_t episode =
          random_.next64() >> (below(random_, 2) == 0 ? 62 : 1 + below(random_, 30));
      VariantGame game = twin_.start_of(row, episode);
      std::vector<int> actions;
      std::vector<Move> moves;
      for (int left = below(random_, game.count('.')); left > 0; --left) {
        actions.push_back(draw_legal(game));
        twin_.rules().play(game, actions.back());
        moves.push_back(move_of(actions.back(), environment_->size()));
      }
      environment_->restore(row, episode, moves);
      twin_.restore(row, episode, actions);
    } else {
      std::vector<std::int32_t> rows(static_cast<std::size_t>(config_.count));
      std::iota(rows.begin(), rows.end(), 0);
      random_.shuffle(std::span(rows));
      rows.resize(static_cast<std::size_t>(below(random_, std::min(4, config_.count + 1))));
      std::vector<std::uint64_t> seeds;
      for (std::size_t k = 0; k < rows.size(); ++k) seeds.push_back(draw_seed(random_));
      if (kind < 5) {
        environment_->reset(rows, seeds);
        for (std::size_t k = 0; k < rows.size(); ++k) twin_.reset(rows[k], seeds[k]);
      } else {
        environment_->reset(rows);
        for (const std::int32_t row : rows) twin_.reset(row);
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same());
  }

  // One illegal action among rows_ refuses the step of all.
  void attempt_illegal(bool all) {
    if (rows_.empty()) return;
    const auto k = static_cast<std::size_t>(below(random_, static_cast<int>(rows_.size())));
    const std::int32_t row = rows_[k];
    if (twin_.ended(row)) return;
    const std::vector<std::int64_t> legal = actions_;
    const std::int64_t action = draw_illegal(twin_.game(row));
    actions_[k] = action;
    const int squares = twin_.rules().squares();
    std::string where = std::to_string(action);
    std::string why = "0 … " + std::to_string(twin_.rules().actions() - 1);
    if (action >= 0 && action < squares) {
      where += " (" + naive_square(static_cast<int>(action), environment_->size()) + ")";
      why = twin_.game(row).at(static_cast<int>(action)) == 'x' ? "hole" : "stone is already there";
    } else if (action == squares && twin_.rules().has_swap()) {
      where += " (swap)";
      why = "first stone";
    }
    expect_error(Fault::kRequest, {"environment " + std::to_string(row) + ":", "action " + where, why},
                 [&] { step(all); });
    ASSERT_NO_FATAL_FAILURE(expect_same());
    actions_ = legal;
  }

  std::int64_t draw_action(std::int32_t row) {
    if (twin_.ended(row)) return below(random_, 2) == 0 ? below(random_, 70) - 3 : draw_no_action();
    if (config_.illegal_action == IllegalAction::kForfeit && below(random_, 50) == 0) {
      return draw_illegal(twin_.game(row));
    }
    return draw_legal(row);
  }
  int draw_legal(std::int32_t row) { return draw_legal(twin_.game(row)); }
  int draw_legal(const VariantGame& game) {
    if (game.phase == Phase::kSwapping && below(random_, 2) == 0) return twin_.rules().squares();
    for (;;) {
      const int action = below(random_, twin_.rules().squares());
      if (game.at(action) == '.') return action;
    }
  }
  std::int64_t draw_illegal(const VariantGame& game) {
    for (;;) {
      const std::int64_t action =
          below(random_, 3) == 0 ? draw_no_action() : below(random_, twin_.rules().actions() + 1);
      if (action >= twin_.rules().actions() || !twin_.rules().is_legal(game, action)) return action;
    }
  }
  // Numbers beside the actions, those that come from an action by losing their high bits included.
  std::int64_t draw_no_action() {
    const std::int64_t action = below(random_, twin_.rules().actions());
    switch (below(random_, wide_ ? 9 : 5)) {
      case 0:
        return -1 - action;
      case 1:
        return twin_.rules().actions() + action;
      case 2:
        return action + (std::int64_t{1} << (8 + below(random_, 20)));
      case 3:
        return std::numeric_limits<std::int32_t>::min();
      case 4:
        return std::numeric_limits<std::int32_t>::max();
      case 5:
        return action + (std::int64_t{1} << (32 + below(random_, 30)));
      case 6:
        return action - (std::int64_t{1} << (32 + below(random_, 30)));
      case 7:
        return std::numeric_limits<std::int64_t>::min() + action;
      default:
        return std::numeric_limits<std::int64_t>::max() - action;
    }
  }

  BatchConfig config_;
  bool wide_;
  Random random_;
  NaiveBatch twin_;
  std::unique_ptr<GuardedArrays> given_;
  std::unique_ptr<BatchEnvironment> environment_;
  std::vector<std::int32_t> rows_;
  std::vector<std::int64_t> actions_;
};

constexpr std::array<AutoReset, 3> kModes = {AutoReset::kNextStep, AutoReset::kSameStep,
                                             AutoReset::kDisabled};
constexpr std::array kModeNames = {"NextStep", "SameStep", "Disabled"};
constexpr std::array kPolicyNames = {"Error", "Forfeit"};
constexpr std::array<ObservationType, 4> kTypes = {ObservationType::kUint8, ObservationType::kFloat32,
                                                   ObservationType::kPacked, ObservationType::kNone};

class BatchTwin : public testing::TestWithParam<std::tuple<AutoReset, IllegalAction>> {};

TEST_P(BatchTwin, EveryArrayIsThatOfTheTwinAtEveryStepOfEveryVariant) {
  const auto [mode, policy] = GetParam();
  const auto part = static_cast<std::uint64_t>(mode) * 2 + static_cast<std::uint64_t>(policy);
  Random random(30, Stream::kTest, part);
  std::uint64_t number = part << 40;
  for (std::int64_t left = plies() / 6; left > 0;) {
    for (const GameConfig& game : draw_variants(random)) {
      if (left <= 0) break;
      BatchConfig config;
      config.game = game;
      config.auto_reset = mode;
      config.illegal_action = policy;
      config.seed = draw_seed(random);
      config.observation = kTypes[random.below(4)];
      // Threads share the rows only from 32 of them on.
      config.threads = 1 + below(random, 3);
      config.count = below(random, 8) == 0 ? 33 + below(random, 30) : 1 + below(random, 7);
      config.first_environment = below(random, 2) == 0 ? 0 : (1u << 24) - random.below(1000) - 64;
      // The library's own arrays, all arrays of a caller, or some of them.
      const int owner = below(random, 3);
      const unsigned arrays = owner == 0 ? 0 : owner == 1 ? kAllArrays : 1 + random.below(kAllArrays);
      const bool wide = below(random, 2) == 0;
      Match match(config, wide, arrays, number++);
      const std::int64_t wanted = std::min<std::int64_t>(left, config.count * game.size * game.size * 5 / 2);
      ASSERT_NO_FATAL_FAILURE(match.play(wanted))
          << to_text(game) << "; size " << game.size << ", unequal " << game.unequal_stones << ", result "
          << static_cast<int>(game.result) << ", points " << to_text(game.run_points) << ", count "
          << config.count << ", threads " << config.threads << ", type "
          << static_cast<int>(config.observation) << ", arrays " << arrays << ", wide " << wide;
      left -= match.moves();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, BatchTwin,
                         testing::Combine(testing::ValuesIn(kModes),
                                          testing::Values(IllegalAction::kError, IllegalAction::kForfeit)),
                         [](const auto& test) {
                           return std::string(kModeNames[static_cast<std::size_t>(std::get<0>(test.param))]) +
                                  kPolicyNames[static_cast<std::size_t>(std::get<1>(test.param))];
                         });

TEST(BatchTwinStarts, FitTheRulesInEveryVariant) {
  Random random(32, Stream::kTest, 0);
  for (const GameConfig& config : draw_variants(random)) {
    const VariantRules rules(config);
    const GameRules fast(config);
    for (std::uint64_t episode = 0; episode < 50; ++episode) {
      ASSERT_EQ(
          rules.start_fault(fast.start(random.next64(), Stream::kLayout, episode, random.below(1u << 24))),
          "")
          << to_text(config);
    }
  }
}

// The rows that a step may name: all but finished games that wait for a reset by hand.
std::vector<std::int32_t> running_rows(const BatchEnvironment& environment) {
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 0; row < environment.count(); ++row) {
    if (environment.config().auto_reset != AutoReset::kDisabled || !environment.ended(row)) {
      rows.push_back(row);
    }
  }
  return rows;
}

// What play_random(1) is told to be.
void step_randomly(BatchEnvironment& environment, RandomPlay& played) {
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(environment.count()));
  environment.random_actions(drawn);
  std::vector<std::int32_t> actions;
  const std::vector<std::int32_t> rows = running_rows(environment);
  for (std::int32_t row = 0; row < environment.count(); ++row) {
    const std::int32_t action = drawn[static_cast<std::size_t>(row)];
    if (environment.ended(row)) {
      ASSERT_EQ(action, 0);
    } else {
      ASSERT_TRUE(is_legal(environment.position(row), move_of(action, environment.size())));
      ++played.moves;
    }
  }
  for (const std::int32_t row : rows) actions.push_back(drawn[static_cast<std::size_t>(row)]);
  environment.step(rows, actions);
  for (const std::int32_t row : rows) {
    if (environment.terminated()[static_cast<std::size_t>(row)] == 0) continue;
    const float white = environment.rewards()[2 * static_cast<std::size_t>(row)];
    ++(white > 0 ? played.white_wins : white < 0 ? played.black_wins : played.draws);
  }
}

TEST(BatchTwinRandomPlay, IsThatManyStepsWithTheRandomActions) {
  Random random(33, Stream::kTest, 0);
  for (const GameConfig& game : draw_variants(random)) {
    BatchConfig config;
    config.game = game;
    config.auto_reset = kModes[random.below(3)];
    config.observation = kTypes[random.below(4)];
    config.seed = draw_seed(random);
    config.count = below(random, 4) == 0 ? 33 + below(random, 20) : 1 + below(random, 4);
    config.threads = 1 + below(random, 3);
    config.first_environment = random.below(1u << 20);
    BatchEnvironment at_once(config);
    config.threads = 1 + below(random, 3);
    BatchEnvironment one_by_one(config);
    at_once.reset();
    one_by_one.reset();
    for (int round = 0; round < 8; ++round) {
      const int steps = below(random, static_cast<int>(game.size * game.size) * 3 / 2);
      RandomPlay expected;
      for (int step = 0; step < steps; ++step) {
        ASSERT_NO_FATAL_FAILURE(step_randomly(one_by_one, expected)) << to_text(game);
      }
      ASSERT_EQ(at_once.play_random(steps), expected) << to_text(game);
      ASSERT_NO_FATAL_FAILURE(expect_same_arrays(at_once.buffers(), one_by_one.buffers(), config.count))
          << to_text(game) << ", " << kModeNames[static_cast<std::size_t>(config.auto_reset)];
      std::vector<std::int32_t> over;
      for (int row = 0; row < config.count; ++row) {
        ASSERT_EQ(at_once.position(row), one_by_one.position(row));
        ASSERT_EQ(at_once.final_position(row), one_by_one.final_position(row));
        ASSERT_EQ(at_once.episode(row), one_by_one.episode(row));
        ASSERT_EQ(at_once.ended(row), one_by_one.ended(row));
        if (at_once.ended(row) || below(random, 20) == 0) over.push_back(row);
      }
      // Seeds of single rows count for their random moves too.
      const std::vector<std::uint64_t> seeds(over.size(), random.next64());
      at_once.reset(over, seeds);
      one_by_one.reset(over, seeds);
    }
    expect_error(Fault::kRequest, {"-1"}, [&] { at_once.play_random(-1); });
  }
}

void expect_even(const std::vector<int>& counts, const std::string& what) {
  const double expected =
      std::accumulate(counts.begin(), counts.end(), 0) / static_cast<double>(counts.size());
  ASSERT_GT(expected, 50.0) << what;
  double chi_square = 0.0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(counts.size() - 1);
  EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom)) << what;
}

// The number of empty squares does not tell the move after a swap from the swap itself.
TEST(BatchTwinRandomPlay, MovesAreEquallyLikelyWhateverWasPlayedBeforeThem) {
  for (const HoleMode mode : {HoleMode::kRandom, HoleMode::kOpening}) {
    BatchConfig config;
    config.game.size = 3;
    config.game.holes = mode == HoleMode::kRandom ? 3 : 1;
    config.game.hole_mode = mode;
    config.game.swap = true;
    config.count = 60'000;
    config.observation = ObservationType::kNone;
    BatchEnvironment environment(config);
    environment.reset();
    // Pairs of a move and the one before it, by their numbers among the legal ones; the swap itself is no
    // move before. Games are kept apart by how long ago the swap was.
    std::vector<std::int32_t> actions(static_cast<std::size_t>(config.count));
    std::vector<int> last(actions.size(), 0);
    std::vector<int> since_swap(actions.size(), -1);
    for (int ply = 0; ply < 5; ++ply) {
      std::map<int, std::vector<int>> pairs;
      environment.random_actions(actions);
      for (std::size_t row = 0; row < actions.size(); ++row) {
        const Position& position = environment.position(static_cast<int>(row));
        const int legal = legal_count(position);
        int choice = 0;
        while (action_of(nth_legal(position, choice), 3) != actions[row]) ++choice;
        std::vector<int>& counts = pairs[since_swap[row]];
        const auto pair = static_cast<std::size_t>(last[row] * legal + choice);
        if (pair >= counts.size()) counts.resize(static_cast<std::size_t>((last[row] + 1) * legal), 0);
        ++counts[pair];
        if (since_swap[row] >= 0) ++since_swap[row];
        if (actions[row] == 9) {
          since_swap[row] = 0;
        } else {
          last[row] = choice;
        }
      }
      for (const auto& [since, counts] : pairs) {
        expect_even(counts, "ply " + std::to_string(ply) + ", swap " + std::to_string(since));
      }
      environment.step(actions);
    }
  }
}

// One batch in memory of its own, and the same games by several objects that write into slices of one memory.
class SplitBatch {
 public:
  SplitBatch(const BatchConfig& config, std::span<const int> sizes, unsigned arrays, bool aligned)
      : config_(config),
        rules_(config.game),
        whole_arrays_(rules_, config.count, config.observation, arrays, aligned),
        part_arrays_(rules_, config.count, config.observation, arrays),
        whole_(config, whole_arrays_.buffers()) {
    int first = 0;
    for (const int size : sizes) {
      BatchConfig part = config;
      part.first_environment += static_cast<std::uint32_t>(first);
      part.count = size;
      part.threads = 1 + static_cast<int>(parts_.size()) % 3;
      parts_.push_back(
          std::make_unique<BatchEnvironment>(part, part_arrays_.buffers().rows(first, size, config.count)));
      first += size;
    }
    whole_.reset();
    for (const auto& part : parts_) part->reset();
  }

  // One row by a call of its own, the others together by another.
  void step_apart(int row) {
    std::vector<std::int32_t> actions(static_cast<std::size_t>(config_.count));
    whole_.random_actions(actions);
    std::vector<std::int32_t> others(actions.size());
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + row);
    const std::int32_t action = actions[static_cast<std::size_t>(row)];
    actions.erase(actions.begin() + row);
    whole_.step(others, actions);
    whole_.step(std::span(&row, 1), std::span(&action, 1));
    for (const auto& part : parts_) part->play_random(1);
  }

  // Random moves, and illegal ones where they forfeit.
  void step(Random& random) {
    std::vector<std::int32_t> actions(static_cast<std::size_t>(config_.count));
    whole_.random_actions(actions);
    const std::vector<std::int32_t> drawn = actions;
    if (config_.illegal_action == IllegalAction::kForfeit) {
      for (int i = 0; i <= config_.count / 40; ++i)
        actions[random.below(static_cast<std::uint32_t>(config_.count))] = -7;
    }
    whole_.step(actions);
    std::size_t first = 0;
    for (const auto& part : parts_) {
      const auto count = static_cast<std::size_t>(part->count());
      std::vector<std::int32_t> own(count);
      part->random_actions(own);
      ASSERT_TRUE(std::equal(own.begin(), own.end(), drawn.begin() + static_cast<std::ptrdiff_t>(first)));
      part->step(std::span<const std::int32_t>(actions).subspan(first, count));
      first += count;
    }
  }

  void play_random(std::int64_t steps) {
    RandomPlay sum;
    for (const auto& part : parts_) {
      const RandomPlay played = part->play_random(steps);
      sum.moves += played.moves;
      sum.white_wins += played.white_wins;
      sum.draws += played.draws;
      sum.black_wins += played.black_wins;
    }
    ASSERT_EQ(whole_.play_random(steps), sum);
  }

  void expect_same() const {
    ASSERT_NO_FATAL_FAILURE(expect_same_arrays(whole_.buffers(), part_arrays_.buffers(), config_.count));
    ASSERT_EQ(whole_arrays_.overrun(), "");
    ASSERT_EQ(part_arrays_.overrun(), "");
  }

 private:
  BatchConfig config_;
  VariantRules rules_;
  GuardedArrays whole_arrays_, part_arrays_;
  BatchEnvironment whole_;
  std::vector<std::unique_ptr<BatchEnvironment>> parts_;
};

TEST(BatchTwinSplit, ObjectsThatShareMemoryAndThreadsChangeNothing) {
  Random random(34, Stream::kTest, 0);
  const std::vector<GameConfig> variants = draw_variants(random);
  for (std::size_t i = 0; i < variants.size(); i += 3) {
    BatchConfig config;
    config.game = variants[i];
    // With kDisabled a step of all rows is an error once a game is over.
    config.auto_reset = kModes[random.below(2)];
    config.illegal_action = below(random, 2) == 0 ? IllegalAction::kError : IllegalAction::kForfeit;
    config.observation = kTypes[random.below(4)];
    config.count = 83;
    config.threads = 1 + below(random, 3);
    config.first_environment = random.below(1u << 20);
    SplitBatch batch(config, std::array{37, 1, 45},
                     below(random, 2) == 0 ? kAllArrays : 1 + random.below(kAllArrays),
                     below(random, 2) == 0);
    ASSERT_NO_FATAL_FAILURE(batch.expect_same());
    for (int step = 0; step < 20; ++step) {
      if (step % 4 == 3) {
        ASSERT_NO_FATAL_FAILURE(batch.play_random(below(random, 40)));
      } else {
        ASSERT_NO_FATAL_FAILURE(batch.step(random));
      }
      ASSERT_NO_FATAL_FAILURE(batch.expect_same()) << to_text(config.game);
    }
  }
}

// Rows whose observations are more bytes than the last-level cache, within reason.
int rows_past_caches(int row_bytes) {
  const std::size_t bytes = std::clamp<std::size_t>(last_level_cache_bytes(), 1 << 20, 300 << 20);
  return static_cast<int>(bytes / static_cast<std::size_t>(row_bytes)) / 16 * 16 + 21;
}

// Observations beyond the last-level cache may be written by another path than small ones, and by another one
// again where the memory is well aligned.
TEST(BatchTwinSplit, VeryLargeBatchesAreManySmallOnes) {
  struct Case {
    ObservationType type;
    int size, count, threads;
    bool aligned;
  };
  Random random(35, Stream::kTest, 0);
  for (const Case& c : {Case{ObservationType::kFloat32, 7, rows_past_caches(kChannels * 49 * 4), 1, true},
                        {ObservationType::kFloat32, 7, rows_past_caches(kPhaseChannels * 49 * 4), 3, false},
                        {ObservationType::kUint8, 8, 50'007, 3, true},
                        {ObservationType::kPacked, 8, 120'003, 3, true}}) {
    BatchConfig config;
    config.game.size = c.size;
    // Two to four squares left: games end within the steps below.
    if (c.size == 8) {
      config.game.layouts = {"xxxxxxxx/1xxxxxxx/xxxxxxxx/xxx1xxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxx2",
                             "1xxxxxx1/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx"};
    } else {
      config.game.layouts = {"xxxxxxx/1xxxxxx/xxxxxxx/xxx1xxx/xxxxxxx/xxxxxxx/xxxxx2",
                             "1xxxxx1/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx"};
    }
    // Without the swap, the last bytes of a row are holes, which differ from game to game.
    config.game.swap = !c.aligned;
    config.auto_reset = c.aligned ? AutoReset::kNextStep : AutoReset::kSameStep;
    config.illegal_action = IllegalAction::kForfeit;
    config.observation = c.type;
    config.count = c.count;
    config.threads = c.threads;
    std::vector<int> sizes(static_cast<std::size_t>(c.count / 2047), 2047);
    sizes.push_back(c.count % 2047);
    constexpr unsigned kAllButFinalPlanes = kAllArrays & ~(1u << 7);
    SplitBatch batch(config, sizes, kAllButFinalPlanes, c.aligned);
    ASSERT_NO_FATAL_FAILURE(batch.expect_same());
    for (int step = 0; step < 6; ++step) {
      if (step == 2) {
        batch.step_apart(below(random, c.count));
      } else {
        ASSERT_NO_FATAL_FAILURE(batch.step(random));
      }
      ASSERT_NO_FATAL_FAILURE(batch.expect_same()) << c.size << " " << c.count << " " << step;
    }
  }
}

}  // namespace
}  // namespace pahtum::test
