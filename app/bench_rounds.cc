#include "app/bench_rounds.h"

#include <algorithm>
#include <utility>

namespace pahtum {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

BenchRounds::Row BenchRounds::add(std::string what, std::string unit, Measure measure,
                                  std::optional<Row> against) {
  shown_.push_back({measurements_.size(), std::move(what), std::move(unit), 1.0, against});
  measurements_.push_back({std::move(measure), {}});
  return shown_.size() - 1;
}

BenchRounds::Row BenchRounds::show(Row row, std::string what, std::string unit, double factor, Row against) {
  shown_.push_back({shown_[row].measurement, std::move(what), std::move(unit), factor, against});
  return shown_.size() - 1;
}

void BenchRounds::run(double seconds) {
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (Measurement& measurement : measurements_) {
      measurement.values.push_back(measurement.measure(seconds / kRounds));
    }
  }
}

std::vector<BenchRow> BenchRounds::rows() const {
  std::vector<BenchRow> rows;
  for (const Shown& shown : shown_) {
    const std::vector<double>& values = measurements_[shown.measurement].values;
    BenchRow& row = rows.emplace_back();
    row.what = shown.what;
    row.value = median(values) * shown.factor;
    row.unit = shown.unit;
    row.best = std::ranges::max(values) * shown.factor;
    if (!shown.against) continue;
    const Shown& other = shown_[*shown.against];
    std::vector<double> ratios;
    for (std::size_t round = 0; round < values.size(); ++round) {
      ratios.push_back(values[round] * shown.factor /
                       (measurements_[other.measurement].values[round] * other.factor));
    }
    row.ratio = median(ratios);
    row.against = other.what;
  }
  return rows;
}

}  // namespace pahtum
