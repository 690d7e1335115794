#include <cstddef>
#include <cstdint>

#include "tests/fuzz/ugi_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pahtum::fuzz::fuzz_ugi({data, size});
  return 0;
}
