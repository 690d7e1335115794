#include "search/signature.h"

#include <gtest/gtest.h>

namespace pahtum {
namespace {

// A refactoring leaves the value as it is. A change that is meant to alter layouts, observations, the search
// or the hash evaluator updates it and says so in its commit message.
TEST(Signature, IsTheSameOnEveryMachineAndEveryTime) {
  constexpr std::uint64_t kExpected = 8412142169954151769ull;
  EXPECT_EQ(behaviour_signature(), kExpected);
  EXPECT_EQ(behaviour_signature(), kExpected);
}

}  // namespace
}  // namespace pahtum
