#include "env/observation.h"

#include <gtest/gtest.h>

#include "tests/env/naive.h"

namespace pahtum::test {
namespace {

template <class T>
std::vector<T> planes_of(const Position& position) {
  std::vector<T> planes(static_cast<std::size_t>(kChannels * position.size * position.size), T{9});
  write_observation(position, std::span<T>(planes));
  return planes;
}

std::vector<std::uint8_t> mask_of(const Position& position) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(position.size * position.size), 9);
  write_action_mask(position, mask);
  return mask;
}

TEST(Observation, ActionsRunAlongTheRowsFromTheTopLeftAndNameTheirSquares) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int action = 0; action < size * size; ++action) {
      EXPECT_EQ(to_text(move_of(action, size), size), naive_square(action, size));
      EXPECT_EQ(action_of(parse_move(naive_square(action, size), size), size), action);
    }
    EXPECT_EQ(move_of(size * size, size), Move::swap());
    EXPECT_EQ(action_of(Move::swap(), size), size * size);
  }
}

// One empty square at a time: text, bits, actions, mask and planes must all mean the same square. The score
// is the same under every symmetry, so only this notices rows and columns that changed places.
TEST(Observation, TheOneEmptySquareIsTheSameInTextBitsActionsMaskAndPlanes) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        NaiveGame game;
        game.rows = Rows(static_cast<std::size_t>(size), std::string(static_cast<std::size_t>(size), 'x'));
        at(game.rows, row, column) = '.';
        const Position position = parse_position(game.text());
        const int action = row * size + column;
        const std::string name = naive_square(action, size);
        EXPECT_EQ(legal_count(position), 1);
        EXPECT_EQ(legal_squares(position), Bitboard{1} << (8 * row + column));
        EXPECT_EQ(to_text(nth_legal(position, 0), size), name);
        EXPECT_TRUE(is_legal(position, parse_move(name, size)));
        const auto mask = mask_of(position);
        const auto planes = planes_of<std::uint8_t>(position);
        for (int other = 0; other < size * size; ++other) {
          const auto o = static_cast<std::size_t>(other);
          const auto squares = static_cast<std::size_t>(size * size);
          EXPECT_EQ(mask[o], other == action ? 1 : 0);
          EXPECT_EQ(planes[2 * squares + o], other == action ? 1 : 0) << "empty";
          EXPECT_EQ(planes[3 * squares + o], other == action ? 0 : 1) << "holes";
        }
      }
    }
  }
}

TEST(Observation, AnAsymmetricPositionIsRightSquareBySquareForBothMovers) {
  ASSERT_EQ(kObservationVersion, 1);
  const auto channels = std::span(kObservationChannels).first(kChannels);
  ASSERT_EQ(std::vector<std::string_view>(channels.begin(), channels.end()),
            (std::vector<std::string_view>{"own stones", "opponent's stones", "empty squares", "holes"}));
  const std::string board = "wwb1/2xb/w3/4";
  const std::string own_white = "1100 0000 1000 0000 ";
  const std::string own_black = "0010 0001 0000 0000 ";
  const std::string empty = "0001 1100 0111 1111 ";
  const std::string holes = "0000 0010 0000 0000 ";
  const auto bits = [](const std::string& text) {
    std::vector<float> values;
    for (const char c : text) {
      if (c != ' ') values.push_back(c == '1' ? 1.0f : 0.0f);
    }
    return values;
  };
  EXPECT_EQ(planes_of<float>(parse_position(board + " w")), bits(own_white + own_black + empty + holes));
  EXPECT_EQ(planes_of<float>(parse_position(board + " b")), bits(own_black + own_white + empty + holes));
  const std::vector<std::uint8_t> mask = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(mask_of(parse_position(board + " w")), mask);
}

TEST(Observation, RandomPositionsMatchTheirCharactersSquareBySquare) {
  Random random(6, Stream::kTest, 0);
  for (int trial = 0; trial < 500; ++trial) {
    const int size = kMinSize + static_cast<int>(random.below(6));
    const Color mover = random.below(2) == 0 ? Color::kWhite : Color::kBlack;
    const Rows rows = random_rows(size, "wb.x", random);
    const Position position = position_of(rows, mover);
    const std::string letters = mover == Color::kWhite ? "wb.x" : "bw.x";
    const auto planes = planes_of<std::uint8_t>(position);
    const auto mask = mask_of(position);
    std::size_t next = 0;
    for (const char letter : letters) {
      for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
          ASSERT_EQ(planes[next++], at(rows, row, column) == letter ? 1 : 0);
        }
      }
    }
    for (int action = 0; action < size * size; ++action) {
      ASSERT_EQ(mask[static_cast<std::size_t>(action)],
                at(rows, action / size, action % size) == '.' ? 1 : 0);
    }
  }
}

TEST(Observation, APositionLooksLikeItsColorSwappedTwin) {
  Random random(7, Stream::kTest, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const Position position = position_of(
        random_rows(kMinSize + static_cast<int>(random.below(6)), "wwb.x", random), Color::kBlack);
    ASSERT_EQ(planes_of<float>(position), planes_of<float>(swap_colors(position)));
  }
}

}  // namespace
}  // namespace pahtum::test
