#include "env/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace pahtum {
namespace {

using Words = std::vector<std::string>;

TEST(Text, BlanksSeparateAndSurroundWords) {
  EXPECT_EQ(trimmed(" \ta b\r"), "a b");
  EXPECT_EQ(trimmed("\t "), "");
  EXPECT_EQ(split_words("  play\tb  d4 \r"), (Words{"play", "b", "d4"}));
  EXPECT_EQ(split_words(" "), Words{});
  EXPECT_EQ(joined(Words{"7/7", "w"}), "7/7 w");
  EXPECT_EQ(joined(Words{}), "");
}

TEST(Text, LettersAreLoweredAndControlCharactersShown) {
  EXPECT_EQ(lower_case("D4 Swap"), "d4 swap");
  EXPECT_EQ(printable("a\nb\x7f\x1b[0m\xc3\xa9"), "a b  [0m\xc3\xa9");
}

TEST(Text, OnlyAWholeTextIsANumber) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<double>("0.5"), 0.5);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "0x1"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(decimal(-0.125, 2), "-0.12");
  EXPECT_EQ(decimal(3.0, 0), "3");
  EXPECT_EQ(decimal(1e300, 2).size(), 304u);
  EXPECT_EQ(counted(1, "ply", "plies"), "1 ply");
  EXPECT_EQ(counted(0, "ply", "plies"), "0 plies");
}

}  // namespace
}  // namespace pahtum
