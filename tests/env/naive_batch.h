#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "env/batch_environment.h"
#include "tests/env/naive_rules.h"

// A slow and obvious batch of games, and the arrays to hold it against BatchEnvironment byte by byte.
namespace pahtum::test {

inline constexpr std::array<std::string_view, 9> kArrayNames = {
    "observation", "action_mask",    "rewards",           "scores",      "terminated",
    "truncated",   "current_player", "final_observation", "final_scores"};
inline constexpr unsigned kAllArrays = 0x1FF;

// Calls function(number, bytes) for every array in the order of kArrayNames.
template <class Function>
void for_each_array(const BatchBuffers& buffers, Function&& function) {
  std::size_t number = 0;
  const auto plain = [&](auto span) { function(number++, std::as_bytes(span)); };
  const auto planes = [&](const ObservationSpan& array) {
    std::visit(
        [&](const auto& span) {
          if constexpr (std::is_same_v<std::decay_t<decltype(span)>, std::monostate>) {
            plain(std::span<const std::uint8_t>());
          } else {
            plain(span);
          }
        },
        array);
  };
  planes(buffers.observation);
  plain(buffers.action_mask);
  plain(buffers.rewards);
  plain(buffers.scores);
  plain(buffers.terminated);
  plain(buffers.truncated);
  plain(buffers.current_player);
  planes(buffers.final_observation);
  plain(buffers.final_scores);
}

// Arrays of a caller, each between guard bytes, on a 64-byte boundary or aligned no better than its type asks
// for. Bit k of `arrays` gives array k of kArrayNames; the others stay empty.
class GuardedArrays {
 public:
  GuardedArrays(const VariantRules& rules, int count, ObservationType type, unsigned arrays = kAllArrays,
                bool aligned = false)
      : aligned_(aligned) {
    const auto n = static_cast<std::size_t>(count);
    const auto words = n * static_cast<std::size_t>(rules.channels());
    const auto squares = static_cast<std::size_t>(rules.squares());
    const auto planes = [&](std::size_t number) -> ObservationSpan {
      if ((arrays >> number & 1) == 0 || type == ObservationType::kNone) return {};
      if (type == ObservationType::kUint8) return take<std::uint8_t>(number, words * squares);
      if (type == ObservationType::kFloat32) return take<float>(number, words * squares);
      return take<std::uint64_t>(number, words);
    };
    const auto give = [&]<class T>(std::span<T>& array, std::size_t number, std::size_t length) {
      if ((arrays >> number & 1) != 0) array = take<T>(number, length);
    };
    buffers_.observation = planes(0);
    give(buffers_.action_mask, 1, n * static_cast<std::size_t>(rules.actions()));
    give(buffers_.rewards, 2, 2 * n);
    give(buffers_.scores, 3, 2 * n);
    give(buffers_.terminated, 4, n);
    give(buffers_.truncated, 5, n);
    give(buffers_.current_player, 6, n);
    buffers_.final_observation = planes(7);
    give(buffers_.final_scores, 8, 2 * n);
  }

  [[nodiscard]] const BatchBuffers& buffers() const { return buffers_; }

  // An array with a byte written outside it, "" when there is none.
  [[nodiscard]] std::string overrun() const {
    std::string found;
    for_each_array(buffers_, [&](std::size_t number, std::span<const std::byte> inside) {
      const std::vector<std::byte>& all = memory_[number];
      const std::size_t before = inside.empty() ? 0 : static_cast<std::size_t>(inside.data() - all.data());
      const auto is_filled = [](std::byte byte) { return byte == kFill; };
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(before);
      const auto after = end + static_cast<std::ptrdiff_t>(inside.size());
      if (!std::all_of(all.begin(), end, is_filled) || !std::all_of(after, all.end(), is_filled)) {
        found = kArrayNames[number];
      }
    });
    return found;
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr std::byte kFill{0xA5};

  template <class T>
  std::span<T> take(std::size_t number, std::size_t length) {
    std::vector<std::byte>& memory = memory_[number];
    memory.assign(kGuard + 64 + length * sizeof(T) + kGuard, kFill);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    const std::size_t first = kGuard + (64 - past) % 64 + (aligned_ ? 0 : alignof(T));
    return {reinterpret_cast<T*>(memory.data() + first), length};
  }

  bool aligned_;
  std::array<std::vector<std::byte>, 9> memory_;
  BatchBuffers buffers_;
};

// Every array that both have is the same byte by byte; so 0 and −0 differ.
inline void expect_same_arrays(const BatchBuffers& found, const BatchBuffers& expected, int count) {
  std::array<std::span<const std::byte>, 9> wanted;
  for_each_array(expected, [&](std::size_t number, auto bytes) { wanted[number] = bytes; });
  for_each_array(found, [&](std::size_t number, std::span<const std::byte> bytes) {
    const std::span<const std::byte> want = wanted[number];
    if (bytes.empty() || want.empty()) return;
    ASSERT_EQ(bytes.size(), want.size()) << kArrayNames[number];
    if (std::memcmp(bytes.data(), want.data(), bytes.size()) == 0) return;
    const auto at = std::mismatch(bytes.begin(), bytes.end(), want.begin()).first - bytes.begin();
    const auto width = static_cast<std::ptrdiff_t>(bytes.size()) / count;
    FAIL() << kArrayNames[number] << " of row " << at / width << ", byte " << at % width << ": "
           << static_cast<int>(bytes[static_cast<std::size_t>(at)]) << " instead of "
           << static_cast<int>(want[static_cast<std::size_t>(at)]);
  });
}

// A batch as a person would keep it: one game after the other, on characters, with arrays like those of the
// library's.
class NaiveBatch {
 public:
  explicit NaiveBatch(const BatchConfig& config, ObservationType type)
      : config_(config),
        rules_(config.game),
        arrays_(rules_, config.count, type),
        rows_(static_cast<std::size_t>(config.count)) {
    for_each_array(arrays_.buffers(), [](std::size_t, std::span<const std::byte> bytes) {
      std::fill_n(const_cast<std::byte*>(bytes.data()), bytes.size(), std::byte{0});
    });
    for (Row& row : rows_) row.last.size = rules_.size();
  }

  [[nodiscard]] const VariantRules& rules() const { return rules_; }
  [[nodiscard]] const BatchBuffers& buffers() const { return arrays_.buffers(); }
  [[nodiscard]] const VariantGame& game(int row) const { return at(row).game; }
  [[nodiscard]] bool ended(int row) const { return at(row).ended; }
  [[nodiscard]] std::uint64_t episode(int row) const { return at(row).episode; }
  [[nodiscard]] std::int64_t moves() const { return moves_; }

  void reset() {
    for (int row = 0; row < config_.count; ++row) reset(row, config_.seed);
  }
  void reset(int row) {
    start(row, at(row).episode + 1);
    show_result(row, false, 0, 0);
  }
  void reset(int row, std::uint64_t seed) {
    at(row).seed = seed;
    start(row, 0);
    show_result(row, false, 0, 0);
  }
  void restore(int row, std::uint64_t episode, std::span<const int> actions) {
    start(row, episode);
    for (const int action : actions) rules_.play(at(row).game, action);
    show(row);
    show_result(row, false, 0, 0);
  }
  // The start that episode of the row has.
  [[nodiscard]] VariantGame start_of(int row, std::uint64_t episode) const {
    return rules_.start(at(row).seed, episode, config_.first_environment + static_cast<std::uint32_t>(row));
  }

  void step(int number, std::int64_t action) {
    Row& row = at(number);
    if (row.ended) return reset(number);
    ++moves_;
    int white = 0;
    if (!rules_.is_legal(row.game, action)) {
      white = row.game.mover == 'w' ? -1 : 1;
    } else {
      rules_.play(row.game, static_cast<int>(action));
      if (!row.game.full()) {
        show(number);
        return show_result(number, false, 0, 0);
      }
      white = rules_.points(row.game, 'w') - rules_.points(row.game, 'b');
      if (config_.game.result == Objective::kOutcome) white = white > 0 ? 1 : white < 0 ? -1 : 0;
    }
    row.ended = true;
    row.last = row.game;
    row.has_last = true;
    show_last(number);
    if (config_.auto_reset == AutoReset::kSameStep) start(number, row.episode + 1);
    show(number);
    show_result(number, true, white, -white);
  }

  // What the environment keeps beside its arrays.
  void expect_same_games(const BatchEnvironment& environment) const {
    for (int number = 0; number < config_.count; ++number) {
      const Row& row = at(number);
      ASSERT_EQ(environment.episode(number), row.episode) << number;
      ASSERT_EQ(environment.ended(number), row.ended) << number;
      ASSERT_EQ(environment.position(number), rules_.position(row.game))
          << number << ": " << to_text(environment.position(number)) << " instead of "
          << to_text(rules_.position(row.game));
      const Position& last = environment.final_position(number);
      if (!row.has_last) {
        ASSERT_EQ(last.white | last.black | last.holes, 0u) << number;
        ASSERT_EQ(last.size, rules_.size());
        continue;
      }
      ASSERT_EQ(last, rules_.position(row.last)) << number;
      ASSERT_EQ(last.points_of(Color::kWhite), rules_.points(row.last, 'w'));
      ASSERT_EQ(last.points_of(Color::kBlack), rules_.points(row.last, 'b'));
      if (!row.last.full()) continue;
      ASSERT_EQ(row.last.count('w') + row.last.count('b'), rules_.squares() - row.last.count('x'));
    }
  }

 private:
  struct Row {
    VariantGame game, last;
    std::uint64_t seed = 0, episode = 0;
    bool ended = false, has_last = false;
  };

  [[nodiscard]] Row& at(int row) { return rows_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const Row& at(int row) const { return rows_[static_cast<std::size_t>(row)]; }

  void start(int number, std::uint64_t episode) {
    Row& row = at(number);
    row.game = start_of(number, episode);
    row.episode = episode;
    row.ended = false;
    show(number);
  }

  template <class T>
  static std::span<T> part(std::span<T> array, int row, std::size_t width) {
    return array.subspan(static_cast<std::size_t>(row) * width, width);
  }
  void write_planes(const VariantGame& game, const ObservationSpan& array, int row) const {
    const auto channels = static_cast<std::size_t>(rules_.channels());
    const std::size_t planes = channels * static_cast<std::size_t>(rules_.squares());
    if (const auto* bytes = std::get_if<std::span<std::uint8_t>>(&array)) {
      rules_.write_planes(game, part(*bytes, row, planes));
    } else if (const auto* floats = std::get_if<std::span<float>>(&array)) {
      rules_.write_planes(game, part(*floats, row, planes));
    } else if (const auto* words = std::get_if<std::span<std::uint64_t>>(&array)) {
      rules_.write_words(game, part(*words, row, channels));
    }
  }

  void show(int number) {
    const Row& row = at(number);
    const BatchBuffers& arrays = arrays_.buffers();
    write_planes(row.game, arrays.observation, number);
    const auto mask = part(arrays.action_mask, number, static_cast<std::size_t>(rules_.actions()));
    for (int action = 0; action < rules_.actions(); ++action) {
      mask[static_cast<std::size_t>(action)] = row.ended || rules_.is_legal(row.game, action) ? 1 : 0;
    }
    const auto scores = part(arrays.scores, number, 2);
    scores[0] = rules_.points(row.game, 'w');
    scores[1] = rules_.points(row.game, 'b');
    arrays.current_player[static_cast<std::size_t>(number)] = row.game.mover == 'w' ? 0 : 1;
  }
  void show_result(int number, bool terminated, int white, int black) {
    const auto rewards = part(arrays_.buffers().rewards, number, 2);
    rewards[0] = static_cast<float>(white);
    rewards[1] = static_cast<float>(black);
    arrays_.buffers().terminated[static_cast<std::size_t>(number)] = terminated ? 1 : 0;
  }
  void show_last(int number) {
    write_planes(at(number).last, arrays_.buffers().final_observation, number);
    const auto scores = part(arrays_.buffers().final_scores, number, 2);
    scores[0] = rules_.points(at(number).last, 'w');
    scores[1] = rules_.points(at(number).last, 'b');
  }

  BatchConfig config_;
  VariantRules rules_;
  GuardedArrays arrays_;
  std::vector<Row> rows_;
  std::int64_t moves_ = 0;
};

}  // namespace pahtum::test
