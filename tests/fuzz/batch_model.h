#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "env/batch_environment.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

// Arrays of exactly the lengths the batch asks for, each in memory of its own, so that AddressSanitizer sees
// a write past any of them.
struct CallerArrays {
  ObservationType type = ObservationType::kNone;
  std::vector<std::uint8_t> bytes, final_bytes;
  std::vector<float> floats, final_floats;
  std::vector<std::uint64_t> words, final_words;
  std::vector<std::uint8_t> mask, terminated, truncated;
  std::vector<float> rewards;
  std::vector<std::int32_t> scores, final_scores;
  std::vector<std::int8_t> current_player;

  // Bit k of `left_out` leaves array number k of BatchBuffers out.
  CallerArrays(const GameRules& rules, int environments, ObservationType observation, unsigned left_out)
      : type(observation) {
    const auto n = static_cast<std::size_t>(environments);
    const auto channels = static_cast<std::size_t>(rules.channels());
    const auto squares = static_cast<std::size_t>(rules.size() * rules.size());
    // Any number that is no result, to find what was never written.
    constexpr std::uint8_t kOld = 0xA5;
    const auto take = [&](auto& array, unsigned number, std::size_t per_row) {
      using Number = typename std::remove_reference_t<decltype(array)>::value_type;
      if (((left_out >> number) & 1u) == 0) array.assign(n * per_row, static_cast<Number>(kOld));
    };
    const std::size_t planes = channels * squares;
    if (type == ObservationType::kUint8) {
      take(bytes, 0, planes);
      take(final_bytes, 7, planes);
    } else if (type == ObservationType::kFloat32) {
      take(floats, 0, planes);
      take(final_floats, 7, planes);
    } else if (type == ObservationType::kPacked) {
      take(words, 0, channels);
      take(final_words, 7, channels);
    }
    take(mask, 1, static_cast<std::size_t>(rules.actions()));
    take(rewards, 2, 2);
    take(scores, 3, 2);
    take(terminated, 4, 1);
    take(truncated, 5, 1);
    take(current_player, 6, 1);
    take(final_scores, 8, 2);
  }

  [[nodiscard]] BatchBuffers buffers() {
    BatchBuffers buffers{{}, mask, rewards, scores, terminated, truncated, current_player, {}, final_scores};
    if (type == ObservationType::kUint8) {
      buffers.observation = std::span(bytes);
      buffers.final_observation = std::span(final_bytes);
    } else if (type == ObservationType::kFloat32) {
      buffers.observation = std::span(floats);
      buffers.final_observation = std::span(final_floats);
    } else if (type == ObservationType::kPacked) {
      buffers.observation = std::span(words);
      buffers.final_observation = std::span(final_words);
    }
    return buffers;
  }

  friend bool operator==(const CallerArrays&, const CallerArrays&) = default;
};

// One row as the documentation of BatchEnvironment tells it.
struct ModelRow {
  ModelGame game;
  std::uint64_t seed = 0;
  std::uint64_t episode = 0;
  bool ended = false;
  bool terminated = false;
  float white_reward = 0.0f;
  bool has_last = false;  // a game has ended in this row
  ModelGame last;
};

class ModelBatch {
 public:
  explicit ModelBatch(const BatchConfig& config)
      : config_(config), rules_(config.game), rows_(static_cast<std::size_t>(config.count)) {}

  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] int count() const { return config_.count; }
  [[nodiscard]] const ModelRow& row(int number) const { return rows_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] Position start_of(int number, std::uint64_t episode) const {
    return rules_.start(row(number).seed, Stream::kLayout, episode,
                        config_.first_environment + static_cast<std::uint32_t>(number));
  }

  void reset() {
    started_ = true;
    for (int number = 0; number < count(); ++number) reset(number, config_.seed);
  }
  void reset(int number, std::uint64_t seed) {
    at(number).seed = seed;
    start(number, 0);
  }
  void reset_to_next(int number) { start(number, row(number).episode + 1); }
  void restore(int number, std::uint64_t episode, const ModelGame& game) {
    start(number, episode);
    at(number).game = game;
  }

  [[nodiscard]] bool accepts(int number, std::int64_t action) const {
    const ModelRow& model = row(number);
    if (model.ended) return config_.auto_reset == AutoReset::kNextStep;
    return config_.illegal_action == IllegalAction::kForfeit || model.game.is_legal(action);
  }

  void step(int number, std::int64_t action) {
    ModelRow& model = at(number);
    if (model.ended) {
      reset_to_next(number);
      return;
    }
    model.terminated = false;
    model.white_reward = 0.0f;
    float reward = model.game.naive.mover == 'w' ? -1.0f : 1.0f;
    if (model.game.is_legal(action)) {
      model.game.play(static_cast<int>(action));
      if (!model.game.over()) return;
      const int margin = model.game.white_margin();
      reward = static_cast<float>(margin);
      if (config_.game.result == Objective::kOutcome) reward = margin > 0 ? 1.0f : margin < 0 ? -1.0f : 0.0f;
    }
    model.last = model.game;
    model.has_last = true;
    if (config_.auto_reset == AutoReset::kSameStep) {
      reset_to_next(number);
    } else {
      model.ended = true;
    }
    model.terminated = true;
    model.white_reward = reward;
  }

  // The environment and the arrays it writes show what the model says.
  void require_shown(const BatchEnvironment& environment, const CallerArrays& arrays) const {
    for (int number = 0; number < count(); ++number) {
      const ModelRow& model = row(number);
      require_sound(environment.position(number));
      require_same(environment.position(number), model.game);
      require(environment.episode(number) == model.episode, "the episode is the model's");
      require(environment.ended(number) == model.ended, "a row waits for its reset as in the model");
      ModelGame last = model.last;
      if (!model.has_last) {
        Position blank;
        blank.size = static_cast<std::uint8_t>(rules_.size());
        blank.run_points = config_.game.run_points;
        last = ModelGame::of(blank);
      }
      require_same(environment.final_position(number), last);
      require_rows(number, arrays);
      require_observations(number, arrays);
    }
  }

 private:
  ModelRow& at(int number) { return rows_[static_cast<std::size_t>(number)]; }

  void start(int number, std::uint64_t episode) {
    ModelRow& model = at(number);
    model.game = ModelGame::of(start_of(number, episode));
    model.episode = episode;
    model.ended = model.terminated = false;
    model.white_reward = 0.0f;
  }

  // Row `number` of an array with a row per environment; a left out array is all right.
  template <class T, class U>
  void require_row(const std::vector<T>& array, int number, const std::vector<U>& expected,
                   const char* what) const {
    if (array.empty()) return;
    require(array.size() == expected.size() * rows_.size(), "an array has a row per environment");
    const std::size_t begin = static_cast<std::size_t>(number) * expected.size();
    for (std::size_t k = 0; k < expected.size(); ++k)
      require(array[begin + k] == static_cast<T>(expected[k]), what);
  }

  [[nodiscard]] std::vector<int> planes(const ModelGame& game) const {
    const int n = game.size();
    const auto squares = static_cast<std::size_t>(n * n);
    std::vector<int> planes;
    for (const char letter : std::string(game.naive.mover == 'w' ? "wb.x" : "bw.x")) {
      for (const std::string& row : game.naive.rows) {
        for (const char c : row) planes.push_back(c == letter ? 1 : 0);
      }
    }
    if (rules_.channels() == kChannels) return planes;
    planes.insert(planes.end(), squares, game.naive.phase == "swapping" ? 1 : 0);
    planes.insert(planes.end(), squares, game.naive.phase == "opening" ? 1 : 0);
    for (int bit = 0; bit < 6; ++bit)
      planes.insert(planes.end(), squares, (game.naive.holes_left >> bit) & 1);
    return planes;
  }
  // The same planes as one word of squares each.
  [[nodiscard]] std::vector<std::uint64_t> words(const std::vector<int>& planes) const {
    const auto n = static_cast<std::size_t>(rules_.size());
    std::vector<std::uint64_t> words(planes.size() / (n * n));
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const std::size_t square = k % (n * n);
      if (planes[k] != 0) words[k / (n * n)] |= std::uint64_t{1} << (8 * (square / n) + square % n);
    }
    return words;
  }

  void require_observations(int number, const CallerArrays& arrays) const {
    if (arrays.type == ObservationType::kNone) return;
    const ModelRow& model = row(number);
    const std::vector<int> shown = planes(model.game);
    const std::vector<int> last = model.has_last ? planes(model.last) : std::vector<int>(shown.size());
    if (arrays.type == ObservationType::kPacked) {
      require_row(arrays.words, number, words(shown), "the packed observation is the model's");
      require_row(arrays.final_words, number, words(last), "the final packed observation is the model's");
      return;
    }
    require_row(arrays.bytes, number, shown, "the observation is the model's");
    require_row(arrays.floats, number, shown, "the float observation is the model's");
    require_row(arrays.final_bytes, number, last, "the final observation is the model's");
    require_row(arrays.final_floats, number, last, "the final float observation is the model's");
  }

  void require_rows(int number, const CallerArrays& arrays) const {
    const ModelRow& model = row(number);
    std::vector<int> mask(static_cast<std::size_t>(rules_.actions()), model.ended ? 1 : 0);
    for (const int action : model.game.legal_actions()) mask[static_cast<std::size_t>(action)] = 1;
    require_row(arrays.mask, number, mask, "the mask shows what is legal");
    require_row(arrays.rewards, number, std::vector<float>{model.white_reward, -model.white_reward},
                "the rewards are the model's");
    for (const float reward : arrays.rewards)
      require(reward != 0.0f || !std::signbit(reward), "no reward is minus zero");
    require_row(arrays.scores, number, std::vector<int>{model.game.points('w'), model.game.points('b')},
                "the scores are the model's");
    require_row(arrays.terminated, number, std::vector<int>{model.terminated ? 1 : 0},
                "terminated is the model's");
    require_row(arrays.truncated, number, std::vector<int>{0}, "no game is cut off");
    require_row(arrays.current_player, number, std::vector<int>{model.game.naive.mover == 'w' ? 0 : 1},
                "the player is the model's");
    const std::vector<int> last_scores =
        model.has_last ? std::vector<int>{model.last.points('w'), model.last.points('b')}
                       : std::vector<int>(2);
    require_row(arrays.final_scores, number, last_scores, "the final scores are the model's");
  }

  BatchConfig config_;
  GameRules rules_;
  std::vector<ModelRow> rows_;
  bool started_ = false;
};

}  // namespace pahtum::fuzz
