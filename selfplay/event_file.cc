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

#include "env/base/bytes.h"
#include "env/base/files.h"
#include "env/base/protobuf.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

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
constexpr std::int64_t kStatusStart = 1;
constexpr std::string_view kEventVersion = "brain.Event:2";

ProtobufMessage& add_doubles(ProtobufMessage& message, std::uint32_t field,
                             const std::vector<double>& values) {
  std::string packed;
  append_numbers(packed, std::span(values));
  return message.bytes(field, packed);
}

ProtobufMessage histogram_message(const Histogram& histogram) {
  ProtobufMessage message;
  message.real64(kMinimum, histogram.minimum())
      .real64(kMaximum, histogram.maximum())
      .real64(kCount, static_cast<double>(histogram.count()))
      .real64(kSum, histogram.sum())
      .real64(kSumOfSquares, histogram.sum_of_squares());
  add_doubles(message, kBucketLimit, histogram.limits());
  return add_doubles(message, kBucket, histogram.counts());
}

ProtobufMessage value_message(const EventValue& value) {
  ProtobufMessage message;
  message.bytes(kTag, value.tag);
  if (const auto* number = std::get_if<float>(&value.value)) return message.real32(kSimpleValue, *number);
  return message.message(kHistogram, histogram_message(std::get<Histogram>(value.value)));
}

// The beginning that all events share. A step of 0 is left out, as the format's own writers do.
ProtobufMessage event_start(double wall_time, std::int64_t step) {
  ProtobufMessage message;
  message.real64(kWallTime, wall_time);
  return step == 0 ? message : message.integer(kStep, step);
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
  append_number(record, static_cast<std::uint64_t>(data.size()));
  append_number(record, masked_crc(record));
  record += data;
  append_number(record, masked_crc(data));
  return record;
}

std::string version_event(double wall_time) {
  return event_record(event_start(wall_time, 0).bytes(kFileVersion, kEventVersion).encoded());
}

std::string session_event(double wall_time, std::int64_t first_step) {
  const ProtobufMessage session = ProtobufMessage().integer(kStatus, kStatusStart);
  return event_record(event_start(wall_time, first_step).message(kSessionLog, session).encoded());
}

std::string summary_event(double wall_time, std::int64_t step, const std::vector<EventValue>& values) {
  ProtobufMessage summary;
  for (const EventValue& value : values) summary.message(kValue, value_message(value));
  return event_record(event_start(wall_time, step).message(kSummary, summary).encoded());
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
  return data.ends_with(ProtobufMessage().bytes(kFileVersion, kEventVersion).encoded());
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
