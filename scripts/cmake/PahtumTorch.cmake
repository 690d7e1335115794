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

# LibTorch dictates which std::string it was built with. The floors exchange strings, so all of them follow.
if(TORCH_CXX_FLAGS)
  separate_arguments(pahtum_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(pahtum_options INTERFACE ${pahtum_torch_flags})
  if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
    message(WARNING "This LibTorch uses the old C++ ABI, which the system's yaml-cpp, spdlog and GoogleTest do not: "
                    "linking will fail unless yours do. LibTorch is also offered with the \"cxx11 ABI\".")
  endif()
endif()

# Parsing <torch/torch.h> takes most of the time of every source that includes it.
function(pahtum_precompile_torch target)
  if(PAHTUM_PRECOMPILE_TORCH)
    target_precompile_headers(${target} PRIVATE <torch/torch.h>)
  endif()
endfunction()
