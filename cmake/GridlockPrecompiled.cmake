# Precompiles headers that most sources include. A precompiled header works only for sources with the same
# options, so there is one for libraries, one for programs and one for tests. Sources must still include
# what they use, because the lint preset compiles without these.

set(GRIDLOCK_COMMON_HEADERS
  <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <optional>
  <span> <string> <string_view> <unordered_map> <vector>)

# gridlock_precompiled(<name> <STATIC|PROGRAM> LINK <targets> HEADERS <more headers> [OPTIONS <compiler options>])
function(gridlock_precompiled name kind)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS;OPTIONS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [==[
// Carries the options of @name@; its object is never used.
int main() {}
]==])
  if(kind STREQUAL "PROGRAM")
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
  else()
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${source})
  endif()
  target_link_libraries(${name} PRIVATE gridlock_common ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${GRIDLOCK_COMMON_HEADERS} ${ARG_HEADERS})
endfunction()

gridlock_precompiled(gridlock_library_headers STATIC LINK fmt::fmt HEADERS <fmt/format.h>)
gridlock_precompiled(gridlock_program_headers PROGRAM LINK fmt::fmt HEADERS <fmt/format.h>)
if(GRIDLOCK_WITH_CUDA)
  gridlock_precompiled(gridlock_cuda_library_headers STATIC LINK fmt::fmt gridlock_vendor_cuda
                       HEADERS <fmt/format.h> <cuda_runtime.h> <nccl.h>)
  gridlock_precompiled(gridlock_cuda_program_headers PROGRAM LINK fmt::fmt gridlock_vendor_cuda
                       HEADERS <fmt/format.h> <cuda_runtime.h> <nccl.h>)
endif()
if(GRIDLOCK_TESTS)
  find_package(GTest REQUIRED)
  gridlock_precompiled(gridlock_test_headers PROGRAM LINK GTest::gtest HEADERS <gtest/gtest.h> OPTIONS -O0)
endif()
