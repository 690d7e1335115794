# How every target of the project is compiled, and the one function that declares a floor.

find_program(PAHTUM_CCACHE ccache)
if(PAHTUM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PAHTUM_CCACHE}")
endif()

add_library(pahtum_options INTERFACE)
target_include_directories(pahtum_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_features(pahtum_options INTERFACE cxx_std_20)
target_compile_definitions(pahtum_options INTERFACE PAHTUM_VERSION="${PROJECT_VERSION}")
target_compile_options(pahtum_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wnon-virtual-dtor -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlapping copies inside `"text" + std::string()` that cannot happen (GCC bug 105651), and its own
  # AVX and AVX-512 intrinsics for the vectors they leave undefined on purpose (GCC bug 105593).
  target_compile_options(pahtum_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(PAHTUM_WERROR)
  target_compile_options(pahtum_options INTERFACE -Werror)
endif()
if(PAHTUM_NATIVE)
  target_compile_options(pahtum_options INTERFACE -march=native)
endif()
if(PAHTUM_SANITIZE)
  list(JOIN PAHTUM_SANITIZE "," pahtum_sanitizers)
  target_compile_options(pahtum_options INTERFACE -fsanitize=${pahtum_sanitizers} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(pahtum_options INTERFACE -fsanitize=${pahtum_sanitizers})
endif()

# pahtum_floor(NAME): a static library `pahtum_NAME`, alias pahtum::NAME, of every source in the current folder.
function(pahtum_floor name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  add_library(pahtum_${name} STATIC ${sources})
  add_library(pahtum::${name} ALIAS pahtum_${name})
  # Warnings, instruction set and sanitizers are this build's own affair, not that of who installs a floor.
  target_link_libraries(pahtum_${name} PUBLIC $<BUILD_INTERFACE:pahtum_options>)
  set_target_properties(pahtum_${name} PROPERTIES LINKER_LANGUAGE CXX)
  pahtum_unite(pahtum_${name})
endfunction()

# pahtum_compile_fast(TARGET [LEVEL]): for sources that compute little themselves, where half of the compile time is the
# optimizer's work on the templates of libraries: not optimized with sanitizers, and in a release to LEVEL where given.
function(pahtum_compile_fast target)
  if(PAHTUM_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(ARGC GREATER 1)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${ARGV1}>)
  endif()
endfunction()

# pahtum_unite(TARGET): compiles up to ten sources at a time, which parses headers and instantiates templates once for all
# of them. What is in their unnamed namespaces needs a name of its own within the target; that each source includes what
# it uses is seen by the lint build, which is made without.
function(pahtum_unite target)
  if(PAHTUM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()
