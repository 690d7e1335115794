#include <gtest/gtest.h>

#include "tests/fuzz/corpus.h"
#include "tests/fuzz/gtp_target.h"
#include "tests/fuzz/ugi_target.h"

namespace pahtum::fuzz {
namespace {

TEST(FuzzCorpus, Gtp) {
  replay("gtp", fuzz_gtp);
}

TEST(FuzzCorpus, Ugi) {
  replay("ugi", fuzz_ugi);
}

}  // namespace
}  // namespace pahtum::fuzz
