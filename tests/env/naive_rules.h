#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "env/game_rules.h"
#include "env/observation.h"

// The rules of every GameConfig on an array of characters, written from the text of the rules alone. Only
// which squares and how many of them are holes at the start comes from GameRules; start_fault() holds that
// against the rules.
namespace pahtum::test {

// A game under any rules, as a person would keep it: row · size + column, '.' empty, 'x' hole, 'w', 'b'.
struct VariantGame {
  int size = 0;
  std::array<char, kMaxSquares> squares{};
  char mover = 'w';
  Phase phase = Phase::kPlaying;
  int holes_left = 0;

  [[nodiscard]] char at(int action) const { return squares[static_cast<std::size_t>(action)]; }
  [[nodiscard]] int count(char letter) const {
    int sum = 0;
    for (int action = 0; action < size * size; ++action) sum += at(action) == letter ? 1 : 0;
    return sum;
  }
  [[nodiscard]] bool full() const { return count('.') == 0; }
  void put(int action, char letter) { squares[static_cast<std::size_t>(action)] = letter; }
  void pass() { mover = mover == 'w' ? 'b' : 'w'; }
};

// The squares of a layout as characters, '.' and 'x', from "c4,d4" or "7/7/7/2xx3/7/7/7".
inline std::string naive_layout(const std::string& text, int size) {
  std::string squares;
  if (text.find('/') != std::string::npos) {
    for (const char c : text) {
      if (c >= '1' && c <= '8') squares += std::string(static_cast<std::size_t>(c - '0'), '.');
      if (c == 'x') squares += 'x';
    }
    return squares;
  }
  squares = std::string(static_cast<std::size_t>(size * size), '.');
  for (std::size_t i = 0; i + 1 < text.size(); i += 3) {
    const int row = size - (text[i + 1] - '0');
    squares[static_cast<std::size_t>(row * size + (text[i] - 'a'))] = 'x';
  }
  return squares;
}

class VariantRules {
 public:
  explicit VariantRules(const GameConfig& config) : config_(config), starts_(config) {
    for (int length = 3; length <= kMaxSize; ++length) {
      value_[static_cast<std::size_t>(length)] = length + 2 * value_[static_cast<std::size_t>(length - 1)];
    }
    if (config.run_points == kRunPoints) return;
    for (int length = 1; length <= kMaxSize; ++length) {
      value_[static_cast<std::size_t>(length)] = config.run_points[length];
    }
  }

  [[nodiscard]] const GameConfig& config() const { return config_; }
  [[nodiscard]] int size() const { return static_cast<int>(config_.size); }
  [[nodiscard]] int squares() const { return size() * size(); }
  [[nodiscard]] bool has_swap() const { return config_.swap || config_.hole_mode == HoleMode::kOpening; }
  [[nodiscard]] int actions() const { return squares() + (has_swap() ? 1 : 0); }
  // By the kind of rules, not by the numbers of holes: rules whose players place 0 holes have 12 as well.
  [[nodiscard]] int channels() const {
    return config_.swap || config_.hole_mode != HoleMode::kRandom ? kPhaseChannels : kChannels;
  }
  [[nodiscard]] int run_value(int length) const { return value_[static_cast<std::size_t>(length)]; }

  // Episode `episode` of environment `environment` before its first move.
  [[nodiscard]] VariantGame start(std::uint64_t seed, std::uint64_t episode,
                                  std::uint32_t environment) const {
    const Position drawn = starts_.start(seed, Stream::kLayout, episode, environment);
    VariantGame game;
    game.size = size();
    for (int action = 0; action < squares(); ++action) {
      const int bit = 8 * (action / size()) + action % size();
      game.put(action, ((drawn.holes >> bit) & 1) != 0 ? 'x' : '.');
    }
    game.holes_left = drawn.holes_left;
    begin(game);
    return game;
  }

  // What is wrong with a start, "" when nothing is.
  [[nodiscard]] std::string start_fault(const Position& start) const {
    if (start.size != size()) return "size";
    if (start.white != 0 || start.black != 0) return "stones on the board";
    if ((start.holes & ~board_mask(size())) != 0) return "holes outside the board";
    if (!(start.run_points == config_.run_points)) return "table of points";
    const int given = std::popcount(start.holes);
    const int holes = given + start.holes_left;
    if (!config_.unequal_stones && (squares() - holes) % 2 != 0) return "odd number of squares left";
    if (squares() - holes < 2) return "no game left";
    VariantGame game;
    game.size = size();
    std::string drawn;
    for (int action = 0; action < squares(); ++action) {
      const int bit = 8 * (action / size()) + action % size();
      drawn += ((start.holes >> bit) & 1) != 0 ? 'x' : '.';
      game.put(action, drawn.back());
    }
    if (!config_.layouts.empty()) {
      if (std::none_of(config_.layouts.begin(), config_.layouts.end(),
                       [&](const std::string& layout) { return naive_layout(layout, size()) == drawn; })) {
        return "not one of the layouts";
      }
      if (start.holes_left != 0) return "holes left beside a layout";
    } else {
      if (std::none_of(config_.holes.choices().begin(), config_.holes.choices().end(),
                       [&](const HoleCounts::Choice& choice) { return choice.holes == holes; })) {
        return "number of holes";
      }
      if (config_.hole_mode == HoleMode::kRandom && start.holes_left != 0)
        return "random holes left to place";
      if (config_.hole_mode != HoleMode::kRandom && given != given_holes()) return "holes given";
      if (config_.hole_mode == HoleMode::kCentre && drawn[static_cast<std::size_t>(squares() / 2)] != 'x') {
        return "no hole in the centre";
      }
    }
    game.holes_left = start.holes_left;
    begin(game);
    return position(game) == start ? "" : "phase or mover: " + to_text(start);
  }

  [[nodiscard]] bool is_legal(const VariantGame& game, std::int64_t action) const {
    if (action < 0 || action > squares()) return false;
    if (action == squares()) return game.phase == Phase::kSwapping && !game.full();
    return game.at(static_cast<int>(action)) == '.';
  }

  [[nodiscard]] std::vector<int> legal_actions(const VariantGame& game) const {
    std::vector<int> legal;
    for (int action = 0; action <= squares(); ++action) {
      if (is_legal(game, action)) legal.push_back(action);
    }
    return legal;
  }

  void play(VariantGame& game, int action) const {
    if (action == squares()) {
      for (int square = 0; square < squares(); ++square) {
        if (game.at(square) == 'w' || game.at(square) == 'b') game.put(square, game.mover);
      }
      game.phase = Phase::kPlaying;
      game.pass();
      return;
    }
    switch (game.phase) {
      case Phase::kPlacing:
        game.put(action, 'x');
        --game.holes_left;
        game.pass();
        if (game.holes_left == 0) game.phase = config_.swap ? Phase::kOpening : Phase::kPlaying;
        return;
      case Phase::kOpening:
        if (game.holes_left > 0) {
          game.put(action, 'x');
          --game.holes_left;
          return;
        }
        game.put(action, game.mover);
        game.phase = Phase::kSwapping;
        game.pass();
        return;
      case Phase::kPlaying:
      case Phase::kSwapping:
        game.put(action, game.mover);
        game.phase = Phase::kPlaying;
        game.pass();
        return;
    }
  }

  // Points of a colour as they stand, run by run.
  [[nodiscard]] int points(const VariantGame& game, char stone) const {
    int sum = 0;
    for (int line = 0; line < size(); ++line) {
      int across = 0;
      int down = 0;
      for (int i = 0; i < size(); ++i) {
        across = extend(across, game.at(line * size() + i) == stone, sum);
        down = extend(down, game.at(i * size() + line) == stone, sum);
      }
      sum += run_value(across) + run_value(down);
    }
    return sum;
  }

  // The observation, number `channel · n² + row · n + column`.
  template <class T>
  void write_planes(const VariantGame& game, std::span<T> planes) const {
    const char theirs = game.mover == 'w' ? 'b' : 'w';
    const std::array<char, 4> letters = {game.mover, theirs, '.', 'x'};
    std::size_t next = 0;
    for (int channel = 0; channel < channels(); ++channel) {
      for (int action = 0; action < squares(); ++action) {
        const bool set = channel < 4 ? game.at(action) == letters[static_cast<std::size_t>(channel)]
                                     : is_flag_set(game, channel);
        planes[next++] = set ? T{1} : T{0};
      }
    }
  }

  // The same as a word per channel, bit 8 · row + column.
  void write_words(const VariantGame& game, std::span<std::uint64_t> words) const {
    std::array<std::uint8_t, std::size_t{kPhaseChannels} * kMaxSquares> planes{};
    write_planes(game, std::span<std::uint8_t>(planes));
    for (int channel = 0; channel < channels(); ++channel) {
      std::uint64_t word = 0;
      for (int action = 0; action < squares(); ++action) {
        const std::uint64_t bit = planes[static_cast<std::size_t>(channel * squares() + action)];
        word |= bit << (8 * (action / size()) + action % size());
      }
      words[static_cast<std::size_t>(channel)] = word;
    }
  }

  // The game as the library keeps it.
  [[nodiscard]] Position position(const VariantGame& game) const {
    Position position;
    position.size = static_cast<std::uint8_t>(size());
    for (int action = 0; action < squares(); ++action) {
      const Bitboard bit = Bitboard{1} << (8 * (action / size()) + action % size());
      const char letter = game.at(action);
      if (letter == 'x') position.holes |= bit;
      if (letter == 'w') position.white |= bit;
      if (letter == 'b') position.black |= bit;
    }
    position.mover = game.mover == 'w' ? Color::kWhite : Color::kBlack;
    position.phase = game.phase;
    position.holes_left = static_cast<std::uint8_t>(game.holes_left);
    position.swap_follows = game.phase == Phase::kPlacing && config_.swap ? 1 : 0;
    position.run_points = config_.run_points;
    return position;
  }

 private:
  // The length of a run after one more square; a run that ends there is paid into `sum`.
  [[nodiscard]] int extend(int run, bool same, int& sum) const {
    if (same) return run + 1;
    sum += run_value(run);
    return 0;
  }

  // Holes on the board before the players place theirs.
  [[nodiscard]] int given_holes() const { return config_.hole_mode == HoleMode::kCentre ? 1 : 0; }

  // Mover and phase of the first move, by what is still to be placed.
  void begin(VariantGame& game) const {
    game.mover = 'w';
    if (config_.layouts.empty() && config_.hole_mode == HoleMode::kOpening) {
      game.phase = Phase::kOpening;
    } else if (game.holes_left > 0) {
      // Alternating, with Black's hole the last one.
      game.phase = Phase::kPlacing;
      if (game.holes_left % 2 != 0) game.mover = 'b';
    } else {
      game.phase = config_.swap ? Phase::kOpening : Phase::kPlaying;
    }
  }

  [[nodiscard]] static bool is_flag_set(const VariantGame& game, int channel) {
    if (channel == 4) return game.phase == Phase::kSwapping;
    if (channel == 5) return game.phase == Phase::kOpening;
    return ((game.holes_left >> (channel - 6)) & 1) != 0;
  }

  GameConfig config_;
  GameRules starts_;
  std::array<int, kMaxSize + 1> value_{};
};

}  // namespace pahtum::test
