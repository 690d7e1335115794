#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pahtum {

// Counts values in buckets of equal width from `low` to `high`; what lies outside goes into the first or last
// one. NaN is not counted.
class Histogram {
 public:
  // low < high, buckets ≥ 1.
  Histogram(double low, double high, int buckets);

  void add(double value) noexcept;

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  // Of the values; 0 without any.
  [[nodiscard]] double minimum() const noexcept { return minimum_; }
  [[nodiscard]] double maximum() const noexcept { return maximum_; }
  [[nodiscard]] double sum() const noexcept { return sum_; }
  [[nodiscard]] double sum_of_squares() const noexcept { return sum_of_squares_; }
  // Right end of each bucket, ascending, and how many values lie in it. The first and the last limit reach
  // to the values outside, as readers take a bucket to hold what its ends say.
  [[nodiscard]] std::vector<double> limits() const;
  [[nodiscard]] const std::vector<double>& counts() const noexcept { return counts_; }

 private:
  double low_, width_;
  std::vector<double> counts_;
  std::int64_t count_ = 0;
  double minimum_ = 0, maximum_ = 0, sum_ = 0, sum_of_squares_ = 0;
};

// A named number or histogram of one step.
struct EventValue {
  std::string tag;  // "loss/policy": TensorBoard groups by what stands before the slash
  std::variant<float, Histogram> value;
};

// TensorBoard's event files: a row of records, each
//
//   length u64 | masked CRC-32C of the length u32 | data | masked CRC-32C of data u32      little-endian
//
// whose data is a protocol-buffer message tensorflow.Event (tensorflow/core/util/event.proto, summary.proto).
// Times are in seconds since 1970. Each function makes one whole record.
[[nodiscard]] std::string event_record(std::string_view data);
[[nodiscard]] std::string version_event(double wall_time);
// Says that a session begins: what the run's earlier files hold of `first_step` and later is void.
[[nodiscard]] std::string session_event(double wall_time, std::int64_t first_step);
[[nodiscard]] std::string summary_event(double wall_time, std::int64_t step,
                                        const std::vector<EventValue>& values);

// The records of an event file's bytes.
struct EventRecords {
  std::vector<std::string_view> data;     // of the whole ones in order; lie in the bytes given
  bool cut_short = false;                 // the bytes end within a record
  std::optional<std::size_t> damaged_at;  // offset of a record with a wrong checksum, where reading ended
};
[[nodiscard]] EventRecords read_event_records(std::string_view bytes);
// The data of a record that version_event() makes, with which every file begins.
[[nodiscard]] bool is_version_event(std::string_view data);

// Writes the events of one session of a run into a new file of the run's folder,
// events.out.tfevents.SECONDS.HOST. Readers take the files of a folder in the order of their names as one
// series; SECONDS is the clock's, and more where an earlier file has as many.
//
// Every event goes out whole in one write. After a crash a file may end within its last record, which readers
// pass over; nothing is ever written behind it, since a later session has its own file.
class EventFile {
 public:
  // Events of `first_step` and later that a crash left in older files no longer count. Throws a kFailure
  // Error naming the path when the file cannot be written, here and below.
  EventFile(const std::filesystem::path& folder, std::int64_t first_step);

  void add(std::int64_t step, const std::vector<EventValue>& values);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pahtum
