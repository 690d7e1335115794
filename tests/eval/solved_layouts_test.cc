#include "eval/solved_layouts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "env/base/files.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using test::expect_error;

SolvedLayouts some() {
  SolvedLayouts solved{3, 1, Objective::kMargin, {}};
  int value = -3;
  for (const Layout& layout : layouts_up_to_symmetry(3, 1)) {
    const Position start = start_of(solved, layout);
    solved.layouts.push_back({layout, value, nth_legal(start, 0), 100 + static_cast<std::uint64_t>(value)});
    value += 3;
  }
  return solved;
}

class SolvedLayoutsFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(testing::TempDir()) /
            ("pahtum-layouts-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

TEST_F(SolvedLayoutsFile, HoldsWhatWasSaved) {
  const SolvedLayouts solved = some();
  ASSERT_EQ(solved.layouts.size(), 3u);
  save_solved_layouts(path_, solved);
  const SolvedLayouts loaded = load_solved_layouts(path_);
  EXPECT_EQ(loaded.size, 3);
  EXPECT_EQ(loaded.holes, 1);
  EXPECT_EQ(loaded.objective, Objective::kMargin);
  EXPECT_EQ(loaded.layouts, solved.layouts);
}

TEST_F(SolvedLayoutsFile, EveryCutAndEveryChangedByteIsRefused) {
  save_solved_layouts(path_, some());
  const std::string text = read_file(path_);
  for (std::size_t length = 0; length < text.size(); ++length) {
    write_file_atomically(path_, text.substr(0, length));
    expect_error(Fault::kRequest, {path_.string()}, [&] { static_cast<void>(load_solved_layouts(path_)); });
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char other : {'0', ' ', '\n', 'x', '\0'}) {
      if (text[at] == other) continue;
      std::string changed = text;
      changed[at] = other;
      write_file_atomically(path_, changed);
      expect_error(Fault::kRequest, {path_.string()}, [&] { static_cast<void>(load_solved_layouts(path_)); });
    }
  }
  expect_error(Fault::kRequest, {"nowhere"}, [] { static_cast<void>(load_solved_layouts("nowhere")); });
}

TEST_F(SolvedLayoutsFile, FaultsNameTheirLine) {
  write_file_atomically(path_, std::string_view("pahtum-layouts 1 3 1 margin\n2x/3/3 w 4 0\nend 1 5\n"));
  expect_error(Fault::kRequest, {path_.string() + ":2", "POSITION"},
               [&] { static_cast<void>(load_solved_layouts(path_)); });
  write_file_atomically(path_, std::string_view("pahtum-layouts 2 3 1 margin\nend 0 5\n"));
  expect_error(Fault::kRequest, {path_.string() + ":1", "pahtum-layouts 1"},
               [&] { static_cast<void>(load_solved_layouts(path_)); });
}

// Forms count, not layouts: a corner stands for four, an edge for four, the centre for one.
TEST(LayoutSummary, CountsEveryForm) {
  const SolvedLayouts solved = some();
  const LayoutSummary summary = summarize(solved);
  EXPECT_EQ(summary.layouts, 3);
  EXPECT_EQ(summary.forms, 9);
  EXPECT_EQ(summary.white + summary.draws + summary.black, 9);
  EXPECT_EQ(summary.black, solved.layouts[0].layout.forms);
  EXPECT_EQ(summary.draws, solved.layouts[1].layout.forms);
  EXPECT_EQ(summary.least, -3);
  EXPECT_EQ(summary.most, 3);
  std::vector<int> values;
  for (const SolvedLayout& row : solved.layouts)
    values.insert(values.end(), static_cast<std::size_t>(row.layout.forms), row.value);
  EXPECT_EQ(summary.lower_quartile, values[2]);
  EXPECT_EQ(summary.median, values[4]);
  EXPECT_EQ(summary.upper_quartile, values[6]);
  ASSERT_EQ(summary.hardest.size(), 3u);
  EXPECT_EQ(summary.hardest.front(), solved.layouts.back());
}

}  // namespace
}  // namespace pahtum
