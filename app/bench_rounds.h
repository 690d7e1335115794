#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench_row.h"

namespace pahtum {

// As rate(), by the process's time on the processor: neighbours that share the core do not count. For work on
// one thread.
template <class Work>
double processor_rate(double seconds, Work&& work) {
  static_cast<void>(work());
  const std::clock_t start = std::clock();
  double amount = 0;
  double elapsed = 0;
  do {
    amount += static_cast<double>(work());
    elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (elapsed < seconds);
  return amount / elapsed;
}

// The upper one of an even number; there is at least one.
[[nodiscard]] double median(std::vector<double> values);

// Measurements that are taken one after the other, round after round, so that a machine that changes its
// speed changes them alike; and the rows that show them.
class BenchRounds {
 public:
  static constexpr std::size_t kRounds = 9;
  using Measure = std::function<double(double seconds)>;  // a rate
  using Row = std::size_t;

  // A measurement, shown over that of the row `against`.
  Row add(std::string what, std::string unit, Measure measure, std::optional<Row> against = {});
  // The measurement of `row` once more: times `factor`, in another unit, over that of another row.
  Row show(Row row, std::string what, std::string unit, double factor, Row against);

  [[nodiscard]] const std::string& what(Row row) const { return shown_[row].what; }

  // Takes every measurement kRounds times. `seconds` is the time of one over all rounds.
  void run(double seconds);

  // Medians and best rounds; a ratio is the median of the rounds' ratios.
  [[nodiscard]] std::vector<BenchRow> rows() const;

 private:
  struct Measurement {
    Measure measure;
    std::vector<double> values;
  };
  struct Shown {
    std::size_t measurement;
    std::string what, unit;
    double factor;
    std::optional<Row> against;
  };

  std::vector<Measurement> measurements_;
  std::vector<Shown> shown_;
};

}  // namespace pahtum
