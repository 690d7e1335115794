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

# CUDA's streams and graphs are called directly, from model/cuda_stream.cc alone: where LibTorch has them, the target
# pahtum_cuda says so. Headers alone prove nothing: Debian's LibTorch, which has no CUDA, ships them too.
option(PAHTUM_WITH_CUDA "Run networks on CUDA devices by streams and graphs, where LibTorch has CUDA" ON)
if(PAHTUM_WITH_CUDA AND TARGET torch_cuda)
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state()
  set(CMAKE_REQUIRED_INCLUDES ${TORCH_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${TORCH_LIBRARIES})
  set(CMAKE_REQUIRED_FLAGS "${TORCH_CXX_FLAGS}")
  check_cxx_source_compiles("
    #include <ATen/cuda/CUDAContext.h>
    #include <ATen/cuda/CUDAGraph.h>
    int main() {
      at::cuda::CUDAGraph graph;
      cudaStream_t stream = nullptr;
      return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess ? 0 : 1;
    }" PAHTUM_TORCH_HAS_CUDA)
  cmake_pop_check_state()
  if(PAHTUM_TORCH_HAS_CUDA)
    add_library(pahtum_cuda INTERFACE)
    target_compile_definitions(pahtum_cuda INTERFACE PAHTUM_WITH_CUDA)
  else()
    message(WARNING "LibTorch has CUDA, but its streams and graphs cannot be linked: on CUDA devices networks run in "
                    "fp32 and one piece. CMakeError.log or CMakeConfigureLog.yaml holds the compiler's messages.")
  endif()
endif()
