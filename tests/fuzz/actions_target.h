#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/batch_model.h"

namespace pahtum::fuzz {

inline GameConfig read_game(FuzzInput& input) {
  GameConfig game;
  game.size = kMinSize + input.below(kMaxSize - kMinSize + 1);
  const int squares = static_cast<int>(game.size * game.size);
  game.hole_mode = static_cast<HoleMode>(input.below(4));
  game.holes = input.below(squares);
  const std::uint8_t flags = input.byte();
  game.swap = (flags & 1) != 0;
  game.unequal_stones = (flags & 2) == 0;
  game.result = (flags & 4) != 0 ? Objective::kMargin : Objective::kOutcome;
  // A table that neither grows nor starts with nothing.
  if ((flags & 8) != 0) game.run_points = {{5, 0, 7, 1, 300, 2, 10'000, 9}};
  if ((flags & 16) != 0) game.holes = {{input.below(squares), 1.0}, {input.below(squares), 0.25}};
  if ((flags & 32) != 0) {
    for (int layout = 0; layout < 2; ++layout) {
      game.layouts.push_back(
          to_text(Move::at(square_at(input.below(squares) % static_cast<int>(game.size), layout)),
                  static_cast<int>(game.size)));
    }
  }
  return game;
}

inline BatchConfig read_config(FuzzInput& input) {
  BatchConfig config;
  config.game = read_game(input);
  config.count = 1 + input.below(4);
  config.auto_reset = static_cast<AutoReset>(input.below(3));
  config.illegal_action = static_cast<IllegalAction>(input.below(2));
  config.seed = input.byte();
  config.first_environment = input.byte();
  // The last environments there are, and one too many.
  constexpr std::uint32_t kNumbers = 1u << Random::kSubBits;
  if (config.first_environment == 254)
    config.first_environment = kNumbers - static_cast<std::uint32_t>(config.count);
  if (config.first_environment == 255)
    config.first_environment = kNumbers - static_cast<std::uint32_t>(config.count) + 1;
  return config;
}

// A batch, its model, and a second batch of the same games that plays random moves one step at a time, as
// random_actions() says.
class ActionsTarget {
 public:
  ActionsTarget(const BatchConfig& config, ObservationType type, unsigned left_out)
      : model_(config),
        arrays_(GameRules(config.game), config.count, type, left_out),
        environment_(config, arrays_.buffers()),
        mirror_(without_observation(config)) {}

  void run(FuzzInput& input) {
    constexpr int kMostCalls = 48;
    for (int call = 0; call < kMostCalls && !input.empty(); ++call) {
      const CallerArrays before = arrays_;
      const bool refused = call_one(input);
      if (refused) require(arrays_ == before, "a refused call leaves the arrays as they are");
      if (model_.started()) model_.require_shown(environment_, arrays_);
    }
  }

 private:
  static BatchConfig without_observation(BatchConfig config) {
    config.observation = ObservationType::kNone;
    return config;
  }

  // Makes `call` with both batches, and requires that it is refused exactly when `expected` says so.
  template <class Call>
  bool refused(bool expected, Call&& call, std::string* subject = nullptr) {
    const bool is = is_refused([&] { call(environment_); }, subject);
    require(is == expected, expected ? "a wrong call is refused" : "a right call is not refused");
    require(is_refused([&] { call(mirror_); }) == is, "two batches refuse the same calls");
    return is;
  }

  // Mostly some of the rows, each once, in either order; else anything.
  std::vector<std::int32_t> read_rows(FuzzInput& input) {
    std::vector<std::int32_t> rows;
    const std::uint8_t how = input.byte();
    if (how >= 240) {
      for (int left = how - 240; left > 0; --left) rows.push_back(input.byte() - 126);
      return rows;
    }
    for (int row = 0; row < model_.count(); ++row) {
      if (((how >> row) & 1) == 0) rows.push_back(row);
    }
    if ((how & 16) != 0) std::ranges::reverse(rows);
    return rows;
  }
  [[nodiscard]] bool are_rows(std::vector<std::int32_t> rows) const {
    std::ranges::sort(rows);
    return std::ranges::adjacent_find(rows) == rows.end() &&
           std::ranges::all_of(rows, [&](std::int32_t row) { return row >= 0 && row < model_.count(); });
  }

  // Mostly a legal action.
  template <class Action>
  Action read_action(FuzzInput& input, std::int32_t row) {
    const std::uint8_t how = input.byte();
    const bool is_row = row >= 0 && row < model_.count();
    if (how < 232 && is_row && model_.started() && !model_.row(row).ended) {
      const std::vector<int> legal = model_.row(row).game.legal_actions();
      return static_cast<Action>(legal[how % legal.size()]);
    }
    const int n = environment_.size();
    const std::array<Action, 7> special = {Action{-1}, static_cast<Action>(n * n),
                                           static_cast<Action>(n * n + 1), std::numeric_limits<Action>::min(),
                                           std::numeric_limits<Action>::max(),
                                           // As 32 bits this is action 1.
                                           static_cast<Action>((std::int64_t{1} << 32) + 1), Action{64}};
    if (how % 8 < 7) return special[how % 8];
    return static_cast<Action>(input.byte());
  }

  template <class Action>
  bool step(FuzzInput& input, bool all) {
    std::vector<std::int32_t> rows;
    if (all) {
      for (int row = 0; row < model_.count(); ++row) rows.push_back(row);
    } else {
      rows = read_rows(input);
    }
    std::vector<Action> actions;
    for (const std::int32_t row : rows) actions.push_back(read_action<Action>(input, row));
    const std::vector<Action> given = actions;
    if (input.byte() == 255) actions.push_back(0);
    const bool lists_fit = model_.started() && are_rows(rows) && actions.size() == rows.size();
    std::vector<std::string> bad;
    for (std::size_t k = 0; lists_fit && k < rows.size(); ++k) {
      if (!model_.accepts(rows[k], given[k])) bad.push_back("environment " + std::to_string(rows[k]));
    }
    std::string subject;
    const std::span<const Action> action_list(actions);
    const std::span<const std::int32_t> row_list(rows);
    const auto call = [&](BatchEnvironment& environment) {
      all ? environment.step(action_list) : environment.step(row_list, action_list);
    };
    if (refused(!lists_fit || !bad.empty(), call, &subject)) {
      require(bad.empty() || std::ranges::count(bad, subject) == 1,
              "the message names an environment at fault");
      return true;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) model_.step(rows[k], given[k]);
    return false;
  }

  bool reset_some(FuzzInput& input, bool with_seeds) {
    const std::vector<std::int32_t> rows = read_rows(input);
    std::vector<std::uint64_t> seeds;
    for (std::size_t k = 0; with_seeds && k < rows.size(); ++k) seeds.push_back(input.byte());
    if (with_seeds && input.byte() == 255) seeds.push_back(0);
    const bool fits = model_.started() && are_rows(rows) && (!with_seeds || seeds.size() == rows.size());
    const auto call = [&](BatchEnvironment& environment) {
      with_seeds ? environment.reset(rows, seeds) : environment.reset(rows);
    };
    if (refused(!fits, call)) return true;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      with_seeds ? model_.reset(rows[k], seeds[k]) : model_.reset_to_next(rows[k]);
    }
    return false;
  }

  bool restore(FuzzInput& input) {
    const std::int32_t row = input.below(model_.count() + 1);
    // The environment counts episodes in 63 bits; no game gets that far from here.
    const std::uint64_t episode = (input.flag() ? input.word() : input.byte()) >> 2;
    bool fits = model_.started() && row < model_.count();
    ModelGame game;
    if (fits) game = ModelGame::of(model_.start_of(row, episode));
    std::vector<Move> moves;
    for (int left = input.below(72); left > 0; --left) {
      const std::uint8_t how = input.byte();
      const std::vector<int> legal = fits ? game.legal_actions() : std::vector<int>();
      if (how < 252 && !legal.empty()) {
        moves.push_back(move_of(legal[how % legal.size()], environment_.size()));
      } else {
        const int index = how % kMoveIndices;
        moves.push_back(index == kMoveIndices - 1 ? Move::swap() : Move::at(index));
      }
      const Move move = moves.back();
      const bool on_board =
          move.is_swap() || (square_bit(move.square()) & board_mask(environment_.size())) != 0;
      const int action = on_board ? action_of(move, environment_.size()) : -1;
      fits = fits && game.is_legal(action);
      if (fits) game.play(action);
    }
    fits = fits && !game.over();
    if (refused(!fits, [&](BatchEnvironment& environment) { environment.restore(row, episode, moves); }))
      return true;
    model_.restore(row, episode, game);
    return false;
  }

  bool play_random(FuzzInput& input) {
    const std::uint8_t how = input.byte();
    // Mostly less than a game, sometimes several games.
    const std::int64_t steps = how == 255 ? -1 : how >= 240 ? how : how % 24;
    RandomPlay played;
    if (!model_.started() || steps < 0) {
      return refused(
          true, [&](BatchEnvironment& environment) { static_cast<void>(environment.play_random(steps)); });
    }
    require(!is_refused([&] { played = environment_.play_random(steps); }), "random play is not refused");
    RandomPlay expected;
    std::vector<std::int32_t> actions(static_cast<std::size_t>(model_.count()));
    for (std::int64_t step = 0; step < steps; ++step) {
      mirror_.random_actions(actions);
      std::vector<std::int32_t> rows;
      std::vector<std::int32_t> chosen;
      for (int row = 0; row < model_.count(); ++row) {
        const std::int32_t action = actions[static_cast<std::size_t>(row)];
        const bool ended = model_.row(row).ended;
        require(ended ? action == 0 : model_.row(row).game.is_legal(action), "a random action is legal");
        if (ended && mirror_.config().auto_reset == AutoReset::kDisabled) continue;
        rows.push_back(row);
        chosen.push_back(action);
        model_.step(row, action);
        if (ended) continue;
        ++expected.moves;
        if (!model_.row(row).terminated) continue;
        const int margin = model_.row(row).last.white_margin();
        ++(margin > 0 ? expected.white_wins : margin < 0 ? expected.black_wins : expected.draws);
      }
      if (rows.empty()) break;
      mirror_.step(std::span<const std::int32_t>(rows), std::span<const std::int32_t>(chosen));
    }
    require(played == expected, "random play counts its games");
    return false;
  }

  bool call_one(FuzzInput& input) {
    switch (input.below(12)) {
      case 0:
        environment_.reset();
        mirror_.reset();
        model_.reset();
        return false;
      case 1:
        return reset_some(input, false);
      case 2:
        return reset_some(input, true);
      case 3:
        return restore(input);
      case 4:
        return play_random(input);
      case 5:
      case 6:
        return step<std::int32_t>(input, false);
      case 7:
        return step<std::int64_t>(input, false);
      case 8:
        return step<std::int64_t>(input, true);
      default:
        return step<std::int32_t>(input, true);
    }
  }

  ModelBatch model_;
  CallerArrays arrays_;
  BatchEnvironment environment_;
  BatchEnvironment mirror_;
};

// Input: the rules, the batch and its arrays, then calls with their arguments, each byte by byte.
inline void fuzz_actions(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  const BatchConfig config = read_config(input);
  const auto type = static_cast<ObservationType>(input.below(4));
  const unsigned left_out = input.byte() | (input.flag() ? 256u : 0u);
  const std::uint8_t wrong_length = input.byte();
  if (is_refused([&] { BatchEnvironment environment(config); })) return;
  if (wrong_length >= 250) {
    CallerArrays arrays(GameRules(config.game), config.count, type, 0);
    wrong_length % 2 == 0 ? arrays.mask.pop_back() : arrays.final_scores.push_back(0);
    require(is_refused([&] { BatchEnvironment environment(config, arrays.buffers()); }),
            "arrays of another length are refused");
    return;
  }
  ActionsTarget(config, type, left_out).run(input);
}

}  // namespace pahtum::fuzz
