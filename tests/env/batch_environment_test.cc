#include "env/batch_environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/env/expect_error.h"
#include "tests/env/naive.h"

namespace pahtum::test {
namespace {

using Actions = std::vector<std::int32_t>;

BatchConfig batch(int size, int holes, int count, AutoReset auto_reset = AutoReset::kNextStep,
                  std::uint64_t seed = 1) {
  BatchConfig config;
  config.game.size = size;
  config.game.holes = holes;
  config.game.unequal_stones = true;
  config.count = count;
  config.auto_reset = auto_reset;
  config.seed = seed;
  return config;
}

NaiveGame naive_start(const BatchConfig& config, int row, std::uint64_t episode) {
  const Position start = start_position(config.game, config.seed, Stream::kLayout, episode,
                                        config.first_environment + static_cast<std::uint32_t>(row));
  NaiveGame game;
  for (int i = 0; i < start.size; ++i) game.rows.push_back(board_rows(start)[static_cast<std::size_t>(i)]);
  return game;
}

// One environment as a person would write it, on characters.
struct NaiveRow {
  NaiveGame game, last;
  std::uint64_t episode = 0;
  bool ended = false, terminated = false;
  int white_reward = 0;

  void start(const BatchConfig& config, int row, std::uint64_t number) {
    game = naive_start(config, row, number);
    episode = number;
    ended = terminated = false;
    white_reward = 0;
  }

  void step(const BatchConfig& config, int row, int action) {
    if (ended) return start(config, row, episode + 1);
    game.play(action);
    terminated = game.over();
    white_reward = 0;
    if (!terminated) return;
    last = game;
    const int margin = naive_points(game.rows, 'w') - naive_points(game.rows, 'b');
    const int reward = margin > 0 ? 1 : margin < 0 ? -1 : 0;
    if (config.auto_reset == AutoReset::kSameStep) {
      start(config, row, episode + 1);
      terminated = true;
    } else {
      ended = true;
    }
    white_reward = reward;
  }
};

std::vector<int> naive_planes(const NaiveGame& game) {
  std::vector<int> planes;
  for (const char letter : std::string(game.mover == 'w' ? "wb.x" : "bw.x")) {
    for (const std::string& row : game.rows) {
      for (const char c : row) planes.push_back(c == letter ? 1 : 0);
    }
  }
  return planes;
}

template <class T>
std::vector<int> row_of_buffer(std::span<const T> buffer, int row, int count) {
  const std::size_t width = buffer.size() / static_cast<std::size_t>(count);
  const auto values = buffer.subspan(static_cast<std::size_t>(row) * width, width);
  return {values.begin(), values.end()};
}

void expect_same(const BatchEnvironment& environment, const std::vector<NaiveRow>& twins) {
  const int n = environment.size();
  const int count = environment.count();
  for (int row = 0; row < count; ++row) {
    const NaiveRow& twin = twins[static_cast<std::size_t>(row)];
    ASSERT_EQ(to_text(environment.position(row)), twin.game.text());
    ASSERT_EQ(environment.episode(row), twin.episode);
    ASSERT_EQ(row_of_buffer(environment.observation(), row, count), naive_planes(twin.game));
    std::vector<int> mask(static_cast<std::size_t>(n * n), twin.ended ? 1 : 0);
    for (const int action : twin.game.legal_actions()) mask[static_cast<std::size_t>(action)] = 1;
    ASSERT_EQ(row_of_buffer(environment.action_mask(), row, count), mask);
    ASSERT_EQ(row_of_buffer(environment.rewards(), row, count),
              (std::vector<int>{twin.white_reward, -twin.white_reward}));
    ASSERT_EQ(row_of_buffer(environment.scores(), row, count),
              (std::vector<int>{naive_points(twin.game.rows, 'w'), naive_points(twin.game.rows, 'b')}));
    ASSERT_EQ(row_of_buffer(environment.terminated(), row, count), std::vector<int>{twin.terminated ? 1 : 0});
    ASSERT_EQ(row_of_buffer(environment.current_player(), row, count),
              std::vector<int>{twin.game.mover == 'w' ? 0 : 1});
    if (twin.last.rows.empty()) continue;
    ASSERT_EQ(to_text(environment.final_position(row)), twin.last.text());
    ASSERT_EQ(row_of_buffer(environment.final_observation(), row, count), naive_planes(twin.last));
    ASSERT_EQ(row_of_buffer(environment.final_scores(), row, count),
              (std::vector<int>{naive_points(twin.last.rows, 'w'), naive_points(twin.last.rows, 'b')}));
  }
}

// An action for the row's state: a legal one while the game runs, anything, illegal or not, on a reset row.
int draw_action(const NaiveRow& twin, Random& random) {
  if (twin.ended) return static_cast<int>(random.below(200)) - 100;
  const std::vector<int> legal = twin.game.legal_actions();
  return legal[random.below(static_cast<std::uint32_t>(legal.size()))];
}

class EveryAutoReset : public testing::TestWithParam<AutoReset> {};

TEST_P(EveryAutoReset, AllBuffersMatchTheNaiveTwinAtEveryStep) {
  Random random(20, Stream::kTest, 0);
  for (const auto& [size, holes] :
       {std::pair{3, 3}, {3, 0}, {4, 4}, {5, 3}, {6, 35 - 3}, {7, 5}, {7, 13}, {8, 6}}) {
    const BatchConfig config = batch(size, holes, 5, GetParam());
    BatchEnvironment environment(config);
    std::vector<NaiveRow> twins(5);
    environment.reset();
    for (int row = 0; row < 5; ++row) twins[static_cast<std::size_t>(row)].start(config, row, 0);
    ASSERT_NO_FATAL_FAILURE(expect_same(environment, twins));
    const int steps = 3 * (size * size - holes) + 5;
    for (int step = 0; step < steps; ++step) {
      // A random subset of the rows, in random order; with kDisabled ended rows are reset by hand instead.
      Actions rows(5);
      std::iota(rows.begin(), rows.end(), 0);
      random.shuffle(std::span(rows));
      if (step % 3 == 2) rows.resize(random.below(6));
      Actions stepped, actions, reset;
      for (const std::int32_t row : rows) {
        NaiveRow& twin = twins[static_cast<std::size_t>(row)];
        if ((twin.ended && GetParam() == AutoReset::kDisabled) || random.below(40) == 0) {
          reset.push_back(row);
          twin.start(config, row, twin.episode + 1);
          continue;
        }
        stepped.push_back(row);
        actions.push_back(draw_action(twin, random));
        twin.step(config, row, actions.back());
      }
      environment.reset(reset);
      environment.step(stepped, actions);
      ASSERT_NO_FATAL_FAILURE(expect_same(environment, twins)) << size << " " << holes << " " << step;
    }
  }
}

TEST_P(EveryAutoReset, EveryGameLastsAsManyStonesAsThereAreSquaresAndItsResultIsThatOfItsLastBoard) {
  Random random(21, Stream::kTest, 0);
  for (const auto& [size, holes] : {std::pair{7, 5}, {7, 13}, {5, 3}, {4, 0}, {8, 10}, {3, 2}}) {
    BatchConfig config = batch(size, holes, 8, GetParam());
    BatchEnvironment environment(config);
    environment.reset();
    std::vector<int> stones(8, 0);
    Actions rows(8);
    std::iota(rows.begin(), rows.end(), 0);
    for (int step = 0; step < 4 * (size * size - holes + 1); ++step) {
      Actions actions;
      std::vector<bool> resets;
      for (int row = 0; row < 8; ++row) {
        const Position& position = environment.position(row);
        resets.push_back(position.over());
        actions.push_back(
            position.over()
                ? 0
                : action_of(nth_legal(position, static_cast<int>(random.below(
                                                    static_cast<std::uint32_t>(legal_count(position))))),
                            size));
      }
      if (GetParam() == AutoReset::kDisabled) {
        Actions over, running, running_actions;
        for (const std::int32_t row : rows) {
          const auto r = static_cast<std::size_t>(row);
          if (resets[r]) {
            over.push_back(row);
          } else {
            running.push_back(row);
            running_actions.push_back(actions[r]);
          }
        }
        environment.reset(over);
        environment.step(running, running_actions);
      } else {
        environment.step(actions);
      }
      for (int row = 0; row < 8; ++row) {
        const auto r = static_cast<std::size_t>(row);
        if (!resets[r]) ++stones[r];
        const bool ended = environment.terminated()[r] != 0;
        ASSERT_EQ(ended, stones[r] == size * size - holes && !resets[r]);
        if (resets[r]) stones[r] = 0;
        if (!ended) {
          ASSERT_EQ(environment.rewards()[2 * r], 0.0f);
          continue;
        }
        const Position& last = environment.final_position(row);
        const int white = points(last.white);
        const int black = points(last.black);
        ASSERT_TRUE(last.over());
        ASSERT_EQ(environment.final_scores()[2 * r], white);
        ASSERT_EQ(environment.final_scores()[2 * r + 1], black);
        ASSERT_EQ(environment.rewards()[2 * r], white > black ? 1.0f : white < black ? -1.0f : 0.0f);
        ASSERT_EQ(environment.rewards()[2 * r + 1], white < black ? 1.0f : white > black ? -1.0f : 0.0f);
        ASSERT_FALSE(std::signbit(environment.rewards()[2 * r + 1]) && white == black) << "minus zero";
        if (GetParam() == AutoReset::kSameStep) {
          stones[r] = 0;
          ASSERT_FALSE(environment.position(row).over());
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryAutoReset,
                         testing::Values(AutoReset::kNextStep, AutoReset::kSameStep, AutoReset::kDisabled),
                         [](const auto& mode) {
                           return mode.param == AutoReset::kNextStep   ? "NextStep"
                                  : mode.param == AutoReset::kSameStep ? "SameStep"
                                                                       : "Disabled";
                         });

// All that a caller can see of one row.
std::vector<int> seen(const BatchEnvironment& environment, int row) {
  std::vector<int> all;
  const auto add = [&](auto buffer) {
    for (const int value : row_of_buffer(buffer, row, environment.count())) all.push_back(value);
  };
  add(environment.observation());
  add(environment.action_mask());
  add(environment.rewards());
  add(environment.scores());
  add(environment.terminated());
  add(environment.current_player());
  add(environment.final_observation());
  add(environment.final_scores());
  all.push_back(static_cast<int>(environment.episode(row)));
  return all;
}
std::vector<int> seen(const BatchEnvironment& environment) {
  std::vector<int> all;
  for (int row = 0; row < environment.count(); ++row) {
    for (const int value : seen(environment, row)) all.push_back(value);
  }
  return all;
}

// The first legal action, turned by the environment's number so that rows differ.
std::int32_t some_action(const Position& position, std::uint32_t environment) {
  if (position.over()) return -1;
  const int legal = legal_count(position);
  return action_of(nth_legal(position, static_cast<int>(environment * 5 + 3) % legal), position.size);
}

TEST(BatchEnvironment, SameSeedGivesTheSameGamesHoweverTheBatchIsSplit) {
  const BatchConfig whole_config = batch(5, 3, 12);
  BatchEnvironment whole(whole_config);
  std::vector<std::unique_ptr<BatchEnvironment>> parts;
  for (const auto& [first, count] : {std::pair{0, 1}, {1, 4}, {5, 7}}) {
    BatchConfig config = whole_config;
    config.first_environment = static_cast<std::uint32_t>(first);
    config.count = count;
    parts.push_back(std::make_unique<BatchEnvironment>(config));
  }
  BatchEnvironment again(whole_config);
  whole.reset();
  again.reset();
  for (const auto& part : parts) part->reset();
  for (int step = 0; step < 60; ++step) {
    std::vector<int> joined;
    for (const auto& part : parts) {
      for (const int value : seen(*part)) joined.push_back(value);
    }
    ASSERT_EQ(joined, seen(whole)) << step;
    ASSERT_EQ(seen(again), seen(whole)) << step;
    const auto step_all = [](BatchEnvironment& environment) {
      Actions actions;
      for (int row = 0; row < environment.count(); ++row) {
        actions.push_back(some_action(environment.position(row), environment.config().first_environment +
                                                                     static_cast<std::uint32_t>(row)));
      }
      environment.step(actions);
    };
    step_all(whole);
    step_all(again);
    for (const auto& part : parts) step_all(*part);
  }
}

TEST(BatchEnvironment, RowsStepAloneAsTheyDoTogether) {
  BatchEnvironment together(batch(4, 2, 6));
  BatchEnvironment alone(batch(4, 2, 6));
  together.reset();
  alone.reset();
  for (int step = 0; step < 40; ++step) {
    Actions actions;
    for (int row = 0; row < 6; ++row) {
      actions.push_back(some_action(together.position(row), static_cast<std::uint32_t>(row)));
    }
    together.step(actions);
    for (const std::int32_t row : {3, 0, 5, 1, 4, 2}) {
      alone.step(std::span(&row, 1), std::span(&actions[static_cast<std::size_t>(row)], 1));
    }
    ASSERT_EQ(seen(alone), seen(together));
  }
}

TEST(BatchEnvironment, SeedsEnvironmentsAndEpisodesShareNoLayouts) {
  // 13 holes leave 2.6e11 layouts: none of 16 000 should come twice, but by a chance of one in two thousand.
  std::set<Bitboard> layouts;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    BatchEnvironment environment(batch(7, 13, 50, AutoReset::kNextStep, seed));
    environment.reset();
    Actions rows(50);
    std::iota(rows.begin(), rows.end(), 0);
    for (int episode = 0; episode < 20; ++episode) {
      for (int row = 0; row < 50; ++row) layouts.insert(environment.position(row).holes);
      environment.reset(rows);
    }
  }
  EXPECT_EQ(layouts.size(), 16u * 50u * 20u);
}

TEST(BatchEnvironment, ResetOfEveryRowPlaysTheSameGamesAgain) {
  BatchEnvironment environment(batch(3, 3, 3));
  environment.reset();
  const std::vector<int> first = row_of_buffer(environment.observation(), 0, 1);
  for (int step = 0; step < 20; ++step) {
    Actions actions;
    for (int row = 0; row < 3; ++row) actions.push_back(some_action(environment.position(row), 0));
    environment.step(actions);
  }
  environment.reset();
  EXPECT_EQ(row_of_buffer(environment.observation(), 0, 1), first);
  for (int row = 0; row < 3; ++row) EXPECT_EQ(environment.episode(row), 0u);
}

TEST(BatchEnvironment, TheLastBoardStaysUntilTheNextGameOfItsRowEnds) {
  for (const AutoReset mode : {AutoReset::kNextStep, AutoReset::kSameStep, AutoReset::kDisabled}) {
    BatchEnvironment environment(batch(3, 3, 1, mode));
    environment.reset();
    EXPECT_EQ(environment.final_position(0).size, 3);
    const Actions row = {0};
    for (int game = 0; game < 5; ++game) {
      for (int stone = 0; stone < 6; ++stone) {
        if (environment.position(0).over()) environment.reset(row);
        const Position before = environment.final_position(0);
        const std::vector<int> planes = row_of_buffer(environment.final_observation(), 0, 1);
        environment.step(Actions{some_action(environment.position(0), 0)});
        if (environment.terminated()[0] != 0) continue;
        ASSERT_EQ(environment.final_position(0), before);
        ASSERT_EQ(row_of_buffer(environment.final_observation(), 0, 1), planes);
      }
      const Position last = environment.final_position(0);
      ASSERT_TRUE(last.over());
      environment.reset(row);
      ASSERT_EQ(environment.final_position(0), last);
    }
    const Position last = environment.final_position(0);
    environment.reset();
    EXPECT_EQ(environment.final_position(0), last);
  }
}

TEST(BatchEnvironment, AnActionOnAResetRowChangesNothing) {
  std::vector<std::vector<int>> results;
  for (const std::int32_t action : {0, 8, 9, -1, 1'000'000, std::numeric_limits<std::int32_t>::min()}) {
    BatchEnvironment environment(batch(3, 3, 1));
    environment.reset();
    while (environment.terminated()[0] == 0) {
      environment.step(Actions{some_action(environment.position(0), 0)});
    }
    EXPECT_EQ(row_of_buffer(environment.action_mask(), 0, 1), std::vector<int>(9, 1));
    environment.step(Actions{action});
    EXPECT_EQ(environment.terminated()[0], 0);
    EXPECT_EQ(environment.episode(0), 1u);
    EXPECT_EQ(environment.position(0).empty_count(), 6);
    results.push_back(seen(environment));
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(BatchEnvironment, IllegalActionsNameTheirEnvironmentSquareAndReasonAndChangeNothing) {
  BatchEnvironment environment(batch(5, 3, 4));
  environment.reset();
  const auto legal = [&] {
    Actions actions;
    for (int row = 0; row < 4; ++row) actions.push_back(some_action(environment.position(row), 0));
    return actions;
  };
  const Actions played = legal();
  environment.step(played);
  const std::vector<int> before = seen(environment);
  const Position& third = environment.position(2);
  const int hole = action_of(Move::at(lowest_square(third.holes)), 5);
  Actions actions = legal();
  actions[2] = hole;
  expect_error(
      Fault::kRequest,
      {"environment 2", "action " + std::to_string(hole), "(" + naive_square(hole, 5) + ")", "is a hole"},
      [&] { environment.step(actions); });
  EXPECT_EQ(seen(environment), before);
  actions[2] = played[2];
  expect_error(Fault::kRequest, {"environment 2", naive_square(played[2], 5), "a stone is already there"},
               [&] { environment.step(actions); });
  EXPECT_EQ(seen(environment), before);
  for (const std::int32_t action : {-1, 25, 26, 1'000'000, std::numeric_limits<std::int32_t>::min()}) {
    actions[2] = action;
    expect_error(Fault::kRequest, {"environment 2", std::to_string(action), "0 … 24"},
                 [&] { environment.step(actions); });
    EXPECT_EQ(seen(environment), before);
  }
  expect_error(Fault::kRequest, {"environment 2", "is a hole"}, [&] {
    environment.step(Actions{0, 2}, Actions{legal()[0], hole});
  });
  EXPECT_EQ(seen(environment), before);
  environment.step(legal());
  EXPECT_NE(seen(environment), before);
}

TEST(BatchEnvironment, WrongCallsAreClearErrorsAndChangeNothing) {
  BatchEnvironment environment(batch(5, 3, 3));
  const Actions three = {0, 0, 0};
  expect_error(Fault::kRequest, {"call reset() first"}, [&] { environment.step(three); });
  expect_error(Fault::kRequest, {"call reset() first"}, [&] { environment.step(Actions{0}, Actions{0}); });
  expect_error(Fault::kRequest, {"call reset() first"}, [&] { environment.reset(Actions{0}); });
  expect_error(Fault::kRequest, {"call reset() first"}, [&] { environment.restore(0, 0, {}); });
  environment.reset();
  const std::vector<int> before = seen(environment);
  const std::int32_t action = some_action(environment.position(0), 0);
  for (const std::size_t length : {0u, 2u, 4u}) {
    expect_error(Fault::kRequest, {"actions", "has " + std::to_string(length) + " entries", "3 rows"},
                 [&] { environment.step(Actions(length, 0)); });
  }
  expect_error(Fault::kRequest, {"actions", "2 entries", "1 rows"}, [&] {
    environment.step(Actions{0}, Actions{0, 0});
  });
  for (const std::int32_t row : {-1, 3, 1000}) {
    expect_error(Fault::kRequest, {"row " + std::to_string(row), "0 … 2"}, [&] {
      environment.step(Actions{0, row}, Actions{action, 0});
    });
    expect_error(Fault::kRequest, {"row " + std::to_string(row), "0 … 2"}, [&] {
      environment.reset(Actions{0, row});
    });
    expect_error(Fault::kRequest, {"row " + std::to_string(row), "0 … 2"},
                 [&] { environment.restore(row, 0, {}); });
  }
  expect_error(Fault::kRequest, {"row 0", "twice"}, [&] {
    environment.step(Actions{0, 1, 0}, Actions{action, 0, action});
  });
  expect_error(Fault::kRequest, {"row 1", "twice"}, [&] { environment.reset(Actions{1, 0, 1}); });
  EXPECT_EQ(seen(environment), before);
  environment.step(Actions{}, Actions{});
  environment.reset(Actions{});
  EXPECT_EQ(seen(environment), before);
  // A refused call leaves no trace in the search for rows named twice.
  environment.step(Actions{0}, Actions{action});
  environment.reset(Actions{0, 1, 2});
}

TEST(BatchEnvironment, AFinishedGameWithoutAutoResetRefusesToGoOn) {
  BatchEnvironment environment(batch(3, 3, 2, AutoReset::kDisabled));
  environment.reset();
  for (int stone = 0; stone < 6; ++stone) {
    environment.step(Actions{1}, Actions{some_action(environment.position(1), 0)});
  }
  EXPECT_EQ(environment.terminated()[1], 1);
  const std::vector<int> before = seen(environment);
  const Actions actions = {some_action(environment.position(0), 0), 0};
  expect_error(Fault::kRequest, {"environment 1", "game is over", "reset"},
               [&] { environment.step(actions); });
  EXPECT_EQ(seen(environment), before);
  environment.reset(Actions{1});
  EXPECT_EQ(environment.episode(1), 1u);
  EXPECT_EQ(environment.terminated()[1], 0);
}

TEST(BatchEnvironment, RulesAndCountsThatMakeNoBatchAreRefused) {
  BatchConfig config = batch(7, 5, 0);
  expect_error(Fault::kRequest, {"count", "at least 1"}, [&] { BatchEnvironment{config}; });
  config = batch(7, 4, 1);
  config.game.unequal_stones = false;
  expect_error(Fault::kRequest, {"game.holes"}, [&] { BatchEnvironment{config}; });
  config = batch(9, 4, 1);
  expect_error(Fault::kRequest, {"game.size"}, [&] { BatchEnvironment{config}; });
  config = batch(7, 5, 2);
  config.first_environment = (1u << 24) - 1;
  expect_error(Fault::kRequest, {"first_environment", "16777216"}, [&] { BatchEnvironment{config}; });
  config.count = 1;
  EXPECT_NO_THROW(BatchEnvironment{config});
}

TEST(BatchEnvironment, RestoredGamesGoOnAsTheyWouldHave) {
  const BatchConfig config = batch(5, 3, 3);
  BatchEnvironment original(config);
  original.reset();
  std::vector<std::vector<Move>> moves(3);
  const auto step = [](BatchEnvironment& environment, std::vector<std::vector<Move>>* record) {
    Actions actions;
    for (int row = 0; row < 3; ++row) {
      actions.push_back(some_action(environment.position(row), static_cast<std::uint32_t>(row)));
      if (record == nullptr) continue;
      auto& list = (*record)[static_cast<std::size_t>(row)];
      if (environment.position(row).over()) {
        list.clear();
      } else {
        list.push_back(move_of(actions.back(), 5));
      }
    }
    environment.step(actions);
  };
  for (int i = 0; i < 30; ++i) step(original, &moves);
  BatchEnvironment resumed(config);
  resumed.reset();
  for (int row = 0; row < 3; ++row) {
    resumed.restore(row, original.episode(row), moves[static_cast<std::size_t>(row)]);
    ASSERT_EQ(resumed.position(row), original.position(row));
    ASSERT_EQ(resumed.episode(row), 1u);
  }
  for (int i = 0; i < 60; ++i) {
    step(original, nullptr);
    step(resumed, nullptr);
    // The last board of the game before the resumed one is not known to the second object until its first
    // end.
    if (i >= 22) {
      ASSERT_EQ(seen(resumed), seen(original)) << i;
    }
    for (int row = 0; row < 3; ++row) ASSERT_EQ(resumed.position(row), original.position(row));
  }
}

TEST(BatchEnvironment, WhatCannotBeRestoredIsRefusedAndChangesNothing) {
  const BatchConfig config = batch(3, 3, 2);
  BatchEnvironment environment(config);
  environment.reset();
  const std::vector<int> before = seen(environment);
  Position position = start_position(config.game, config.seed, Stream::kLayout, 4, 1);
  const Move first = nth_legal(position, 0);
  expect_error(Fault::kRequest, {"environment 1", to_text(first, 3), "illegal"}, [&] {
    environment.restore(1, 4, std::vector<Move>{first, first});
  });
  expect_error(Fault::kRequest, {"environment 1", "swap", "illegal"},
               [&] { environment.restore(1, 4, std::vector<Move>{Move::swap()}); });
  std::vector<Move> whole;
  while (!position.over()) {
    whole.push_back(nth_legal(position, 0));
    apply(position, whole.back());
  }
  expect_error(Fault::kRequest, {"environment 1", "over"}, [&] { environment.restore(1, 4, whole); });
  EXPECT_EQ(seen(environment), before);
  whole.pop_back();
  environment.restore(1, 4, whole);
  EXPECT_EQ(environment.episode(1), 4u);
  EXPECT_EQ(environment.position(1).empty_count(), 1);
}

TEST(BatchEnvironment, BuffersNeverMoveAndAreSeenAsRows) {
  BatchEnvironment environment(batch(4, 2, 3));
  environment.reset();
  const auto* planes = environment.observation().data();
  const auto* mask = environment.action_mask().data();
  const auto* final_planes = environment.final_observation().data();
  for (int step = 0; step < 40; ++step) {
    Actions actions;
    for (int row = 0; row < 3; ++row) actions.push_back(some_action(environment.position(row), 1));
    environment.step(actions);
  }
  EXPECT_EQ(environment.observation().data(), planes);
  EXPECT_EQ(environment.action_mask().data(), mask);
  EXPECT_EQ(environment.final_observation().data(), final_planes);
  EXPECT_EQ(environment.observation().size(), 3u * 4u * 16u);
  EXPECT_EQ(environment.action_mask().size(), 3u * 16u);
  const auto rows = rows_of(environment.observation(), 3);
  ASSERT_EQ(rows.rows(), 3);
  ASSERT_EQ(rows.cols(), 64);
  EXPECT_EQ(rows.data(), planes);
  EXPECT_EQ(rows(2, 5), planes[2 * 64 + 5]);
  EXPECT_EQ(rows_of(environment.action_mask(), 3).cols(), 16);
  EXPECT_EQ(rows_of(environment.rewards(), 3).cols(), 2);
  EXPECT_EQ(rows_of(environment.scores(), 3).cols(), 2);
}

TEST(BatchEnvironment, GamesAreTheSameWithoutObservations) {
  for (const AutoReset mode : {AutoReset::kNextStep, AutoReset::kSameStep}) {
    BatchConfig config = batch(5, 3, 4, mode);
    BatchEnvironment with(config);
    config.observation = ObservationType::kNone;
    BatchEnvironment without(config);
    EXPECT_TRUE(without.observation().empty());
    EXPECT_TRUE(without.action_mask().empty());
    EXPECT_TRUE(without.final_observation().empty());
    with.reset();
    without.reset();
    for (int step = 0; step < 70; ++step) {
      Actions actions;
      for (int row = 0; row < 4; ++row) {
        ASSERT_EQ(without.position(row), with.position(row));
        ASSERT_EQ(without.final_position(row), with.final_position(row));
        ASSERT_EQ(row_of_buffer(without.rewards(), row, 4), row_of_buffer(with.rewards(), row, 4));
        ASSERT_EQ(row_of_buffer(without.scores(), row, 4), row_of_buffer(with.scores(), row, 4));
        ASSERT_EQ(row_of_buffer(without.final_scores(), row, 4), row_of_buffer(with.final_scores(), row, 4));
        actions.push_back(some_action(with.position(row), static_cast<std::uint32_t>(row)));
      }
      with.step(actions);
      without.step(actions);
    }
  }
}

std::int64_t resident_bytes() {
  std::int64_t total = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

constexpr std::int64_t kMebibyte = 1 << 20;

TEST(BatchEnvironment, MemoryIsFlatOverAMillionResets) {
  BatchEnvironment environment(batch(7, 5, 100));
  environment.reset();
  Actions rows(100);
  std::iota(rows.begin(), rows.end(), 0);
  for (int i = 0; i < 100; ++i) environment.reset(rows);
  const std::int64_t before = resident_bytes();
  for (int i = 0; i < 10'000; ++i) environment.reset(rows);
  // A leak of 16 bytes a reset would show.
  EXPECT_LT(resident_bytes() - before, 12 * kMebibyte);
}

TEST(BatchEnvironment, MemoryIsFlatOverCreationAndDestruction) {
  const auto create = [](int objects) {
    std::int64_t bytes = 0;
    for (int i = 0; i < objects; ++i) {
      BatchEnvironment environment(batch(7, 5, 120));
      environment.reset();
      bytes += static_cast<std::int64_t>(environment.observation().size_bytes() +
                                         environment.final_observation().size_bytes());
    }
    return bytes;
  };
  // As many as an address sanitizer needs to fill what it keeps back of freed memory; from then on nothing
  // may grow.
  create(8000);
  const std::int64_t before = resident_bytes();
  constexpr std::int64_t kSlack = 48 * kMebibyte;
  const std::int64_t planes = create(4000);
  ASSERT_GT(planes, 2 * kSlack);
  EXPECT_LT(resident_bytes() - before, kSlack);
}

}  // namespace
}  // namespace pahtum::test
