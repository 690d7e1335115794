#include "search/line_evaluation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "search/line_regions.h"
#include "search/line_tables.h"

namespace pahtum {
namespace {

// About what makes expected points a fair guess of the result in the middle of a game of the usual points.
constexpr double kOfOnePoint = LineEvaluation::kWin / 20.0;

std::int16_t as_entry(double value) noexcept {
  constexpr double kMost = std::numeric_limits<std::int16_t>::max();
  return static_cast<std::int16_t>(std::lround(std::clamp(value, -kMost, kMost)));
}

}  // namespace

LineEvaluation::LineEvaluation(const LineWeights& weights, int size) : size_(size) {
  const LineRegions& lines = LineRegions::of(size);
  for (std::size_t phase = 0; phase < LineWeights::kPhases; ++phase) {
    const LineWeights::Phase& of_phase = weights.phases[phase];
    to_move_[phase] = static_cast<int>(std::lround(kWin * of_phase.to_move));
    tables_[phase].resize(lines.count());
    for (std::size_t contents = 0; contents < lines.count(); ++contents) {
      double sum = 0.0;
      for (const RegionKinds::Found& term : lines[contents]) {
        if (term.kind == RegionKinds::kNone) break;
        const LineWeights::Kind& kind = of_phase.kinds[static_cast<std::size_t>(term.kind)];
        sum += term.sign * kind.balance + kind.tempo;
      }
      tables_[phase][contents] = as_entry(kWin * sum);
    }
  }
}

LineEvaluation::LineEvaluation(const RunPoints& run_points, int size) : size_(size) {
  const auto lines = LineTables::of(run_points);
  // Lines of long runs stay below the largest entry whatever a run is worth.
  const double most = std::ranges::max(lines->points);
  const double scale = std::min(kOfOnePoint, std::numeric_limits<std::int16_t>::max() / std::max(1.0, most));
  const std::size_t all = (std::size_t{1} << size) - 1;
  Table table(std::size_t{1} << (2 * size));
  for (std::size_t contents = 0; contents < table.size(); ++contents) {
    const std::size_t mine = contents & all;
    const std::size_t theirs = contents >> size;
    const std::size_t empty = all & ~(mine | theirs);
    const float expected = lines->expected[LineTables::line_number(mine & ~theirs, empty)] -
                           lines->expected[LineTables::line_number(theirs & ~mine, empty)];
    table[contents] = as_entry(scale * static_cast<double>(expected));
  }
  tables_.fill(table);
}

std::shared_ptr<const LineEvaluation> LineEvaluation::of(const RunPoints& run_points, int size) {
  assert(size >= kMinSize && size <= kMaxSize);
  if (run_points != kRunPoints) return std::make_shared<const LineEvaluation>(run_points, size);
  const auto make = [](int of_size) {
    return std::make_shared<const LineEvaluation>(LineWeights::shipped(), of_size);
  };
  static const std::array kBySize = {make(3), make(4), make(5), make(6), make(7), make(8)};
  return kBySize[static_cast<std::size_t>(size - kMinSize)];
}

int LineEvaluation::evaluate(const Position& position) const noexcept {
  assert(position.size == size_);
  const int empty = position.empty_count();
  const std::int16_t* const values = table(empty);
  const std::size_t all = (std::size_t{1} << size_) - 1;
  int sum = to_move(empty);
  const auto add = [&](Bitboard mine, Bitboard theirs) {
    for (int k = 0; k < size_; ++k) {
      sum += values[line_contents(mine >> (8 * k) & all, theirs >> (8 * k) & all, size_)];
    }
  };
  const Bitboard mine = position.own() | position.holes;
  const Bitboard theirs = position.theirs() | position.holes;
  add(mine, theirs);
  add(transpose(mine), transpose(theirs));
  return sum;
}

}  // namespace pahtum
