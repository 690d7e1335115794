#include "selfplay/event_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <span>
#include <system_error>
#include <type_traits>

#include "env/base/files.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view kNamePrefix = "events.out.tfevents.";

// Field numbers of event.proto and summary.proto.
enum EventField : std::uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7 };
enum SummaryField : std::uint32_t { kValue = 1 };
enum ValueField : std::uint32_t { kTag = 1, kSimpleValue = 2, kHistogram = 5 };
enum HistogramField : std::uint32_t {
  kMinimum = 1,
  kMaximum = 2,
  kCount = 3,
  kSum = 4,
  kSumOfSquares = 5,
  kBucketLimit = 6,
  kBucket = 7
};
enum SessionField : std::uint32_t { kStatus = 1 };
constexpr std::uint64_t kStatusStart = 1;
constexpr std::string_view kVersion = "brain.Event:2";

// Wire types of protocol buffers.
constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kLengthDelimited = 2;
constexpr std::uint32_t kFixed32 = 5;

template <class T>
void append_raw(std::string& bytes, T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  bytes.append(raw.data(), raw.size());
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  bytes += static_cast<char>(value);
}

void append_key(std::string& bytes, std::uint32_t field, std::uint32_t wire_type) {
  append_varint(bytes, field << 3 | wire_type);
}

void append_double(std::string& bytes, std::uint32_t field, double value) {
  append_key(bytes, field, kFixed64);
  append_raw(bytes, value);
}

void append_bytes(std::string& bytes, std::uint32_t field, std::string_view value) {
  append_key(bytes, field, kLengthDelimited);
  append_varint(bytes, value.size());
  bytes += value;
}

void append_doubles(std::string& bytes, std::uint32_t field, const std::vector<double>& values) {
  std::string packed;
  for (const double value : values) append_raw(packed, value);
  append_bytes(bytes, field, packed);
}

std::string histogram_message(const Histogram& histogram) {
  std::string bytes;
  append_double(bytes, kMinimum, histogram.minimum());
  append_double(bytes, kMaximum, histogram.maximum());
  append_double(bytes, kCount, static_cast<double>(histogram.count()));
  append_double(bytes, kSum, histogram.sum());
  append_double(bytes, kSumOfSquares, histogram.sum_of_squares());
  append_doubles(bytes, kBucketLimit, histogram.limits());
  append_doubles(bytes, kBucket, histogram.counts());
  return bytes;
}

std::string value_message(const EventValue& value) {
  std::string bytes;
  append_bytes(bytes, kTag, value.tag);
  if (const auto* number = std::get_if<float>(&value.value)) {
    append_key(bytes, kSimpleValue, kFixed32);
    append_raw(bytes, *number);
  } else {
    append_bytes(bytes, kHistogram, histogram_message(std::get<Histogram>(value.value)));
  }
  return bytes;
}

// The beginning that all events share. A step of 0 is left out, as the format's own writers do.
std::string event_start(double wall_time, std::int64_t step) {
  std::string bytes;
  append_double(bytes, kWallTime, wall_time);
  if (step != 0) {
    append_key(bytes, kStep, kVarint);
    append_varint(bytes, static_cast<std::uint64_t>(step));
  }
  return bytes;
}

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xA282EAD8u;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

// A second after those that the event files of the folder name, but not before the clock's.
std::int64_t free_second(const fs::path& folder, std::int64_t clock) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kNamePrefix)) continue;
    std::int64_t second = 0;
    const auto [end, fault] =
        std::from_chars(name.data() + kNamePrefix.size(), name.data() + name.size(), second);
    if (fault == std::errc() && *end == '.' && second < 9'999'999'999) clock = std::max(clock, second + 1);
  }
  return clock;
}

// As many digits for every second, so that the order of names is that of time.
std::string ten_digits(std::int64_t second) {
  std::string digits = std::to_string(second);
  return std::string(10 - std::min<std::size_t>(10, digits.size()), '0') + digits;
}

}  // namespace

Histogram::Histogram(double low, double high, int buckets)
    : low_(low), width_((high - low) / buckets), counts_(static_cast<std::size_t>(buckets)) {
  assert(low < high && buckets >= 1);
}

void Histogram::add(double value) noexcept {
  if (std::isnan(value)) return;
  const double bucket = std::floor((value - low_) / width_);
  const auto last = static_cast<double>(counts_.size() - 1);
  ++counts_[static_cast<std::size_t>(std::clamp(bucket, 0.0, last))];
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = count_ == 0 ? value : std::max(maximum_, value);
  ++count_;
  sum_ += value;
  sum_of_squares_ += value * value;
}

std::vector<double> Histogram::limits() const {
  std::vector<double> limits(counts_.size());
  for (std::size_t k = 0; k < limits.size(); ++k) limits[k] = low_ + width_ * static_cast<double>(k + 1);
  limits.back() = std::max(limits.back(), maximum_);
  return limits;
}

std::string event_record(std::string_view data) {
  std::string record;
  append_raw(record, static_cast<std::uint64_t>(data.size()));
  append_raw(record, masked_crc(record));
  record += data;
  append_raw(record, masked_crc(data));
  return record;
}

std::string version_event(double wall_time) {
  std::string bytes = event_start(wall_time, 0);
  append_bytes(bytes, kFileVersion, kVersion);
  return event_record(bytes);
}

std::string session_event(double wall_time, std::int64_t first_step) {
  std::string session;
  append_key(session, kStatus, kVarint);
  append_varint(session, kStatusStart);
  std::string bytes = event_start(wall_time, first_step);
  append_bytes(bytes, kSessionLog, session);
  return event_record(bytes);
}

std::string summary_event(double wall_time, std::int64_t step, const std::vector<EventValue>& values) {
  std::string summary;
  for (const EventValue& value : values) append_bytes(summary, kValue, value_message(value));
  std::string bytes = event_start(wall_time, step);
  append_bytes(bytes, kSummary, summary);
  return event_record(bytes);
}

EventRecords read_event_records(std::string_view bytes) {
  constexpr std::size_t kLengthSize = sizeof(std::uint64_t), kCrcSize = sizeof(std::uint32_t);
  constexpr std::size_t kAround = kLengthSize + 2 * kCrcSize;
  EventRecords records;
  const auto crc_at = [&](std::size_t at) {
    std::uint32_t crc = 0;
    std::memcpy(&crc, bytes.data() + at, kCrcSize);
    return crc;
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t left = bytes.size() - at;
    if (left < kLengthSize + kCrcSize) {
      records.cut_short = true;
      break;
    }
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, kLengthSize);
    if (crc_at(at + kLengthSize) != masked_crc(bytes.substr(at, kLengthSize))) {
      records.damaged_at = at;
      break;
    }
    if (left < kAround || length > left - kAround) {
      records.cut_short = true;
      break;
    }
    const std::string_view data = bytes.substr(at + kLengthSize + kCrcSize, length);
    if (crc_at(at + kLengthSize + kCrcSize + length) != masked_crc(data)) {
      records.damaged_at = at;
      break;
    }
    records.data.push_back(data);
    at += kAround + length;
  }
  return records;
}

bool is_version_event(std::string_view data) {
  std::string field;
  append_bytes(field, kFileVersion, kVersion);
  return data.ends_with(field);
}

EventFile::EventFile(const fs::path& folder, std::int64_t first_step) {
  const double time = now();
  const std::int64_t second = free_second(folder, static_cast<std::int64_t>(time));
  path_ = folder / (std::string(kNamePrefix) + ten_digits(second) + "." + host_name());
  append_to_file(path_, version_event(time) + session_event(time, first_step));
}

void EventFile::add(std::int64_t step, const std::vector<EventValue>& values) {
  append_to_file(path_, summary_event(now(), step, values));
}

}  // namespace pahtum
