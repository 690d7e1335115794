#include <cstddef>
#include <cstdint>

#include "tests/fuzz/oracle_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pahtum::fuzz::fuzz_oracle({data, size});
  return 0;
}
