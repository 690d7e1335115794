# Finds the oneDNN that LibTorch itself links and offers it as the target pahtum_onednn; no target where there is none.
#
# One process must hold one oneDNN. Debian's LibTorch links the shared library of libdnnl-dev, so this program linking it
# too adds nothing. LibTorch's own downloads carry another version inside libtorch_cpu.so, whose symbols have the same
# names: calls would end in whichever the loader sees first. There the network runs on LibTorch's operators instead.

option(PAHTUM_WITH_ONEDNN "Run the network on oneDNN itself on a CPU, where LibTorch links the same library" ON)

if(PAHTUM_WITH_ONEDNN)
  # Not by find_package: Debian's dnnl-config.cmake insists on OpenCL's headers, which a CPU has no use for.
  find_path(PAHTUM_ONEDNN_INCLUDE oneapi/dnnl/dnnl.hpp)
  find_library(PAHTUM_ONEDNN_LIBRARY dnnl)
  set(pahtum_onednn_version "")
  if(PAHTUM_ONEDNN_INCLUDE)
    file(STRINGS "${PAHTUM_ONEDNN_INCLUDE}/oneapi/dnnl/dnnl_version.h" pahtum_onednn_version
         REGEX "define DNNL_VERSION_MAJOR")
  endif()
  # The OpenMP runtime that both use, whatever compiler builds this program.
  find_library(PAHTUM_OPENMP_LIBRARY NAMES libgomp.so.1 gomp)
  set(pahtum_torch_needs "")
  if(TARGET torch_cpu AND CMAKE_READELF)
    get_target_property(pahtum_torch_cpu torch_cpu LOCATION)
    execute_process(COMMAND "${CMAKE_READELF}" -d "${pahtum_torch_cpu}" OUTPUT_VARIABLE pahtum_torch_needs ERROR_QUIET)
  endif()
  if(NOT PAHTUM_ONEDNN_LIBRARY OR NOT PAHTUM_OPENMP_LIBRARY OR NOT pahtum_onednn_version MATCHES "MAJOR 2$")
    message(STATUS "oneDNN 2 (libdnnl-dev) or libgomp: not found; the network runs on LibTorch's operators")
  elseif(NOT pahtum_torch_needs MATCHES "libdnnl\\.so\\.2")
    message(STATUS "oneDNN: LibTorch does not link ${PAHTUM_ONEDNN_LIBRARY}; the network runs on LibTorch's operators")
  else()
    message(STATUS "oneDNN: ${PAHTUM_ONEDNN_LIBRARY}")
    add_library(pahtum_onednn INTERFACE)
    target_compile_definitions(pahtum_onednn INTERFACE PAHTUM_WITH_ONEDNN)
    target_include_directories(pahtum_onednn SYSTEM INTERFACE "${PAHTUM_ONEDNN_INCLUDE}")
    target_link_libraries(pahtum_onednn INTERFACE "${PAHTUM_ONEDNN_LIBRARY}" "${PAHTUM_OPENMP_LIBRARY}")
  endif()
endif()
