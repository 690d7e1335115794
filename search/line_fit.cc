#include "search/line_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <atomic>
#include <string>

#include "env/base/thread_team.h"
#include "search/line_regions.h"
#include "search/line_tables.h"

namespace pahtum {
namespace {

constexpr double kBalanceOfOnePoint = 1.0 / 20.0;

// A sample's evaluation as a sum of weights: column 0 is to_move, 1 + 2k the balance of kind k and 2 + 2k its
// tempo.
struct Term {
  Eigen::Index column;
  double factor;
};

void find_terms(const Position& position, std::vector<Term>& terms) {
  terms.assign({{0, 1.0}});
  const LineRegions& lines = LineRegions::of(position.size);
  const auto all = (Bitboard{1} << position.size) - 1;
  const auto add = [&](Bitboard mine, Bitboard theirs) {
    for (int k = 0; k < position.size; ++k) {
      const std::size_t contents =
          line_contents(mine >> (8 * k) & all, theirs >> (8 * k) & all, position.size);
      for (const RegionKinds::Found& found : lines[contents]) {
        if (found.kind == RegionKinds::kNone) break;
        if (found.sign != 0) terms.push_back({1 + 2 * Eigen::Index{found.kind}, double(found.sign)});
        terms.push_back({2 + 2 * Eigen::Index{found.kind}, 1.0});
      }
    }
  };
  const Bitboard mine = position.own() | position.holes;
  const Bitboard theirs = position.theirs() | position.holes;
  add(mine, theirs);
  add(transpose(mine), transpose(theirs));
}

Eigen::VectorXd as_vector(const LineWeights::Phase& phase) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(1 + 2 * phase.kinds.size()));
  vector[0] = phase.to_move;
  for (std::size_t k = 0; k < phase.kinds.size(); ++k) {
    vector[static_cast<Eigen::Index>(1 + 2 * k)] = phase.kinds[k].balance;
    vector[static_cast<Eigen::Index>(2 + 2 * k)] = phase.kinds[k].tempo;
  }
  return vector;
}

LineWeights::Phase fit_phase(std::span<const LineSample> samples, std::size_t number, double ridge,
                             const LineWeights::Phase& prior) {
  const Eigen::VectorXd expected = as_vector(prior);
  const Eigen::Index columns = expected.size();
  // The normal equations; only the lower triangle is filled.
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(columns, columns);
  Eigen::VectorXd vector = ridge * expected;
  matrix.diagonal().setConstant(ridge);
  std::vector<Term> terms;
  for (const LineSample& sample : samples) {
    if (LineWeights::phase_of(sample.position.empty_count()) != number) continue;
    find_terms(sample.position, terms);
    for (const Term& column : terms) {
      vector[column.column] += column.factor * sample.result;
      for (const Term& row : terms) {
        if (row.column >= column.column) matrix(row.column, column.column) += row.factor * column.factor;
      }
    }
  }
  const Eigen::VectorXd weights = matrix.selfadjointView<Eigen::Lower>().llt().solve(vector);
  LineWeights::Phase fitted = prior;
  fitted.to_move = weights[0];
  for (std::size_t k = 0; k < fitted.kinds.size(); ++k) {
    if (!RegionKinds::all().is_balanced(k)) {
      fitted.kinds[k].balance = weights[static_cast<Eigen::Index>(1 + 2 * k)];
    }
    fitted.kinds[k].tempo = weights[static_cast<Eigen::Index>(2 + 2 * k)];
  }
  return fitted;
}

}  // namespace

LineWeights expected_point_weights() {
  LineWeights weights;
  const RegionKinds& kinds = RegionKinds::all();
  const auto lines = LineTables::of(kRunPoints);
  for (std::size_t kind = 0; kind < kinds.count(); ++kind) {
    std::size_t white = 0;
    std::size_t black = 0;
    const std::string& text = kinds.text(kind);
    for (std::size_t k = 0; k < text.size(); ++k) {
      white |= std::size_t{text[k] == 'w'} << k;
      black |= std::size_t{text[k] == 'b'} << k;
    }
    const std::size_t empty = ((std::size_t{1} << text.size()) - 1) & ~(white | black);
    const double points = double{lines->expected[LineTables::line_number(white, empty)]} -
                          double{lines->expected[LineTables::line_number(black, empty)]};
    for (LineWeights::Phase& phase : weights.phases) {
      phase.kinds[kind].balance = kinds.is_balanced(kind) ? 0.0 : kBalanceOfOnePoint * points;
    }
  }
  return weights;
}

LineWeights fit_line_weights(std::span<const LineSample> samples, double ridge, const LineWeights& prior) {
  LineWeights fitted;
  std::atomic<std::size_t> next = 0;
  ThreadTeam team(hardware_threads());
  team.run([&](int) {
    for (std::size_t phase = next++; phase < LineWeights::kPhases; phase = next++) {
      fitted.phases[phase] = fit_phase(samples, phase, ridge, prior.phases[phase]);
    }
  });
  return fitted;
}

double mean_squared_error(std::span<const LineSample> samples, const LineWeights& weights) {
  std::vector<Eigen::VectorXd> by_phase;
  for (const LineWeights::Phase& phase : weights.phases) by_phase.push_back(as_vector(phase));
  double sum = 0.0;
  std::vector<Term> terms;
  for (const LineSample& sample : samples) {
    const Eigen::VectorXd& values = by_phase[LineWeights::phase_of(sample.position.empty_count())];
    find_terms(sample.position, terms);
    double evaluation = 0.0;
    for (const Term& term : terms) evaluation += term.factor * values[term.column];
    sum += (evaluation - sample.result) * (evaluation - sample.result);
  }
  return sum / static_cast<double>(samples.size());
}

}  // namespace pahtum
