#include "env/base/cache_size.h"

#include <unistd.h>

#include <fstream>

namespace pahtum {

std::size_t last_level_cache_bytes() {
  // sysconf() adds up the caches of all clusters of cores, so the kernel's list of what the first core sees
  // comes first.
  std::size_t kibibytes = 0;
  char unit = 0;
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  if (file >> kibibytes >> unit && unit == 'K') return kibibytes << 10;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return std::size_t{32} << 20;
}

}  // namespace pahtum
