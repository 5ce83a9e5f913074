# What all targets share: language level, warnings as errors, sanitizers, and output folders.
#
# The build tree has the shape of the installed tree: the `gridlock` program, the shared
# libraries and scenarios/<back end>/<name>, all relative to one folder, so that each finds the
# others by $ORIGIN in both.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

include(GNUInstallDirs)
set(GRIDLOCK_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR}/gridlock)

add_library(gridlock_common INTERFACE)
target_include_directories(gridlock_common INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(gridlock_common INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Werror>
  # clang 14 takes a defaulted <=> for a null pointer.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wzero-as-null-pointer-constant>
  # Callers are found by walking frame pointers, and their functions and lines by debug information.
  # Debug information about variables too would make compiling take half as long again.
  $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer;-fno-optimize-sibling-calls;$<IF:$<CONFIG:Debug>,-g,-g1>>)
# These depend on what the optimizer has inlined, and each new compiler version has new false alarms, as
# have the sanitizers. So they are warnings, not errors.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   (GRIDLOCK_SANITIZE OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13))
  target_compile_options(gridlock_common INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=stringop-overflow;-Wno-error=array-bounds;-Wno-error=maybe-uninitialized>)
endif()
if(GRIDLOCK_SANITIZE)
  target_compile_options(gridlock_common INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GRIDLOCK_SANITIZE};-fno-sanitize-recover=all>)
  target_link_options(gridlock_common INTERFACE -fsanitize=${GRIDLOCK_SANITIZE})
  # The interpreter's fences are PTX's, and g++ warns that the thread sanitizer does not see them.
  target_compile_options(gridlock_common INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-tsan>)
endif()
if(GRIDLOCK_LINT)
  find_program(GRIDLOCK_CLANG_TIDY clang-tidy)
  if(NOT GRIDLOCK_CLANG_TIDY)
    message(FATAL_ERROR "GRIDLOCK_LINT=ON, but clang-tidy was not found. Install it (Debian: clang-tidy), or name it with -DGRIDLOCK_CLANG_TIDY=<path>.")
  endif()
  # The compiler's optimization flags are not all clang's.
  set(CMAKE_CXX_CLANG_TIDY ${GRIDLOCK_CLANG_TIDY} --quiet
      --extra-arg=-Wno-ignored-optimization-argument --extra-arg=-Wno-zero-as-null-pointer-constant)
endif()

# gridlock_library(<name> [SHARED] [PRECOMPILED] [APART] LINK <targets>): all .cpp files of the current
# folder and its subfolders. APART: several of its sources use the same name for things of their own, so
# CMAKE_UNITY_BUILD, which compiles a dozen sources as one, leaves them alone.
function(gridlock_library name)
  cmake_parse_arguments(ARG "SHARED;PRECOMPILED;APART" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  if(ARG_SHARED)
    add_library(${name} SHARED ${sources})
    set_target_properties(${name} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
    install(TARGETS ${name} LIBRARY DESTINATION ${GRIDLOCK_INSTALL_LIBDIR})
  else()
    add_library(${name} STATIC ${sources})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE gridlock_common)
  if(ARG_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(ARG_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM gridlock_library_headers)
  endif()
endfunction()
