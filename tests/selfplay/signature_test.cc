#include "selfplay/signature.h"

#include <gtest/gtest.h>

namespace pahtum {
namespace {

// Whoever changes what self-play does on purpose puts the new value here and says so.
TEST(SelfplaySignature, IsAsItWas) {
  EXPECT_EQ(selfplay_signature(), 0x7999601f18943ed9ull);
}

}  // namespace
}  // namespace pahtum
