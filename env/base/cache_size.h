#pragma once

#include <cstddef>

namespace pahtum {

// Bytes of the last-level cache that one core can use; 32 MiB where the system does not say.
[[nodiscard]] std::size_t last_level_cache_bytes();

}  // namespace pahtum
