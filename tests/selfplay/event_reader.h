#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/base/files.h"
#include "selfplay/event_file.h"

namespace pahtum {

struct TestHistogram {
  double minimum = 0, maximum = 0, count = 0, sum = 0, sum_of_squares = 0;
  std::vector<double> limits, counts;
};

struct TestEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;
  bool starts_session = false;
  std::map<std::string, float> scalars;
  std::map<std::string, TestHistogram> histograms;
};

// Takes the bytes of a protocol-buffer message apart, field by field.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) : bytes_(bytes) {}

  // Moves on to the next field; false at the end.
  bool next() {
    if (bytes_.empty()) return false;
    const std::uint64_t key = varint();
    field = static_cast<int>(key >> 3);
    switch (key & 7) {
      case 0:
        number = varint();
        break;
      case 1:
        content = take(8);
        break;
      case 2:
        content = take(varint());
        break;
      case 5:
        content = take(4);
        break;
      default:
        ADD_FAILURE() << "wire type " << (key & 7);
        bytes_ = {};
    }
    return true;
  }
  [[nodiscard]] double as_double() const { return as<double>(0); }
  [[nodiscard]] float as_float() const { return as<float>(0); }
  [[nodiscard]] std::vector<double> as_doubles() const {
    std::vector<double> values;
    for (std::size_t at = 0; at < content.size(); at += 8) values.push_back(as<double>(at));
    return values;
  }

  int field = 0;
  std::uint64_t number = 0;
  std::string_view content;

 private:
  template <class T>
  [[nodiscard]] T as(std::size_t at) const {
    T value{};
    EXPECT_LE(at + sizeof(T), content.size());
    std::memcpy(&value, content.data() + at, sizeof(T));
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    ADD_FAILURE() << "an unfinished number";
    return value;
  }
  std::string_view take(std::size_t count) {
    EXPECT_LE(count, bytes_.size());
    const std::string_view part = bytes_.substr(0, count);
    bytes_.remove_prefix(part.size());
    return part;
  }

  std::string_view bytes_;
};

inline TestHistogram read_histogram(std::string_view bytes) {
  TestHistogram histogram;
  for (ProtoReader reader(bytes); reader.next();) {
    if (reader.field == 1) histogram.minimum = reader.as_double();
    if (reader.field == 2) histogram.maximum = reader.as_double();
    if (reader.field == 3) histogram.count = reader.as_double();
    if (reader.field == 4) histogram.sum = reader.as_double();
    if (reader.field == 5) histogram.sum_of_squares = reader.as_double();
    if (reader.field == 6) histogram.limits = reader.as_doubles();
    if (reader.field == 7) histogram.counts = reader.as_doubles();
  }
  return histogram;
}

inline TestEvent read_event(std::string_view bytes) {
  TestEvent event;
  for (ProtoReader reader(bytes); reader.next();) {
    if (reader.field == 1) event.wall_time = reader.as_double();
    if (reader.field == 2) event.step = static_cast<std::int64_t>(reader.number);
    if (reader.field == 3) event.file_version = reader.content;
    if (reader.field == 7) event.starts_session = reader.content == std::string_view("\x08\x01");
    if (reader.field != 5) continue;
    for (ProtoReader summary(reader.content); summary.next();) {
      std::string tag;
      for (ProtoReader value(summary.content); value.next();) {
        if (value.field == 1) tag = value.content;
        if (value.field == 2) event.scalars[tag] = value.as_float();
        if (value.field == 5) event.histograms[tag] = read_histogram(value.content);
      }
    }
  }
  return event;
}

// The events of a file's bytes.
inline std::vector<TestEvent> read_events(std::string_view bytes) {
  const EventRecords records = read_event_records(bytes);
  EXPECT_FALSE(records.cut_short) << "a record cut short";
  EXPECT_FALSE(records.damaged_at.has_value()) << "a record with a wrong checksum";
  std::vector<TestEvent> events;
  for (const std::string_view data : records.data) events.push_back(read_event(data));
  return events;
}

// What a reader shows of a run's folder: its files in the order of their names, where the start of a session
// voids its step and later ones.
inline std::vector<TestEvent> read_run_events(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find("tfevents") != std::string::npos) files[name] = entry.path();
  }
  std::vector<TestEvent> shown;
  for (const auto& [name, path] : files) {
    for (const TestEvent& event : read_events(read_file(path))) {
      if (event.starts_session)
        std::erase_if(shown, [&](const TestEvent& old) { return old.step >= event.step; });
      if (!event.scalars.empty()) shown.push_back(event);
    }
  }
  return shown;
}

}  // namespace pahtum
