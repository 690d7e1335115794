#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/error.h"
#include "env/bitboard.h"
#include "env/observation.h"
#include "env/position.h"
#include "tests/env/naive.h"
#include "tests/fuzz/fuzz_input.h"

namespace pahtum::fuzz {

// Runs `action`; true when it was refused by a kRequest Error that says something. Any other exception is
// left to end the program.
template <class Action>
bool is_refused(Action&& action, std::string* subject = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    require(error.fault() == Fault::kRequest, "a wrong request is reported as one");
    require(!std::string_view(error.what()).empty(), "an error says what is wrong");
    if (subject != nullptr) *subject = error.subject();
    return true;
  }
  return false;
}

// The invariants of position.h.
inline void require_sound(const Position& position) {
  require(position.size >= kMinSize && position.size <= kMaxSize, "the size is that of a board");
  const Bitboard white = position.white;
  const Bitboard black = position.black;
  require((position.holes & white) == 0 && (position.holes & black) == 0 && (white & black) == 0,
          "holes and stones are on different squares");
  require(((position.holes | white | black) & ~board_mask(position.size)) == 0,
          "nothing lies outside the board");
  require(position.mover == Color::kWhite || position.mover == Color::kBlack, "the mover is a player");
  const int stones = std::popcount(white | black);
  const int empty = position.empty_count();
  switch (position.phase) {
    case Phase::kPlaying:
      require(position.holes_left == 0, "no holes are left to place while stones are played");
      break;
    case Phase::kPlacing:
      require(position.holes_left >= 1 && position.holes_left <= empty, "the holes to place have room");
      break;
    case Phase::kOpening:
      require(stones == 0, "no stone is on the board in the opening");
      require(position.holes_left < empty, "the opening has room for its stone");
      break;
    case Phase::kSwapping:
      require(stones == 1 && position.holes_left == 0, "one stone may be swapped");
      break;
    default:
      require(false, "the phase is one of four");
  }
  if (position.swap_follows != 0) {
    require(position.swap_follows == 1 && position.phase == Phase::kPlacing && stones == 0 &&
                position.holes_left < empty,
            "the pie rule follows the placing of holes and has room for its stone");
  }
  for (const std::uint8_t byte : position.reserved) require(byte == 0, "reserved bytes are zero");
}

// Points of one colour by any table, run by run.
inline int model_points(const test::Rows& rows, char stone, const RunPoints& table) {
  const int n = test::size_of(rows);
  int sum = 0;
  for (int line = 0; line < n; ++line) {
    for (const bool across : {true, false}) {
      int run = 0;
      for (int k = 0; k <= n; ++k) {
        if (k < n && (across ? test::at(rows, line, k) : test::at(rows, k, line)) == stone) {
          ++run;
        } else {
          sum += run == 0 ? 0 : table.by_length[static_cast<std::size_t>(run - 1)];
          run = 0;
        }
      }
    }
  }
  return sum;
}

// A game on characters, with the pie rule after placed holes, which NaiveGame alone does not know.
struct ModelGame {
  test::NaiveGame naive;
  bool swap_follows = false;
  RunPoints table = kRunPoints;

  static ModelGame of(const Position& position) {
    ModelGame game;
    const auto rows = board_rows(position);
    game.naive.rows.assign(rows.begin(), rows.begin() + position.size);
    game.naive.mover = position.mover == Color::kWhite ? 'w' : 'b';
    game.naive.phase = std::string(phase_name(position.phase));
    game.naive.holes_left = position.holes_left;
    game.swap_follows = position.swap_follows != 0;
    game.table = position.run_points;
    return game;
  }

  [[nodiscard]] int size() const { return test::size_of(naive.rows); }
  [[nodiscard]] bool over() const {
    return std::ranges::none_of(naive.rows,
                                [](const std::string& row) { return row.find('.') != std::string::npos; });
  }
  [[nodiscard]] bool may_swap() const { return naive.phase == "swapping" && !over(); }
  [[nodiscard]] int points(char stone) const { return model_points(naive.rows, stone, table); }
  [[nodiscard]] int white_margin() const { return points('w') - points('b'); }

  // Ascending, the swap (n²) last.
  [[nodiscard]] std::vector<int> legal_actions() const {
    std::vector<int> actions = naive.legal_actions();
    if (may_swap()) actions.push_back(size() * size());
    return actions;
  }
  [[nodiscard]] bool is_legal(std::int64_t action) const {
    const int n = size();
    if (action == n * n) return may_swap();
    if (action < 0 || action > n * n) return false;
    return test::at(naive.rows, static_cast<int>(action) / n, static_cast<int>(action) % n) == '.';
  }
  void play(int action) {
    if (action == size() * size()) {
      naive.swap();
      return;
    }
    const bool placing = naive.phase == "placing";
    naive.play(action);
    if (placing && naive.phase == "playing" && swap_follows) {
      naive.phase = "opening";
      swap_follows = false;
    }
  }
};

inline void require_same(const Position& position, const ModelGame& game) {
  require(position.size == game.size(), "the size is the model's");
  const auto rows = board_rows(position);
  for (int row = 0; row < position.size; ++row) {
    const auto r = static_cast<std::size_t>(row);
    require(rows[r] == game.naive.rows[r], "the board is the model's");
  }
  require((position.mover == Color::kWhite) == (game.naive.mover == 'w'), "the mover is the model's");
  require(phase_name(position.phase) == game.naive.phase, "the phase is the model's");
  require(position.holes_left == game.naive.holes_left, "the holes left are the model's");
  require((position.swap_follows != 0) == game.swap_follows, "the pie rule is the model's");
  require(position.run_points == game.table, "the table of points is the model's");
  require(position.points_of(Color::kWhite) == game.points('w') &&
              position.points_of(Color::kBlack) == game.points('b'),
          "the points are the model's");
}

// Plays `position` to its end by moves that `choose(count)` picks (0 … count − 1), beside the model, and
// returns the number of moves.
template <class Choose>
int play_to_the_end(Position& position, Choose&& choose) {
  ModelGame game = ModelGame::of(position);
  const int most = position.empty_count() + 1;
  int moves = 0;
  for (;; ++moves) {
    require_sound(position);
    require_same(position, game);
    const std::vector<int> legal = game.legal_actions();
    require(legal_count(position) == static_cast<int>(legal.size()),
            "as many moves are legal as in the model");
    std::size_t listed = 0;
    for_each_legal(position, [&](Move move) {
      require(listed < legal.size() && action_of(move, position.size) == legal[listed],
              "the legal moves are the model's");
      require(is_legal(position, move), "a listed move is legal");
      ++listed;
    });
    require(position.over() == legal.empty(), "a game is over when no move is left");
    if (legal.empty()) return moves;
    require(moves < most, "a game ends");
    const int chosen = choose(static_cast<int>(legal.size()));
    const Move move = nth_legal(position, chosen);
    require(action_of(move, position.size) == legal[static_cast<std::size_t>(chosen)],
            "nth_legal counts as for_each_legal");
    apply(position, move);
    game.play(legal[static_cast<std::size_t>(chosen)]);
  }
}

}  // namespace pahtum::fuzz
