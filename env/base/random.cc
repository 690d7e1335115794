#include "env/base/random.h"

#include <cmath>
#include <numbers>

namespace pahtum {

double Random::normal() noexcept {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Random::gamma(double shape) noexcept {
  if (shape < 1.0) {
    // Gamma(a) = Gamma(a + 1) · U^(1/a).
    const double boosted = gamma(shape + 1.0);
    return boosted * std::pow(1.0 - uniform(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace pahtum
