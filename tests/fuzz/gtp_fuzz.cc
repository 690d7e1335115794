#include <cstddef>
#include <cstdint>

#include "tests/fuzz/gtp_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pahtum::fuzz::fuzz_gtp({data, size});
  return 0;
}
