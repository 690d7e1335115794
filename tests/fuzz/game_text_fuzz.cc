#include <cstddef>
#include <cstdint>

#include "tests/fuzz/game_text_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pahtum::fuzz::fuzz_game_text({data, size});
  return 0;
}
