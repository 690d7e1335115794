#pragma once

#include <string>
#include <utility>

#include "env/base/error.h"

namespace pahtum {

// A computation gave a number that is not finite: a kFailure that a training run may have a rule for.
class NonFiniteError : public Error {
 public:
  NonFiniteError(std::string subject, const std::string& message)
      : Error(Fault::kFailure, std::move(subject), message) {}
};

}  // namespace pahtum
