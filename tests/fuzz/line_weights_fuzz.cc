#include <cstddef>
#include <cstdint>

#include "tests/fuzz/line_weights_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pahtum::fuzz::fuzz_line_weights({data, size});
  return 0;
}
