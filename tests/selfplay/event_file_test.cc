#include "selfplay/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "env/base/files.h"
#include "tests/env/expect_error.h"
#include "tests/selfplay/event_reader.h"
#include "tests/selfplay/test_runs.h"

namespace pahtum {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

TEST(EventFile, RecordsAreThoseOfOtherWriters) {
  EXPECT_EQ(hex(version_event(1.0)),
            "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a");
  EXPECT_EQ(
      hex(summary_event(2.0, 7, {{"loss/value", 0.5f}})),
      "200000000000000029eda95009000000000000004010072a130a110a0a6c6f73732f76616c7565150000003f52c5187a");
}

TEST(EventFile, StepsNumbersAndHistogramsComeBack) {
  Histogram histogram(-1, 1, 4);
  for (const double value : {-3.0, -0.9, 0.0, 0.1, 0.75, 1.0, std::nan("")}) histogram.add(value);
  const std::int64_t step = std::int64_t{1} << 40;
  const std::vector<TestEvent> events = read_events(version_event(3) + session_event(4, step) +
                                                    summary_event(5, step, {{"a", -2.5f}, {"b", histogram}}));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_TRUE(events[1].starts_session);
  EXPECT_EQ(events[1].step, step);
  EXPECT_EQ(events[2].wall_time, 5);
  EXPECT_EQ(events[2].step, step);
  EXPECT_EQ(events[2].scalars, (std::map<std::string, float>{{"a", -2.5f}}));
  const TestHistogram& read = events[2].histograms.at("b");
  EXPECT_EQ(read.minimum, -3);
  EXPECT_EQ(read.maximum, 1);
  EXPECT_EQ(read.count, 6);
  EXPECT_DOUBLE_EQ(read.sum, -2.05);
  EXPECT_DOUBLE_EQ(read.sum_of_squares, 9 + 0.81 + 0.01 + 0.5625 + 1);
  EXPECT_EQ(read.limits, (std::vector<double>{-0.5, 0, 0.5, 1}));
  EXPECT_EQ(read.counts, (std::vector<double>{2, 0, 2, 2}));
}

TEST(EventFile, TheLastBucketReachesToTheLargestValue) {
  Histogram histogram(0, 10, 2);
  histogram.add(25);
  EXPECT_EQ(histogram.limits(), (std::vector<double>{5, 25}));
  histogram.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(histogram.counts(), (std::vector<double>{0, 2}));
}

TEST(EventFile, EverySessionHasAFileBehindThoseBefore) {
  const TemporaryFolder folder;
  EventFile first(folder.path(), 1);
  first.add(8, {{"x", 1.0f}});
  first.add(16, {{"x", 2.0f}});
  // In the same second, or with a clock set back, the next session's name still comes later.
  EventFile second(folder.path(), 17);
  second.add(24, {{"x", 3.0f}});
  EXPECT_LT(first.path().filename(), second.path().filename());
  EXPECT_NE(second.path().filename().string().find("tfevents"), std::string::npos);
  const auto events = read_events(read_file(first.path()));
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].step, 1);
  EXPECT_EQ(events[3].step, 16);
  EXPECT_GT(events[3].wall_time, 1.6e9);
  EXPECT_EQ(read_events(read_file(second.path()))[1].step, 17);
}

TEST(EventFile, AFolderThatIsNotThereIsNamed) {
  test::expect_error(Fault::kFailure, {"/nowhere/at/all/events"}, [] { EventFile("/nowhere/at/all", 1); });
}

}  // namespace
}  // namespace pahtum
