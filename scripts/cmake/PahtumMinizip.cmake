# Finds minizip, which reads zip archives, and offers it as the target pahtum_minizip. Debian's has no CMake package.
include_guard(GLOBAL)

find_path(PAHTUM_MINIZIP_INCLUDE minizip/unzip.h)
find_library(PAHTUM_MINIZIP_LIBRARY minizip)
if(NOT PAHTUM_MINIZIP_INCLUDE OR NOT PAHTUM_MINIZIP_LIBRARY)
  message(FATAL_ERROR "minizip was not found. On Debian: apt-get install libminizip-dev zlib1g-dev "
                      "(scripts/setup does it).")
endif()
add_library(pahtum_minizip INTERFACE)
target_include_directories(pahtum_minizip SYSTEM INTERFACE "${PAHTUM_MINIZIP_INCLUDE}")
target_link_libraries(pahtum_minizip INTERFACE "${PAHTUM_MINIZIP_LIBRARY}")
