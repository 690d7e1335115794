#include "search/line_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace pahtum {
namespace {

RegionKinds::Found find(const std::string& text) {
  return RegionKinds::all().find(text);
}

TEST(LineRegions, AKindIsOneUpToMirrorAndColour) {
  const RegionKinds::Found found = find("..bb");
  ASSERT_NE(found.kind, RegionKinds::kNone);
  EXPECT_EQ(RegionKinds::all().text(static_cast<std::size_t>(found.kind)), "..bb");
  EXPECT_EQ(find("bb..").kind, found.kind);
  EXPECT_EQ(find("ww..").kind, found.kind);
  EXPECT_EQ(find("..ww").kind, found.kind);
  EXPECT_EQ(find("bb..").sign, find("..bb").sign);
  EXPECT_EQ(find("ww..").sign, -find("..bb").sign);
  EXPECT_NE(find(".bb.").kind, found.kind);
  // The same with the colours exchanged: no colour has anything over the other.
  EXPECT_EQ(find("b..w").sign, 0);
  EXPECT_TRUE(RegionKinds::all().is_balanced(static_cast<std::size_t>(find("b..w").kind)));
  EXPECT_EQ(find("...").sign, 0);
}

TEST(LineRegions, WhatCanBringNothingIsNone) {
  for (const char* text : {"", "w", "..", "ww", "b.w", ".wb.", "wwb"}) {
    EXPECT_EQ(find(text).kind, RegionKinds::kNone) << text;
  }
  EXPECT_NE(find("bbb").kind, RegionKinds::kNone);
  EXPECT_NE(find("b.ww").kind, RegionKinds::kNone);
}

TEST(LineRegions, EveryKindIsItsOwnSmallestForm) {
  const RegionKinds& kinds = RegionKinds::all();
  std::set<std::string> seen;
  for (std::size_t kind = 0; kind < kinds.count(); ++kind) {
    const std::string& text = kinds.text(kind);
    EXPECT_TRUE(seen.insert(text).second) << text;
    EXPECT_EQ(kinds.find(text).kind, static_cast<std::int32_t>(kind)) << text;
    EXPECT_EQ(kinds.find(text).sign, kinds.is_balanced(kind) ? 0 : 1) << text;
  }
  EXPECT_TRUE(seen.contains("........"));
}

// The regions of a line by cutting its text.
std::multiset<std::pair<int, int>> naive_regions(const std::string& line) {
  std::multiset<std::pair<int, int>> regions;
  std::string region;
  for (const char square : line + "x") {
    const bool unlike = !region.empty() && region.back() != '.' && square != '.' && region.back() != square;
    if (square == 'x' || unlike) {
      const RegionKinds::Found found = find(region);
      if (found.kind != RegionKinds::kNone) regions.emplace(found.kind, found.sign);
      region.clear();
    }
    if (square != 'x') region += square;
  }
  return regions;
}

TEST(LineRegions, EveryLineIsCutAtHolesAndBetweenUnlikeStones) {
  for (const int size : {3, 5, 7}) {
    const LineRegions& lines = LineRegions::of(size);
    ASSERT_EQ(lines.count(), std::size_t{1} << (2 * size));
    for (std::size_t contents = 0; contents < lines.count(); ++contents) {
      std::string line;
      for (int k = 0; k < size; ++k) {
        const bool mine = (contents >> k & 1) != 0;
        const bool theirs = (contents >> (size + k) & 1) != 0;
        line += mine ? (theirs ? 'x' : 'w') : theirs ? 'b' : '.';
      }
      std::multiset<std::pair<int, int>> found;
      for (const RegionKinds::Found& term : lines[contents]) {
        if (term.kind != RegionKinds::kNone) found.emplace(term.kind, term.sign);
      }
      ASSERT_EQ(found, naive_regions(line)) << line;
    }
  }
}

}  // namespace
}  // namespace pahtum
