#include <gtest/gtest.h>

#include "tests/fuzz/corpus.h"
#include "tests/fuzz/line_weights_target.h"

namespace pahtum::fuzz {
namespace {

TEST(FuzzCorpus, LineWeights) {
  replay("line_weights", fuzz_line_weights);
}

}  // namespace
}  // namespace pahtum::fuzz
