# Finds LibTorch and offers it as the target pahtum_torch, with its headers marked as system headers.

find_package(Torch QUIET)
if(NOT Torch_FOUND)
  message(FATAL_ERROR "LibTorch was not found. On Debian: apt-get install libtorch-dev (scripts/setup does it). "
                      "With a LibTorch of your own: -DCMAKE_PREFIX_PATH=/path/to/libtorch. "
                      "To build env and search alone: -DPAHTUM_WITH_TORCH=OFF.")
endif()
message(STATUS "LibTorch ${Torch_VERSION}")

add_library(pahtum_torch INTERFACE)
target_include_directories(pahtum_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(pahtum_torch INTERFACE ${TORCH_LIBRARIES})
if(TORCH_CXX_FLAGS)
  separate_arguments(pahtum_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(pahtum_torch INTERFACE ${pahtum_torch_flags})
endif()
