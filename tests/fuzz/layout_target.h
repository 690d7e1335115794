#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "env/game_config.h"
#include "env/game_rules.h"
#include "tests/fuzz/model_game.h"

namespace pahtum::fuzz {

inline std::optional<HoleCounts> check_hole_counts(std::string_view text) {
  std::optional<HoleCounts> counts;
  if (is_refused([&] { counts = HoleCounts::parse(text); })) return std::nullopt;
  std::set<int> named;
  require(!counts->choices().empty(), "hole counts name a number");
  for (const HoleCounts::Choice& choice : counts->choices()) {
    require(choice.holes >= 0 && choice.holes <= kMaxSquares - 2, "a number of holes fits a board");
    require(choice.weight > 0.0 && choice.weight <= 1e9, "a weight is positive and finite");
    require(named.insert(choice.holes).second, "a number of holes is named once");
  }
  require(counts->fewest() == *named.begin() && counts->most() == *named.rbegin(),
          "fewest and most are in the list");
  require(HoleCounts::parse(counts->text()) == *counts, "hole counts are written as they are read");
  return counts;
}

inline std::optional<RunPoints> check_run_points(std::string_view text) {
  RunPoints table;
  if (is_refused([&] { table = parse_run_points(text); })) return std::nullopt;
  for (const std::uint16_t points : table.by_length) require(points <= 10'000, "points are at most 10000");
  require(parse_run_points(to_text(table)) == table, "a table is written as it is read");
  return table;
}

inline void check_layout(std::string_view text, int size) {
  Bitboard holes = 0;
  if (is_refused([&] { holes = parse_layout(text, size); })) return;
  require((holes & ~board_mask(size)) == 0, "a layout's holes are on the board");
  Position board;
  board.size = static_cast<std::uint8_t>(size);
  board.holes = holes;
  const std::string whole = to_text(board);
  require(parse_layout(whole.substr(0, whole.size() - 2), size) == holes, "a layout is the board it shows");
  if (holes == 0) return;
  std::string squares;
  for (Bitboard left = holes; left != 0; left &= left - 1) {
    squares += (squares.empty() ? "" : ",") + to_text(Move::at(lowest_square(left)), size);
  }
  require(parse_layout(squares, size) == holes, "a layout is the list of its squares");
}

inline void check_start(const GameRules& rules, const Position& start) {
  const GameConfig& config = rules.config();
  require_sound(start);
  require(start.size == rules.size() && start.run_points == config.run_points, "a game starts by its rules");
  require((start.white | start.black) == 0, "a game starts without stones");
  const int given = std::popcount(start.holes);
  const int holes = given + start.holes_left;
  if (config.layouts.empty()) {
    require(std::ranges::count(config.holes.choices(), holes, &HoleCounts::Choice::holes) == 1,
            "the number of holes is one of the choices");
  } else {
    require(std::ranges::any_of(
                config.layouts,
                [&](const std::string& layout) { return parse_layout(layout, rules.size()) == start.holes; }),
            "the holes are one of the layouts");
  }
  const int squares = rules.size() * rules.size();
  require(squares - holes >= 2, "two squares are left for stones");
  require((squares - holes) % 2 == 0 || config.unequal_stones, "both players have as many stones");
  const Bitboard centre = square_bit(square_at(rules.size() / 2, rules.size() / 2));
  switch (config.hole_mode) {
    case HoleMode::kRandom:
      require(start.holes_left == 0, "random holes are on the board");
      break;
    case HoleMode::kPlaced:
      require(given == 0, "placed holes are not on the board yet");
      break;
    case HoleMode::kCentre:
      require(start.holes == centre, "the one given hole is in the centre");
      break;
    case HoleMode::kOpening:
      require(given == 0 && start.phase == Phase::kOpening, "White begins with the opening");
      break;
  }
}

// Black places the last hole and White plays the first stone; a swap comes up where the rules have it, and
// only there.
inline void check_game(const GameRules& rules, Position position, std::uint64_t choice) {
  const bool opening = rules.config().hole_mode == HoleMode::kOpening;
  Position first = position;
  while (first.phase == Phase::kPlacing) {
    if (first.holes_left == 1) require(first.mover == Color::kBlack, "Black places the last hole");
    apply(first, nth_legal(first, 0));
  }
  require(first.mover == Color::kWhite, "White plays the first stone");
  require((first.phase == Phase::kOpening) == rules.has_swap(),
          "the first stone may be swapped where the rules say so");
  require(opening || first.holes_left == 0, "no holes are left for the first stone");
  int moves = 0;
  for (; !position.over(); ++moves) {
    choice = mix64(choice + kGoldenRatio64);
    apply(position,
          nth_legal(position, static_cast<int>(choice % static_cast<std::uint64_t>(legal_count(position)))));
    require_sound(position);
  }
  require(moves >= rules.shortest_game() && moves <= rules.longest_game(),
          "a game is as long as the rules allow");
}

// Input: six bytes (size, hole mode, flags, seed, index, sub), a line of hole counts, a line of run points,
// and lines of layouts.
inline void fuzz_layout(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  GameConfig config;
  // Four in ten are no size of a board.
  config.size = kMinSize - 2 + input.below(10);
  config.hole_mode = static_cast<HoleMode>(input.below(4));
  const std::uint8_t flags = input.byte();
  config.unequal_stones = (flags & 1) != 0;
  config.swap = (flags & 2) != 0;
  config.result = (flags & 4) != 0 ? Objective::kMargin : Objective::kOutcome;
  const std::uint64_t seed = input.byte();
  const std::uint64_t index = input.byte();
  const auto sub = static_cast<std::uint32_t>(input.byte());
  if (const auto counts = check_hole_counts(input.line())) config.holes = *counts;
  if (const auto table = check_run_points(input.line())) config.run_points = *table;
  constexpr std::size_t kMostLayouts = 8;
  while (!input.empty() && config.layouts.size() < kMostLayouts) {
    const std::string_view line = input.line();
    for (int size = kMinSize; size <= kMaxSize; ++size) check_layout(line, size);
    config.layouts.emplace_back(line);
  }
  require(!to_text(config).empty(), "every configuration has words for people");
  if (is_refused([&] { validate(config); })) {
    require(is_refused([&] { GameRules rules(config); }), "what validate() refuses makes no rules");
    return;
  }
  const GameRules rules(config);
  require(rules.config() == config, "rules keep their configuration");
  for (std::uint64_t game = 0; game < 4; ++game) {
    const Position start = rules.start(seed, Stream::kLayout, index + game, sub);
    require(start == start_position(config, seed, Stream::kLayout, index + game, sub),
            "a start is a pure function");
    check_start(rules, start);
    check_game(rules, start, seed + 256 * index + game);
  }
}

}  // namespace pahtum::fuzz
